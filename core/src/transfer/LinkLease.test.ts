import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Ref } from "effect"
import { TestClock } from "effect/testing"
import * as LinkLease from "./LinkLease.ts"

const host = "files.example"
const refusal = { host, status: 403, code: null }

/** A lease, and how often its link was asked for again. */
const ground = Effect.gen(function* () {
  return yield* leaseOf(`https://${host}/0`)
})

const leaseOf = Effect.fnUntraced(function* (first: string) {
  const asked = yield* Ref.make(0)
  const lease = yield* LinkLease.make({
    analysisId: "A1",
    fileName: "s.bam",
    size: 9,
    link: Redacted.make(first),
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

  it.effect("L1 L3 a link that was renewed since its time had come may be refused once, as the first may", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 1))
      const { asked, lease, link } = yield* leaseOf(`https://${host}/0?Expires=1000`)
      assert.strictEqual(yield* link, `https://${host}/1`)
      yield* lease.refused(1, refusal)
      assert.strictEqual(yield* link, `https://${host}/2`)
      assert.strictEqual((yield* Effect.flip(lease.refused(2, refusal)))._tag, "SvcLinkForbidden")
      assert.strictEqual(yield* asked, 2)
    })
  )
})
