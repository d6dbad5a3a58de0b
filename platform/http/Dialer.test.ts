import http from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Dialer } from "./Dialer.ts"

describe("Dialer", () => {
  it.live("N15 a host whose first address is dead is reached at its second", () =>
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(
        Effect.sync(() => http.createServer((_, response) => response.end("here"))),
        (it) => Effect.sync(() => it.close())
      )
      const port = yield* Effect.callback<number>((resume) => {
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          resume(Effect.succeed(address !== null && typeof address === "object" ? address.port : 0))
        })
      })
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
})
