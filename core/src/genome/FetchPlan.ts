/** From the stretches of a slice to the byte ranges that are asked for. */
import { NumberRows } from "./NumberRows.ts"
import type { Stretches } from "./Stretches.ts"
import * as VirtualOffset from "./VirtualOffset.ts"

/** A run of bytes to fetch. */
export interface ByteRange {
  readonly offset: number
  /** May be 0: nothing is expected there. */
  readonly length: number
  /** So many bytes behind it belong to its stretches too, and are fetched when records go on there. */
  readonly spare: number
}

/** Byte ranges without overlap, in the order of the file. */
export interface FetchPlan extends Iterable<ByteRange> {
  /** Number of ranges. */
  readonly length: number
  /** Bytes that the ranges fetch, if all is where it is expected. */
  readonly bytes: number
}

/** Ranges nearer to each other than this are fetched as one: on a slow road a request costs more than as many bytes. */
const smallestGap = 0x20000

/** No request is longer, so that several run at once and memory stays bounded. */
export const longestRange = 0x100000

/** Bytes that are expected, and what may be needed behind them. */
interface Span {
  readonly start: number
  end: number
  limit: number
}

/** The byte ranges of the stretches, which come in file order: joined over small gaps, cut to 1 MiB. */
export const planFetches = (stretches: Pick<Stretches, "at">, size: number): FetchPlan => {
  const rows = new NumberRows(3)
  let bytes = 0
  const addRanges = ({ end, limit, start }: Span, next: number) => {
    const spare = Math.min(limit, next) - end
    for (let offset = start; offset < end || offset === start; offset += longestRange) {
      const length = Math.min(longestRange, end - offset)
      rows.add(offset, length, offset + length === end ? spare : 0)
      bytes += length
    }
  }
  let last: Span | undefined
  for (let i = 0, stretch = stretches.at(0); stretch !== undefined; stretch = stretches.at(++i)) {
    const start = VirtualOffset.block(stretch.begin)
    const limit = Math.min(stretch.fetchEnd, size)
    const end = Math.max(start, Math.min(stretch.expectedEnd, limit))
    // Nothing is expected of it: it is only where its neighbour may have to go on.
    const near = last === undefined ? -1 : (end > start ? last.end : last.limit) + smallestGap
    if (last !== undefined && start <= near) {
      if (end > start) last.end = Math.max(last.end, end)
      last.limit = Math.max(last.limit, limit)
    } else if (limit > start) {
      if (last !== undefined) addRanges(last, start)
      // What the one before may need goes on behind this one.
      last = { start, end, limit: Math.max(limit, last?.limit ?? 0) }
    }
  }
  if (last !== undefined) addRanges(last, last.limit)
  return {
    length: rows.length,
    bytes,
    *[Symbol.iterator]() {
      for (let row = 0; row < rows.length; row++) {
        yield { offset: rows.number(row, 0), length: rows.number(row, 1), spare: rows.number(row, 2) }
      }
    }
  }
}
