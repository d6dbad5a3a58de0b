/** Makes one piece of a slice: from fetched bytes to finished blocks and a fragment of the index. */
import * as BgzfWriter from "../bgzf/BgzfWriter.ts"
import type { Codec } from "../bgzf/Codec.ts"
import { newDepth, usualShift } from "../index/Bins.ts"
import * as IndexFragment from "../index/IndexFragment.ts"
import type { FetchedRange, OpenSlice, PieceDamage, PieceDone, PieceStretch } from "./PieceJob.ts"
import * as SliceScan from "./SliceScan.ts"

/** What one step of a piece came to. */
export type StepResult =
  /** All ranges were used, and what follows them comes with the next call. */
  | { readonly _tag: "Used" }
  /** These bytes are to come first. */
  | { readonly _tag: "Needs"; readonly offset: number; readonly length: number; readonly spare: number }
  | { readonly _tag: "Done"; readonly done: PieceDone }
  | { readonly _tag: "Damaged"; readonly damage: PieceDamage }

export interface PieceScan {
  /**
   * Takes the next fetched ranges, in file order. After `Needs` it takes the missing bytes first and then the ranges it still
   * has. The buffers of ranges must not change until the result is `Used`, `Done` or `Damaged`. `isLast`: no further ranges come.
   */
  readonly take: (ranges: ReadonlyArray<FetchedRange>, isLast: boolean) => StepResult
}

/** Most bytes that are asked for at once. */
const mostAtOnce = 0x100000

/** @param emit - takes the output in order; some of it lies in the buffers of the ranges */
export const make = (
  slice: OpenSlice,
  stretches: ReadonlyArray<PieceStretch>,
  codec: Codec["Service"],
  emit: (bytes: Uint8Array) => void
): PieceScan => {
  const writer = BgzfWriter.make(codec, slice.level, emit)
  const index = IndexFragment.make(usualShift, newDepth)
  const scan = SliceScan.make({ slice, stretches, codec, writer, index })
  let waiting: ReadonlyArray<FetchedRange> = []
  let ends = false

  const done = (): StepResult => {
    const damage = scan.end()
    return damage === null
      ? {
          _tag: "Done",
          done: {
            bytes: writer.block(),
            records: scan.records(),
            copied: scan.copied(),
            fragment: index.done(),
            first: scan.first(),
            last: scan.last()
          }
        }
      : { _tag: "Damaged", damage }
  }

  return {
    take: (ranges, isLast) => {
      waiting = [...ranges, ...waiting]
      ends ||= isLast
      while (waiting.length > 0) {
        const [range, ...rest] = waiting
        if (range === undefined) break
        waiting = rest
        const damage = scan.push(range)
        if (damage !== null) return { _tag: "Damaged", damage }
        const end = range.offset + range.length
        const from = scan.missingFrom()
        if (from !== null && range.spare > 0 && from < end + range.spare) {
          scan.release()
          const length = Math.min(range.spare, mostAtOnce)
          return { _tag: "Needs", offset: end, length, spare: range.spare - length }
        }
      }
      if (ends) return done()
      scan.release()
      return { _tag: "Used" }
    }
  }
}
