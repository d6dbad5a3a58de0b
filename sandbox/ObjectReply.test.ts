import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { parseByteRange } from "./LinkHost.ts"

const size = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 50 })))
const place = Schema.NullOr(Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 60 }))))

/** The bytes a range names, found by trying each one (RFC 9110 section 14.1.2). */
const named = (first: number | null, last: number | null, length: number) =>
  Array.from({ length }, (_, i) => i).filter((i) =>
    first === null ? i >= length - (last ?? 0) : i >= first && (last === null || i <= last)
  )

describe("byte range", () => {
  it.prop("gives exactly the bytes it names", [place, place, size], ([first, last, length]) => {
    const range = parseByteRange(`bytes=${first ?? ""}-${last ?? ""}`, length)
    const bytes = named(first, last, length)
    if (first === null && last === null) assert.strictEqual(range._tag, "Whole")
    else if (first !== null && last !== null && last < first) assert.strictEqual(range._tag, "Whole")
    else if (bytes.length === 0) assert.strictEqual(range._tag, "Unsatisfiable")
    else assert.deepStrictEqual(range, { _tag: "Part", start: bytes[0] ?? -1, end: (bytes.at(-1) ?? -1) + 1 })
  })

  it.prop("takes any other text for no range", [Schema.String, size], ([text, length]) => {
    if (!/^\s*bytes=\d*-\d*\s*$/.test(text)) assert.strictEqual(parseByteRange(text, length)._tag, "Whole")
  })
})
