/** The session over real sockets: TLS, proxies, dead and broken connections. */

import { writeFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import net from "node:net"
import { join } from "node:path"
import { TLSSocket } from "node:tls"
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Exit, Layer, Redacted } from "effect"
import type { ConfigUnusable, OutcomeUnknown, SessionError } from "../../core/src/Errors.ts"
import { AccountLock } from "../../core/src/session/Gate.ts"
import { Session } from "../../core/src/session/Session.ts"
import { makeSessionProfile, type SessionSettings } from "../../core/src/session/SessionSettings.ts"
import * as ApiHttp from "../../platform/http/ApiHttp.ts"
import { quietPort } from "../Ports.ts"
import { makeAuthority } from "../servers/Certificates.ts"
import { makeProxy, type TestProxy } from "../servers/Proxy.ts"
import { listening, strictService } from "../servers/StrictService.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"

// More patience than a busy machine needs for a handshake.
const direct: ApiHttp.ApiHttpSettings = { proxy: null, caFile: null, noProxy: "", connectTimeout: Duration.minutes(2) }

const through = (proxy: TestProxy, username: string | null, password: string | null): ApiHttp.ApiHttpSettings => ({
  ...direct,
  proxy: { url: proxy.url, username, password: password === null ? null : Redacted.make(password) }
})

/** Logs in, asks `paths` one after the other, logs out; gives the bodies. */
const run = (
  baseUrl: URL,
  paths: ReadonlyArray<string>,
  access: ApiHttp.ApiHttpSettings = direct,
  changed: Partial<SessionSettings> = {}
): Effect.Effect<ReadonlyArray<string>, SessionError | OutcomeUnknown | ConfigUnusable> =>
  Effect.gen(function* () {
    const { http } = yield* Session
    return yield* Effect.forEach(paths, (path) =>
      Effect.flatMap(http.get(path), (response) => Effect.orDie(response.text))
    )
  }).pipe(
    Effect.provide(
      Session.layer({
        baseUrl,
        username: "ana",
        password: Redacted.make("right"),
        profile: makeSessionProfile("0.0.0"),
        tries: 2,
        ...changed
      }).pipe(Layer.provide([ApiHttp.layer(access), AccountLock.layerNone]))
    )
  )

const folder = temporaryFolder("session-")

const caFileOf = (pem: string) =>
  Effect.map(folder, (at) => {
    writeFileSync(join(at, "ca.pem"), pem)
    return join(at, "ca.pem")
  })

const authority = makeAuthority()
const good = authority.issue({ addresses: ["127.0.0.1"], names: ["localhost"] })

