/**
 * `npm run bench:whole-file`: one large BAM from nginx on this machine by `svc-download`, against what ends with the same, the runs taking
 * turns: `--check structure` against `curl && sha256sum`, the default against `curl && samtools view -c`. Then over a slow road,
 * `--check structure` against `aria2c -x8`.
 *
 * Prints the tables that stand in bench/README.md; ends 1 when a goal is missed. Arguments: MiB (default 1320), then
 * folders to write to (default: the temporary one). The API is the sandbox; start, login and logout count. Needs nginx, curl, samtools
 * and aria2c.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { createServer } from "node:net"
import { cpus, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { crc32, deflateRawSync } from "node:zlib"

const [mebibytes = "1320", ...folders] = process.argv.slice(2)
const rounds = 7
/** The slow road: the round trip in ms, and bytes per second of each connection. */
const slowRoundTrip = 50
const slowCap = 30e6

interface Run {
  readonly wall: number
  readonly cpu: number
  readonly rss: number
  readonly sha256: string | null
}

const work = mkdtempSync(join(tmpdir(), "bench-whole-file-"))
const www = join(work, "www")
mkdirSync(www)
const dist = fileURLToPath(new URL("../dist/", import.meta.url))
const stop: Array<() => void> = [() => rmSync(work, { recursive: true, force: true })]

/** A BGZF block with these bytes. */
const block = (content: Uint8Array): Buffer => {
  const body = deflateRawSync(content)
  const bytes = Buffer.alloc(18 + body.length + 8)
  bytes.set([31, 139, 8, 4, 0, 0, 0, 0, 0, 255, 6, 0, 66, 67, 2, 0])
  bytes.writeUInt16LE(bytes.length - 1, 16)
  bytes.set(body, 18)
  bytes.writeUInt32LE(crc32(content), bytes.length - 8)
  bytes.writeUInt32LE(content.length, bytes.length - 4)
  return bytes
}

/** An unplaced read of 150 random bases; its qualities are of a few values, as those of sequencers. */
const read = (): Buffer => {
  const record = Buffer.alloc(4 + 32 + 2 + 75 + 150)
  record.writeInt32LE(record.length - 4, 0)
  for (const at of [4, 8, 24, 28]) record.writeInt32LE(-1, at)
  record.set([2, 0, 0x48, 0x12], 12)
  record.writeUInt16LE(4, 18)
  record.writeInt32LE(150, 20)
  record.write("r", 36)
  for (const [i, byte] of randomBytes(75).entries()) record[38 + i] = (1 << (byte & 3)) | (16 << ((byte >> 2) & 3))
  for (const [i, byte] of randomBytes(150).entries()) record[113 + i] = 2 + 12 * (byte & 3)
  return record
}

/** A BAM under the folder that nginx serves, of some blocks of reads again and again; returns its digest. */
const makeObject = (name: string, mib: number): string => {
  const hash = createHash("sha256")
  const file = openSync(join(www, name), "w")
  const put = (bytes: Uint8Array) => {
    hash.update(bytes)
    return writeSync(file, bytes)
  }
  put(block(Buffer.from("BAM\u0001\0\0\0\0\0\0\0\0", "latin1")))
  const blocks = Array.from({ length: 32 }, () => block(Buffer.concat(Array.from({ length: 240 }, read))))
  const megabyte = Buffer.concat(blocks)
  for (let left = mib * 1048576; left > 0; left -= megabyte.length) put(megabyte)
  put(Buffer.from("1f8b08040000000000ff0600424302001b0003000000000000000000", "hex"))
  closeSync(file)
  return hash.digest("hex")
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => resolve(address !== null && typeof address === "object" ? address.port : 0))
    })
  })

const startProcess = (command: string, args: ReadonlyArray<string>): ChildProcess => {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] })
  stop.unshift(() => child.kill())
  return child
}

/** Starts a program of ours and waits for its first line. */
const startAndRead = (args: ReadonlyArray<string>) =>
  new Promise<string>((resolve) =>
    startProcess(process.execPath, args).stdout?.once("data", (bytes) => resolve(String(bytes).trim()))
  )

const report = join(work, "report.json")

/** Runs a command under `time`, start-up included; ours says in its report what it has brought. */
const measure = (command: ReadonlyArray<string>): Run => {
  const times = join(work, "times")
  rmSync(report, { force: true })
  const { status, stderr } = spawnSync("/usr/bin/time", ["-q", "-o", times, "-f", "%e %U %S %M", ...command], {
    encoding: "utf8"
  })
  if (status !== 0) throw new Error(`${command.join(" ")} ended ${status}: ${stderr}`)
  const [wall = 0, user = 0, system = 0, rss = 0] = readFileSync(times, "utf8").trim().split(" ").map(Number)
  const sha256 = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")).files[0].sha256 : null
  return { wall, cpu: user + system, rss: rss / 1024, sha256 }
}

const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** Alternates the commands, `times` each, in a folder that is emptied in between. */
const compare = (folder: string, times: number, commands: Readonly<Record<string, ReadonlyArray<string>>>) => {
  const runs: Record<string, Array<Run>> = {}
  for (let round = 0; round < times; round++) {
    for (const [name, command] of Object.entries(commands)) {
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder)
      runs[name] = [...(runs[name] ?? []), measure(command)]
    }
  }
  rmSync(folder, { recursive: true, force: true })
  return runs
}

const missed: Array<string> = []
const goal = (name: string, met: boolean) => {
  if (!met) missed.push(name)
}

