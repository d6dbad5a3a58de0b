import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { expiryOf, isExpired } from "./LinkExpiry.ts"

const noon = Date.UTC(2026, 0, 31, 12)

describe("LinkExpiry", () => {
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

  it("C4 a link is left alone until half a minute before it says that it ends", () => {
    const link = `https://h/a?Expires=${noon / 1000}`
    assert.isFalse(isExpired(link, noon - 30_000))
    assert.isTrue(isExpired(link, noon - 29_999))
    assert.isFalse(isExpired("https://h/a", noon))
  })

  it.prop("any text gets an answer, never an exception", [Schema.String], ([text]) => {
    const expiry = expiryOf(`https://h/a?se=${text}&Expires=${text}`)
    return expiry === null || Number.isFinite(expiry)
  })
})
