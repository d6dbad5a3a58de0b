import { deflateRawSync, inflateRawSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import * as SeededRandom from "../../sandbox/samples/SeededRandom.ts"
import * as BlockDeflater from "./BlockDeflater.ts"

describe("BlockDeflater", () => {
  it("gives the bytes of zlib, for short and long input, noise and text, one call after the other", () => {
    const random = SeededRandom.make(14)
    const deflate = BlockDeflater.make()
    for (const length of [0, 1, 100, 0xff00, 10, 0x10000, 300_000, 5_000]) {
      for (const letters of [1, 4, 256]) {
        const bytes = Uint8Array.from({ length }, () => random.between(0, letters))
        for (const level of [0, 1, 4, 9]) {
          const deflated = deflate(bytes, level)
          const what = `${length} bytes of ${letters} letters at level ${level}`
          assert.isTrue(inflateRawSync(deflated).equals(bytes), what)
          // Stored bytes may be divided in another way.
          if (level > 0) assert.isTrue(deflateRawSync(bytes, { level }).equals(deflated), what)
        }
      }
    }
  })
})
