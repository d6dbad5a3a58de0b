import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { decodeName, encodeName } from "./ReferenceName.ts"

/** Pieces of names: ASCII, UTF-8, a byte order mark, the replacement character, and what is no UTF-8. */
const Pieces = Schema.Array(
  Schema.Literals(["chr1", "\u00e9", "\ufeff", "\ufffd", "\u{1f9ec}", "\u00ef\u00bb", "\u00ff", "\u00ed\u00a0\u0080"])
)

describe("names of references", () => {
  it.effect.prop("D15 keep their bytes, whatever these are", [Pieces, Schema.Boolean], ([pieces, isUtf8]) =>
    Effect.sync(() => {
      const name = pieces.join("")
      const bytes = isUtf8 ? new TextEncoder().encode(name) : Uint8Array.from(Buffer.from(name, "latin1"))
      assert.deepStrictEqual(encodeName(decodeName(bytes)), bytes)
    })
  )

  it("D15 also with a byte order mark before them, which makes another name", () => {
    const bytes = Uint8Array.of(0xef, 0xbb, 0xbf, 0x63)
    assert.deepStrictEqual(encodeName(decodeName(bytes)), bytes)
    assert.notStrictEqual(decodeName(bytes), "c")
  })
})
