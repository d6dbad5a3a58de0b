/** Link hosts over TLS, directly and through proxies. */
import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Random, Redacted } from "effect"
import { LinkHost } from "../../core/src/transfer/LinkHost.ts"
import * as LinkHttp from "../../platform/http/LinkHttp.ts"
import { makeAuthority } from "../servers/Certificates.ts"
import { makeProxy } from "../servers/Proxy.ts"
import { folder, liveTransfer } from "../transfer/LiveTransfer.ts"
import { type Answer, good, goodAnswer, rawServer } from "../transfer/RawServer.ts"

const object = randomBytes(5_000_000)
const authority = makeAuthority()

/** A TLS link host; `caFile` is the path of its authority. */
const host = Effect.fnUntraced(function* (
  tls: { readonly cert: string; readonly key: string; readonly maxVersion?: "TLSv1.1" | "TLSv1.2" },
  answer: Answer = good(object)
) {
  const directory = yield* folder
  const caFile = join(directory, "ca.pem")
  writeFileSync(caFile, authority.pem)
  // An old version is only spoken by a server that lowers the demands on its ciphers.
  const old = tls.maxVersion === "TLSv1.1" ? { minVersion: "TLSv1" as const, ciphers: "DEFAULT@SECLEVEL=0" } : {}
  const server = yield* rawServer(answer, { tls: { ...tls, ...old } })
  return { server, caFile }
})

const loopback = authority.issue({ addresses: ["127.0.0.1"] })

/** Reads a body with pauses, as a slow disk would make them, and compares every byte. */
const readSlowly = Effect.fnUntraced(
  function* (link: string, large: Buffer, _caFile: string) {
    const hosts = yield* LinkHost
    const reply = yield* hosts.get({ file: "s.bam", link: Redacted.make(link), range: null })
    let at = 0
    for (let batch = yield* reply.next; batch !== null; batch = yield* reply.next) {
      yield* Effect.sleep("3 millis")
      assert.isTrue(large.subarray(at, at + batch.length).equals(batch), `bytes from ${at}`)
      at += batch.length
    }
    assert.strictEqual(at, large.length)
  },
  (effect, link, _large, caFile) =>
    Effect.provide(
      Effect.scoped(effect),
      LinkHttp.layer({ target: new URL(link), userAgent: "t", proxy: null, caFile, noProxy: "*" })
    )
)

