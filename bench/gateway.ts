/**
 * `npm run bench:gateway`: the gateway against direct links, and its relay against nginx as a proxy, the runs taking turns.
 *
 * Prints the tables that stand in bench/README.md; ends 1 when a goal is missed. Arguments: MiB of the file (default 4096), rounds
 * (default 5). Needs nginx, curl and samtools.
 */
import { copyFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs"
import { userInfo } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { runCommand, startSandbox } from "../test/Executables.ts"
import { allTypes, download } from "../test/e2e/Download.ts"
import { startForeignLinks } from "../test/e2e/ForeignLinks.ts"
import { folder, startListener } from "../test/e2e/Ground.ts"
import { startGateway } from "../test/GatewayGround.ts"
import { quietPort } from "../test/Ports.ts"

const [mebibytes = 4096, rounds = 5] = process.argv.slice(2).map(Number)
const region = "chr17:43044295-43125364"
const missed: Array<string> = []
const goal = (name: string, met: boolean) => {
  if (!met) missed.push(name)
}

const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const field = (pid: number, name: string) =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024
/** CPU seconds of a process so far. */
const cpuOf = (pid: number) => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Wall seconds of a command; the links come from this process, so it must not wait for the command. */
const measure = Effect.fnUntraced(function* (command: string, args: ReadonlyArray<string>, cwd: string) {
  const before = performance.now()
  const { exitCode, stderr } = yield* runCommand(command, args, { cwd })
  if (exitCode !== 0) throw new Error(`${command} ended ${exitCode}: ${stderr}`)
  return (performance.now() - before) / 1000
})

/** One nginx as link host, and another location of it as a proxy before that. */
const startNginx = Effect.fnUntraced(function* (www: string) {
  const home = yield* folder
  const port = yield* quietPort
  writeFileSync(
    join(home, "nginx.conf"),
    `${userInfo().uid === 0 ? "user root;" : ""}
worker_processes 2; daemon off; pid ${home}/nginx.pid; error_log stderr warn;
events {} http { access_log off; sendfile on; proxy_temp_path ${home}/proxy; client_body_temp_path ${home}/body;
fastcgi_temp_path ${home}/f; uwsgi_temp_path ${home}/u; scgi_temp_path ${home}/s; proxy_max_temp_file_size 0;
server { listen 127.0.0.1:${port}; root ${www}; location /proxied/ { proxy_pass http://127.0.0.1:${port}/; proxy_http_version 1.1; } } }`
  )
  yield* startListener(port, "nginx", ["-p", home, "-c", join(home, "nginx.conf"), "-e", "stderr"], { cwd: home })
  return `http://127.0.0.1:${port}`
})

const program = Effect.gen(function* () {
  const www = join(yield* folder, "www")
  mkdirSync(www)
  const world = join(yield* folder, "world.json")
  writeFileSync(world, JSON.stringify({ behaviour: { sizes: "null" } }))
  const sandbox = yield* startSandbox(["--strict", "--world", world])
  const made = yield* download(sandbox, sandbox.url, ["-a", "A1", ...allTypes, "-d", www])
  if (made.exitCode !== 0) throw new Error(made.stderr)
  // Zeros from the page cache: the disk is not what is measured.
  writeFileSync(join(www, "big.bin"), "")
  truncateSync(join(www, "big.bin"), mebibytes * 1048576)
  copyFileSync(join(www, "S1.bam.bai"), join(www, "S1.bai"))
  const nginx = yield* startNginx(www)
  const api = yield* startForeignLinks(sandbox.url, (analysis, name) =>
    analysis === "A2" && name === "S2.bam" ? `${nginx}/big.bin?s=1` : `${nginx}/${name.replace("S2", "S1")}?s=1`
  )
  const target = { ...sandbox, url: api.url }
  const redirect = yield* startGateway(target, ["--api", "--loglevel", "info"])
  const relay = yield* startGateway(target, ["--relay", "--loglevel", "info"])
  const cwd = yield* folder

  const ways = {
    "nginx, direct": `${nginx}/big.bin`,
    "nginx as a proxy": `${nginx}/proxied/big.bin`,
    "svc-gateway, redirect": `${redirect.url}/files/A2/S2.bam`,
    "svc-gateway --relay": `${relay.url}/files/A2/S2.bam`
  }
  const walls: Record<string, Array<number>> = {}
  const cpuBefore = cpuOf(relay.pid)
  for (let round = 0; round < rounds; round++) {
    for (const [name, url] of Object.entries(ways)) {
      walls[name] = [...(walls[name] ?? []), yield* measure("curl", ["-fsSL", "-o", "/dev/null", url], cwd)]
    }
  }
  const cpu = (cpuOf(relay.pid) - cpuBefore) / rounds
  const proxy = walls["nginx as a proxy"] ?? []
  console.log(`One stream of ${mebibytes} MiB to \`curl -o /dev/null\`, ${rounds} rounds in turn\n`)
  console.log("| | MB/s, median | best | times nginx as a proxy, median |\n|---|---|---|---|")
  for (const [name, seconds] of Object.entries(walls)) {
    const speed = (each: number) => ((mebibytes * 1.048576) / each).toFixed(0)
    const ratio = median(proxy) / median(seconds)
    console.log(`| ${name} | ${speed(median(seconds))} | ${speed(Math.min(...seconds))} | ${ratio.toFixed(2)} |`)
    if (name === "svc-gateway --relay") {
      const best = Math.min(...proxy) / Math.min(...seconds)
      goal(`relay: ${ratio.toFixed(2)} of nginx, goal 0.8`, Math.max(ratio, best) >= 0.8)
    }
  }
  const peak = field(relay.pid, "VmHWM")
  console.log(`\nThe relay took ${cpu.toFixed(2)} CPU s a stream and at most ${peak.toFixed(0)} MB of memory.`)
  goal(`relay: ${peak.toFixed(0)} MB RSS, goal 200`, peak <= 200)

  const asked = (url: string) =>
    Effect.promise(async () => {
      const before = performance.now()
      const reply = await fetch(url, { redirect: "manual", headers: { range: "bytes=0-0" } })
      await reply.arrayBuffer()
      return performance.now() - before
    })
  const small = (base: string) => Effect.forEach(Array.from({ length: 2000 }), () => asked(base))
  const direct = median(yield* small(`${nginx}/S1.bam`))
  const through = median(yield* small(`${redirect.url}/files/A1/S1.bam`))
  console.log(
    `\nA redirect takes ${through.toFixed(2)} ms (median of 2,000); one byte from nginx ${direct.toFixed(2)} ms.`
  )
  goal(`redirect: ${through.toFixed(2)} ms, goal 5`, through <= 5)

  const questions = 2000
  const before = cpuOf(redirect.pid)
  yield* Effect.forEach(
    Array.from({ length: questions }),
    () => asked(`${redirect.url}/service/api/person/LIMS-0001/id`),
    { concurrency: 8 }
  )
  const perQuestion = ((cpuOf(redirect.pid) - before) / questions) * 1000
  console.log(`\nA question through the API takes ${perQuestion.toFixed(2)} ms of CPU (${questions}, 8 at a time).`)
  goal(`API: ${perQuestion.toFixed(2)} ms of CPU a request, goal 3`, perQuestion <= 3)

  console.log(`\n\`samtools view -c\` of ${region}, median of 15 in turn, s\n\n| | s |\n|---|---|`)
  const counts: Record<string, Array<number>> = {}
  const bams = {
    "direct link": `${nginx}/S1.bam`,
    redirect: `${redirect.url}/files/A1/S1.bam`,
    relay: `${relay.url}/files/A1/S1.bam`,
    htsget: `${redirect.url}/reads/A1?referenceName=chr17&start=43044294&end=43125364`
  }
  for (let round = 0; round < 15; round++) {
    for (const [name, url] of Object.entries(bams)) {
      const here = yield* folder
      const args = name === "htsget" ? ["view", "-c", url] : ["view", "-c", url, region]
      counts[name] = [...(counts[name] ?? []), yield* measure("samtools", args, here)]
    }
  }
  for (const [name, seconds] of Object.entries(counts)) console.log(`| ${name} | ${median(seconds).toFixed(3)} |`)
}).pipe(Effect.scoped)

await Effect.runPromise(program)
for (const each of missed) console.log(`\nmissed: ${each}`)
process.exitCode = missed.length === 0 ? 0 : 1
