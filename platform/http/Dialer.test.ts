import { readFileSync } from "node:fs"
import http from "node:http"
import net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { listening } from "../../test/servers/StrictService.ts"
import { Dialer } from "./Dialer.ts"

describe("Dialer", () => {
  it.live("N15 a host whose first address is dead is reached at its second", () =>
    Effect.gen(function* () {
      const port = yield* listening(http.createServer((_, response) => response.end("here")))
      const dialer = yield* Effect.acquireRelease(
        Effect.sync(
          () =>
            new Dialer({
              proxy: null,
              noProxy: "",
              ca: null,
              connectTimeout: 20_000,
              lookup: (_host, _options, done) =>
                done(null, [
                  { address: "::1", family: 6 },
                  { address: "127.0.0.1", family: 4 }
                ])
            })
        ),
        (it) => Effect.sync(() => it.destroy())
      )
      const url = new URL(`http://svc.test:${port}/`)
      const text = yield* Effect.callback<string, Error>((resume) => {
        const { agent, path } = dialer.dial(url, "single")
        http
          .request({ agent, path, host: url.hostname, port })
          .on("error", (error) => resume(Effect.fail(error)))
          .on("response", (response) => {
            response.setEncoding("utf8").on("data", (part: string) => resume(Effect.succeed(part)))
          })
          .end()
      })
      assert.strictEqual(text, "here")
    })
  )

  it.live("N10 a connection whose answer is waited for is kept alive, whether it is new or has rested", () =>
    Effect.gen(function* () {
      const dialer = new Dialer({ proxy: null, noProxy: "", ca: null, connectTimeout: 20_000 })
      const server = http.createServer((_, response) => response.end())
      const url = new URL(`http://127.0.0.1:${yield* listening(server)}/`)
      /** Hundredths of a second until the kernel asks for a sign of life, while the server is at work on its answer. */
      const dueIn = Effect.callback<number>((resume) => {
        server.once("request", ({ socket }) => {
          const port = (socket.remotePort ?? 0).toString(16).toUpperCase().padStart(4, "0")
          const line = new RegExp(`:${port} \\S+ 01 \\S+ 02:([0-9A-F]+) `).exec(
            readFileSync("/proc/self/net/tcp", "utf8")
          )
          resume(Effect.succeed(Number.parseInt(line?.[1] ?? "", 16)))
        })
      })
      for (const use of ["new", "rested"]) {
        const due = yield* Effect.forkChild(dueIn, { startImmediately: true })
        const answered = Effect.callback<void>((resume) => {
          const { agent } = dialer.dial(url, "lasting")
          http.get(url, { agent }, (response) => response.resume().on("close", () => resume(Effect.void)))
        })
        yield* answered
        const hundredths = yield* Fiber.join(due)
        assert.isTrue(hundredths > 5_000 && hundredths <= 6_000, `${use}: ${hundredths}`)
      }
      dialer.destroy()
    })
  )

  it.live("N16 a lasting connection that rests is closed: the way to the other end may be gone", () =>
    Effect.gen(function* () {
      const server = http.createServer((_, response) => response.end())
      const closed = Effect.callback<void>((resume) => {
        server.once("connection", (socket) => socket.once("end", () => resume(Effect.void)))
      })
      const url = new URL(`http://127.0.0.1:${yield* listening(server)}/`)
      const ended = yield* Effect.forkChild(closed, { startImmediately: true })
      const dialer = new Dialer({ proxy: null, noProxy: "", ca: null, connectTimeout: 20_000, keepFor: 1 })
      const { agent } = dialer.dial(url, "lasting")
      http.get(url, { agent }, (response) => response.resume())
      yield* Fiber.join(ended)
    })
  )

  it.live("N16 a connection whose answer is waited for is not closed as one that rests, new or used before", () =>
    Effect.gen(function* () {
      const server = http.createServer()
      const url = new URL(`http://127.0.0.1:${yield* listening(server)}/`)
      const dialer = new Dialer({ proxy: null, noProxy: "", ca: null, connectTimeout: 20_000 })
      const asked = Effect.callback<http.ServerResponse>((resume) => {
        server.once("request", (_, response) => resume(Effect.succeed(response)))
      })
      for (const use of ["new", "rested"]) {
        const silent = yield* Deferred.make<void>()
        const request = http.get(url, { agent: dialer.dial(url, "lasting").agent })
        request.on("socket", (socket) => {
          socket.once("timeout", () => Deferred.doneUnsafe(silent, Effect.void)).setTimeout(1)
        })
        const answer = Effect.callback<string, Error>((resume) => {
          request
            .on("error", (error) => resume(Effect.fail(error)))
            .on("response", (response) => {
              let text = ""
              response.setEncoding("utf8").on("data", (part: string) => (text += part))
              response.on("close", () => resume(Effect.succeed(text)))
            })
        })
        const answered = yield* Effect.forkChild(answer, { startImmediately: true })
        const response = yield* asked
        yield* Deferred.await(silent)
        response.end("late")
        assert.strictEqual(yield* Fiber.join(answered), "late")
        assert.strictEqual(request.reusedSocket, use === "rested")
      }
      dialer.destroy()
    })
  )

  it.live("N3 N14 what is still connecting when it is destroyed ends at once", () =>
    Effect.gen(function* () {
      // Accepts, and never says a word.
      const proxy = net.createServer((socket) => socket.on("error", () => {}))
      const asked = Effect.callback<void>((resume) => void proxy.once("connection", () => resume(Effect.void)))
      const port = yield* listening(proxy)
      for (const scheme of ["http", "https"]) {
        const url = new URL(`${scheme}://127.0.0.1:${port}`)
        const dialer = new Dialer({
          proxy: { url },
          noProxy: "",
          ca: null,
          connectTimeout: 60_000
        })
        const connected = yield* Effect.forkChild(asked, { startImmediately: true })
        const fiber = yield* Effect.callback<void, Error>((resume) => {
          dialer.tunnel({ url }, "svc.test", 443, (error) => resume(error === null ? Effect.void : Effect.fail(error)))
        }).pipe(Effect.flip, Effect.forkChild({ startImmediately: true }))
        yield* Fiber.join(connected)
        dialer.destroy()
        assert.strictEqual((yield* Fiber.join(fiber)).message, "the connection is not wanted any more")
      }
    })
  )
})
