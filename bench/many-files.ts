/**
 * `npm run bench:many-files [-- DIST...]`: peak memory and CPU of runs over 1,000 and 10,000 files against the sandbox (needs GNU
 * time): listed, planned, downloaded through a session, and downloaded by a file of links. Each analysis has a BAM file and its index.
 *
 * Several folders of executables take turns, such as the ones before and after a change. `--only=TEXT` measures the jobs with that
 * text in their name, `--least=N` and `--most=N` bound the number of files.
 */
import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { crc32, deflateRawSync } from "node:zlib"

const root = fileURLToPath(new URL("../", import.meta.url))
const given = process.argv.slice(2).filter((argument) => !argument.startsWith("--"))
const folders = (given.length === 0 ? ["dist"] : given).map((folder) => resolve(root, folder))
const optionOf = (name: string, otherwise: string) =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3) ?? otherwise
const only = optionOf("only", "")
const [least, most] = [Number(optionOf("least", "0")), Number(optionOf("most", "10000"))]
const counts = [1_000, 10_000].filter((count) => count <= most && count >= least)

/** A block of BGZF: a member of gzip that says in its header how many bytes it has. */
const block = (content: Buffer) => {
  const deflated = deflateRawSync(content)
  const head = Buffer.from("1f8b08040000000000ff0600424302000000", "hex")
  head.writeUInt16LE(head.length + deflated.length + 7, 16)
  const tail = Buffer.alloc(8)
  tail.writeUInt32LE(crc32(content), 0)
  tail.writeUInt32LE(content.length, 4)
  return Buffer.concat([head, deflated, tail])
}
/** The empty block at the end of every BGZF file. */
const end = Buffer.from("1f8b08040000000000ff0600424302001b0003000000000000000000", "hex")
/** As small as can be: without header text, references and records. What is measured is what each file costs besides its bytes. */
const contents = {
  bam: Buffer.concat([block(Buffer.from("BAM\u0001\0\0\0\0\0\0\0\0", "latin1")), end]),
  "bam.bai": Buffer.from("BAI\u0001\0\0\0\0", "latin1")
}

const work = mkdtempSync(join(tmpdir(), "bench-many-"))
const analyses = Array.from({ length: Math.max(...counts) / 2 }, (_, at) => ({
  id: `M${at + 1}`,
  sampleId: `S${at + 1}`,
  files: Object.entries(contents).map(([type, bytes]) => ({
    name: `sample-${at + 1}.${type}`,
    base64: bytes.toString("base64")
  }))
}))
writeFileSync(join(work, "world.json"), JSON.stringify({ analyses }))
const sandbox = spawn(
  process.execPath,
  [join(root, "dist/svc-sandbox.js"), "--world", join(work, "world.json"), "--linkLifetime", "6h"],
  { stdio: ["ignore", "pipe", "inherit"] }
)
process.on("exit", () => {
  sandbox.kill()
  rmSync(work, { recursive: true, force: true })
})
const ready = await new Promise<string>((done) => sandbox.stdout.once("data", (bytes) => done(String(bytes))))
const { password, url, user } = JSON.parse(ready)
const env = {
  PATH: process.env["PATH"],
  SVC_TARGET: url,
  SVC_USER: user,
  SVC_PASSWORD: password,
  SVC_LOCK_DIR: join(work, "locks")
}

/** GNU time writes the CPU of all threads in seconds and the peak memory in kB. */
const measured = (folder: string, args: ReadonlyArray<string>) => {
  const command = [join(folder, "svc-download.js"), ...args, "--loglevel", "error"]
  const { status, stderr } = spawnSync("/usr/bin/time", ["-f", "%U %S %e %M", process.execPath, ...command], {
    encoding: "utf8",
    env,
    stdio: ["ignore", "ignore", "pipe"]
  })
  if (status !== 0) throw new Error(`${args.join(" ").slice(0, 200)} ended with ${status}: ${stderr.slice(0, 2000)}`)
  const [user = 0, system = 0, wall = 0, kilobytes = 0] = (stderr.trim().split("\n").at(-1) ?? "")
    .split(" ")
    .map(Number)
  return { cpu: user + system, wall, megabytes: kilobytes / 1000 }
}

const idsOf = (count: number) => {
  const path = join(work, `ids-${count}.txt`)
  writeFileSync(
    path,
    analyses
      .slice(0, count / 2)
      .map(({ id }) => id)
      .join("\n")
  )
  return ["-a", `@${path}`]
}

let runs = 0
const fresh = () => {
  const folder = join(work, `out-${++runs}`)
  mkdirSync(folder)
  return folder
}

const jobs: ReadonlyArray<readonly [string, (count: number) => ReadonlyArray<string>]> = [
  ["--list", (count) => [...idsOf(count), "--list"]],
  ["--plan", (count) => [...idsOf(count), "--plan", "-d", fresh()]],
  ["a run", (count) => [...idsOf(count), "-d", fresh(), "--reportfile", join(work, "report.json")]]
]

console.log(
  "| job | files | executables | CPU s | CPU ms each analysis | wall s | RSS MB |\n|---|---|---|---|---|---|---|"
)
for (const [name, argsOf] of jobs.filter(([name]) => name.includes(only))) {
  for (const count of counts) {
    for (const folder of folders) {
      const args = argsOf(count)
      const { cpu, megabytes, wall } = measured(folder, args)
      const each = ((cpu * 1000) / (count / 2)).toFixed(1)
      console.log(
        `| ${name} | ${count} | ${folder} | ${cpu.toFixed(2)} | ${each} | ${wall.toFixed(1)} | ${megabytes.toFixed(0)} |`
      )
      for (const at of args) if (at.startsWith(join(work, "out-"))) rmSync(at, { recursive: true })
    }
  }
}
process.exit(0)
