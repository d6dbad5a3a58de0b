import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ZlibCodec from "../../../platform/ZlibCodec.ts"
import { bamFile, concat, read } from "../../../test/genome/Fixtures.ts"
import * as Bgzf from "./Bgzf.ts"
import { type BlockBoard, BlockThread } from "./BlockBoard.ts"
import { fromBytes } from "./ByteReader.ts"
import { Codec } from "./Codec.ts"
import { parseRange } from "./RegionText.ts"
import { planSlice, writeSlice } from "./Slice.ts"

/** A board with `slots` places, of which each block is done at once, unless `fails` says otherwise. */
const boardOf = (codec: Codec["Service"], slots: number, fails: (offset: number) => boolean) => {
  const places = new Map<number, Uint8Array | null>()
  const offered: Array<number> = []
  const taken: Array<number> = []
  let ready = 0
  const board: BlockBoard = {
    offer: (offset, bytes, at, length) => {
      if (places.size >= slots) return false
      const { deflated, size } = Bgzf.partsOf(bytes, at, length)
      offered.push(offset)
      places.set(offset, fails(offset) ? null : codec.inflateRaw(deflated, size))
      return true
    },
    take: (offset) => {
      for (const at of places.keys()) if (at < offset) places.delete(at)
      taken.push(offset)
      const content = places.get(offset) ?? null
      if (content !== null) ready++
      return content
    }
  }
  return { board, offered, taken, ready: () => ready }
}

/** Spread evenly over 400 kb, about 60 blocks to a window of the index; every hundredth skips 20 kb. */
const reads = Array.from({ length: 40_000 }, (_, i) =>
  read(
    `read${i}`,
    0,
    i * 10,
    i % 100 === 0
      ? [
          [20, "M"],
          [20_000, "N"],
          [30, "M"]
        ]
      : [[50, "M"]]
  )
)

const ranges = {
  "a large region": "chr1:50000-350000",
  "small targets": Array.from({ length: 12 }, (_, i) => `chr1:${i * 32_768 + 9_000}-${i * 32_768 + 9_150}`).join(" ")
}

describe("lookahead", () => {
  for (const [name, text] of Object.entries(ranges)) {
    it.effect(`puts up the blocks of ${name} once, few that are not needed, and changes nothing in the slice`, () =>
      Effect.gen(function* () {
        const codec = yield* Codec
        const { bai, bam } = bamFile(codec, reads, { blockBytes: 2_000 })
        const source = { name: "x.bam", reader: fromBytes(bam), indexName: "x.bam.bai", index: fromBytes(bai) }
        const wanted = yield* Effect.fromResult(parseRange(text))
        const plan = yield* planSlice({ type: "bam", source, wanted, unmapped: false })
        const sliced = Effect.gen(function* () {
          const pieces: Array<Uint8Array> = []
          const sink = { write: (piece: Uint8Array) => Effect.sync(() => void pieces.push(piece.slice())) }
          yield* writeSlice(plan, sink, { program: { name: "svc-steps", version: "0" }, level: 1 })
          return concat(...pieces)
        })
        const alone = yield* sliced
        for (const slots of [1, 3, 32]) {
          for (const lame of [false, true]) {
            const { board, offered, ready, taken } = boardOf(codec, slots, (offset) => lame && offset % 3 === 0)
            const helped = sliced.pipe(Effect.provideService(BlockThread, { board: Effect.succeed(board) }))
            assert.deepStrictEqual(yield* helped, alone)
            assert.deepStrictEqual(
              taken.toSorted((a, b) => a - b),
              taken
            )
            assert.strictEqual(new Set(offered).size, offered.length)
            for (const offset of offered) assert.isAbove(Bgzf.blockSize(bam, offset), 0)
            const needed = new Set(taken)
            assert.isAtMost(offered.filter((offset) => !needed.has(offset)).length, taken.length / 10)
            if (!lame && slots > 3) assert.isAtLeast(ready(), taken.length * 0.7)
          }
        }
      }).pipe(Effect.provide(ZlibCodec.layer))
    )
  }
})
