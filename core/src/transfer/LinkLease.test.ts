import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Ref } from "effect"
import { TestClock } from "effect/testing"
import * as LinkLease from "./LinkLease.ts"

const host = "files.example"
const refusal = { host, status: 403, code: null }

/** A lease, and how often its link was asked for again. */
const ground = Effect.gen(function* () {
  const asked = yield* Ref.make(0)
  const lease = yield* LinkLease.make({
    analysisId: "A1",
    fileName: "s.bam",
    size: 9,
    link: Redacted.make(`https://${host}/0`),
    renewLink: Effect.gen(function* () {
      const number = yield* Ref.updateAndGet(asked, (count) => count + 1)
      yield* Effect.yieldNow
      return { link: Redacted.make(`https://${host}/${number}`), size: 9 }
    }),
    progress: () => Effect.void
  })
  const link = Effect.map(lease.current, ({ link }) => Redacted.value(link))
  return { asked: Ref.get(asked), lease, link }
})

describe("LinkLease", () => {
  it.effect("L2 connections that are refused at the same time renew the link once", () =>
    Effect.gen(function* () {
      const { asked, lease, link } = yield* ground
      yield* Effect.all(
        Array.from({ length: 4 }, () => lease.refused(0, refusal)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(yield* asked, 1)
      assert.strictEqual(yield* lease.renewals, 1)
      assert.strictEqual(yield* link, `https://${host}/1`)
    })
  )

  it.effect("L2 who learns late that a link was refused takes the one that was asked for since", () =>
    Effect.gen(function* () {
      const { asked, lease, link } = yield* ground
      yield* lease.refused(0, refusal)
      yield* lease.worked(1)
      yield* lease.refused(0, refusal)
      assert.strictEqual(yield* asked, 1)
      yield* lease.refused(1, refusal)
      assert.strictEqual(yield* link, `https://${host}/2`)
    })
  )

  it.effect(
    "L3 a fresh link that was refused before it brought a byte is not renewed, also when an old one worked late",
    () =>
      Effect.gen(function* () {
        const { asked, lease } = yield* ground
        yield* lease.refused(0, refusal)
        yield* lease.worked(0)
        assert.strictEqual((yield* Effect.flip(lease.refused(1, refusal)))._tag, "SvcLinkForbidden")
        assert.strictEqual(yield* asked, 1)
      })
  )

  it.effect(
    "L1 L5 links that live for a while are renewed without an end, and such as live for a moment fifty times",
    () =>
      Effect.gen(function* () {
        for (const [life, most] of [
          ["1 minute", 300],
          ["59 seconds", 50]
        ] as const) {
          const { asked, lease } = yield* ground
          for (let generation = 0; generation < most; generation++) {
            yield* lease.worked(generation)
            yield* TestClock.adjust(life)
            yield* lease.refused(generation, refusal)
          }
          yield* lease.worked(most)
          yield* TestClock.adjust(life)
          const next = yield* Effect.result(lease.refused(most, refusal))
          assert.deepStrictEqual([yield* asked, next._tag], most === 50 ? [50, "Failure"] : [301, "Success"])
        }
      })
  )
})
