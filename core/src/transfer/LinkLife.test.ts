import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { expiryOf, goodUntil } from "./LinkLife.ts"

const noon = Date.UTC(2026, 0, 31, 12)

describe("LinkLife", () => {
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
