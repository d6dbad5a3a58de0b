/**
 * `node bench/slice.ts FOLDER [ROUNDS [ROUND-TRIPS]]`: regions of the BAM in FOLDER (`s.bam`, `s.bam.bai`) through `svc-download`,
 * against `samtools view -b -M -L` with `samtools index`, the runs taking turns; on loopback, and over a slow road.
 *
 * Prints the tables that stand in bench/README.md, and which goals are missed by how much. The API is the sandbox, the link host nginx for both. samtools reads its
 * index from the disk, ours fetches it, logs in and out, checks and hashes. The records of both are compared first.
 * Needs nginx and samtools.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { cpus, tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

const [given = "", rounds = "3", only = "0,20,50"] = process.argv.slice(2)
const data = resolve(given)
/** Bytes per second of one connection of the slow road. */
const cap = 40e6

interface Run {
  readonly wall: number
  readonly cpu: number
  readonly rss: number
  readonly requests: number
  readonly bytes: number
}

const work = mkdtempSync(join(tmpdir(), "bench-slice-"))
const dist = fileURLToPath(new URL("../dist/", import.meta.url))
const stop: Array<() => unknown> = [() => rmSync(work, { recursive: true, force: true })]

/** Waits for its end: nginx takes a file out of the folder that is removed next. */
const waitForEnd = (child: ChildProcess) =>
  new Promise<void>((done) => {
    if (child.exitCode !== null || child.signalCode !== null) return done()
    child.once("exit", () => done())
    child.kill()
  })

const freePort = () =>
  new Promise<number>((done) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => done(address !== null && typeof address === "object" ? address.port : 0))
    })
  })

/** Starts a program and waits for its first line. */
const startProcess = (command: string, args: ReadonlyArray<string>) =>
  new Promise<string>((done) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] })
    stop.unshift(() => waitForEnd(child))
    child.stdout.once("data", (bytes) => done(String(bytes).trim()))
  })

/** Ends as the command does, with the words of a failure. */
const output = (command: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}): string => {
  const { status, stderr, stdout } = spawnSync(command, args, {
    encoding: "utf8",
    maxBuffer: 2 ** 30,
    env: { ...process.env, ...env }
  })
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended ${status}: ${stderr}`)
  return stdout
}

const port = await freePort()
const log = join(work, "access.log")
writeFileSync(
  join(work, "nginx.conf"),
  `pid ${work}/nginx.pid; error_log ${work}/error.log; daemon off; worker_processes 1; user root;
events {} http { log_format bytes '$body_bytes_sent'; access_log ${log} bytes; sendfile on; keepalive_requests 100000;
server { listen 127.0.0.1:${port}; root ${data}; } }`
)
const nginx = spawn("nginx", ["-c", join(work, "nginx.conf"), "-e", join(work, "error.log")], { stdio: "ignore" })
stop.unshift(() => waitForEnd(nginx))

/** Requests and bytes of the link host since the last call. */
const traffic = (() => {
  let seen = 0
  return () => {
    // nginx writes a line when the client has gone, a moment after it ended.
    spawnSync("sleep", ["0.1"])
    const lines = readFileSync(log, "utf8").trimEnd().split("\n").slice(seen)
    seen += lines.length
    return { requests: lines.length, bytes: lines.reduce((sum, line) => sum + Number(line), 0) }
  }
})()

/** A command under `time`, start-up included. */
const measure = (command: string, env: Readonly<Record<string, string>>): Run => {
  const times = join(work, "times")
  output("/usr/bin/time", ["-q", "-o", times, "-f", "%e %U %S %M", "sh", "-c", command], env)
  const [wall = 0, user = 0, system = 0, rss = 0] = readFileSync(times, "utf8").trim().split(" ").map(Number)
  return { wall, cpu: user + system, rss: rss / 1024, ...traffic() }
}

/** What failed and was run again: htslib 1.16 sometimes reads another place of the file than it asked for. */
const repeated: Array<string> = []

/** A run of samtools, up to three times until one succeeds. */
const measureTheirs = (command: string, env: Readonly<Record<string, string>>): Run => {
  for (let left = 2; left > 0; left--) {
    try {
      return measure(command, env)
    } catch (error) {
      traffic()
      const words = error instanceof Error ? error.message : String(error)
      repeated.push(/\[E::.*/.exec(words)?.[0] ?? words)
    }
  }
  return measure(command, env)
}

const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const of = (runs: ReadonlyArray<Run>, key: keyof Run) => median(runs.map((run) => run[key]))

/** References of the BAM with their lengths. */
const references = output("samtools", ["idxstats", join(data, "s.bam")])
  .split("\n")
  .map((line) => line.split("\t"))
  .filter(([name = "*"]) => name !== "*" && name !== "")
  .map(([name = "", length]) => ({ name, length: Number(length) }))

const [first = { name: "", length: 0 }] = references
/** The last one that is worth the name of a chromosome. */
const last = references.findLast(({ length }) => length > 1e6) ?? first
const middle = Math.floor(first.length / 2)

/** `count` targets of 150 bases, spread evenly over all references. */
const targets = (count: number) => {
  const total = references.reduce((sum, { length }) => sum + length, 0)
  return references
    .flatMap(({ length, name }) => {
      const own = Math.round((count * length) / total)
      return Array.from({ length: own }, (_, i) => {
        const start = Math.floor(((i + 0.5) * length) / own)
        return `${name}\t${start}\t${start + 150}\n`
      })
    })
    .join("")
}

const cases: Readonly<Record<string, string>> = {
  "one region of 10 kb": `${first.name}\t${middle}\t${middle + 10_000}\n`,
  "one region of 1 Mb": `${first.name}\t${middle}\t${middle + 1_000_000}\n`,
  "200 targets of 150 b": targets(200),
  "2000 targets of 150 b": targets(2000),
  [`one chromosome of ${(last.length / 1e6).toFixed(0)} Mb`]: `${last.name}\t0\t${last.length}\n`
}

interface Goal {
  readonly regions: RegExp
  readonly what: string
  /** At least this much. */
  readonly least: number
  readonly value: (theirs: ReadonlyArray<Run>, ours: ReadonlyArray<Run>) => number
}

const timesFaster = (regions: RegExp, least: number): Goal => ({
  regions,
  what: "times faster",
  least,
  value: (theirs, ours) => of(theirs, "wall") / of(ours, "wall")
})

/** On a quiet machine of two processors, for a round trip in ms. */
const goalsFor = (roundTrip: number): ReadonlyArray<Goal> => [
  {
    regions: /chromosome/,
    what: "times less CPU",
    least: 4,
    value: (theirs, ours) => of(theirs, "cpu") / of(ours, "cpu")
  },
  {
    regions: /chromosome/,
    what: "times fewer bytes",
    least: 1 / 1.02,
    value: (theirs, ours) => of(theirs, "bytes") / of(ours, "bytes")
  },
  ...(roundTrip === 0
    ? [timesFaster(/chromosome/, 7), timesFaster(/2000 targets/, 1 / 1.4), timesFaster(/200 targets/, 1 / 2)]
    : [timesFaster(/^200 targets/, 10)])
]

/** Another client for the same files: the sandbox gives links to `host`. */
const serviceFor = async (host: string) => {
  const world = join(work, "world.json")
  const files = ["s.bam", "s.bam.bai"].map((name) => ({ name, path: join(data, name), link: `http://${host}/${name}` }))
  writeFileSync(
    world,
    JSON.stringify({ empty: true, accounts: [{ user: "u", password: "p" }], analyses: [{ id: "B", files }] })
  )
  const line = await startProcess(process.execPath, [join(dist, "svc-sandbox.js"), "--world", world])
  return { SVC_TARGET: JSON.parse(line).url, SVC_USER: "u", SVC_PASSWORD: "p", SVC_LOCK_DIR: join(work, "locks") }
}

