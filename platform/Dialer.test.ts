import http from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Dialer, isDirect } from "./Dialer.ts"

describe("Dialer", () => {
  it("G4 NO_PROXY: names with all below them, ports, addresses, ranges, everything", () => {
    for (const [noProxy, host, port, expected] of [
      ["", "svc.example", 443, false],
      ["*", "svc.example", 443, true],
      ["svc.example", "svc.example", 443, true],
      ["example", "svc.example", 443, true],
      [".example", "svc.example", 443, true],
      ["*.example", "SVC.example", 443, true],
      ["vc.example", "svc.example", 443, false],
      ["other.example, svc.example", "svc.example", 443, true],
      ["other.example  svc.example", "svc.example", 443, true],
      ["svc.example:8443", "svc.example", 443, false],
      ["svc.example:443", "svc.example", 443, true],
      ["127.0.0.1", "127.0.0.1", 80, true],
      ["10.0.0.0/8", "10.1.2.3", 80, true],
      ["10.0.0.0/8", "11.1.2.3", 80, false],
      ["10.0.0.0/99", "10.1.2.3", 80, false],
      ["10.0.0.0/8", "svc.example", 80, false],
      ["fd00::/8", "[fd12::1]", 80, true],
      ["::1", "[::1]", 80, true],
      ["[::1]:80", "[::1]", 80, true],
      ["[::1]:81", "[::1]", 80, false]
    ] as const) {
      assert.strictEqual(isDirect(noProxy, host, port), expected, `${noProxy} ${host}:${port}`)
    }
  })

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
