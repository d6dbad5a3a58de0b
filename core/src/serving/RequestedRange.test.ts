import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { requestedRange } from "./RequestedRange.ts"

const version = { size: 1000, etag: '"v1"', lastModified: "Sat, 31 Jan 2026 12:00:00 GMT", digests: [] }
const asked = (range: string | undefined, ifRange?: string, size = 1000) => {
  const found = requestedRange(range, ifRange, version, size)
  return found._tag === "Part" ? [found.first, found.end] : found._tag
}

describe("the range that a reader asks for", () => {
  it("is bytes with a first and a last, an open end, or the last so many", () => {
    assert.deepStrictEqual(asked("bytes=0-0"), [0, 1])
    assert.deepStrictEqual(asked("bytes=10-19"), [10, 20])
    assert.deepStrictEqual(asked("Bytes = 10 - 5000"), [10, 1000])
    assert.deepStrictEqual(asked("bytes=999-"), [999, 1000])
    assert.deepStrictEqual(asked("bytes=-28"), [972, 1000])
    assert.deepStrictEqual(asked("bytes=-5000"), [0, 1000])
  })

  it("nothing lies behind the end, in no bytes, and in an empty file", () => {
    assert.strictEqual(asked("bytes=1000-"), "Unsatisfiable")
    assert.strictEqual(asked("bytes=5000-6000"), "Unsatisfiable")
    assert.strictEqual(asked("bytes=-0"), "Unsatisfiable")
    assert.strictEqual(asked("bytes=0-", undefined, 0), "Unsatisfiable")
    assert.strictEqual(asked("bytes=-5", undefined, 0), "Unsatisfiable")
  })

  it("everything is given where there is none, or one that the standard lets a server ignore", () => {
    for (const range of [undefined, "", "bytes=", "bytes=-", "bytes=9-5", "bytes=0-1,5-6", "rows=0-1", "bytes=a-b"]) {
      assert.strictEqual(asked(range), "Whole", range)
    }
  })

  it("holds only for the version that the reader has", () => {
    assert.deepStrictEqual(asked("bytes=5-", '"v1"'), [5, 1000])
    assert.deepStrictEqual(asked("bytes=5-", version.lastModified), [5, 1000])
    for (const other of ['"v2"', 'W/"v1"', "v1", "Sat, 31 Jan 2026 12:00:01 GMT"]) {
      assert.strictEqual(asked("bytes=5-", other), "Whole", other)
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
