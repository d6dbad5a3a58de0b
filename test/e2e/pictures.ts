/**
 * `npm run docs:pictures`: the pictures of README.md in docs/pictures, light and dark, made of real runs against the sandbox: a terminal in mid-download,
 * and the report page of a run in which not everything went well. Needs Chromium and `script` (npm run setup:e2e).
 */
import { spawn } from "node:child_process"
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { type RunOptions, run, startSandbox } from "../Executables.ts"
import { root } from "../Root.ts"
import { startBrowser } from "./Browser.ts"
import { folder } from "./Ground.ts"

const pictures = join(root, "docs", "pictures")

// biome-ignore lint/suspicious/noControlCharactersInRegex: the codes of a terminal
const codes = /\u001b\[(\d+)A\u001b\[J|\u001b\[[\d;?]*[a-zA-Z]|([^\u001b]+)/g

/** Stand for the codes of green and of no colour until the page is made. */
const [green, plain] = ["\ue000", "\ue001"]

/** What stands on a terminal after this output: lines that were drawn over are gone. */
const onScreen = (output: string): ReadonlyArray<string> => {
  const lines: Array<string> = [""]
  const marked = output.replaceAll("\u001b[32m", green).replaceAll("\u001b[39m", plain)
  for (const [part, up, text = ""] of marked.matchAll(codes)) {
    if (up !== undefined) lines.splice(lines.length - 1 - Number(up), Number(up))
    else if (text !== "" && part === text) {
      const [first = "", ...more] = text.replaceAll("\r", "").split("\n")
      lines.push((lines.pop() ?? "") + first, ...more)
    }
  }
  return lines
}

/** A command in a terminal of 80 columns, as it stands there at the moment that `until` waits for. */
const seen = (command: string, { cwd, env }: Required<Pick<RunOptions, "cwd" | "env">>, until: RegExp) =>
  Effect.callback<string>((resume) => {
    const child = spawn("script", ["-qec", `stty cols 80 rows 24; exec ${command}`, "/dev/null"], {
      cwd,
      env: { SHELL: "/bin/sh", TERM: "xterm", ...env }
    })
    let output = ""
    child.on("close", () => resume(Effect.die(`${command} ended without ${until}`)))
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text
      if (!until.test(output)) return
      child.stdout.removeAllListeners("data").resume()
      child.removeAllListeners("close")
      child.kill()
      resume(Effect.succeed(onScreen(output).join("\n").trimEnd()))
    })
  })

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

const terminalPage = (text: string) => `<!doctype html><meta charset="utf-8"><style>
:root { color-scheme: light dark; --ink: #24292f; --paper: #f6f8fa; --line: #d0d7de; --faint: #6e7781; --ok: #1a7f37 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #161b22; --line: #30363d; --faint: #8b949e; --ok: #3fb950 } }
body { margin: 0; padding: 8px; background: transparent }
pre { margin: 0; padding: 16px 18px; border: 1px solid var(--line); border-radius: 8px; background: var(--paper); color: var(--ink);
  font: 13px/1.45 "DejaVu Sans Mono", "Liberation Mono", monospace; white-space: pre }
b { font-weight: 600 } i { font-style: normal; color: var(--faint) } s { text-decoration: none; color: var(--ok) }
</style><pre>${escaped(text)
  .replace(/^\$ .*$/gm, "<b>$&</b>")
  .replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z/gm, "<i>$&</i>")
  .replaceAll(green, "<s>")
  .replaceAll(plain, "</s>")}</pre>`

/** Of a long page its beginning, up to the end of what went wrong. */
const shownHeight = `(document.querySelector("#failures")?.parentElement ?? document.body).getBoundingClientRect().bottom + 8`

const program = Effect.gen(function* () {
  const cwd = yield* folder
  const world = join(cwd, "world.json")
  writeFileSync(world, JSON.stringify({ analyses: [{ id: "A3", files: [{ name: "S3.bam", archived: true }] }] }))
  const faults = join(cwd, "faults.json")
  const slow = (file: string, rate: number) => ({ when: { plane: "link", file }, then: { slow: rate } })
  writeFileSync(faults, JSON.stringify([slow("S2.bam", 60_000), slow("S2.vcf.gz", 40_000)]))
  const sandbox = yield* startSandbox(["--world", world, "--faults", faults])
  const env = {
    PATH: `${root}dist/bin:${root}node_modules/.bin:${process.env["PATH"]}`,
    HOME: cwd,
    SVC_TARGET: sandbox.url,
    SVC_USER: sandbox.user,
    SVC_PASSWORD: sandbox.password,
    SVC_LOCK_DIR: join(cwd, "locks")
  }
  const place = { cwd, env }
  mkdirSync(join(cwd, "data"))

  const list = ["-l", "LIMS-0002", "--list"]
  const listed = yield* run("svc-download", list, place)
  const fetched = ["-a", "A1,A2", "-f", "bam,vcf.gz", "-d", "data"]
  const running = yield* seen(`svc-download ${fetched.join(" ")}`, place, /S2\.bam +\[=*> *\] +[45]\d%/)
  const text = [
    `$ svc-download ${list.join(" ")}`,
    listed.stdout.trimEnd(),
    `$ svc-download ${fetched.join(" ")}`,
    running
  ]

  yield* Effect.promise(() => fetch(`${sandbox.url}/__sandbox/faults`, { method: "POST", body: "[]" }))
  const files = ["-a", "A1,A2,A3,A4,A99", "-d", "data", "-f", "bam,bam.bai,vcf.gz"]
  yield* run("svc-download", [...files, "--restoreArchived", "no", "--reportfile", "report.html"], place)

  const browser = yield* startBrowser
  const pages = [
    ["terminal", terminalPage(text.join("\n")), 690],
    ["report", readFileSync(join(cwd, "report.html"), "utf8"), 900]
  ] as const
  for (const [name, page, width] of pages) {
    const path = join(cwd, `${name}.html`)
    writeFileSync(path, page)
    for (const scheme of ["light", "dark"] as const) {
      const visit = yield* browser.visit(`file://${path}`, { width, scheme, height: 200 })
      const picture = join(pictures, `${name}-${scheme}.png`)
      const height = Math.ceil(Number(yield* visit.evaluate(shownHeight)))
      yield* visit.picture(picture, { width, height })
      console.log(`${picture} ${statSync(picture).size} bytes`)
    }
  }
}).pipe(Effect.scoped)

await Effect.runPromise(program)
