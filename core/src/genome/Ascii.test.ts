import { assert, describe, it } from "@effect/vitest"
import { digitsIn } from "./Ascii.ts"

describe("digitsIn", () => {
  it("takes digits and nothing else: no sign, no point, no blank, and not nothing", () => {
    for (let byte = 0; byte < 256; byte++) {
      const isDigit = byte >= 0x30 && byte <= 0x39
      const expected = isDigit ? 102 + 10 * (byte - 0x30) : Number.NaN
      assert.deepStrictEqual(digitsIn(Uint8Array.of(0x31, byte, 0x32), 0, 3), expected, String.fromCharCode(byte))
    }
    assert.isNaN(digitsIn(Uint8Array.of(0x31), 1, 1))
  })
})
