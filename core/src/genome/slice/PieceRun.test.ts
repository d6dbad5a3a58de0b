import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ZlibCodec from "../../../../platform/inflate/ZlibCodec.ts"
import { fromBytes } from "../ByteReader.ts"
import type { FetchedRange, PieceDone, SliceJob } from "./PieceJob.ts"
import { makePieces } from "./PieceRun.ts"
import { type PieceStep, PieceWorkers } from "./PieceWorkers.ts"
import type { Piece } from "./SlicePieces.ts"

const job: SliceJob = {
  ...{ dataEnd: 1000, names: [], regions: [], takeUnplaced: false, level: 1 },
  records: { format: "BAM", references: 0 }
}
const done: PieceDone = {
  ...{ bytes: 1, records: 1, copied: 0, first: null, last: null },
  fragment: { references: [], unplaced: 0 }
}
const connections = 2
/** The connections, and the one piece that the worker below makes. */
const holders = connections + 1

/**
 * Writes 20 pieces of one byte each, of which the first takes longest. Gives how many others were made before it, the output,
 * and how many buffers there were. `inBuffer`: the output of a piece is in the buffer that was fetched into.
 */
const run = Effect.fnUntraced(function* (inBuffer: boolean) {
  const written: Array<number> = []
  const buffers = new Set<ArrayBufferLike>()
  let made = 0
  let madeBefore = 0
  let begun = 0
  const workers = {
    width: 1,
    begin: () => {
      const isFirst = begun++ === 0
      return {
        take: Effect.fnUntraced(function* (ranges: ReadonlyArray<FetchedRange>) {
          const [{ at, buffer } = { at: 0, buffer: new Uint8Array(1) }] = ranges
          buffers.add(buffer.buffer)
          const byte = buffer.subarray(at, at + 1)
          // So many turns are enough for all that can be made without it.
          if (isFirst) for (let turn = 0; turn < 1000; turn++) yield* Effect.yieldNow
          if (isFirst) madeBefore = made
          made++
          const output = [inBuffer ? byte : byte.slice()]
          return { result: { _tag: "Done", done }, output, buffers: [buffer], toFree: [] } satisfies PieceStep
        })
      }
    }
  }
  const sums = yield* makePieces({
    file: "a.bam",
    reader: fromBytes(Uint8Array.from({ length: 20 }, (_, i) => i)),
    pieces: Array.from(
      { length: 20 },
      (_, offset): Piece => ({
        ...{ stretches: [], goesOn: false },
        ranges: [{ offset, length: 1, spare: 0 }]
      })
    ),
    bytes: 20,
    job,
    connections,
    write: (bytes) => Effect.sync(() => void written.push(...bytes)),
    join: () => {}
  }).pipe(
    Effect.provideService(PieceWorkers, { expect: () => Effect.void, open: () => Effect.succeed(workers) }),
    Effect.provide(ZlibCodec.layer),
    Effect.scoped
  )
  return { written, records: sums.records, buffers: buffers.size, madeBefore }
})

const inOrder = Array.from({ length: 20 }, (_, i) => i)

describe("makePieces", () => {
  it.effect("pieces that left nothing in their buffers do not hold up the others while they wait for their turn", () =>
    Effect.gen(function* () {
      const { buffers, madeBefore, records, written } = yield* run(false)
      assert.isAbove(madeBefore, holders)
      assert.deepStrictEqual({ written, records }, { written: inOrder, records: 20 })
      assert.isAtMost(buffers, holders)
    })
  )

  it.effect(
    "pieces that lie in their buffers keep them until they are written, and no more are begun than there are buffers",
    () =>
      Effect.gen(function* () {
        const { buffers, madeBefore, records, written } = yield* run(true)
        assert.strictEqual(madeBefore, holders - 1)
        assert.deepStrictEqual({ written, records }, { written: inOrder, records: 20 })
        assert.isAtMost(buffers, holders)
      })
  )
})
