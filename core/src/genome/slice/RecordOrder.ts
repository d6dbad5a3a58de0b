/** The order in which a slice meets records, and which of them are wanted. */

import { comment, type RecordSpan } from "../formats/RecordFormats.ts"
import type { FileOrder } from "../index/Tiling.ts"
import { firstEndingAfter } from "../Search.ts"
import type { Stretch } from "./StretchPlan.ts"

export interface RecordOrder {
  /** False for a record that must stand before the last one that was judged. */
  readonly allows: (record: RecordSpan) => boolean
  /**
   * True when the record, which begins and ends in the blocks at these bytes of the file, is wanted. Called once per record, in
   * file order.
   */
  readonly judge: (record: RecordSpan, begins: number, ends: number) => boolean
  /**
   * True when a record that ends before the block of the last one lies past the interval of the stretch. One that goes on
   * in that block proves nothing: where blocks have changed places, it is put together from parts of two records.
   */
  readonly hasPassed: (stretch: Stretch) => boolean
  /** Number of the reference of the last record that was judged; -1 when there was none. */
  readonly lastRef: () => number
  /** Byte offset of the block in which the last record that was judged ends; -1 when there was none. */
  readonly lastBlock: () => number
}

/** In place of a reference: unplaced reads. */
const afterAll = Number.POSITIVE_INFINITY

/**
 * @param wanted - what is wanted of a reference, by its number: starts and ends in turn, sorted, not touching
 * @param takeUnplaced - true when the unplaced reads are wanted
 */
export const make = (
  wanted: ReadonlyMap<number, ArrayLike<number>>,
  takeUnplaced: boolean,
  { rank }: FileOrder
): RecordOrder => {
  let lastRef = -1
  let lastStart = -1
  /** The block in which the last record begins, and the one in which it ends. */
  let beginsIn = -1
  let lastBlock = -1
  // The record before the last one that goes on in a later block than it begins in.
  let beforeRef = -1
  let beforeStart = -1
  // The last record that ends before the block `beginsIn`.
  let earlierRef = -1
  let earlierStart = -1
  /** The interval that the next record is compared with. */
  let bounds: ArrayLike<number> = []
  let interval = 0

  /** True for a reference that stands before another one; unplaced reads come last. */
  const isBefore = (ref: number, other: number): boolean => other === afterAll || rank(ref) < rank(other)

  return {
    allows: ({ ref, start }) => ref < 0 || (ref === lastRef ? start >= lastStart : !isBefore(ref, lastRef)),
    judge: ({ end, ref, start }, begins, ends) => {
      if (ref === comment) return false
      if (begins !== beginsIn) {
        beginsIn = begins
        earlierRef = lastBlock === begins ? beforeRef : lastRef
        earlierStart = lastBlock === begins ? beforeStart : lastStart
      }
      lastBlock = ends
      if (begins !== ends) {
        beforeRef = lastRef
        beforeStart = lastStart
      }
      if (ref < 0) {
        // They end the file: a placed record after them is out of order.
        lastRef = afterAll
        return takeUnplaced
      }
      if (ref !== lastRef) {
        lastRef = ref
        bounds = wanted.get(ref) ?? []
        interval = firstEndingAfter(bounds, start)
      }
      lastStart = start
      while (interval < bounds.length && bounds[interval + 1]! <= start) interval += 2
      return interval < bounds.length && end > bounds[interval]!
    },
    hasPassed: ({ ref, until }) =>
      earlierRef === ref ? earlierStart >= until : ref !== -1 && isBefore(ref, earlierRef),
    lastRef: () => lastRef,
    lastBlock: () => lastBlock
  }
}
