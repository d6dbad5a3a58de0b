import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Ref, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as LinkLease from "./LinkLease.ts"
import { expiryOf, goodUntil } from "./LinkLease.ts"

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

const noon = Date.UTC(2026, 0, 31, 12)

describe("how long a link is good", () => {
  it("reads the expiry fields of Amazon, Google and Azure", () => {
    const table = [
      ["https://h/a?X-Amz-Date=20260131T110000Z&X-Amz-Expires=3600", noon],
      ["https://h/a?x-amz-expires=3600&x-amz-date=20260131T110000Z&X-Amz-Signature=0", noon],
      ["https://h/a?X-Goog-Date=20260131T110000Z&X-Goog-Expires=3600", noon],
      [`https://h/a?AWSAccessKeyId=k&Expires=${noon / 1000}&Signature=s`, noon],
      ["https://h/a?sv=2024&se=2026-01-31T12%3A00%3A00Z&sig=s", noon]
    ] as const
    for (const [link, expiry] of table) assert.strictEqual(expiryOf(link), expiry, link)
  })

  it("is null for a link without an expiry, or with one that cannot be read", () => {
    const links = [
      "https://h/a",
      "https://h/a?",
      "https://h/a?X-Amz-Date=20260131T110000Z",
      "https://h/a?X-Amz-Date=2026-01-31&X-Amz-Expires=3600",
      "https://h/a?X-Amz-Date=20261331T110000Z&X-Amz-Expires=3600",
      "https://h/a?X-Amz-Date=20260131T110000Z&X-Amz-Expires=-1",
      "https://h/a?Expires=tomorrow",
      "https://h/a?Expires=1e9",
      "https://h/a?se=true",
      "https://h/a#?Expires=1"
    ]
    for (const link of links) assert.isNull(expiryOf(link), link)
  })

  it("C4 a link is good until half a minute before it ends, or for a quarter of a short life", () => {
    const amazon = (seconds: number) => `https://h/a?X-Amz-Date=20260131T110000Z&X-Amz-Expires=${seconds}`
    const seconds = (link: string, askedAt: number) => (goodUntil(link, askedAt) - askedAt) / 1000
    // Whatever the clock of the signer shows.
    for (const askedAt of [noon, 0]) {
      assert.deepStrictEqual(
        [3600, 60, 40, 20, 2, 1].map((life) => seconds(amazon(life), askedAt)),
        [3570, 30, 10, 5, 0.5, 0]
      )
    }
    assert.strictEqual(seconds(`https://h/a?Expires=${noon / 1000 + 90}`, noon), 60)
    assert.strictEqual(goodUntil(amazon(3600), null), noon - 30_000)
  })

  it.prop(
    "L5 a link that must be good has a second left, however long it lives and whenever in its second it was made",
    [
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4 })),
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999 }))
    ],
    ([seconds, millisecond]) => {
      const at = noon + millisecond
      const link = `https://h/a?X-Amz-Date=20260131T120000Z&X-Amz-Expires=${seconds}`
      // It ends so many seconds after the beginning of the second that it was made in.
      assert.isAtMost(goodUntil(link, at), Math.max(at, noon + seconds * 1000))
    }
  )

  it("C4 a link that says nothing, or that ended before it was asked for, is good until it is refused", () => {
    for (const link of ["https://h/a", `https://h/a?Expires=${noon / 1000}`]) {
      assert.strictEqual(goodUntil(link, noon), Number.POSITIVE_INFINITY, link)
    }
    assert.strictEqual(goodUntil("https://h/a", null), Number.POSITIVE_INFINITY)
  })

  it.prop("any text gets an answer, never an exception", [Schema.String], ([text]) => {
    const expiry = expiryOf(`https://h/a?se=${text}&Expires=${text}`)
    return expiry === null || Number.isFinite(expiry)
  })
})
