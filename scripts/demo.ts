/**
 * `npm run demo`: the main jobs against the sandbox, as a newcomer would type them, with their real output (the log
 * without its times). Ends 0 only when everything that it shows is also right.
 */
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gunzipSync } from "node:zlib"
import { writeLargeSample } from "./demo-sample.ts"
import { startServer } from "./demo-server.ts"

const dist = fileURLToPath(new URL("../dist/", import.meta.url))
const terminal = process.stdout.isTTY && process.env["NO_COLOR"] === undefined
const bold = (text: string) => (terminal ? `\u001b[1m${text}\u001b[0m` : text)
const dim = (text: string) => (terminal ? `\u001b[2m${text}\u001b[0m` : text)
const say = (text: string) => process.stdout.write(`${text}\n`)
const indent = (text: string) => text.trimEnd().replace(/^(?=.)/gm, "    ")
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

let chapters = 0
const chapter = (title: string, explanation: string) => {
  chapters += 1
  say(`\n${bold(`${chapters}. ${title}`)}\n   ${explanation}`)
}

const wrong: Array<string> = []
/** Says that something is right, or remembers that it is not. */
const check = (right: boolean, what: string) => {
  say(`  ${right ? "✓" : "✗ WRONG:"} ${what}`)
  if (!right) wrong.push(what)
}

const folder = mkdtempSync(join(tmpdir(), "svc-demo-"))
const data = join(folder, "data")
mkdirSync(data)

/** Analysis A7 with a larger BAM than those that the sandbox makes by itself. */
const prepareWorld = () => {
  const samples = join(folder, "samples")
  mkdirSync(samples)
  writeLargeSample(samples, "S7")
  const files = ["S7.bam", "S7.bam.bai"].map((name) => ({ name, path: `samples/${name}` }))
  const world = { analyses: [{ id: "A7", personLimsId: "LIMS-0004", sampleId: "S7", files }] }
  writeFileSync(join(folder, "world.json"), JSON.stringify(world))
}

prepareWorld()
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1))
const { line, ready, stop } = await startServer("svc-sandbox", [
  ...["--world", join(folder, "world.json"), "--restoreDelay", "2s", "--strict"]
])
const sandbox: { url: string; user: string; password: string } = ready
const account = { SVC_TARGET: sandbox.url, SVC_USER: sandbox.user, SVC_PASSWORD: sandbox.password }

/** Runs one of our executables in the folder of the demo, shown as a user would type it; the end is its exit code. */
const type = (command: string, hidden = /^$/) =>
  new Promise<number>((resolve, reject) => {
    const [name, ...args] = command.split(" ")
    const child = spawn(process.execPath, [`${dist}${name}.js`, ...args], {
      cwd: folder,
      env: { PATH: process.env["PATH"], TMPDIR: process.env["TMPDIR"], ...account },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text
      })
    }
    child.on("error", reject)
    child.on("close", (code) => {
      const lines = output.replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z (?:\[info\]: )?/gm, "").split("\n")
      say(`  ${bold(`$ ${command}`)}\n${indent(lines.filter((line) => !hidden.test(line)).join("\n"))}`)
      resolve(code ?? 1)
    })
  })

interface Stats {
  readonly maxApiInFlight: number
  readonly overlaps: number
  readonly cookiesSeenByLinkHost: number
  readonly files: Readonly<Record<string, { readonly bytes: number }>>
}

/** What the sandbox has counted. */
const stats = async (): Promise<Stats> => JSON.parse(await (await fetch(`${sandbox.url}/__sandbox/stats`)).text())

/** The last 28 bytes of every complete BGZF file (SAM specification, section 4.1.2). */
const bgzfEnd = "1f8b08040000000000ff0600424302001b0003000000000000000000"

/** Whether a BAM is complete and unpacks, judged without our own code. */
const isWhole = (path: string) => {
  const bytes = readFileSync(path)
  return bytes.subarray(-28).toString("hex") === bgzfEnd && gunzipSync(bytes).toString("latin1", 0, 4) === "BAM\u0001"
}

say(bold("svc-steps: the files of a genomic analysis service, in pipelines"))
say("Its session breaks when two requests overlap, its links expire, and it moves old files into an archive.")
say(dim(`Everything runs on this machine with invented data, in ${folder}.`))

chapter("A service to try it on", "The sandbox is the service in a box. Here it ends the session at the first overlap.")
say(`  ${bold("$ svc-sandbox --strict --restoreDelay 2s --world world.json &")}\n${indent(line)}`)

chapter("What is there?", "People, analyses or samples are chosen by id; filters narrow them down.")
check((await type("svc-download -a A1,A3,A7 --list")) === 0, "three analyses, one file in the archive")

chapter("Two whole analyses", "Files come in parallel. Each gets its name when it is complete and checked.")
const twoAnalyses = "svc-download -a A1,A2 -d data --reportfile report.html"
check(
  (await type(twoAnalyses)) === 0 && readdirSync(data).sort().join(" ") === "S1.bam S1.bam.bai S2.bam S2.bam.bai",
  "four files, and nothing else, under their final names"
)
check(/<svg/.test(readFileSync(join(folder, "report.html"), "utf8")), "report.html shows the run in a browser")
check((await type("svc-download -a A1,A2 -d data", /exists, kept/)) === 0, "the same again fetches nothing")

chapter("A gene out of a large file", "Only the blocks that the region needs travel; the index is made on the way.")
check((await type("svc-download -a A7 -g chr17:43,044,295-43,125,364 -d data")) === 0, "a slice with its own index")
const { files } = await stats()
const fetched = (files["A7/S7.bam"]?.bytes ?? 0) + (files["A7/S7.bam.bai"]?.bytes ?? 0)
const whole = statSync(join(folder, "samples", "S7.bam")).size
check(
  fetched > 0 && fetched < whole / 50,
  `the service sent ${megabytes(fetched)}, index included; the whole file has ${megabytes(whole)}`
)

chapter(
  "A file that is in the archive",
  "It is asked for now and fetched when it is back: here after 2 s, there after hours."
)
check(
  (await type("svc-request-restore -a A3 -d data", /nothing to restore|run again later/)) === 0,
  "asked for, and noted"
)
check((await type("svc-resume-restore --wait 1h --poll 1s")) === 0, "it came back and was fetched")

chapter("Is all of it whole?", "Every block, header, record and index, without the network.")
const kept = readdirSync(data)
const proven = (await type("svc-verify data")) === 0 && kept.length === 8
check(
  proven && kept.every((name) => !name.endsWith(".bam") || isWhole(join(data, name))),
  `${kept.length} files are proven to the last byte`
)
const seen = await stats()
check(
  seen.maxApiInFlight === 1 && seen.overlaps === 0 && seen.cookiesSeenByLinkHost === 0,
  "the service saw one request at a time, and the hosts of the files no cookie"
)

stop()
rmSync(join(folder, "samples"), { recursive: true })
say("")
if (wrong.length === 0) {
  say(bold("All of it is right."))
  say(`Look at ${folder}: data/ and report.html, the page of the first download. Remove it when you have seen it.`)
  say("Next: docs/tour.md, or svc-download --help (npm run build puts it into dist/bin).")
} else {
  say(bold(`Not right:\n${wrong.map((what) => `  - ${what}`).join("\n")}`))
}
process.exitCode = wrong.length === 0 ? 0 : 1