try {
  for (const roundTrip of only.split(",").map(Number)) {
    const host =
      roundTrip === 0
        ? `127.0.0.1:${port}`
        : `127.0.0.1:${await startProcess(process.execPath, [
            fileURLToPath(new URL("SlowLink.ts", import.meta.url)),
            String(port),
            String(roundTrip),
            String(cap)
          ])}`
    const env = await serviceFor(host)
    const where = roundTrip === 0 ? "loopback" : `${roundTrip} ms round trip, ${cap / 1e6} MB/s for each connection`
    console.log(
      `\n${(Number(output("stat", ["-c", "%s", join(data, "s.bam")])) / 1e6).toFixed(0)} MB BAM, ${where}; medians of ${rounds} runs in turn, ${cpus().length} cores; samtools / ours\n`
    )
    console.log(
      "| regions | wall s | times faster | CPU s | times less CPU | MB fetched | requests | RSS MB |\n|---|---|---|---|---|---|---|---|"
    )
    const verdicts: Array<string> = []
    for (const [name, bed] of Object.entries(cases)) {
      const out = join(work, "out")
      rmSync(out, { recursive: true, force: true })
      mkdirSync(out)
      writeFileSync(join(work, "regions.bed"), bed)
      const commands = {
        theirs: `samtools view -b -M -L ${work}/regions.bed 'http://${host}/s.bam##idx##${data}/s.bam.bai' -o ${out}/t.bam && samtools index ${out}/t.bam`,
        ours: `exec ${process.execPath} ${dist}svc-download.js -a B -b ${work}/regions.bed -d ${out} --overwrite --loglevel error`
      }
      const runs: Record<keyof typeof commands, Array<Run>> = { theirs: [], ours: [] }
      traffic()
      for (let round = 0; round < Number(rounds); round++) {
        runs.theirs.push(measureTheirs(commands.theirs, env))
        runs.ours.push(measure(commands.ours, env))
      }
      const same = output("sh", [
        "-c",
        `samtools view ${out}/t.bam | md5sum; samtools view ${out}/s.ranged.bam | md5sum`
      ])
      const [theirs, ours] = same.trim().split("\n")
      if (theirs !== ours) throw new Error(`${name}: other records than samtools`)
      const pair = (key: keyof Run, digits: number, unit = 1) =>
        `${(of(runs.theirs, key) / unit).toFixed(digits)} / ${(of(runs.ours, key) / unit).toFixed(digits)}`
      const ratio = (key: keyof Run) => (of(runs.theirs, key) / of(runs.ours, key)).toFixed(1)
      console.log(
        `| ${name} | ${pair("wall", 2)} | ${ratio("wall")} | ${pair("cpu", 2)} | ${ratio("cpu")} | ` +
          `${pair("bytes", 1, 1e6)} | ${pair("requests", 0)} | ${pair("rss", 0)} |`
      )
      for (const { least, regions, value, what } of goalsFor(roundTrip)) {
        if (!regions.test(name)) continue
        const reached = value(runs.theirs, runs.ours)
        const verdict = reached >= least ? "met" : `MISSED, ${((100 * reached) / least).toFixed(0)} % of it`
        verdicts.push(`${name}: ${reached.toFixed(2)} ${what}, goal ${least.toFixed(2)}: ${verdict}`)
      }
    }
    console.log(`\n${verdicts.join("\n")}`)
    for (const words of repeated.splice(0)) console.log(`samtools failed and ran again: ${words}`)
  }
} finally {
  for (const each of stop) await each()
}
