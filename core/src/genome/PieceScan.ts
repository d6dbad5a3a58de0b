/** Makes one piece of a slice: from fetched bytes to finished blocks and a fragment of the index. */
import * as BgzfWriter from "./BgzfWriter.ts"
import type { Codec } from "./Codec.ts"
import * as IndexFragment from "./IndexFragment.ts"
import type { PieceDamage, PieceDone, PieceStretch, SliceJob, Window } from "./PieceOrder.ts"
import * as SliceScan from "./SliceScan.ts"

/** How far the piece is. */
export type Turn =
  /** All windows were used, and what follows them comes with the next call. */
  | { readonly _tag: "Used" }
  /** These bytes are to come first. */
  | { readonly _tag: "Needs"; readonly offset: number; readonly length: number; readonly spare: number }
  | { readonly _tag: "Done"; readonly done: PieceDone }
  | { readonly _tag: "Damaged"; readonly damage: PieceDamage }

export interface PieceScan {
  /**
   * Takes windows, in the order of the file, behind those it has, or in front of them when it needs more. Their rooms are in
   * use until it has used them all. `isLast`: nothing comes behind them.
   */
  readonly take: (windows: ReadonlyArray<Window>, isLast: boolean) => Turn
}

/** No more is asked for at once (bytes). */
const mostAtOnce = 0x100000

/** @param emit - takes the output in order; some of it lies in the rooms of windows */
export const make = (
  job: SliceJob,
  stretches: ReadonlyArray<PieceStretch>,
  codec: Codec["Service"],
  emit: (bytes: Uint8Array) => void
): PieceScan => {
  const writer = BgzfWriter.make(codec, job.level, emit)
  const index = IndexFragment.make(job.minShift, job.depth)
  const scan = SliceScan.make({ job, stretches, codec, writer, index })
  let waiting: ReadonlyArray<Window> = []
  let ends = false

  const done = (): Turn => {
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
    take: (windows, isLast) => {
      waiting = [...windows, ...waiting]
      ends ||= isLast
      while (waiting.length > 0) {
        const [window, ...rest] = waiting
        if (window === undefined) break
        waiting = rest
        const damage = scan.push(window)
        if (damage !== null) return { _tag: "Damaged", damage }
        const end = window.offset + window.length
        const from = scan.missingFrom()
        if (from !== null && window.spare > 0 && from < end + window.spare) {
          scan.release()
          const length = Math.min(window.spare, mostAtOnce)
          return { _tag: "Needs", offset: end, length, spare: window.spare - length }
        }
      }
      if (ends) return done()
      scan.release()
      return { _tag: "Used" }
    }
  }
}
