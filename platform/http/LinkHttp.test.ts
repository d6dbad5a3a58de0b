import dns from "node:dns"
import { createServer } from "node:http"
import { syncBuiltinESMExports } from "node:module"
import { assert, describe, it, vi } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { TransportFault } from "../../core/src/session/TransportFault.ts"
import { LinkHost } from "../../core/src/transfer/LinkHost.ts"
import { listening } from "../../test/servers/StrictService.ts"
import { ByteRing } from "./ByteRing.ts"
import { failure } from "./LinkDialing.ts"
import * as LinkHttp from "./LinkHttp.ts"

/** A resolver that is down, until it is up and leads every name to this machine. */
const resolver = Effect.acquireRelease(
  Effect.sync(() => {
    const { lookup } = dns
    const state = { down: true }
    const mended = (_host: string, _options: object, done: (error: Error | null, found?: unknown) => void) =>
      state.down
        ? done(Object.assign(new Error("down"), { code: "EAI_AGAIN" }))
        : done(null, [{ address: "127.0.0.1", family: 4 }])
    dns.lookup = mended as unknown as typeof lookup
    syncBuiltinESMExports()
    return { state, lookup }
  }),
  ({ lookup }) =>
    Effect.sync(() => {
      dns.lookup = lookup
      syncBuiltinESMExports()
    })
)

describe("link hosts", () => {
  it.effect("L7 a resolver that was down for a moment does not decide for ever which hosts may be visited", () =>
    Effect.gen(function* () {
      const { state } = yield* resolver
      const target = new URL("http://service.example:8080")
      const layer = LinkHttp.layer({ target, userAgent: "t", proxy: null, caFile: null, noProxy: "" })
      yield* Effect.gen(function* () {
        const hosts = yield* LinkHost
        const approved = Effect.result(
          hosts.approve({ file: "S1.bam", link: Redacted.make("http://127.0.0.1:9/S1.bam") })
        )
        // By its name the target is a public host, and its links do not lead to this machine.
        assert.strictEqual((yield* approved)._tag, "Failure")
        state.down = false
        yield* TestClock.adjust("61 seconds")
        assert.strictEqual((yield* approved)._tag, "Success")
      }).pipe(Effect.provide(layer))
    })
  )

  it("N14 what a proxy says is its own: a refusal is final, a failure passes, and its certificate is not the host's", () => {
    const meaning = (fault: ConstructorParameters<typeof TransportFault>[0]) =>
      failure("files", new TransportFault(fault))
    const answered = (status: number) =>
      meaning({ kind: "Proxy", reason: `it answered ${status}`, proxy: "p:1", status })
    assert.deepInclude(answered(407), { _tag: "SvcProxyRefused", proxy: "p:1", status: 407 })
    assert.deepInclude(answered(502), { _tag: "LinkBroken", fault: "Connect", reason: "it answered 502" })
    const expired = { kind: "Tls", reason: "its certificate has expired" } as const
    assert.deepInclude(meaning({ ...expired, proxy: "p:1" }), { _tag: "SvcTlsRefused", host: "p:1" })
    assert.deepInclude(meaning(expired), { _tag: "SvcTlsRefused", host: "files" })
  })

  it.live("no byte of a plain link host is copied on its way, also where its reader is slow", () =>
    Effect.gen(function* () {
      // No two of its pieces are alike: bytes that were overwritten before they were read would be seen.
      const file = Buffer.from(Uint32Array.from({ length: 512 * 1024 }, (_, at) => at).buffer)
      const port = yield* listening(createServer((_, response) => response.end(file)))
      const copies = yield* Effect.acquireRelease(
        Effect.sync(() => vi.spyOn(ByteRing.prototype, "push")),
        (spy) => Effect.sync(() => spy.mockRestore())
      )
      const target = new URL(`http://127.0.0.1:${port}`)
      const layer = LinkHttp.layer({ target, userAgent: "t", proxy: null, caFile: null, noProxy: "", batch: 64 * 1024 })
      const link = Redacted.make(`${target}S1.bam`)
      yield* Effect.gen(function* () {
        const { get } = yield* LinkHost
        const { next } = yield* get({ file: "S1.bam", link, range: null })
        let length = 0
        let same = true
        for (let bytes = yield* next; bytes !== null; bytes = yield* next) {
          same &&= file.subarray(length, length + bytes.length).equals(bytes)
          length += bytes.length
          yield* Effect.sleep("2 millis")
        }
        assert.deepStrictEqual([length, same], [file.length, true])
      }).pipe(Effect.scoped, Effect.provide(layer))
      assert.strictEqual(copies.mock.calls.length, 0)
    })
  )
})
