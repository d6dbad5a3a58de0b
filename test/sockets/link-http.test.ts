/** Byte-exact faults of link hosts over real sockets, down to the file on disk. */
import { randomBytes } from "node:crypto"
import { rmSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Random } from "effect"
import { until } from "../Executables.ts"
import { quietPort } from "../Ports.ts"
import { liveTransfer } from "../transfer/LiveTransfer.ts"
import { type Answer, good, goodAnswer, rawServer } from "../transfer/RawServer.ts"

const object = randomBytes(300 * 1024)

/** Retries at once: their timing is tested on the virtual clock. */
const quickly = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.provideService(self, Random.Random, { nextDoubleUnsafe: () => 0, nextIntUnsafe: () => 0 })

/** Misbehaves at the first request, and is good afterwards. */
const firstly =
  (bad: (socket: Socket, answer: ReturnType<typeof goodAnswer>) => void): Answer =>
  (request, socket) => {
    if (request.number === 0) bad(socket, goodAnswer(object, request))
    else good(object)(request, socket)
  }

/** Downloads from a server, which must give the right file. */
const delivers = Effect.fnUntraced(function* (answer: Answer, path = "/s.bam") {
  const server = yield* rawServer(answer)
  const transfer = yield* liveTransfer(`${server.url}${path}`, object.length)
  const outcome = yield* quickly(transfer.run)
  assert.isTrue(transfer.final()?.equals(object))
  assert.deepStrictEqual(transfer.names(), ["s.bam"])
  return { server, outcome, transfer }
})

const fails = Effect.fnUntraced(function* (answer: Answer) {
  const server = yield* rawServer(answer)
  const transfer = yield* liveTransfer(`${server.url}/s.bam?X-Amz-Signature=canary`, object.length)
  const error = yield* Effect.flip(quickly(transfer.run))
  assert.isNull(transfer.final())
  assert.notInclude(`${error.message}${JSON.stringify(transfer.events)}`, "canary")
  return { server, error, transfer }
})