const size = Number(mebibytes)

const row = (name: string, runs: ReadonlyArray<Run>, base: ReadonlyArray<Run>): number => {
  const walls = runs.map(({ wall }) => wall)
  const fastest = Math.min(...walls)
  const ratio = median(base.map(({ wall }) => wall)) / median(walls)
  const best = Math.min(...base.map(({ wall }) => wall)) / fastest
  const rss = Math.max(...runs.map((run) => run.rss))
  const speed = (seconds: number) => ((size * 1.048576) / seconds).toFixed(0)
  console.log(
    `| ${name} | ${speed(median(walls))} | ${speed(fastest)} | ${ratio.toFixed(2)} | ${best.toFixed(2)} | ` +
      `${median(runs.map(({ cpu }) => cpu)).toFixed(2)} | ${rss.toFixed(0)} |`
  )
  return ratio
}

const heading = (title: string, peer: string) =>
  console.log(
    `\n${title}\n\n| | MB/s, median | best | times ${peer}, median | best | CPU s | peak RSS MB |\n|---|---|---|---|---|---|---|`
  )

const port = await freePort()
const conf = join(work, "nginx.conf")
writeFileSync(
  conf,
  `pid ${work}/nginx.pid; error_log ${work}/nginx.log; daemon off; worker_processes 1;
events {} http { access_log off; sendfile on; server { listen 127.0.0.1:${port}; root ${www}; } }`
)
spawnSync("chmod", ["-R", "a+rX", work])
startProcess("nginx", ["-c", conf])
try {
  const digest = makeObject("big.bam", size)
  const slowLink = fileURLToPath(new URL("SlowLink.ts", import.meta.url))
  const slowPort = await startAndRead([slowLink, String(port), String(slowRoundTrip), String(slowCap)])
  const links = { big: `http://127.0.0.1:${port}/big.bam`, slow: `http://127.0.0.1:${slowPort}/big.bam` }
  const analyses = (["big", "slow"] as const).map((id) => ({
    id,
    files: [{ name: "big.bam", path: join(www, "big.bam"), link: links[id] }]
  }))
  const world = join(work, "world.json")
  writeFileSync(world, JSON.stringify({ empty: true, accounts: [{ user: "u", password: "p" }], analyses }))
  const sandbox = await startAndRead([join(dist, "svc-sandbox.js"), "--world", world])
  Object.assign(process.env, {
    SVC_TARGET: JSON.parse(sandbox).url,
    SVC_USER: "u",
    SVC_PASSWORD: "p",
    SVC_LOCK_DIR: join(work, "locks")
  })
  const commands = (id: keyof typeof links, out: string) => {
    const curl = (then: string) => ["sh", "-c", `curl -sS -o "$0" "$1" && ${then}`, join(out, "curl.bam"), links[id]]
    const ours = (check: string) => [
      ...[process.execPath, join(dist, "svc-download.js"), "-a", id, "-f", "bam", "-d", out, "--check", check],
      ...["--reportfile", report, "--loglevel", "error"]
    ]
    return {
      hashed: curl('sha256sum "$0" >/dev/null'),
      counted: curl('samtools view -c "$0" >/dev/null'),
      aria2c: ["aria2c", "-q", "-x8", "-s8", "-k1M", "--file-allocation=none", "-d", out, links[id]],
      structure: ours("structure"),
      content: ours("content")
    }
  }

  const check = (runs: ReadonlyArray<Run>) => {
    if (runs.some((run) => run.sha256 !== digest)) throw new Error("wrong bytes")
  }
  const mine = (name: string) => `\`svc-download --check ${name}\` (synced, hashed)`
  for (const folder of folders.length === 0 ? [tmpdir()] : folders) {
    const out = join(folder, "bench-whole-file-out")
    const { aria2c: _, ...inTurn } = commands("big", out)
    const { content = [], counted = [], hashed = [], structure = [] } = compare(out, rounds, inTurn)
    check([...content, ...structure])
    const size = `${mebibytes} MiB over loopback to ${folder}, ${rounds} runs each in turn, ${cpus().length} cores`
    for (const [name, peer, theirs, ours, least] of [
      ["structure", "curl && sha256sum", hashed, structure, 1.5],
      ["content", "curl && samtools view -c", counted, content, 1]
    ] as const) {
      heading(size, peer)
      row(`\`${peer}\``, theirs, theirs)
      const ratio = row(mine(name), ours, theirs)
      goal(`${folder}: --check ${name} is ${ratio.toFixed(2)} times as fast as ${peer}, goal ${least}`, ratio >= least)
    }
  }

  const out = join(folders[0] ?? tmpdir(), "bench-whole-file-out")
  const { aria2c: theirs, structure: command } = commands("slow", out)
  const { aria2c = [], structure = [] } = compare(out, 3, { aria2c: theirs, structure: command })
  check(structure)
  heading(`${mebibytes} MiB, ${slowRoundTrip} ms round trip, ${slowCap / 1e6} MB/s for each connection`, "aria2c -x8")
  row("`aria2c -x8`", aria2c, aria2c)
  const ratio = row(mine("structure"), structure, aria2c)
  goal(`slow road: ${ratio.toFixed(2)} of the throughput of aria2c -x8, goal 0.97`, ratio >= 0.97)
} finally {
  for (const each of stop) each()
}

for (const each of missed) console.log(`\nmissed: ${each}`)
process.exitCode = missed.length === 0 ? 0 : 1
