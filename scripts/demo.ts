/**
 * `npm run demo`: the main job against the sandbox, as a newcomer would type it, with real output. Ends 0 only when
 * everything that it shows is also right.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { gunzipSync } from "node:zlib"

const dist = fileURLToPath(new URL("../dist/", import.meta.url))
const terminal = process.stdout.isTTY && process.env["NO_COLOR"] === undefined
const bold = (text: string) => (terminal ? `\u001b[1m${text}\u001b[0m` : text)
const dim = (text: string) => (terminal ? `\u001b[2m${text}\u001b[0m` : text)
const say = (text: string) => process.stdout.write(`${text}\n`)
const indent = (text: string) => text.trimEnd().replace(/^/gm, "    ")

let step = 0
const chapter = (title: string, explanation: string) => {
  step += 1
  say(`\n${bold(`${step}. ${title}`)}\n${indent(explanation).replace(/^ {4}/gm, "   ")}`)
}

const wrong: Array<string> = []
/** Says that something is right, or remembers that it is not. */
const check = (right: boolean, what: string) => {
  say(`    ${right ? "right" : "WRONG"}: ${what}`)
  if (!right) wrong.push(what)
}

interface Done {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs one of our executables, shown as a user would type it. */
const type = (name: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>>, show = true) =>
  new Promise<Done>((resolve, reject) => {
    const child = spawn(process.execPath, [`${dist}${name}.js`, ...args], {
      env: { PATH: process.env["PATH"], TMPDIR: process.env["TMPDIR"], ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    const done = { stdout: "", stderr: "", both: "" }
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      done.stdout += text
      done.both += text
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      done.stderr += text
      done.both += text
    })
    child.on("error", reject)
    child.on("close", (code) => {
      if (show) say(`\n  ${bold(`$ ${[name, ...args].join(" ")}`)}\n${indent(done.both)}`)
      resolve({ code: code ?? 1, stdout: done.stdout, stderr: done.stderr })
    })
  })

const startSandbox = async () => {
  const child = spawn(process.execPath, [`${dist}svc-sandbox.js`], { stdio: ["ignore", "pipe", "inherit"] })
  const stop = () => child.kill("SIGTERM")
  process.on("exit", stop)
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1))
  for await (const line of createInterface({ input: child.stdout })) {
    const ready: { url: string; user: string; password: string } = JSON.parse(line)
    return { ...ready, line, stop }
  }
  throw new Error("svc-sandbox ended before it was ready")
}

interface Listing {
  readonly analyses: ReadonlyArray<{
    readonly analysisId: string
    readonly limsId: string
    readonly files: ReadonlyArray<{ readonly fileName: string; readonly size: number; readonly archived: boolean }>
  }>
}

/** The last 28 bytes of every complete BGZF file (SAM specification, section 4.1.2). */
const bgzfEnd = "1f8b08040000000000ff0600424302001b0003000000000000000000"
const startsWith: Readonly<Record<string, string>> = {
  ".bam": "BAM\u0001",
  ".bai": "BAI\u0001",
  ".gz": "##fileformat=VCF",
  ".tbi": "TBI\u0001"
}

/** Whether a file is what its name says: its first bytes, unpacked where it is BGZF, and the end block. */
const isWhole = (path: string) => {
  const bytes = readFileSync(path)
  const compressed = !path.endsWith(".bai")
  const complete = !compressed || bytes.subarray(-28).toString("hex") === bgzfEnd
  const content = compressed ? gunzipSync(bytes) : bytes
  const [, magic = "?"] = Object.entries(startsWith).find(([suffix]) => path.endsWith(suffix)) ?? []
  return complete && content.subarray(0, magic.length).toString("latin1") === magic
}

const sandbox = await startSandbox()
const folder = mkdtempSync(join(tmpdir(), "svc-demo-"))
const account = { SVC_TARGET: sandbox.url, SVC_USER: sandbox.user, SVC_PASSWORD: sandbox.password }

say(bold("svc-steps: files of a genomic analysis service, in a pipeline"))
say("The service has no tokens, ends the session of whoever asks twice at once, and keeps old files in an archive.")
say("Everything below runs on this machine, with invented data. svc-download is dist/svc-download.js.")

chapter(
  "A service to try it on",
  "The sandbox is the service in a box: accounts, analyses, expiring links, an archive."
)
say(`\n  ${bold("$ svc-sandbox &")}\n${indent(sandbox.line)}`)
say(
  `\n  ${bold("$ export")} ${Object.entries(account)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ")}`
)

chapter("What is there?", "All analyses of three people with their files, selected by LIMS id.")
const people = ["-l", "LIMS-0001,LIMS-0002,LIMS-0003"]
const listed = await type("svc-download", [...people, "--list"], account)
const { stdout } = await type("svc-download", [...people, "--list", "--format", "json"], account, false)
const listing: Listing = JSON.parse(stdout)
const archived = listing.analyses.filter(({ files }) => files.some((file) => file.archived))
const online = listing.analyses
  .filter(({ files }) => files.length === 4 && !files.some((file) => file.archived))
  .slice(0, 2)
const expected = online.flatMap(({ files }) => files)
check(
  listed.code === 0 && expected.length === 8 && archived.length > 0,
  "two analyses with four files each, and an archived file"
)

chapter(
  "Download two analyses",
  "One session, one API request at a time; the files come in parallel. A file gets its name when it is complete and checked."
)
const ids = online.map(({ analysisId }) => analysisId).join(",")
const args = ["-a", ids, "-f", "bam,bam.bai,vcf.gz,vcf.gz.tbi", "-d", folder]
const first = await type("svc-download", args, account)
check(first.code === 0, `exit code ${first.code}`)
for (const { fileName, size } of expected) {
  const path = join(folder, fileName)
  const there = readdirSync(folder).includes(fileName)
  check(
    there && statSync(path).size === size && isWhole(path),
    `${fileName}: ${size} bytes as listed, whole, of its type`
  )
}
check(readdirSync(folder).length === expected.length, "nothing else is in the folder")

chapter("Again", "What is there is not fetched twice, so a pipeline can simply repeat a step.")
const second = await type("svc-download", args, account)
check(second.code === 0 && /0 downloaded/.test(second.stderr), "nothing was downloaded")

chapter(
  "A file in the archive",
  "It is reported and left alone; nobody is there to answer the question whether to restore it."
)
const [cold] = archived
const third = await type("svc-download", ["-a", cold?.analysisId ?? "", "-f", "bam", "-d", folder], account)
check(third.code === 0 && /archive/i.test(third.stderr), "it was reported, and skipping it is no failure")
check(readdirSync(folder).length === expected.length, "and nothing of it was written")

sandbox.stop()
say("")
if (wrong.length === 0) {
  say(bold("All of it is right."))
  say(`The files are in ${folder}${dim(" (remove it when you have looked)")}.`)
  say("Next: README.md, or dist/svc-download.js --help")
} else {
  say(bold(`Not right:\n${wrong.map((what) => `  - ${what}`).join("\n")}`))
}
process.exitCode = wrong.length === 0 ? 0 : 1
