import { assert, describe, it } from "@effect/vitest"
import { type FetchedRange, headroom, type PieceStretch } from "./PieceJob.ts"
import * as SliceCursor from "./SliceCursor.ts"

const stretch: PieceStretch = {
  ref: 0,
  from: [0, 0],
  begin: [0, 0],
  end: [1_000_000, 0],
  until: 1,
  through: null,
  whole: false
}

const rangeAt = (offset: number, length: number): FetchedRange => ({
  at: headroom,
  offset,
  length,
  spare: 0,
  buffer: new Uint8Array(headroom + length)
})

describe("SliceCursor", () => {
  it("bytes that come after the last stretch was left are passed over, however many were left before them", () => {
    const cursor = SliceCursor.make([stretch])
    cursor.push(rangeAt(0, 300_000))
    cursor.nextStretch()
    cursor.push(rangeAt(300_000, 300_000))
    assert.isUndefined(cursor.stretch())
  })

  it("the start of a block that ends in the next bytes is put before them", () => {
    const cursor = SliceCursor.make([stretch])
    cursor.push(rangeAt(0, 100_000))
    cursor.block = 99_000
    const next = rangeAt(100_000, 50_000)
    next.buffer.fill(7)
    cursor.keep()
    cursor.push(next)
    const bytes = cursor.bytes(99_000, 101_000)
    assert.deepStrictEqual([...new Set(bytes.subarray(0, 1_000))], [0])
    assert.deepStrictEqual([...new Set(bytes.subarray(1_000))], [7])
  })
})
