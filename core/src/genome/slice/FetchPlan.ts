/** Which bytes of a file are fetched for the stretches of a slice, and which of their blocks are inflated ahead. */
import type { Stretches } from "./StretchPlan.ts"

/** A run of bytes to fetch. */
export interface ByteRange {
  readonly offset: number
  /** May be 0: nothing is expected there. */
  readonly length: number
  /** How many bytes after it belong to its stretches too; they are fetched when records go on there. */
  readonly spare: number
  /** Bytes `[from, to)`, in order, whose blocks are likely needed. The first may begin before the range, and the last end after it. */
  readonly likely: ReadonlyArray<LikelyBytes>
}

type LikelyBytes = readonly [from: number, to: number]

/** Byte ranges without overlap, in the order of the file. */
export interface FetchPlan extends Iterable<ByteRange> {
  /** Number of ranges. */
  readonly length: number
  /** Bytes that the ranges fetch, if all is where it is expected. */
  readonly bytes: number
}

/** Ranges nearer to each other than this are fetched as one: on a slow network a request costs more than this many bytes. */
const smallestGap = 0x20000

/** No request is longer, so that several run at once and memory stays bounded. */
export const longestRange = 0x100000

/** Bytes that are expected, and what may be needed after them. */
interface Span {
  start: number
  end: number
  limit: number
  likely: Array<[from: number, to: number]>
}

/** Takes its first bytes up to `stop` off a span. */
const cutOff = (span: Span, stop: number, spare: number): ByteRange => {
  const offset = span.start
  span.start = stop
  const likely = span.likely.filter(([from]) => from < stop)
  span.likely = span.likely.filter(([, to]) => to > stop)
  return { offset, length: stop - offset, spare, likely }
}

/** The ranges of stretches in a file of `size` bytes, joined over small gaps. */
function* rangesFor(stretches: Stretches, size: number): Generator<ByteRange> {
  let span: Span | null = null
  /** Gives away what lies before `start`, where the next stretch begins: all of it where that is not joined. */
  function* leave(span: Span, start: number, joined: boolean): Generator<ByteRange> {
    while (span.end - span.start > longestRange && (!joined || start >= span.start + longestRange)) {
      yield cutOff(span, span.start + longestRange, 0)
    }
    if (!joined) yield cutOff(span, span.end, Math.max(0, Math.min(span.limit, start) - span.end))
  }
  for (let i = 0; i < stretches.length; i++) {
    const { begin, expectedEnd, fetchEnd, likelyEnd } = stretches.at(i)!
    const [start] = begin
    const limit = Math.min(fetchEnd, size)
    const end = Math.max(start, Math.min(expectedEnd, limit))
    const likely = Math.min(likelyEnd, end)
    // A stretch of no expected bytes is needed only when the records of the one before it go on there.
    const reach: number = span === null ? -1 : end > start ? span.end : span.limit
    const isNear: boolean = span !== null && start <= reach + smallestGap
    if (span !== null && isNear) yield* leave(span, start, true)
    // What would not fit into one request is not joined over a gap: the bytes in it are saved.
    if (span !== null && isNear && (start <= reach || end === start || end - span.start <= longestRange)) {
      if (end > start) span.end = Math.max(span.end, end)
      span.limit = Math.max(span.limit, limit)
      const last = span.likely.at(-1)
      if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], likely)
      else if (likely > start) span.likely.push([start, likely])
    } else if (limit > start) {
      const before: number = span === null ? 0 : span.limit
      if (span !== null) yield* leave(span, start, false)
      // What the span before may need in addition may reach past this one.
      span = { start, end, limit: Math.max(limit, before), likely: likely > start ? [[start, likely]] : [] }
    }
  }
  if (span !== null) yield* leave(span, size, false)
}

/** What is fetched for stretches of a file of `size` bytes. */
export const planFetches = (stretches: Stretches, size: number): FetchPlan => {
  const ranges = () => rangesFor(stretches, size)
  let length = 0
  let bytes = 0
  for (const range of ranges()) {
    length++
    bytes += range.length
  }
  return { length, bytes, [Symbol.iterator]: ranges }
}
