/**
 * What is measured, or has to come in time, so nothing else runs beside it: what the gateway needs in memory and CPU for a crowd that
 * takes nothing; and links that end on the way of slow answers.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { createServer as createHttpServer } from "node:http"
import { connect } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { until } from "../../Executables.ts"
import { root } from "../../Root.ts"
import { listening } from "../../servers/StrictService.ts"
import { folder } from "../Ground.ts"
import { toolGround } from "./Ground.ts"
import { soak } from "./Soak.ts"

/** CPU time that a process has taken so far, in ms. */
const cpuOf = (pid: number): number => {
  const [user = 0, system = 0] =
    readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ").slice(11, 13).map(Number) ?? []
  return (user + system) * 10
}

const peakMb = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

const largeSize = 32 * 1024 * 1024

/** A link host with one file that is larger than what kernels keep for a reader. */
const startLargeFile = Effect.gen(function* () {
  const piece = Buffer.alloc(64 * 1024, 7)
  let asked = 0
  const server = createHttpServer((request, response) => {
    asked++
    const [range, from = "0", to = String(largeSize - 1)] = /(\d+)-(\d+)/.exec(request.headers.range ?? "") ?? []
    const [first, end] = [Number(from), Number(to) + 1]
    const part = range === undefined ? {} : { "content-range": `bytes ${first}-${end - 1}/${largeSize}` }
    response.writeHead(range === undefined ? 200 : 206, { etag: '"v"', "content-length": end - first, ...part })
    let at = first
    const send = () => {
      while (at < end) {
        const next = piece.subarray(0, Math.min(piece.length, end - at))
        at += next.length
        if (!response.write(next)) return void response.once("drain", send)
      }
      response.end()
    }
    send()
  })
  const url = `http://127.0.0.1:${yield* listening(server)}/large?signature=x`
  return { url, asked: () => asked }
})

describe("the gateway under load", () => {
  it.live(
    "L5 a soak of 400 ranges and questions to the API while links end: none fails (long form: npm run soak)",
    () =>
      Effect.gen(function* () {
        const options = {
          ranges: 400,
          rounds: 1,
          readers: 16,
          linkLifetime: 2,
          oneKilledOf: 20,
          oneQuestionOf: 5
        }
        const { expiredLinks, failures } = yield* soak(options)
        assert.deepStrictEqual([...failures], [])
        assert.isAtLeast(expiredLinks, 1)
      })
  )

  it.live(
    "1,000 readers of one name that take nothing: less than 500 MB, under the shipped limit, a reader of another name is served, and one that wakes gets the rest",
    () =>
      Effect.gen(function* () {
        const host = yield* startLargeFile
        const world = join(yield* folder, "world.json")
        writeFileSync(world, JSON.stringify({ behaviour: { sizes: "null" } }))
        const tokens = join(yield* folder, "tokens")
        writeFileSync(tokens, "crowd crowd-token-0123456789\nother other-token-0123456789\n", { mode: 0o600 })
        const { gateway, url } = yield* toolGround(
          ["--relay", "--loglevel", "info", "--tokenFile", tokens],
          () => host.url,
          ["--world", world]
        )
        const port = Number(new URL(gateway.url).port)
        const readers = Array.from({ length: 1000 }, () => {
          const socket = connect(port, "127.0.0.1").on("error", () => {})
          socket.write(
            "GET /files/A1/S1.bam HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer crowd-token-0123456789\r\n\r\n"
          )
          return socket.pause()
        })
        yield* until(
          "as many have a connection as one name may have",
          Effect.sync(() => host.asked() >= 64)
        )
        // What the gateway does meanwhile, in ms of CPU: on a quiet machine that is what the reader waits.
        const fresh = Effect.promise(async () => {
          const before = cpuOf(gateway.pid)
          const ended = new AbortController()
          const headers = { authorization: "Bearer other-token-0123456789" }
          const reply = await fetch(url("S1.bam"), { headers, signal: ended.signal })
          await reply.body?.getReader().read()
          ended.abort()
          return cpuOf(gateway.pid) - before
        })
        // While each of them holds its connection.
        assert.isBelow(yield* fresh, 5000)
        const most = peakMb(gateway.pid)
        const manifest = readFileSync(join(root, "workflows/gateway/deployment.yaml"), "utf8")
        const [, limit = "0"] = /limits:\n\s+memory: (\d+)Gi/.exec(manifest) ?? []
        assert.isBelow(most, Math.min(500, Number(limit) * 1024 * 0.6))
        const [one] = readers
        let got = 0
        one?.on("data", (bytes: Buffer) => {
          got += bytes.length
        })
        one?.resume()
        yield* until(
          "the reader that woke has the whole file",
          Effect.sync(() => got > largeSize)
        )
        for (const reader of readers) reader.destroy()
      }),
    300_000
  )
})