describe("session on sockets", () => {
  it.live("one connection serves the GETs; the cookie and the token of a real server work", () =>
    Effect.gen(function* () {
      const service = yield* strictService()
      const paths = Array.from({ length: 10 }, (_, i) => `/api/${i}`)
      assert.deepStrictEqual(
        yield* run(service.url, paths),
        paths.map((url) => JSON.stringify({ url }))
      )
      assert.deepStrictEqual(service.counts.seen.slice(0, 3), ["HEAD /", "POST /login", "GET /api/0"])
      assert.strictEqual(service.counts.logouts, 1)
      assert.strictEqual(service.counts.overlaps, 0)
      // HEAD and GETs share one, login and logout have their own.
      assert.isAtMost(service.counts.connections, 4)
    })
  )

  describe("broken ground", () => {
    it.live("N1 connection refused", () =>
      Effect.gen(function* () {
        const port = yield* quietPort
        const error = yield* Effect.flip(run(new URL(`http://127.0.0.1:${port}`), []))
        assert.strictEqual(error.message, `127.0.0.1:${port} is unavailable: connection refused (2 attempts)`)
      })
    )

    it.live("N2 unknown host", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(
          run(new URL("http://user-canary:password-canary@no-such-host.invalid/path-canary"), [])
        )
        assert.strictEqual(error._tag, "SvcUnavailable")
        assert.match(error.message, /^no-such-host\.invalid is unavailable: (unknown host name|the name could not be)/)
        assert.notInclude(error.message, "canary")
      })
    )

    it.live("N3 a connection that hangs ends at the connect timeout", () =>
      Effect.gen(function* () {
        // A TLS client that never gets an answer: the handshake is part of connecting.
        const port = yield* listening(net.createServer(() => {}))
        const error = yield* Effect.flip(
          run(
            new URL(`https://127.0.0.1:${port}`),
            [],
            { ...direct, connectTimeout: Duration.seconds(2) },
            { tries: 1 }
          )
        )
        assert.include(error.message, "no TLS connection within 2000 ms")
      })
    )

    it.live("N5 accepted and closed at once, then well", () =>
      Effect.gen(function* () {
        let accepted = 0
        const service = yield* strictService()
        const port = yield* listening(
          net.createServer((socket) => {
            if (++accepted === 1) return socket.destroy()
            return socket.pipe(net.connect(Number(service.url.port), "127.0.0.1")).pipe(socket)
          })
        )
        assert.strictEqual((yield* run(new URL(`http://127.0.0.1:${port}`), ["/api/x"])).length, 1)
      })
    )

    it.live("a body is unpacked when a server compressed it without being asked", () =>
      Effect.gen(function* () {
        const packers: Readonly<Record<string, (text: string) => Buffer>> = {
          gzip: gzipSync,
          "x-gzip": gzipSync,
          deflate: deflateSync,
          br: brotliCompressSync
        }
        const service = yield* strictService({
          answer: ({ url = "" }, response, count) => {
            const encoding = url.replace("/api/", "")
            const body = packers[encoding]?.(`"${encoding}"`)
            if (body === undefined) return false
            response.writeHead(200, { "content-encoding": encoding, "content-type": "application/json" })
            // The first one breaks off, and is asked for again as any other (N9).
            response.end(count === 1 && encoding === "gzip" ? body.subarray(0, 15) : body)
            return true
          }
        })
        const encodings = Object.keys(packers)
        assert.deepStrictEqual(
          yield* run(
            service.url,
            encodings.map((encoding) => `/api/${encoding}`)
          ),
          encodings.map((encoding) => `"${encoding}"`)
        )
        assert.strictEqual(service.counts.seen.filter((seen) => seen === "GET /api/gzip").length, 2)
      })
    )

    it.live("N9 an encoding that was not asked for, or is not the one named, is said at once and not tried again", () =>
      Effect.gen(function* () {
        const cases: Readonly<Record<string, RegExp>> = {
          zstd: /the encoding zstd, which was not asked for/,
          gzip: /not in the encoding that its header names/,
          deflate: /not in the encoding that its header names/,
          br: /not in the encoding that its header names/
        }
        const service = yield* strictService({
          answer: ({ url = "" }, response) => {
            const encoding = url.replace("/api/", "")
            if (cases[encoding] === undefined) return false
            response.writeHead(200, { "content-encoding": encoding, "content-type": "application/json" })
            response.end(`"this is plain text and no ${encoding}"`)
            return true
          }
        })
        for (const [encoding, reason] of Object.entries(cases)) {
          const error = yield* Effect.flip(run(service.url, [`/api/${encoding}`]))
          assert.strictEqual(error._tag, "SvcReplyMalformed")
          assert.match(error.message, reason)
          assert.strictEqual(service.counts.seen.filter((seen) => seen === `GET /api/${encoding}`).length, 1)
        }
      })
    )

    it.live("S9 a cookie whose Domain repeats the address of the host is one of that host", () =>
      Effect.gen(function* () {
        const service = yield* strictService({
          answer: (_request, response) => {
            const setHeader = response.setHeader.bind(response)
            response.setHeader = (name, value) =>
              setHeader(name, name === "set-cookie" ? `${String(value)}; Domain=127.0.0.1` : value)
            return false
          }
        })
        assert.deepStrictEqual(yield* run(service.url, ["/api/x"]), ['{"url":"/api/x"}'])
      })
    )

    it.live("N9 a truncated body is asked for again", () =>
      Effect.gen(function* () {
        for (const headers of [{}, { "content-length": "100" }] as ReadonlyArray<Record<string, string>>) {
          const service = yield* strictService({
            answer: (request, response, count) => {
              if (request.url !== "/api/x" || count > 1) return false
              response.writeHead(200, { "content-type": "application/json", ...headers })
              response.write('{"url":', () => response.destroy())
              return true
            }
          })
          assert.deepStrictEqual(yield* run(service.url, ["/api/x"]), ['{"url":"/api/x"}'])
        }
      })
    )

    it.live("N16 a lasting connection closed in between costs nothing", () =>
      Effect.gen(function* () {
        const service = yield* strictService({
          answer: (request, response, count) => {
            if (request.url === "/api/x" && count === 1)
              response.once("close", () => {
                setTimeout(() => request.socket.resetAndDestroy(), 1)
              })
            return false
          }
        })
        // One try: whatever was asked again would fail.
        const bodies = yield* run(service.url, ["/api/x", "/api/x", "/api/y"], direct, { tries: 1 })
        assert.strictEqual(bodies.length, 3)
      })
    )

    /** Logs in at a service that does `end` to the connection of the first login; gives the requests it saw. */
    const endedLogin = Effect.fnUntraced(function* (
      end: (response: ServerResponse) => void,
      tls: Parameters<typeof strictService>[0] = {}
    ) {
      const service = yield* strictService({
        ...tls,
        answer: ({ url }, response, count) => {
          if (url !== "/login" || count > 1) return false
          end(response)
          return true
        }
      })
      const caFile = tls.tls === undefined ? null : yield* caFileOf(authority.pem)
      const exit = yield* Effect.exit(run(service.url, ["/api/x"], { ...direct, caFile }))
      return { exit, logins: service.counts.seen.filter((seen) => seen === "POST /login").length }
    })

    const endings: Readonly<Record<string, (response: ServerResponse) => void>> = {
      reset: ({ socket }) => void (socket instanceof TLSSocket ? socket.destroy() : socket?.resetAndDestroy()),
      closed: ({ socket }) => void socket?.end()
    }
    for (const [how, end] of Object.entries(endings)) {
      for (const [over, tls] of [
        ["plain HTTP", {}],
        ["TLS", { tls: good }]
      ] as const) {
        it.live(
          `N16 a login whose connection is ${how} over ${over} before a byte of the answer is repeated once`,
          () =>
            Effect.gen(function* () {
              const { exit, logins } = yield* endedLogin(end, tls)
              assert.deepStrictEqual(exit, Exit.succeed(['{"url":"/api/x"}']))
              assert.strictEqual(logins, 2)
            })
        )

        it.live(`N16 one that is ${how} over ${over} after the first byte is not repeated`, () =>
          Effect.gen(function* () {
            const { exit, logins } = yield* endedLogin((response) => {
              response.socket?.write("HTTP/1.1 200 OK\r\nX-", () => setTimeout(end, 20, response))
            }, tls)
            const error = yield* Effect.flip(exit)
            assert.match(error.message, /, during the login \(1 attempt\)$/)
            assert.strictEqual(logins, 1)
          })
        )
      }
    }

    it.live("N16 the login never goes out on a connection that the service is about to close", () =>
      Effect.gen(function* () {
        // Resets every connection that was answered on before, as soon as another request comes on it.
        const used = new WeakSet<net.Socket>()
        const service = yield* strictService({
          answer: ({ socket }, response) => {
            if (used.has(socket)) socket.resetAndDestroy()
            used.add(socket)
            return response.destroyed
          }
        })
        assert.deepStrictEqual(yield* run(service.url, ["/api/x", "/api/y"]), ['{"url":"/api/x"}', '{"url":"/api/y"}'])
        const { heads, seen } = service.counts
        assert.strictEqual(seen.filter((request) => request === "POST /login").length, 1)
        // It has one of its own, which serves nothing else.
        const closed = seen.filter((_, index) => heads[index]?.includes('"connection":"close"'))
        assert.deepStrictEqual(
          closed.filter((request) => request.startsWith("POST")),
          ["POST /login", "POST /logout"]
        )
      })
    )

    it.live("H16 a port that speaks something else", () =>
      Effect.gen(function* () {
        const port = yield* listening(net.createServer((socket) => socket.end("SSH-2.0-OpenSSH_9.2\r\n")))
        const error = yield* Effect.flip(run(new URL(`http://127.0.0.1:${port}`), [], direct, { tries: 1 }))
        assert.include(error.message, "the answer is not HTTP")
      })
    )

    it.live("H12 H13 503 with Retry-After over a real socket, then ok", () =>
      Effect.gen(function* () {
        const service = yield* strictService({
          answer: (request, response, count) => {
            if (request.url !== "/api/x" || count > 1) return false
            response.writeHead(503, { "retry-after": "1" }).end("<html>busy</html>")
            return true
          }
        })
        const started = Date.now()
        assert.deepStrictEqual(yield* run(service.url, ["/api/x"]), ['{"url":"/api/x"}'])
        assert.isAtLeast(Date.now() - started, 1000)
      })
    )
  })

  describe("TLS", () => {
    const refused = (tls: Parameters<typeof strictService>[0], says: string, caFile: string | null = null) =>
      Effect.gen(function* () {
        const service = yield* strictService(tls)
        const error = yield* Effect.flip(run(service.url, [], { ...direct, caFile }))
        assert.strictEqual(error._tag, "SvcTlsRefused")
        assert.include(error.message, says)
        assert.deepStrictEqual(service.counts.seen, [])
        assert.strictEqual(service.counts.accepted, 1, "it was repeated")
      })

    it.live("N4 a private authority is accepted with its file", () =>
      Effect.gen(function* () {
        const service = yield* strictService({ tls: good })
        const caFile = yield* caFileOf(authority.pem)
        assert.deepStrictEqual(yield* run(service.url, ["/api/x"], { ...direct, caFile }), ['{"url":"/api/x"}'])
      })
    )

    it.live("N4 an unknown authority is refused, once, and nothing is sent", () =>
      refused({ tls: good }, "unknown authority")
    )

    it.live("N4 an expired certificate", () =>
      Effect.gen(function* () {
        const caFile = yield* caFileOf(authority.pem)
        yield* refused({ tls: authority.issue({ addresses: ["127.0.0.1"], expired: true }) }, "expired", caFile)
      })
    )

    it.live("N4 a certificate for another host", () =>
      Effect.gen(function* () {
        const caFile = yield* caFileOf(authority.pem)
        yield* refused({ tls: authority.issue({ names: ["svc.example"] }) }, "another host name", caFile)
      })
    )

    it.live("N4 TLS 1.1 at most", () =>
      Effect.gen(function* () {
        const caFile = yield* caFileOf(authority.pem)
        yield* refused({ tls: { ...good, maxVersion: "TLSv1.1" } }, "no TLS version that is safe", caFile)
      })
    )

    it.live("N4 plain HTTP on the port", () =>
      Effect.gen(function* () {
        const service = yield* strictService()
        const error = yield* Effect.flip(run(new URL(`https://127.0.0.1:${service.url.port}`), []))
        assert.strictEqual(error._tag, "SvcTlsRefused")
        assert.include(error.message, "does not speak TLS")
      })
    )

    it.live("G5 NODE_TLS_REJECT_UNAUTHORIZED=0 changes nothing", () =>
      Effect.gen(function* () {
        yield* Effect.acquireRelease(
          Effect.sync(() => {
            process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0"
          }),
          () =>
            Effect.sync(() => {
              delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"]
            })
        )
        yield* refused({ tls: good }, "unknown authority")
      })
    )

    it.live("an authority file that is none is said before anything is sent", () =>
      Effect.gen(function* () {
        const service = yield* strictService({ tls: good })
        for (const pem of ["", "hello", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]) {
          const caFile = yield* caFileOf(pem)
          assert.strictEqual(
            (yield* Effect.flip(run(service.url, [], { ...direct, caFile })))._tag,
            "SvcConfigUnusable"
          )
        }
        const absent = yield* Effect.flip(run(service.url, [], { ...direct, caFile: join(yield* folder, "absent") }))
        assert.include(absent.message, "ENOENT")
        assert.strictEqual(service.counts.connections, 0)
      })
    )
  })

  describe("proxy", () => {
    const authority = makeAuthority()
    const tls = authority.issue({ addresses: ["127.0.0.1"] })
    const secret = "p%40ss:wörd"

    for (const [origin, secureOrigin] of [
      ["http", false],
      ["https", true]
    ] as const) {
      for (const [kind, secureProxy] of [
        ["http", false],
        ["https", true]
      ] as const) {
        it.live(`N14 ${origin} service through an ${kind} proxy with credentials that the service never sees`, () =>
          Effect.gen(function* () {
            const service = yield* strictService(secureOrigin ? { tls } : {})
            const proxy = yield* makeProxy({ credentials: `ana:${secret}`, ...(secureProxy ? { tls } : {}) })
            const caFile = yield* caFileOf(authority.pem)
            const access = { ...through(proxy, "ana", secret), caFile }
            assert.deepStrictEqual(yield* run(service.url, ["/api/x"], access), ['{"url":"/api/x"}'])
            assert.isAbove(proxy.passed.length, 0)
            assert.isTrue(proxy.passed.every((line) => line.startsWith("CONNECT ") === secureOrigin))
            assert.notInclude(service.counts.heads.join("\n").toLowerCase(), "proxy-authorization")
          })
        )
      }

      it.live(`N14 ${origin}: 407 is ProxyRefused, asked once, without the password`, () =>
        Effect.gen(function* () {
          const service = yield* strictService(secureOrigin ? { tls } : {})
          const proxy = yield* makeProxy({ credentials: "ana:right" })
          for (const [user, password] of [
            ["ana", "wrong-canary"],
            [null, null]
          ] as const) {
            const before = proxy.asked.count
            const error = yield* Effect.flip(run(service.url, [], through(proxy, user, password)))
            assert.strictEqual(
              error.message,
              `The proxy ${proxy.url.host} refused the credentials: check proxyUsername and proxyPassword`
            )
            assert.strictEqual(proxy.asked.count - before, 1)
          }
          assert.deepStrictEqual(service.counts.seen, [])
        })
      )

      for (const how of [502, "dies"] as const) {
        it.live(`N14 ${origin}: a proxy that ${how === 502 ? "answers 502" : "dies"} once is tried again`, () =>
          Effect.gen(function* () {
            const service = yield* strictService(secureOrigin ? { tls } : {})
            const proxy = yield* makeProxy({ failing: { times: 1, how } })
            const caFile = yield* caFileOf(authority.pem)
            const access = { ...through(proxy, null, null), caFile }
            assert.deepStrictEqual(yield* run(service.url, ["/api/x"], access), ['{"url":"/api/x"}'])
          })
        )
      }
    }

    it.live("N14 a proxy that is not there is named, NO_PROXY goes around it", () =>
      Effect.gen(function* () {
        const service = yield* strictService()
        const port = yield* quietPort
        const proxy = { url: new URL(`http://127.0.0.1:${port}`) }
        const error = yield* Effect.flip(run(service.url, [], { ...direct, proxy }))
        assert.include(error.message, `proxy 127.0.0.1:${port}: connection refused`)
        yield* run(service.url, [], { ...direct, proxy, noProxy: `localhost,127.0.0.1:${service.url.port}` })
      })
    )
  })
})
