import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { ObjectVersion } from "../transfer/RangeReply.ts"
import { preconditionOf, requestedRange } from "./Conditions.ts"

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

const rangeOf = (range: string | undefined, ifRange?: string, size = 1000) => {
  const found = requestedRange(range, ifRange, version, size)
  return found._tag === "Part" ? [found.first, found.end] : found._tag
}

describe("the range that a reader asks for", () => {
  it("is bytes with a first and a last, an open end, or the last so many", () => {
    assert.deepStrictEqual(rangeOf("bytes=0-0"), [0, 1])
    assert.deepStrictEqual(rangeOf("bytes=10-19"), [10, 20])
    assert.deepStrictEqual(rangeOf("Bytes = 10 - 5000"), [10, 1000])
    assert.deepStrictEqual(rangeOf("bytes=999-"), [999, 1000])
    assert.deepStrictEqual(rangeOf("bytes=-28"), [972, 1000])
    assert.deepStrictEqual(rangeOf("bytes=-5000"), [0, 1000])
    assert.deepStrictEqual(rangeOf(`bytes=0-${"9".repeat(400)}`), [0, 1000])
    assert.deepStrictEqual(rangeOf("bytes=-99999999999999999999"), [0, 1000])
  })

  it("nothing lies behind the end, in no bytes, and in an empty file", () => {
    assert.strictEqual(rangeOf("bytes=1000-"), "Unsatisfiable")
    assert.strictEqual(rangeOf("bytes=5000-6000"), "Unsatisfiable")
    assert.strictEqual(rangeOf("bytes=99999999999999999999-"), "Unsatisfiable")
    assert.strictEqual(rangeOf("bytes=-0"), "Unsatisfiable")
    assert.strictEqual(rangeOf("bytes=0-", undefined, 0), "Unsatisfiable")
    assert.strictEqual(rangeOf("bytes=-5", undefined, 0), "Unsatisfiable")
  })

  it("everything is given where there is none, or one that the standard lets a server ignore", () => {
    for (const range of [undefined, "", "bytes=", "bytes=-", "bytes=9-5", "bytes=0-1,5-6", "rows=0-1", "bytes=a-b"]) {
      assert.strictEqual(rangeOf(range), "Whole", range)
    }
  })

  it("holds only for the version that the reader has", () => {
    assert.deepStrictEqual(rangeOf("bytes=5-", '"v1"'), [5, 1000])
    assert.deepStrictEqual(rangeOf("bytes=5-", version.lastModified), [5, 1000])
    for (const other of ['"v2"', 'W/"v1"', "v1", "Sat, 31 Jan 2026 12:00:01 GMT"]) {
      assert.strictEqual(rangeOf("bytes=5-", other), "Whole", other)
    }
    const untagged = { ...version, etag: null }
    assert.strictEqual(requestedRange("bytes=5-", version.lastModified, untagged, 1000)._tag, "Part")
    assert.strictEqual(requestedRange("bytes=5-", "Sat, 31 Jan 2026 12:00:01 GMT", untagged, 1000)._tag, "Whole")
    assert.strictEqual(requestedRange("bytes=5-", '"v1"', { ...untagged, lastModified: null }, 1000)._tag, "Whole")
  })

  it.prop("never leaves the file, whatever the header says", [Schema.String, Schema.Int], ([text, number]) => {
    for (const range of [text, `bytes=${number}-${text}`, `bytes=${text}-${number}`, `bytes=-${number}`]) {
      const found = requestedRange(range, undefined, version, 1000)
      if (found._tag === "Part") assert.isTrue(found.first >= 0 && found.first < found.end && found.end <= 1000)
    }
  })
})