describe("link hosts over TLS", () => {
  it.live("a slow reader gets every byte in its place, with TLS and without", () =>
    Effect.gen(function* () {
      const large = randomBytes(60_000_000)
      const { server, caFile } = yield* host(loopback, good(large))
      const plain = yield* rawServer(good(large))
      yield* readSlowly(`${server.url}/s.bam`, large, caFile)
      yield* readSlowly(`${plain.url}/s.bam`, large, caFile)
    })
  )

  it.live("N4 a private authority is trusted when it is given, and the file comes whole", () =>
    Effect.gen(function* () {
      for (const maxVersion of ["TLSv1.2", undefined] as const) {
        const { server, caFile } = yield* host({ ...loopback, ...(maxVersion === undefined ? {} : { maxVersion }) })
        const transfer = yield* liveTransfer(`${server.url}/s.bam`, object.length, { http: { caFile } })
        yield* transfer.run
        assert.isTrue(transfer.final()?.equals(object))
      }
    })
  )

  it.live("N7 a cut of a TLS connection resumes", () =>
    Effect.gen(function* () {
      const { server, caFile } = yield* host(loopback, (request, socket) => {
        const { head, bytes } = goodAnswer(object, request)
        if (request.number > 0) return good(object)(request, socket)
        socket.write(head)
        socket.write(bytes.subarray(0, 3_000_000), () => socket.destroy())
      })
      const transfer = yield* liveTransfer(`${server.url}/s.bam`, object.length, { http: { caFile } })
      yield* Effect.provideService(transfer.run, Random.Random, { nextDoubleUnsafe: () => 0, nextIntUnsafe: () => 0 })
      assert.isTrue(transfer.final()?.equals(object))
      assert.strictEqual(server.requests.length, 2)
    })
  )

  it.live("an authority that follows another one on the same line is trusted too", () =>
    Effect.gen(function* () {
      const { server, caFile } = yield* host(loopback)
      writeFileSync(caFile, `${makeAuthority("Another authority").pem.trimEnd()}${authority.pem}`)
      const transfer = yield* liveTransfer(`${server.url}/s.bam`, object.length, { http: { caFile } })
      yield* transfer.run
      assert.isTrue(transfer.final()?.equals(object))
    })
  )

  const refused = [
    ["an unknown authority", loopback, false],
    ["a wrong host", authority.issue({ names: ["other.example"] }), true],
    ["an expired certificate", authority.issue({ addresses: ["127.0.0.1"], expired: true }), true],
    ["TLS 1.1 only", { ...loopback, maxVersion: "TLSv1.1" as const }, true]
  ] as const
  for (const [what, tls, trusted] of refused) {
    it.live(`N4 ${what} is refused at once, and the link is not sent`, () =>
      Effect.gen(function* () {
        const { server, caFile } = yield* host(tls)
        const transfer = yield* liveTransfer(`${server.url}/s.bam`, object.length, { http: trusted ? { caFile } : {} })
        assert.strictEqual((yield* Effect.flip(transfer.run))._tag, "SvcTlsRefused")
        assert.strictEqual(server.requests.length, 0)
        assert.isFalse(transfer.events.some(({ _tag }) => _tag === "Retrying"))
      })
    )
  }

  const proxyAddress = (url: URL, password = "secret") => ({ url, username: "user", password: Redacted.make(password) })

  for (const secure of [false, true]) {
    it.live(`N14 through an ${secure ? "https" : "http"} proxy with credentials, to http and https link hosts`, () =>
      Effect.gen(function* () {
        const { server, caFile } = yield* host(loopback)
        const plain = yield* rawServer(good(object))
        const proxy = yield* makeProxy({ credentials: "user:secret", ...(secure ? { tls: loopback } : {}) })
        const http = { caFile, proxy: proxyAddress(proxy.url) }
        for (const link of [`${server.url}/s.bam?sig=1`, `${plain.url}/s.bam?sig=1`]) {
          const transfer = yield* liveTransfer(link, object.length, { http, target: plain.url })
          yield* transfer.run
          assert.isTrue(transfer.final()?.equals(object))
        }
        assert.strictEqual(proxy.passed.length, 2)
        for (const { head } of [...server.requests, ...plain.requests]) assert.notMatch(head, /proxy-authorization/i)
      })
    )
  }

  it.live("L7 a proxy is not asked for names of this machine or a private network, unless the target is one too", () =>
    Effect.gen(function* () {
      const { server, caFile } = yield* host(authority.issue({ names: ["localhost"] }))
      const proxy = yield* makeProxy()
      const http = { caFile, proxy: { url: proxy.url } }
      const { port } = new URL(server.url)
      const links = [`https://localhost:${port}/s.bam`, "https://metadata.google.internal/s.bam", "https://minio/s.bam"]
      for (const link of links) {
        const { run } = yield* liveTransfer(link, object.length, { http, target: "https://service.example" })
        const error = yield* Effect.flip(run)
        assert.strictEqual(error._tag, "SvcLinkRefused")
        assert.match(error.message, /is a name of (this machine|a private network) and the target is not$/)
      }
      assert.strictEqual(proxy.asked.count, 0)
      const own = `https://localhost:${port}`
      const { run } = yield* liveTransfer(`${own}/s.bam`, object.length, { http, target: own })
      assert.strictEqual((yield* run).bytes, object.length)
      assert.deepStrictEqual(proxy.passed, [`CONNECT localhost:${port}`])
    })
  )

  it.live("N14 a proxy that refuses the credentials is not asked again", () =>
    Effect.gen(function* () {
      const { server, caFile } = yield* host(loopback)
      const plain = yield* rawServer(good(object))
      const proxy = yield* makeProxy({ credentials: "user:secret" })
      for (const link of [server.url, plain.url]) {
        const http = { caFile, proxy: proxyAddress(proxy.url, "wrong") }
        const transfer = yield* liveTransfer(`${link}/s.bam`, object.length, { http, target: plain.url })
        const error = yield* Effect.flip(transfer.run)
        assert.deepInclude(error, { _tag: "SvcProxyRefused", status: 407 })
        assert.notInclude(error.message, "wrong")
      }
      assert.strictEqual(proxy.asked.count, 2)
      assert.strictEqual(server.requests.length + plain.requests.length, 0)
    })
  )

  it.live("N14 a proxy that wants another way of signing in is named with it, by https and by http", () =>
    Effect.gen(function* () {
      const proxy = yield* rawServer((_, socket) => {
        socket.end(
          "HTTP/1.1 407 No\r\nproxy-authenticate: Negotiate\r\nproxy-authenticate: NTLM\r\ncontent-length: 0\r\n\r\n"
        )
      })
      for (const target of ["https://127.0.0.1:9", "http://127.0.0.1:9"]) {
        const http = { proxy: proxyAddress(new URL(proxy.url)) }
        const { run } = yield* liveTransfer(`${target}/s.bam`, object.length, { http, target })
        assert.match((yield* Effect.flip(run)).message, /wants Negotiate or NTLM, and only Basic is known here/)
      }
    })
  )
})
