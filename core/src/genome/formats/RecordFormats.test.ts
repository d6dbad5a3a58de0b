import { assert, describe, it } from "@effect/vitest"
import { read, text } from "../../../../test/genome/Fixtures.ts"
import { encodeRecord } from "./BamRecord.ts"
import { bytesOf, largestRecord, recordFormat } from "./RecordFormats.ts"

describe("a VCF line that is put together from two blocks", () => {
  const line = (columns: number) => {
    const bytes = text(`${["1", "5", ".", "A", "C", ".", ".", ".", ...Array(columns - 8).fill("0/1")].join("\t")}\n`)
    return [bytesOf(bytes), 0, bytes.length] as const
  }
  const formatOf = (samples: number) => recordFormat({ format: "VCF", names: ["1"], samples })

  it("D2 has the columns of the whole ones before it, where the header leaves the samples out", () => {
    const format = formatOf(0)
    assert.strictEqual(format.flaw(...line(11)), null)
    assert.isFalse(format.fits(...line(13)))
    assert.isTrue(format.fits(...line(11)))
    assert.isTrue(format.fits(...line(9)))
    // The first of all is believed.
    assert.isTrue(formatOf(0).fits(...line(13)))
  })

  it("D2 has as many columns as the header says", () => {
    const format = formatOf(2)
    assert.deepStrictEqual(
      [10, 11, 12].map((columns) => format.fits(...line(columns))),
      [false, true, false]
    )
    assert.strictEqual(format.flaw(...line(12)), "has 12 columns, and 11 are expected")
  })
})

describe("a record that goes on past the bytes", () => {
  const format = recordFormat({ format: "BAM", references: 3 })
  /** The beginning of a record that claims `size` bytes in all, and so many bases. */
  const sizeOf = (size: number, bases: number, known = encodeRecord(read("r", 0, 100)).length) => {
    const data = bytesOf(encodeRecord(read("r", 0, 100)).slice(0, known))
    data.view.setUint32(0, size - 4, true)
    if (known >= 24) data.view.setInt32(20, bases, true)
    return format.size(data, 0)
  }

  it("may be one of a whole chromosome that was aligned, which takes hundreds of MB", () => {
    assert.strictEqual(sizeOf(373_000_000, 248_000_000), 0)
    assert.strictEqual(sizeOf(largestRecord, 1_000), 0)
    assert.strictEqual(sizeOf(largestRecord + 1, 1_000), -1)
  })

  it("is none where its parts do not fit into it, as soon as its first bytes say so", () => {
    assert.strictEqual(sizeOf(100_000_000, 248_000_000), -1)
    assert.strictEqual(sizeOf(100_000_000, -1), -1)
    assert.strictEqual(sizeOf(100_000_000, 248_000_000, 35), 0)
  })

  it("has as much room as it claims, and the most there can be where it claims nothing", () => {
    const data = encodeRecord(read("r", 0, 100))
    assert.strictEqual(format.most(bytesOf(data.slice(0, 4)), 0), data.length)
    assert.strictEqual(format.most(bytesOf(data.slice(0, 3)), 0), largestRecord)
  })

  it("is not looked through again for the end of its line", () => {
    const lines = recordFormat({ format: "VCF", names: ["1"], samples: 0 })
    const data = bytesOf(text("chr1\n2345\n"))
    assert.strictEqual(lines.size(data, 0), 5)
    assert.strictEqual(lines.size(data, 0, 5), 10)
    assert.strictEqual(lines.size(data, 0, 10), 0)
  })
})
