/** From the stretches of a slice to the byte ranges that are asked for. */
import type { Stretch } from "./SlicePlan.ts"
import * as VirtualOffset from "./VirtualOffset.ts"

/** A run of bytes to fetch. */
export interface ByteRange {
  readonly offset: number
  /** May be 0: nothing is expected there. */
  readonly length: number
  /** So many bytes behind it belong to its stretches too, and are fetched when records go on there. */
  readonly spare: number
}

/** Ranges nearer to each other than this are fetched as one: on a slow road a request costs more than as many bytes. */
const smallestGap = 0x20000

/** No request is longer, so that several run at once and memory stays bounded. */
export const longestRange = 0x100000

/** The byte ranges of the stretches, which come in file order: without overlap, joined over small gaps, cut to 1 MiB. */
export const byteRanges = (stretches: ReadonlyArray<Stretch>, size: number): ReadonlyArray<ByteRange> => {
  const spans: Array<{ start: number; end: number; limit: number }> = []
  for (const { begin, expectedEnd, fetchEnd } of stretches) {
    const start = VirtualOffset.block(begin)
    const limit = Math.min(fetchEnd, size)
    const end = Math.max(start, Math.min(expectedEnd, limit))
    const last = spans[spans.length - 1]
    // Nothing is expected of it: it is only where its neighbour may have to go on.
    const near = last === undefined ? -1 : (end > start ? last.end : last.limit) + smallestGap
    if (last !== undefined && start <= near) {
      if (end > start) last.end = Math.max(last.end, end)
      last.limit = Math.max(last.limit, limit)
    } else if (limit > start) {
      // What the one before may need goes on behind this one.
      spans.push({ start, end, limit: Math.max(limit, last?.limit ?? 0) })
    }
  }
  return spans.flatMap(({ end, limit, start }, i) => {
    const ranges: Array<ByteRange> = []
    const spare = Math.min(limit, spans[i + 1]?.start ?? limit) - end
    for (let offset = start; offset < end || ranges.length === 0; offset += longestRange) {
      const length = Math.min(longestRange, end - offset)
      ranges.push({ offset, length, spare: offset + length === end ? spare : 0 })
    }
    return ranges
  })
}

/** Bytes that the ranges fetch, if all is where it is expected. */
export const bytesOfRanges = (ranges: ReadonlyArray<ByteRange>): number =>
  ranges.reduce((sum, { length }) => sum + length, 0)
