/** The thread that inflates ahead changes nothing but the time: not the bytes, and not what is said about damage. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import * as Bgzf from "../core/src/genome/Bgzf.ts"
import { type BlockBoard, BlockThread } from "../core/src/genome/BlockBoard.ts"
import { fromBytes } from "../core/src/genome/ByteReader.ts"
import { Codec } from "../core/src/genome/Codec.ts"
import * as BamRecord from "../core/src/genome/formats/BamRecord.ts"
import { parseRange } from "../core/src/genome/RegionText.ts"
import { planSlice, writeSlice } from "../core/src/genome/Slice.ts"
import { bamFile, concat, read } from "../test/genome/Fixtures.ts"
import * as BlockThreadLive from "./BlockThread.ts"
import * as ZlibCodec from "./ZlibCodec.ts"

const live = Layer.provideMerge(BlockThreadLive.layer(2), ZlibCodec.layer)

/** Blocks with different content, each with the offset that it would have in a file. */
const blocksOf = (codec: Codec["Service"], count: number) => {
  let offset = 0
  return Array.from({ length: count }, (_, i) => {
    const content = new Uint8Array(3_000).map((_, at) => (at * (i + 1)) >>> 5)
    const block = Bgzf.deflateBlock(codec, content, 1)
    offset += block.length
    return { content, block, offset: offset - block.length }
  })
}

const offer = (board: BlockBoard, { block, offset }: { readonly block: Uint8Array; readonly offset: number }) =>
  board.offer(offset, block, 0, block.length)

/** Offers until the board takes something: the first offers only tell that a thread is worth its start. */
const start = (board: BlockBoard, codec: Codec["Service"]) => {
  const block = Bgzf.deflateBlock(codec, Uint8Array.of(1), 1)
  return Array.from({ length: 1_000 }).some(() => offer(board, { block, offset: -2 }))
}

/** Waits until the block that was put up first has its content, which is there once the thread runs. */
const firstDone = (board: BlockBoard, blocks: ReturnType<typeof blocksOf>) =>
  Effect.gen(function* () {
    for (const one of blocks) {
      offer(board, one)
      yield* Effect.sleep("20 millis")
      const content = board.take(one.offset)
      if (content !== null) return { one, content }
    }
    return assert.fail("the thread did nothing")
  })

/** A BAM of some hundred blocks. */
const manyBlocks = (codec: Codec["Service"]) => {
  const reads = Array.from({ length: 4_000 }, (_, i) => read(`read${i}`, 0, i * 20, [[50, "M"]]))
  const unplaced = read("u", -1, -1, [], BamRecord.Flag.unmapped)
  return bamFile(codec, [...reads, unplaced], { blockBytes: 500 })
}

const slice = Effect.fnUntraced(function* (bam: Uint8Array, bai: Uint8Array) {
  const source = { name: "x.bam", reader: fromBytes(bam), indexName: "x.bam.bai", index: fromBytes(bai) }
  const wanted = yield* Effect.fromResult(parseRange("chr1:1000-30000 chr1:40000-79000"))
  const plan = yield* planSlice({ type: "bam", source, wanted, unmapped: false })
  const pieces: Array<Uint8Array> = []
  const sink = { write: (piece: Uint8Array) => Effect.sync(() => void pieces.push(piece.slice())) }
  yield* writeSlice(plan, sink, { program: { name: "svc-steps", version: "0" } })
  return concat(...pieces)
})

describe("the block thread", () => {
  it.live("inflates ahead, in the file order of what is asked for", () =>
    Effect.gen(function* () {
      const board = yield* (yield* BlockThread).board
      const codec = yield* Codec
      const blocks = blocksOf(codec, 1_000)
      assert.isTrue(start(board, codec))
      const { content, one } = yield* firstDone(board, blocks)
      assert.deepStrictEqual(Uint8Array.from(content), one.content)
      // Taken at once, so that this thread does part of them itself.
      const rest = blocks.slice(blocks.indexOf(one) + 1)
      for (let from = 0; from < rest.length; from += 10) {
        const some = rest.slice(from, from + 10)
        for (const next of some) offer(board, next)
        for (const next of some) {
          const got = board.take(next.offset)
          if (got !== null) assert.deepStrictEqual(Uint8Array.from(got), next.content)
        }
      }
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.live("leaves a damaged block to whoever comes there", () =>
    Effect.gen(function* () {
      const board = yield* (yield* BlockThread).board
      const codec = yield* Codec
      const blocks = blocksOf(codec, 1_000)
      assert.isTrue(start(board, codec))
      const { one } = yield* firstDone(board, blocks)
      const rest = blocks.slice(blocks.indexOf(one) + 1, blocks.indexOf(one) + 21)
      for (const [i, next] of rest.entries()) {
        // The sum, the size, the stream, one after the other.
        const at = [next.block.length - 5, next.block.length - 2, 40][i % 3] ?? 0
        next.block[at] = (next.block[at] ?? 0) ^ 0x41
        offer(board, next)
      }
      yield* Effect.sleep("20 millis")
      for (const { offset } of rest) assert.isNull(board.take(offset))
    }).pipe(Effect.scoped, Effect.provide(live))
  )

  it.live("gives the same slice with it, without it, and after it has died", () =>
    Effect.gen(function* () {
      const { bai, bam } = manyBlocks(yield* Codec)
      const alone = yield* slice(bam, bai)
      const scope = yield* Scope.make()
      const thread = yield* BlockThread.pipe(Effect.provide(yield* Layer.buildWithScope(live, scope)))
      let ready = 0
      const board = Effect.map(
        thread.board,
        (board): BlockBoard => ({
          offer: (...block) => board.offer(...block),
          take: (offset) => {
            const content = board.take(offset)
            if (content !== null) ready++
            return content
          }
        })
      )
      const helped = slice(bam, bai).pipe(Effect.provideService(BlockThread, { board }))
      while (ready === 0) assert.deepStrictEqual(yield* helped, alone)
      yield* Scope.close(scope, Exit.void)
      ready = 0
      assert.deepStrictEqual(yield* helped, alone)
      assert.strictEqual(ready, 0)
    }).pipe(Effect.provide(ZlibCodec.layer))
  )

  it.live("D2 says the same about a damaged block with it and without it", () =>
    Effect.gen(function* () {
      const { bai, bam } = manyBlocks(yield* Codec)
      const spoilt = bam.slice()
      const middle = spoilt.indexOf(0x1f, spoilt.length >>> 1)
      spoilt.fill(0x55, middle + 40, middle + 60)
      const alone = yield* Effect.flip(slice(spoilt, bai))
      assert.strictEqual(alone._tag, "FileDamaged")
      const helped = yield* Effect.flip(slice(spoilt, bai)).pipe(Effect.provide(live))
      assert.deepStrictEqual(helped, alone)
    }).pipe(Effect.provide(ZlibCodec.layer))
  )

  it.live("serves one slice at a time; another one does without", () =>
    Effect.gen(function* () {
      const { board } = yield* BlockThread
      const codec = yield* Codec
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* board
          assert.isFalse(start(yield* board, codec))
        })
      )
      assert.isTrue(start(yield* Effect.scoped(board), codec))
    }).pipe(Effect.provide(live))
  )
})
