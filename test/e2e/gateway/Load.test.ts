/** Many readers, short links, bad connections, and a service that is away: nothing fails that need not, nothing grows. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Ref } from "effect"
import { closableWay } from "../../ClosableWay.ts"
import { startSandbox, until } from "../../Executables.ts"
import { ask, startGateway } from "../../GatewayGround.ts"
import { fault, lingering, setFaults } from "../../SandboxFaults.ts"
import { folder } from "../Ground.ts"
import { startS3 } from "../S3.ts"
import { regionText, tool, toolGround } from "./Ground.ts"
import { residentMb } from "./Soak.ts"

/** A key whose address must be sent exactly as it was signed. */
const keyOf = (name: string) => `run 7 #1 + 50% (ü) ${name}`

/** How often the service has been asked for links. */
const linksAsked = ({ requests }: Readonly<Record<string, unknown>>): number =>
  (requests as Readonly<Record<string, number>>)["getFileDownloadLinks"] ?? 0

describe("the gateway under load", () => {
  for (const args of [[], ["--relay"]]) {
    it.live(
      `L5 links of an S3 server, 30 other readers, ${args.length === 0 ? "by redirect" : "through the gateway, each for 16 seconds"}: every count is right`,
      () =>
        Effect.gen(function* () {
          const s3 = yield* startS3
          let signed = 0
          // The gateway renews what a host refuses it. A reader by redirect cannot, and gets a link that was asked for within a minute.
          const lifetime = args.length === 0 ? 600 : 16
          const { files, gateway, url } = yield* toolGround(args, (_, name) => {
            if (name === "S1.bam") signed++
            return s3.link(keyOf(name), { signedAt: Date.now(), lifetime })
          })
          for (const name of readdirSync(files)) yield* s3.upload(keyOf(name), join(files, name))
          const count = yield* tool("samtools", ["view", "-c", join(files, "S1.bam"), regionText])
          const done = yield* Ref.make(false)
          const others = yield* Effect.forkChild(
            Effect.forEach(
              Array.from({ length: 30 }),
              () =>
                Effect.gen(function* () {
                  let reads = 0
                  while (!(yield* Ref.get(done))) {
                    const { status } = yield* ask(url("S1.vcf.gz"), { headers: { range: "bytes=0-99" } })
                    assert.strictEqual(status, args.length === 0 ? 307 : 206)
                    reads++
                  }
                  return reads
                }),
              { concurrency: 30 }
            )
          )
          for (let round = 0; round < 10 || (lifetime < 60 && signed < 3); round++) {
            assert.strictEqual(yield* tool("samtools", ["view", "-c", url("S1.bam"), regionText]), count)
          }
          yield* Ref.set(done, true)
          assert.isAbove(
            (yield* Fiber.join(others)).reduce((sum, reads) => sum + reads, 0),
            100
          )
          assert.notMatch(gateway.lines.join("\n"), /X-Amz|Signature/)
        })
    )
  }

  it.live(
    "S7 200 samtools at once, and readers of other analyses: one login, one request to the service at a time",
    () =>
      Effect.gen(function* () {
        const { files, gateway, sandbox, stats, url } = yield* toolGround([])
        yield* setFaults(sandbox.url, [lingering(500)])
        const before = Number((yield* stats)["logins"])
        const count = yield* tool("samtools", ["view", "-c", join(files, "S1.bam"), regionText])
        const others = ["A2", "A3", "A4"]
        const begun = Date.now()
        const [counts, answers] = yield* Effect.all(
          [
            Effect.forEach(
              Array.from({ length: 200 }),
              () => tool("samtools", ["view", "-c", url("S1.bam"), regionText]),
              { concurrency: "unbounded" }
            ),
            Effect.forEach(others, (id) => ask(`${gateway.url}/files/${id}`), { concurrency: "unbounded" })
          ],
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(new Set(counts), new Set([count]))
        const seen = yield* stats
        // samtools also looks for a .csi, and that there is none counts for half a minute.
        const again = Math.floor((Date.now() - begun) / 30_000)
        const { logins, maxApiInFlight, overlaps } = seen
        assert.deepStrictEqual([logins, maxApiInFlight, overlaps], [before, 1, 0])
        assert.deepStrictEqual(
          answers.map(({ status }) => status),
          others.map(() => 200)
        )
        assert.isAtMost(
          linksAsked(seen),
          1 + 1 + others.length + again,
          "of the comparison, of the samtools, and of each other analysis"
        )
      })
  )

  it.live(
    "S7 25 samtools on 25 analyses while the service takes a second for each: all end well, and known files do not wait",
    () =>
      Effect.gen(function* () {
        const ids = Array.from({ length: 25 }, (_, i) => `L${i}`)
        const world = join(yield* folder, "world.json")
        const files = ["S1.bam", "S1.bam.bai"].map((name) => ({ name, copyOf: `A1/${name}` }))
        const analyses = ids.map((id) => ({ id, personLimsId: "LIMS-0001", sampleId: `S${id}`, files }))
        writeFileSync(world, JSON.stringify({ analyses }))
        const ground = yield* toolGround([], null, ["--strict", "--world", world])
        const { gateway, sandbox, stats, url } = ground
        const count = yield* tool("samtools", ["view", "-c", url("S1.bam"), regionText])
        yield* setFaults(sandbox.url, [lingering(1000)])
        const burst = yield* Effect.forkChild(
          Effect.forEach(
            ids,
            (id) => tool("samtools", ["view", "-c", `${gateway.url}/files/${id}/S1.bam`, regionText]),
            {
              concurrency: "unbounded"
            }
          )
        )
        const metric = (name: string) =>
          Effect.map(ask(`${gateway.url}/metrics`), ({ text }) =>
            Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1])
          )
        yield* until(
          "many wait",
          Effect.map(metric("svc_gateway_queue_length"), (length) => length > 12)
        )
        const before = linksAsked(yield* stats)
        assert.strictEqual((yield* ask(url("S1.bam"))).status, 307)
        // At the end of the queue it would have waited for all of these.
        assert.isBelow(linksAsked(yield* stats) - before, 12)
        assert.deepStrictEqual(new Set(yield* Fiber.join(burst)), new Set([count]))
        assert.strictEqual(yield* metric("svc_gateway_queue_length"), 0)
        assert.include(yield* stats, { maxApiInFlight: 1, overlaps: 0 })
      }),
    600_000
  )

  it.live("thousands of idle connections and slow heads keep nobody out, and are closed", () =>
    Effect.gen(function* () {
      const { gateway, url } = yield* toolGround(["--relay"])
      const { port } = new URL(gateway.url)
      const idle = yield* Effect.promise(() =>
        Promise.all(
          Array.from(
            { length: 10_000 },
            (_, i) =>
              new Promise<Socket>((resolve, reject) => {
                const socket = connect(Number(port), "127.0.0.1", () => {
                  if (i % 4 === 0) socket.write("GET /files/A1 HTTP/1.1\r\nHost: 127.0")
                  resolve(socket)
                })
                socket.on("error", reject)
              })
          )
        )
      )
      assert.strictEqual((yield* ask(url("S1.bam"))).status, 200)
      assert.isBelow(residentMb(gateway.pid), 400)
      // Half a minute for a head, looked at every two. The kernel may have kept some from the gateway: what counts is what it holds.
      yield* Effect.sync(() => readdirSync(`/proc/${gateway.pid}/fd`).length).pipe(
        Effect.delay("200 millis"),
        Effect.repeat({ while: (open) => open > 100 })
      )
      for (const socket of idle) socket.destroy()
      assert.strictEqual((yield* ask(url("S1.bam"))).status, 200)
    })
  )

  it.live("a reader that is cut when the gateway ends has its line in the access log", () =>
    Effect.gen(function* () {
      const log = join(yield* folder, "access.log")
      const { gateway, sandbox, url } = yield* toolGround(["--relay", "--accessLog", log, "--drain", "1s"])
      yield* setFaults(sandbox.url, [fault({ plane: "link", file: "S1.bam" }, { slow: 2000 })])
      const reading = yield* Effect.forkChild(
        Effect.exit(Effect.tryPromise(async () => (await fetch(url("S1.bam"))).arrayBuffer()))
      )
      yield* until(
        "it has its first bytes",
        Effect.map(ask(`${gateway.url}/metrics`), ({ text }) => /relayed_bytes_total [1-9]/.test(text))
      )
      yield* Effect.sync(() => void process.kill(gateway.pid, "SIGTERM"))
      assert.strictEqual(yield* gateway.exitCode, 0)
      assert.match(gateway.lines.join("\n"), /Finishing 1 requests, for 1s at most/)
      assert.isTrue(Exit.isFailure(yield* Fiber.join(reading)))
      const lines = readFileSync(log, "utf8").trimEnd().split("\n")
      assert.lengthOf(lines, 2)
      const { ended, file, status } = JSON.parse(lines[1] ?? "")
      assert.deepStrictEqual([file, status, ended], ["S1.bam", 200, "cut"])
    })
  )

  it.live("N1 while the service is away at the start it serves 503, and files as soon as the service is there", () =>
    Effect.gen(function* () {
      const sandbox = yield* startSandbox()
      const way = yield* closableWay(Number(new URL(sandbox.url).port))
      way.close()
      const gateway = yield* startGateway({ ...sandbox, url: way.url })
      assert.strictEqual((yield* ask(`${gateway.url}/healthz`)).status, 200)
      const away = yield* ask(`${gateway.url}/files/A1`)
      assert.deepStrictEqual([away.status, away.headers.get("retry-after")], [503, "5"])
      way.open()
      let answer = away
      while (answer.status === 503) answer = yield* ask(`${gateway.url}/files/A1`)
      assert.strictEqual(answer.status, 200)
      // And away again: what is known goes on, what is not is answered in time.
      way.close()
      assert.strictEqual((yield* ask(`${gateway.url}/files/A1/S1.bam`)).status, 307)
      assert.strictEqual((yield* ask(`${gateway.url}/files/A2`)).status, 503)
    })
  )
})
