/** HEAD and other questions about files, while link hosts do not answer. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { AdviceOf } from "../../core/src/Errors.ts"
import type { Fault } from "../../sandbox/Faults.ts"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import { adviceOf } from "../../steps/main/Advice.ts"
import { until } from "../Executables.ts"
import { ask } from "../GatewayGround.ts"
import { digested, startGatewayHere } from "../GatewayLayer.ts"

const [ada, eve] = ["ada-0123456789abcdef", "eve-0123456789abcdef"]

describe("HEAD by redirect", () => {
  for (const then of [{ stall: "head" }, { reset: "head" }] satisfies ReadonlyArray<Fault>) {
    it.effect(
      `has the size alone where the link host does not answer, and for a minute after (${Object.keys(then)})`,
      () =>
        Effect.gen(function* () {
          const { setFaults, stats } = yield* Sandbox
          const { url } = yield* startGatewayHere()
          const listed = JSON.parse((yield* ask(`${url}/files/A1`)).text).files[0]
          const head = Effect.map(ask(listed.url, { method: "HEAD" }), ({ headers, status }) => [
            status,
            headers.get("etag"),
            Number(headers.get("content-length"))
          ])
          yield* setFaults([{ when: { plane: "link" }, then }])
          const first = yield* Effect.forkChild(head)
          yield* TestClock.withLive(
            until(
              "the link host is asked",
              Effect.map(stats, ({ linkRequests }) => linkRequests > 0)
            )
          )
          yield* TestClock.adjust("3 seconds")
          assert.deepStrictEqual(yield* Fiber.join(first), [200, null, listed.size])
          // It would answer now.
          yield* setFaults([])
          for (const _ of Array.from({ length: 9 })) assert.deepStrictEqual(yield* head, [200, null, listed.size])
          yield* TestClock.adjust("1 minute")
          const [status, etag, size] = yield* head
          assert.deepStrictEqual([status, size], [200, listed.size])
          assert.isNotNull(etag)
        }).pipe(Effect.provideService(AdviceOf, adviceOf), Effect.provide(Sandbox.layer()))
    )
  }
})

describe("of one reader, so many questions to link hosts are under way as files", () => {
  for (const [what, relay, method, first, second] of [
    ["HEAD by relay", true, "HEAD", "files/A1/S1.bam", "files/A1/S1.vcf.gz"],
    ["HEAD by redirect", false, "HEAD", "files/A1/S1.bam", "files/A1/S1.vcf.gz"],
    ["tickets", false, "GET", "reads/A1?class=header", "variants/A1?class=header"],
    ["sequences", false, "GET", "files/A1/S1.bam/sequences", "files/A1/S1.vcf.gz/sequences"]
  ] as const) {
    it.live(`${what}: further ones wait, and hold nobody else up`, () =>
      Effect.gen(function* () {
        const { setFaults, stats } = yield* Sandbox
        const tokens = [digested("ada", ada), digested("eve", eve)].join("\n")
        const { url } = yield* startGatewayHere({ relay, readerConnections: 1, tokens })
        const ofEve = (path: string, init: RequestInit = {}) => ask(`${url}/t/${eve}/${path}`, init)
        const question = (path: string, signal?: AbortSignal) =>
          ask(`${url}/t/${ada}/${path}`, { method, ...(signal === undefined ? {} : { signal }) })
        // So its host is known to answer.
        assert.strictEqual((yield* ofEve("files/A2/S2.bam", { method: "HEAD" })).status, 200)
        yield* setFaults([{ when: { plane: "link", file: "S1.bam" }, then: { stall: "head" } }])
        const stop = new AbortController()
        yield* Effect.forkChild(Effect.exit(question(first, stop.signal)))
        const asked = (file: string) => Effect.map(stats, ({ files }) => (files[`A1/${file}`]?.requests ?? 0) > 0)
        yield* until("the silent host is asked", asked("S1.bam"))
        const waiting = yield* Effect.forkChild(question(second))
        const inFlight = Effect.map(ofEve("metrics"), ({ text }) => /^svc_gateway_requests_in_flight 3$/m.test(text))
        yield* until("the second one is here", inFlight)
        const other = yield* ofEve("files/A1/S1.bam.bai", { headers: { "svc-relay": "1" } })
        assert.strictEqual(other.status, 200)
        assert.isFalse(yield* asked("S1.vcf.gz"))
        stop.abort()
        assert.strictEqual((yield* Fiber.join(waiting)).status, 200)
      }).pipe(Effect.provideService(AdviceOf, adviceOf), Effect.provide(Sandbox.layer()))
    )
  }
})
