/**
 * `npm run check`: everything that must be green before a commit is pushed. A line when a check begins and when it ends, its
 * output only when it fails; a failed check does not hide the next one. With `-- --no-tests` without the tests, for where they have just run.
 */
import { spawnSync } from "node:child_process"

const checks: ReadonlyArray<readonly [name: string, command: string, ...args: Array<string>]> = [
  ["format and lint", "biome", "check", "--error-on-warnings"],
  ["types", "tsc", "-p", "."],
  ["types of the page's script", "tsc", "-p", "gateway/page"],
  [
    "effect rules",
    "effect-tsgo",
    "diagnostics",
    "--project",
    "tsconfig.json",
    "--format",
    "text",
    "--strict",
    "--severity",
    "error,warning"
  ],
  ["tests", "vitest", "run", "--project", "modules", "--project", "executables"]
]

const wanted = process.argv.includes("--no-tests") ? checks.filter(([name]) => name !== "tests") : checks

const failed = wanted.filter(([name, command, ...args]) => {
  const started = performance.now()
  console.log(`...    ${name}`)
  const result = spawnSync(command, args, {
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined }
  })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`${result.status === 0 ? "ok    " : "FAILED"} ${name} (${seconds} s)`)
  if (result.status !== 0) console.log(`${result.stdout}${result.stderr}${result.error?.message ?? ""}`)
  return result.status !== 0
})

process.exitCode = failed.length === 0 ? 0 : 1
