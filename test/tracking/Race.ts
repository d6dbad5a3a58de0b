/** Several processes that change one restoration file at the same time, and what must be in it afterwards. */
import { spawn, spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { bundled } from "../Bundles.ts"
import { folderUntilTheEnd } from "../Executables.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"

const child = await bundled(new URL("Changes.ts", import.meta.url))

/** A folder until the scope closes. */
export const folder = temporaryFolder("tracking-")

export interface Changed {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** What it said was done. */
  readonly done: ReadonlyArray<string>
  readonly stderr: string
}

export const changes = (
  path: string,
  name: string,
  count: number,
  options: { readonly stay?: boolean; readonly env?: Readonly<Record<string, string>> } = {}
) =>
  Effect.callback<Changed>((resume) => {
    const args = [child, path, name, String(count), ...(options.stay === true ? ["stay"] : [])]
    const started = spawn(process.execPath, args, { env: { ...process.env, ...options.env } })
    const [out, error]: [Array<string>, Array<string>] = [[], []]
    started.stdout.setEncoding("utf8").on("data", (text: string) => out.push(text))
    started.stderr.setEncoding("utf8").on("data", (text: string) => error.push(text))
    started.on("close", (code, signal) => {
      const done = out
        .join("")
        .split("\n")
        .filter((line) => /^[+-]/.test(line))
      resume(Effect.succeed({ code, signal, done, stderr: error.join("") }))
    })
    return Effect.sync(() => started.kill("SIGKILL"))
  })

/** The analyses that processes which said this much have left in the file. */
export const remaining = (done: ReadonlyArray<string>): ReadonlyArray<string> => {
  const left = new Set<string>()
  for (const line of done) {
    if (line.startsWith("+")) left.add(line.slice(1))
    else left.delete(line.slice(1))
  }
  return [...left].sort()
}

export const analysesIn = (path: string): ReadonlyArray<string> => {
  const items: ReadonlyArray<{ readonly analysisId: string }> = JSON.parse(readFileSync(path, "utf8"))
  return items.map(({ analysisId }) => analysisId).sort()
}

/** One round: what is missing, what is too much, and what was left beside the file. */
export const race = Effect.fnUntraced(function* (
  processes: number,
  each: number,
  env: Readonly<Record<string, string>> = {}
) {
  const at = yield* folder
  const path = join(at, "t.json")
  yield* changes(path, "first", 1)
  const all = yield* Effect.all(
    Array.from({ length: processes }, (_, index) => changes(path, `p${index}`, each, { env })),
    { concurrency: "unbounded" }
  )
  const expected = remaining(["+first-1", ...all.flatMap(({ done }) => done)])
  const found = analysesIn(path)
  return {
    changes: all.reduce((sum, { done }) => sum + done.length, 0),
    missing: expected.filter((id) => !found.includes(id)),
    surplus: found.filter((id) => !expected.includes(id)),
    failed: all.filter(({ code }) => code !== 0),
    beside: readdirSync(at).filter((name) => name !== "t.json" && !name.endsWith(".wait"))
  }
})

/** Builds a library to be preloaded; null where there is no compiler. */
export const preload = (source: URL, ...libraries: ReadonlyArray<string>): string | null => {
  const library = join(folderUntilTheEnd("svc-preload-"), "library.so")
  const args = ["-shared", "-fPIC", "-O1", "-o", library, fileURLToPath(source), ...libraries]
  return spawnSync("gcc", args).status === 0 ? library : null
}
