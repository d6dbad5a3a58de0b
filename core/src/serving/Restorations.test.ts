import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { ServiceClient } from "../client/ServiceClient.ts"
import { RestoreAnswer } from "../contract/Files.ts"
import { type ChangeError, LoginRefused, OutcomeUnknown } from "../Errors.ts"
import { Session } from "../session/Session.ts"
import { LinkStore, type ServedFile } from "./LinkStore.ts"
import { Restorations } from "./Restorations.ts"
import { ServiceAccess } from "./ServiceAccess.ts"

/** Nothing of it is asked here. */
const noSession = Layer.succeed(Session, {} as Session["Service"])

const noon = Date.UTC(2026, 0, 31, 12)
const estimation = "2026-01-31T15:00:00Z"
const cold: ServedFile = { analysisId: "A3", fileName: "S3.bam", size: 1, archived: true, restoreEstimation: null }

const world = (answer: (number: number) => Effect.Effect<ReadonlyArray<object>, ChangeError>) => {
  const asked: Array<string> = []
  const forgotten: Array<string> = []
  const client = Layer.mock(ServiceClient, {
    requestRestore: (ids) =>
      Effect.map(
        Effect.suspend(() => answer(asked.push(ids.join()))),
        (items) => items.map((item) => Schema.decodeUnknownSync(RestoreAnswer)(item))
      )
  })
  const store = Layer.mock(LinkStore, { forget: (id) => Effect.sync(() => void forgotten.push(id)) })
  const layer = Restorations.layer.pipe(
    Layer.provideMerge(ServiceAccess.layer(Layer.merge(client, noSession))),
    Layer.provide(store)
  )
  return { asked, forgotten, layer }
}

const told = () => Effect.succeed([{ analysisId: "A3", restoreEstimation: estimation }])

describe("restorations that readers ask for", () => {
  it.effect("are asked for once, however many readers ask, and until half a day has passed", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const { asked, forgotten, layer } = world(told)
      yield* Effect.gen(function* () {
        const restorations = yield* Restorations
        assert.isNull(yield* restorations.of(cold))
        const restoring = { since: "2026-01-31T12:00:00.000Z", estimation }
        const answers = yield* Effect.all(
          Array.from({ length: 5 }, () => restorations.request(cold)),
          { concurrency: 5 }
        )
        assert.deepStrictEqual(
          answers,
          [false, true, true, true, true].map((joined) => ({ ...restoring, joined }))
        )
        assert.deepStrictEqual([asked, forgotten], [["A3"], ["A3"]])
        assert.deepStrictEqual(yield* restorations.of(cold), restoring)
        // Another file of the same analysis comes back with it.
        assert.deepStrictEqual(yield* restorations.request({ ...cold, fileName: "other.bam" }), {
          ...restoring,
          joined: true
        })
        yield* TestClock.adjust("12 hours")
        assert.isNull(yield* restorations.of(cold))
        yield* restorations.request(cold)
        assert.strictEqual(asked.length, 2)
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("that the service tells of are not asked for, and its estimate counts", () =>
    Effect.gen(function* () {
      const { asked, layer } = world(told)
      yield* Effect.gen(function* () {
        const restorations = yield* Restorations
        const underWay = { ...cold, restoreEstimation: "soon" }
        assert.deepStrictEqual(yield* restorations.request(underWay), {
          since: null,
          estimation: "soon",
          joined: true
        })
        assert.deepStrictEqual(asked, [])
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("S6 of which the answer is lost are not taken for granted: the listing is looked at anew", () =>
    Effect.gen(function* () {
      const lost = new OutcomeUnknown({ request: "POST /archive/analysis/restore" })
      const { asked, forgotten, layer } = world((number) => (number === 1 ? Effect.fail(lost) : Effect.succeed([])))
      yield* Effect.gen(function* () {
        const restorations = yield* Restorations
        assert.strictEqual((yield* Effect.flip(restorations.request(cold)))._tag, "SvcOutcomeUnknown")
        assert.deepStrictEqual(forgotten, ["A3"])
        assert.isNull(yield* restorations.of(cold))
        // A service that says only "yes".
        assert.isNull((yield* restorations.request(cold)).estimation)
        assert.strictEqual(asked.length, 2)
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("S6 are remembered although the reader went away before the answer came, and not paid for twice", () =>
    Effect.gen(function* () {
      const { asked, layer } = world(() => Effect.delay(told(), "10 seconds"))
      yield* Effect.gen(function* () {
        const restorations = yield* Restorations
        const reader = yield* Effect.forkChild(restorations.request(cold), { startImmediately: true })
        yield* TestClock.adjust("1 second")
        reader.interruptUnsafe()
        yield* TestClock.adjust("10 seconds")
        const other = yield* Effect.forkChild(restorations.request(cold), { startImmediately: true })
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual((yield* Fiber.join(other)).estimation, estimation)
        assert.deepStrictEqual(asked, ["A3"])
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("neither a reader that goes away nor the end of the server waits for the account lock", () =>
    Effect.gen(function* () {
      const { asked, layer } = world(() => Effect.never)
      const [first, second] = yield* Effect.gen(function* () {
        const { request } = yield* Restorations
        const first = yield* Effect.forkDetach(request(cold))
        const second = yield* Effect.forkDetach(request({ ...cold, analysisId: "A4" }))
        yield* TestClock.adjust("1 second")
        first.interruptUnsafe()
        yield* TestClock.adjust("1 second")
        return [first, second] as const
      }).pipe(Effect.provide(layer))
      yield* TestClock.adjust("1 second")
      const hasEnded = (fiber: Fiber.Fiber<unknown, unknown>) => fiber.pollUnsafe() !== undefined
      assert.deepStrictEqual([hasEnded(first), hasEnded(second), asked], [true, true, ["A3"]])
    })
  )

  it.effect("S1 a login that is refused ends the access", () =>
    Effect.gen(function* () {
      const { layer } = world(() => Effect.fail(new LoginRefused({ user: "ada", host: "lab" })))
      yield* Effect.gen(function* () {
        yield* Effect.flip((yield* Restorations).request(cold))
        assert.strictEqual((yield* Effect.flip((yield* ServiceAccess).lost))._tag, "SvcLoginRefused")
      }).pipe(Effect.provide(layer))
    })
  )
})
