import { assert, describe, it } from "@effect/vitest"
import { text } from "../../../../test/genome/Fixtures.ts"
import { bytesOf, recordFormat } from "./RecordFormats.ts"

describe("a VCF line that is put together from two blocks", () => {
  const line = (columns: number) => {
    const bytes = text(`${["1", "5", ".", "A", "C", ".", ".", ".", ...Array(columns - 8).fill("0/1")].join("\t")}\n`)
    return [bytesOf(bytes), 0, bytes.length] as const
  }
  const formatOf = (samples: number) => recordFormat({ format: "VCF", names: ["1"], samples, spansByLength: false })

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
