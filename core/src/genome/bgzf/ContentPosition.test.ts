import { assert, describe, it } from "@effect/vitest"
import { ContentPosition } from "./ContentPosition.ts"

/** Blocks of 10, 0 and 5 bytes, then, taken later, of 0 and 3. */
const first = { offsets: [100, 150, 178, 220], ends: [10, 10, 15] }
const second = { offsets: [220, 248, 300], ends: [0, 3] }

const at = (place: ContentPosition) => [place.block, place.within]

describe("a place in a file", () => {
  it("counts from the block that it lies in, over blocks without content", () => {
    const place = new ContentPosition()
    place.enter(first)
    place.seek(9)
    assert.deepStrictEqual(at(place), [100, 9])
    place.seek(10)
    assert.deepStrictEqual(at(place), [178, 0])
    place.seek(14)
    const kept = place.copy()
    place.enter(second)
    place.seek(1)
    assert.deepStrictEqual(at(place), [248, 1])
    assert.deepStrictEqual(at(kept), [178, 4])
    place.leave()
    assert.deepStrictEqual(at(place), [300, 0])
  })

  it("at the start of a block has all the names that writers give it, and within one a single name", () => {
    const place = new ContentPosition()
    place.enter(first)
    place.seek(10)
    for (const [block, within] of [
      [178, 0],
      [150, 0],
      [100, 10]
    ] as const) {
      assert.isTrue(place.is(block, within), `${block}+${within}`)
    }
    assert.isFalse(place.is(100, 9))
    assert.isFalse(place.is(151, 0))
    const kept = place.copy()
    place.enter(second)
    place.seek(0)
    assert.deepStrictEqual([place.is(220, 0), place.is(178, 5), place.is(150, 0)], [true, true, false])
    assert.isTrue(kept.is(150, 0))
    place.seek(2)
    assert.deepStrictEqual([place.is(248, 2), place.is(220, 2)], [true, false])
  })
})
