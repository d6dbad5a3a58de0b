import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { cutRecords } from "./Slices.ts"

/** Records that end with a zero. */
const cutAtZeros = (bytes: Uint8Array, known: number): readonly [number, ReadonlyArray<number>] => {
  const sizes: Array<number> = []
  let at = 0
  for (let end = bytes.indexOf(0, known); end !== -1; end = bytes.indexOf(0, at)) {
    sizes.push(end - at)
    at = end + 1
  }
  return [at, sizes]
}

describe("records cut out of a content", () => {
  it.effect("are the same wherever its parts end", () =>
    Effect.gen(function* () {
      const content = Uint8Array.from([1, 2, 0, 3, 4, 5, 6, 7, 0, 0, 8, 0])
      for (let size = 1; size <= content.length; size++) {
        const parts: Array<Uint8Array> = []
        for (let at = 0; at < content.length; at += size) parts.push(content.slice(at, at + size))
        const sizes = yield* Stream.runCollect(cutRecords(Stream.fromIterable(parts), cutAtZeros))
        assert.deepStrictEqual([...sizes], [2, 5, 0, 1])
      }
    })
  )

  it.effect("one of many parts is copied a few times, and each of its parts is looked at once", () =>
    Effect.gen(function* () {
      const parts = Array.from({ length: 5_000 }, (_, i) => Uint8Array.of(1, 1, 1, i === 4_999 ? 0 : 1))
      const buffers = new Set<ArrayBufferLike>()
      const looked: Array<number> = []
      const sizes = yield* Stream.runCollect(
        cutRecords(Stream.fromIterable(parts), (bytes, known) => {
          buffers.add(bytes.buffer)
          looked.push(bytes.length - known)
          return cutAtZeros(bytes, known)
        })
      )
      assert.deepStrictEqual([...sizes], [19_999])
      assert.isBelow(buffers.size, 16)
      assert.isTrue(looked.every((length) => length === 4))
    })
  )
})
