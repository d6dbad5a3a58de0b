import { assert, describe, it } from "@effect/vitest"
import type { ObjectVersion } from "../transfer/RangeReply.ts"
import { preconditionOf } from "./Preconditions.ts"

const [before, then, after] = [
  "Sat, 31 Jan 2026 11:59:59 GMT",
  "Sat, 31 Jan 2026 12:00:00 GMT",
  "Sat, 31 Jan 2026 12:00:01 GMT"
]
const version = { size: 1000, etag: '"v1"', lastModified: then, digests: [] }
const asked = (headers: Record<string, string>, of: ObjectVersion = version) => preconditionOf(headers, of)

describe("what a reader says of the version that it has", () => {
  it("by a tag: 304 for the same, 412 when it wants another", () => {
    assert.strictEqual(asked({}), "Send")
    for (const same of ['"v1"', 'W/"v1"', '"v0", "v1"', "*"]) {
      assert.strictEqual(asked({ "if-none-match": same }), "NotModified", same)
    }
    for (const other of ['"v2"', "v1", ""]) assert.strictEqual(asked({ "if-none-match": other }), "Send", other)
    for (const same of ['"v1"', '"v0", "v1"', "*"]) assert.strictEqual(asked({ "if-match": same }), "Send", same)
    for (const other of ['"v2"', 'W/"v1"', ""]) assert.strictEqual(asked({ "if-match": other }), "Failed", other)
  })

  it("by a date, which counts only without a tag beside it", () => {
    assert.deepStrictEqual(
      [before, then, after].map((date) => asked({ "if-modified-since": date })),
      ["Send", "NotModified", "NotModified"]
    )
    assert.deepStrictEqual(
      [before, then, after].map((date) => asked({ "if-unmodified-since": date })),
      ["Failed", "Send", "Send"]
    )
    assert.strictEqual(asked({ "if-none-match": '"v2"', "if-modified-since": after }), "Send")
    assert.strictEqual(asked({ "if-match": '"v1"', "if-unmodified-since": before }), "Send")
    assert.strictEqual(asked({ "if-match": '"v1"', "if-none-match": '"v1"' }), "NotModified")
    for (const odd of ["soon", "0", "", "2026-01-31"]) {
      assert.strictEqual(asked({ "if-modified-since": odd }), "Send", odd)
      assert.strictEqual(asked({ "if-unmodified-since": odd }), "Send", odd)
    }
  })

  it("of a file of which nothing is known, only that it is there", () => {
    const unknown = { ...version, etag: null, lastModified: null }
    assert.strictEqual(asked({ "if-modified-since": then }, unknown), "Send")
    assert.strictEqual(asked({ "if-unmodified-since": before }, unknown), "Send")
    assert.strictEqual(asked({ "if-none-match": '"v1"' }, unknown), "Send")
    assert.strictEqual(asked({ "if-match": '"v1"' }, unknown), "Failed")
    assert.strictEqual(asked({ "if-match": "*" }, unknown), "Send")
  })
})
