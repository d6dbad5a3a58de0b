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

const [ada, eve, mute] = ["ada-0123456789abcdef", "eve-0123456789abcdef", "mute-0123456789abcdef"]

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
          // The gateway logs out while its service is there.
        }).pipe(Effect.scoped, Effect.provideService(AdviceOf, adviceOf), Effect.provide(Sandbox.layer()))
    )
  }
})

describe("questions of one reader to a silent link host, more than may be under way", () => {
  for (const [what, relay, method, first, second] of [
    ["HEAD by relay", true, "HEAD", "files/A1/S1.bam", "files/A1/S1.vcf.gz"],
    ["HEAD by redirect", false, "HEAD", "files/A1/S1.bam", "files/A1/S1.vcf.gz"],
    ["tickets", false, "GET", "reads/A1?class=header", "variants/A1?class=header"],
    ["sequences", false, "GET", "files/A1/S1.bam/sequences", "files/A1/S1.vcf.gz/sequences"]
  ] as const) {
    it.effect(`${what}: all end within 10 s, and hold nobody else up`, () =>
      Effect.gen(function* () {
        const { setFaults, stats } = yield* Sandbox
        const tokens = [digested("ada", ada), digested("ada", mute, "may=restore"), digested("eve", eve)].join("\n")
        const { lines, url } = yield* startGatewayHere({ relay, tokens })
        const status = (token: string, path: string, init: RequestInit = {}) =>
          Effect.map(ask(`${url}/t/${token}/${path}`, init), (answer) => answer.status)
        // So its host is known to answer; a ticket waits for more than the versions.
        const known = method === "HEAD" ? ["A2/S2.bam"] : ["A2/S2.bam", "A1/S1.bam", "A1/S1.bam.bai"]
        for (const name of known) assert.strictEqual(yield* status(eve, `files/${name}`, { method: "HEAD" }), 200)
        yield* setFaults([{ when: { plane: "link", file: "S1.bam*" }, then: { stall: "head" } }])
        const many = yield* Effect.forkChild(
          Effect.all(
            Array.from({ length: 70 }, () => status(ada, first, { method })),
            { concurrency: "unbounded" }
          )
        )
        const begun = (more: number) =>
          TestClock.withLive(
            until(
              "the questions are here",
              Effect.sync(() => lines.filter(({ event, name }) => event === "begin" && name === "ada").length === more)
            )
          )
        yield* begun(70)
        yield* TestClock.withLive(
          until(
            "the silent host is asked",
            Effect.map(stats, ({ linkInFlight }) => linkInFlight > 0)
          )
        )
        const waiting = yield* Effect.forkChild(status(ada, second, { method }))
        yield* begun(71)
        assert.strictEqual(yield* status(eve, second, { method }), 200)
        assert.strictEqual(yield* status(mute, first, { method }), 403)
        assert.strictEqual(yield* status(ada, "reads/A1"), 200, "no link host is asked")
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual([...new Set(yield* Fiber.join(many))], [503])
        assert.strictEqual(yield* Fiber.join(waiting), 503)
        yield* setFaults([])
        assert.strictEqual(yield* status(ada, first, { method }), 200)
      }).pipe(
        Effect.scoped,
        // Nothing is under way at the end, whatever that is.
        Effect.ensuring(TestClock.adjust("1 minute")),
        Effect.provideService(AdviceOf, adviceOf),
        Effect.provide(Sandbox.layer())
      )
    )
  }
})
