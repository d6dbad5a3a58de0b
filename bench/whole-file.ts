/**
 * `npm run bench:whole-file`: one large file from nginx on this machine, against `curl -o`, the runs taking turns.
 *
 * Prints the table that stands in bench/README.md; ends 1 when a goal is missed. Arguments: MiB (default 2048), then
 * folders to write to (default: the temporary one). Needs nginx and curl.
 */
import { spawn, spawnSync } from "node:child_process"
import { createHash, randomFillSync } from "node:crypto"
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs"
import { createServer } from "node:net"
import { cpus, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { buildSync } from "esbuild"

const [mebibytes = "2048", ...folders] = process.argv.slice(2)
const rounds = 5
const slowMebibytes = 256
const slowRoundTrip = 50
const slowCap = 20e6

interface Run {
  readonly wall: number
  readonly cpu: number
  readonly rss: number | null
  readonly sha256: string | null
}

const work = mkdtempSync(join(tmpdir(), "bench-whole-file-"))
const www = join(work, "www")
mkdirSync(www)

/** Random bytes under the folder that nginx serves; returns their digest. */
const makeObject = (name: string, mib: number): string => {
  const hash = createHash("sha256")
  const block = Buffer.alloc(1024 * 1024)
  const file = openSync(join(www, name), "w")
  for (let i = 0; i < mib; i++) {
    randomFillSync(block)
    hash.update(block)
    writeSync(file, block)
  }
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

const client = join(work, "client.mjs")
buildSync({
  entryPoints: [fileURLToPath(new URL("DownloadOne.ts", import.meta.url))],
  bundle: true,
  minify: true,
  platform: "node",
  format: "esm",
  outfile: client,
  logLevel: "error",
  banner: { js: 'import{createRequire as r}from"node:module";const require=r(import.meta.url);' }
})

/** Runs a command under the shell's `time`: wall, user and system seconds, start-up included. */
const measure = (command: ReadonlyArray<string>): Run => {
  const { status, stderr, stdout } = spawnSync("bash", ["-c", 'TIMEFORMAT="%3R %3U %3S"; time "$@"', "-", ...command], {
    encoding: "utf8"
  })
  if (status !== 0) throw new Error(`${command.join(" ")} ended ${status}: ${stderr}`)
  const [wall = 0, user = 0, system = 0] = stderr.trim().split("\n").at(-1)?.split(" ").map(Number) ?? []
  const told = stdout.trim() === "" ? null : JSON.parse(stdout)
  return { wall, cpu: user + system, rss: told?.rss ?? null, sha256: told?.sha256 ?? null }
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

const row = (name: string, runs: ReadonlyArray<Run>, base: ReadonlyArray<Run>, mib: number) => {
  const walls = runs.map(({ wall }) => wall)
  const fastest = Math.min(...walls)
  const ratio = median(base.map(({ wall }) => wall)) / median(walls)
  const best = Math.min(...base.map(({ wall }) => wall)) / fastest
  const rss = Math.max(...runs.map((run) => run.rss ?? 0))
  const speed = (seconds: number) => ((mib * 1.048576) / seconds).toFixed(0)
  console.log(
    `| ${name} | ${speed(median(walls))} | ${speed(fastest)} | ${ratio.toFixed(2)} | ${best.toFixed(2)} | ` +
      `${median(runs.map(({ cpu }) => cpu)).toFixed(2)} | ${rss === 0 ? "" : rss.toFixed(0)} |`
  )
  return { ratio: Math.max(ratio, best), rss }
}

const heading = (title: string) =>
  console.log(
    `\n${title}\n\n| | MB/s, median | best | times curl, median | best | CPU s | peak RSS MB |\n|---|---|---|---|---|---|---|`
  )

const port = await freePort()
const conf = join(work, "nginx.conf")
writeFileSync(
  conf,
  `pid ${work}/nginx.pid; error_log ${work}/nginx.log; daemon off; worker_processes 1;
events {} http { access_log off; sendfile on; server { listen 127.0.0.1:${port}; root ${www}; } }`
)
spawnSync("chmod", ["-R", "a+rX", work])
const nginx = spawn("nginx", ["-c", conf], { stdio: "ignore" })
const stop: Array<() => void> = [() => nginx.kill(), () => rmSync(work, { recursive: true, force: true })]
try {
  const size = Number(mebibytes)
  const digest = makeObject("big.bin", size)
  const link = `http://127.0.0.1:${port}/big.bin`
  const download = (from: string, mib: number, folder: string) => [
    process.execPath,
    client,
    from,
    String(mib * 1048576),
    folder
  ]
  for (const folder of folders.length === 0 ? [tmpdir()] : folders) {
    const out = join(folder, "bench-whole-file-out")
    const runs = compare(out, rounds, {
      curl: ["curl", "-sS", "-o", join(out, "big.bin"), link],
      synced: ["sh", "-c", 'curl -sS -o "$0" "$1" && sync "$0"', join(out, "big.bin"), link],
      ours: download(link, size, out)
    })
    const { curl = [], synced = [], ours = [] } = runs
    if (ours.some((run) => run.sha256 !== digest)) throw new Error("wrong bytes")
    heading(`${size} MiB over loopback to ${folder}, ${rounds} runs each in turn, ${cpus().length} cores`)
    row("`curl -o`", curl, curl, size)
    row("`curl -o` and `sync`", synced, curl, size)
    const { ratio, rss } = row("svc-steps (synced, checked, hashed)", ours, curl, size)
    goal(`${folder}: ${ratio.toFixed(2)} of curl's throughput, goal 0.9`, ratio >= 0.9)
    goal(`${folder}: ${rss.toFixed(0)} MB RSS, goal 150`, rss <= 150)
  }

  const slowDigest = makeObject("slow.bin", slowMebibytes)
  const proxy = spawn(process.execPath, [
    fileURLToPath(new URL("SlowLink.ts", import.meta.url)),
    String(port),
    String(slowRoundTrip),
    String(slowCap)
  ])
  stop.unshift(() => proxy.kill())
  const slowPort = await new Promise<string>((resolve) =>
    proxy.stdout.once("data", (bytes) => resolve(String(bytes).trim()))
  )
  const slowLink = `http://127.0.0.1:${slowPort}/slow.bin`
  const out = join(folders[0] ?? tmpdir(), "bench-whole-file-out")
  const { curl = [], ours = [] } = compare(out, 3, {
    curl: ["curl", "-sS", "-o", join(out, "big.bin"), slowLink],
    ours: download(slowLink, slowMebibytes, out)
  })
  if (ours.some((run) => run.sha256 !== slowDigest)) throw new Error("wrong bytes")
  heading(`${slowMebibytes} MiB, ${slowRoundTrip} ms round trip, ${slowCap / 1e6} MB/s for each connection`)
  row("`curl -o`", curl, curl, slowMebibytes)
  const { ratio } = row("svc-steps", ours, curl, slowMebibytes)
  goal(`slow road: ${ratio.toFixed(2)} of curl's throughput, goal 3`, ratio >= 3)
} finally {
  for (const each of stop) each()
}

for (const each of missed) console.log(`\nmissed: ${each}`)
process.exitCode = missed.length === 0 ? 0 : 1