describe("link hosts", () => {
  it.live("a file comes whole, over one request", () =>
    Effect.gen(function* () {
      const { server, outcome } = yield* delivers(good(object))
      assert.strictEqual(server.requests.length, 1)
      assert.strictEqual(outcome.bytes, object.length)
    })
  )

  it.live("L9 nothing that identifies the user is sent, and nothing may be decoded", () =>
    Effect.gen(function* () {
      const { server } = yield* delivers(
        firstly((socket, { head, bytes }) => socket.end(Buffer.concat([Buffer.from(head), bytes.subarray(0, 200_000)])))
      )
      const names = server.requests.map(({ head }) =>
        head
          .split("\r\n")
          .slice(1)
          .map((line) => line.split(":")[0]?.toLowerCase())
      )
      const usual = ["host", "user-agent", "accept", "accept-encoding", "connection"]
      assert.deepStrictEqual(names, [usual, [...usual, "range"]])
      assert.match(server.requests[0]?.head ?? "", /accept-encoding: identity/i)
    })
  )

  it.live("H1 a host that does ranges only without conditions goes on at the next byte", () =>
    Effect.gen(function* () {
      const { outcome, server } = yield* delivers((request, socket) => {
        const { head, bytes } = goodAnswer(object, /^if-/im.test(request.head) ? { ...request, range: null } : request)
        if (request.number > 0) return void socket.end(Buffer.concat([Buffer.from(head), bytes]))
        socket.end(Buffer.concat([Buffer.from(head), bytes.subarray(0, 200_000)]))
      })
      assert.strictEqual(server.requests.length, 2)
      assert.strictEqual(outcome.bytes, object.length)
    })
  )

  it.live("L8 the link is sent byte for byte", () =>
    Effect.gen(function* () {
      const path = `/a%2Fb+c//x/../y?X-Amz-Signature=a%2fB%3d+/&q=%C3%BC&w='()*!~&long=${"x".repeat(16 * 1024)}`
      const { server } = yield* delivers(good(object), path)
      assert.strictEqual(server.requests[0]?.target, path)
    })
  )

  it.live("N1 a closed port is unavailable after the tries", () =>
    Effect.gen(function* () {
      const port = yield* quietPort
      const transfer = yield* liveTransfer(`http://127.0.0.1:${port}/s.bam`, 10)
      const error = yield* Effect.flip(quickly(transfer.run))
      assert.deepInclude(error, { _tag: "SvcUnavailable", reason: "connection refused", attempts: 9 })
      assert.deepStrictEqual(transfer.names(), [])
    })
  )

  it.live("N2 an unknown name is unavailable, and the message names the host only", () =>
    Effect.gen(function* () {
      const transfer = yield* liveTransfer("http://files.invalid/s.bam?X-Amz-Signature=canary", 10)
      const error = yield* Effect.flip(quickly(transfer.run))
      assert.strictEqual(error._tag, "SvcUnavailable")
      assert.include(error.message, "files.invalid")
      assert.notInclude(error.message, "canary")
    })
  )

  it.live("N5 a connection that is closed at once is tried again", () => delivers(firstly((socket) => socket.end())))

  for (const [name, k] of [
    ["0 bytes", 0],
    ["1 byte", 1],
    ["half of the head", 40],
    ["the head", -1],
    ["half of the body", 150_000],
    ["all but one byte", -2]
  ] as const) {
    it.live(`N6 N7 a reset or an end after ${name} resumes`, () =>
      Effect.gen(function* () {
        for (const end of ["reset", "fin"] as const) {
          const { server } = yield* delivers(
            firstly((socket, { head, bytes }) => {
              const all = Buffer.concat([Buffer.from(head), bytes])
              const length = k === -1 ? head.length : k === -2 ? all.length - 1 : k
              socket.write(all.subarray(0, length), () => (end === "reset" ? socket.resetAndDestroy() : socket.end()))
            })
          )
          assert.isAtMost(server.requests.length, 2)
          if (k === -2 && end === "fin") assert.strictEqual(server.requests[1]?.range?.[0], object.length - 1)
        }
      })
    )
  }

  it.live("N8 an end without a length is told from the end of the file by the listing", () =>
    Effect.gen(function* () {
      for (const version of ["1.0", "1.1"]) {
        const { server } = yield* delivers(
          firstly((socket, { bytes }) => {
            socket.write(`HTTP/${version} 200 OK\r\nETag: "v1"\r\n\r\n`)
            socket.end(bytes.subarray(0, 100_000))
          })
        )
        assert.strictEqual(server.requests[1]?.range?.[0], 100_000)
      }
    })
  )

  it.live("N8 a whole body without a length is taken when the listing knows the size", () =>
    delivers((request, socket) => {
      socket.write("HTTP/1.0 200 OK\r\n\r\n")
      socket.end(goodAnswer(object, request).bytes)
    })
  )

  it.live("N9 a chunked body that is cut resumes; a whole one is taken", () =>
    Effect.gen(function* () {
      const chunked = (bytes: Buffer) =>
        Array.from({ length: Math.ceil(bytes.length / 70_000) }, (_, i) =>
          bytes.subarray(i * 70_000, (i + 1) * 70_000)
        ).flatMap((chunk) => [Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")])
      const head = 'HTTP/1.1 200 OK\r\nETag: "v1"\r\nTransfer-Encoding: chunked\r\n\r\n'
      yield* delivers((request, socket) => {
        socket.write(
          Buffer.concat([Buffer.from(head), ...chunked(goodAnswer(object, request).bytes), Buffer.from("0\r\n\r\n")])
        )
      })
      const cut = firstly((socket, { bytes }) =>
        socket.end(Buffer.concat([Buffer.from(head), ...chunked(bytes)]).subarray(0, 150_000))
      )
      const { server } = yield* delivers(cut)
      assert.isAbove(server.requests[1]?.range?.[0] ?? 0, 140_000)
    })
  )

  it.live("N10 a stalled body is given up at the idle limit and resumed", () =>
    Effect.gen(function* () {
      const begun = performance.now()
      const { server } = yield* delivers(
        firstly(
          (socket, { head, bytes }) => void socket.write(Buffer.concat([Buffer.from(head), bytes.subarray(0, 99_999)]))
        )
      )
      assert.strictEqual(server.requests[1]?.range?.[0], 99_999)
      assert.isAbove(performance.now() - begun, 900)
    })
  )

  it.live("N11 single bytes arrive although they are few", () =>
    delivers(
      firstly((socket, { head, bytes }) => {
        socket.write(head)
        let at = 0
        const drip = setInterval(() => {
          socket.write(bytes.subarray(at, ++at))
          if (at < 10) return
          clearInterval(drip)
          socket.write(bytes.subarray(at))
        }, 30)
      })
    )
  )

  it.live("N12 a head that comes byte by byte is given up at its limit", () =>
    Effect.gen(function* () {
      const server = yield* rawServer(
        firstly((socket, { head }) => {
          let at = 0
          const drip = setInterval(() => {
            if (socket.destroyed || at === head.length) clearInterval(drip)
            else socket.write(head.slice(at, ++at))
          }, 100)
        })
      )
      const transfer = yield* liveTransfer(`${server.url}/s.bam`, object.length, {
        settings: { header: Duration.seconds(1) }
      })
      yield* quickly(transfer.run)
      assert.isTrue(transfer.final()?.equals(object))
      assert.strictEqual(server.requests.length, 2)
    })
  )

  it.live("N16 a kept connection that the host closed meanwhile is replaced without a failure", () =>
    Effect.gen(function* () {
      const closing: Answer = (request, socket) => {
        const { head, bytes } = goodAnswer(object, request)
        if (request.number === 0)
          socket.end(
            Buffer.concat([Buffer.from(head.replace(/\d+\r\n\r\n$/, "1000\r\n\r\n")), bytes.subarray(0, 1000)])
          )
        else good(object)(request, socket)
      }
      const { server } = yield* delivers((request, socket) => {
        // A short reply within its framing, so that the connection is kept; then the host closes it.
        if (request.number > 0) return closing({ ...request, number: 1 }, socket)
        const head = `HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n`
        socket.write(head, () => setTimeout(() => socket.destroy(), 5))
      })
      assert.strictEqual(server.requests.length, 2)
    })
  )

  it.live("a kept connection carries the next request", () =>
    Effect.gen(function* () {
      const { server } = yield* delivers((request, socket) => {
        if (request.number === 0) socket.write("HTTP/1.1 503 Busy\r\nContent-Length: 2\r\n\r\nno")
        else good(object)(request, socket)
      })
      assert.strictEqual(server.requests.length, 2)
    })
  )

  const heads: ReadonlyArray<readonly [string, string]> = [
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 307200\r\nContent-Length: 5"],
    ["a length that is text", "HTTP/1.1 200 OK\r\nContent-Length: abc"],
    ["a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -5"],
    ["a length of 21 digits", "HTTP/1.1 200 OK\r\nContent-Length: 100000000000000000000"],
    ["a length and chunks", "HTTP/1.1 200 OK\r\nContent-Length: 307200\r\nTransfer-Encoding: chunked"],
    ["another protocol", "SSH-2.0-OpenSSH_9.2"],
    ["a head of 100 KiB", `HTTP/1.1 200 OK\r\nX: ${"x".repeat(100_000)}`],
    ["10,000 fields", `HTTP/1.1 200 OK\r\n${"X: y\r\n".repeat(10_000)}Z: z`]
  ]
  for (const [name, head] of heads) {
    it.live(`H8 H14 H15 H16 ${name}: no reply, and few tries`, () =>
      Effect.gen(function* () {
        const { server, error, transfer } = yield* fails((_, socket) => void socket.write(`${head}\r\n\r\n`))
        assert.strictEqual(error._tag, "SvcLinkProtocol")
        assert.strictEqual(server.requests.length, 2)
        assert.deepStrictEqual(transfer.names(), [])
      })
    )
  }

  it.live("H14 informational replies before the real one are passed over", () =>
    delivers((request, socket) => {
      socket.write("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n")
      good(object)(request, socket)
    })
  )

  it.live("H9 an encoded body never reaches the disk", () =>
    Effect.gen(function* () {
      const { error, transfer } = yield* fails(
        (_, socket) => void socket.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\n12345")
      )
      assert.strictEqual(error._tag, "SvcLinkProtocol")
      assert.deepStrictEqual(transfer.names(), [])
    })
  )

  it.live("L7 an address that is not permitted is refused before a packet is sent", () =>
    Effect.gen(function* () {
      const server = yield* rawServer(good(object))
      const links = [
        `${server.url}/s.bam`,
        `https://127.0.0.1:${server.port}/s.bam`,
        `https://localhost:${server.port}/s.bam`,
        `https://2130706433:${server.port}/s.bam`,
        `https://x@127.0.0.1:${server.port}/s.bam`
      ]
      for (const link of links) {
        const transfer = yield* liveTransfer(link, object.length, { target: "https://192.0.2.1/" })
        assert.strictEqual((yield* Effect.flip(transfer.run))._tag, "SvcLinkRefused")
      }
      assert.strictEqual(server.connections(), 0)
    })
  )

  it.live("L7 H11 a redirect to an address that is not permitted is refused as well", () =>
    Effect.gen(function* () {
      for (const to of ["http://169.254.169.254/latest", "file:///etc/passwd", "http://user@127.0.0.1/"]) {
        const { error, server } = yield* fails(
          (_, socket) => void socket.write(`HTTP/1.1 302 Found\r\nLocation: ${to}\r\nContent-Length: 0\r\n\r\n`)
        )
        assert.strictEqual(error._tag, "SvcLinkRefused")
        assert.strictEqual(server.requests.length, 1)
      }
      yield* delivers((request, socket) => {
        if (request.target === "/s.bam")
          socket.write("HTTP/1.1 307 Moved\r\nLocation: /t.bam\r\nContent-Length: 0\r\n\r\n")
        else good(object)(request, socket)
      })
    })
  )

  it.live("an interrupted download closes its connections", () =>
    Effect.gen(function* () {
      let closed = false
      const server = yield* rawServer((request, socket) => {
        socket.write(goodAnswer(object, request).head)
        socket.on("close", () => {
          closed = true
        })
      })
      const transfer = yield* liveTransfer(`${server.url}/s.bam`, object.length)
      const running = yield* Effect.forkChild(transfer.run)
      yield* until(
        "the request comes",
        Effect.sync(() => server.requests.length > 0)
      )
      yield* Fiber.interrupt(running)
      yield* until(
        "the connection ends",
        Effect.sync(() => closed)
      )
    })
  )

  it.live("P4 an interruption at any moment leaves a part with its journal, or nothing", () =>
    Effect.gen(function* () {
      const server = yield* rawServer(good(object))
      const transfer = yield* liveTransfer(`${server.url}/s.bam`, object.length)
      for (let turns = 0; turns < 60; turns++) {
        const running = yield* Effect.forkChild(transfer.run, { startImmediately: true })
        for (let turn = 0; turn < turns; turn++) yield* Effect.promise(() => new Promise(setImmediate))
        yield* Fiber.interrupt(running)
        const left = transfer.names()
        const isPair = left.length === 2 && left[1] === `${left[0]}.json`
        assert.isTrue(left.length === 0 || isPair || left.includes("s.bam"), `after ${turns} turns: ${left.join(", ")}`)
        for (const name of left) rmSync(join(transfer.directory, name))
      }
    })
  )

  it.live("the raw server is what the tests think it is", () =>
    Effect.gen(function* () {
      const server = yield* rawServer(good(object))
      const text = yield* Effect.callback<string>((resume) => {
        const socket = connect(server.port, "127.0.0.1", () =>
          socket.write("GET /x HTTP/1.1\r\nRange: bytes=1-2\r\n\r\n")
        )
        socket.once("data", (bytes) => {
          socket.destroy()
          resume(Effect.succeed(bytes.toString("latin1")))
        })
      })
      assert.match(text, /^HTTP\/1.1 206/)
      assert.deepStrictEqual(server.requests[0]?.range, [1, 3])
    })
  )
})
