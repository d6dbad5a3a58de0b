/**
 * The shell commands of the documentation, as a script that a test can run from top to bottom.
 *
 * What a page shows in a `sh` block is run, in one folder and one shell for each page, and must end with 0, or with what
 * the line says: `# ends with 75`. Some things become something else: `https://lab.example.org` is the sandbox, and a
 * line that exports it is left out, as our account is set already; `svc-sandbox` in the foreground is stopped when it is
 * ready; the commands of npm are stages of `.ci/run`.
 */
import { readdirSync, readFileSync } from "node:fs"
import { root } from "../Root.ts"

const block = /^```sh\n([\s\S]*?)^```$/gm

/** The pages for people: README.md and those in docs/ and docs/dev/, relative to the root. */
const pages: ReadonlyArray<string> = [
  "README.md",
  ...["docs", "docs/dev"].flatMap((folder) =>
    readdirSync(`${root}${folder}`)
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`)
  )
]

/** Lines that a backslash continues are one. */
const linesOf = (text: string) =>
  text
    .replace(/\\\n\s*/g, "")
    .split("\n")
    .map((line) => (line.startsWith("export ") ? line : line.replaceAll("https://lab.example.org", "$SVC_TARGET")))

const runnable = (line: string) => {
  if (/^export SVC_.*example\.org|^npm |^\s*(#|$)/.test(line)) return []
  const [, code] = /# ends with (\d+)\b/.exec(line) ?? []
  const command = /^svc-sandbox\b[^&]*$/.test(line) ? `until_ready ${line}` : line
  if (code === undefined) return [`say ${quoted(line)}`, command]
  return [`say ${quoted(line)}`, "code=0", `(${command}\n) || code=$?`, `[ "$code" = ${code} ] || exit 1`]
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

const prelude = `set -euo pipefail
say() { printf '\\n$ %s\\n' "$1" >&2; }
until_ready() {
  coproc SERVER { exec "$@"; }
  local pid=$SERVER_PID line
  read -r line <&"\${SERVER[0]}"
  printf '%s\\n' "$line"
  kill "$pid"
  wait "$pid" || [ $? = 143 ] || [ $? = 130 ]
}
trap 'jobs -p | xargs -r kill 2>/dev/null || true; wait' EXIT`

/** Every page that shows shell commands, and the script that runs them. */
export const pageScripts: ReadonlyArray<readonly [page: string, script: string]> = pages.flatMap((page) => {
  const blocks = [...readFileSync(`${root}${page}`, "utf8").matchAll(block)].map(([, text = ""]) => text)
  const lines = blocks.flatMap(linesOf).flatMap(runnable)
  return lines.length === 0 ? [] : [[page, [prelude, ...lines, ""].join("\n")]]
})

/** The blocks of a page that begin with these words. */
export const blocks = (page: string, words: string): ReadonlyArray<string> =>
  [...readFileSync(`${root}${page}`, "utf8").matchAll(new RegExp(`^\`\`\`${words}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(
    ([, text = ""]) => text
  )

/** The files that a page shows, each in a block that begins with its language and its path. */
export const pageFiles = (page: string): ReadonlyArray<readonly [path: string, text: string]> =>
  [...readFileSync(`${root}${page}`, "utf8").matchAll(/^```\w+ (\w+\/\S+)\n([\s\S]*?)^```$/gm)].map(
    ([, path = "", text = ""]) => [path, text] as const
  )
