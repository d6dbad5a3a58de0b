/** From the stretches of a slice to the byte ranges that are asked for. */

/** A run of bytes to fetch. */
export interface ByteRange {
  readonly offset: number
  /** May be 0: nothing is expected there. */
  readonly length: number
  /** How many bytes after it belong to its stretches too; they are fetched when records go on there. */
  readonly spare: number
}

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
export interface Span {
  readonly start: number
  readonly end: number
  readonly limit: number
}

/** Adds what a stretch needs to the spans before it, joined over small gaps. */
export const addSpan = (spans: Array<Span>, { end, limit, start }: Span): void => {
  const last = spans.at(-1)
  // A span of no expected bytes is needed only when the records of the span before it go on there.
  const near = last === undefined ? -1 : (end > start ? last.end : last.limit) + smallestGap
  if (last !== undefined && start <= near) {
    spans[spans.length - 1] = {
      start: last.start,
      end: end > start ? Math.max(last.end, end) : last.end,
      limit: Math.max(last.limit, limit)
    }
  } else if (limit > start) {
    // What the span before may need in addition may reach past this span.
    spans.push({ start, end, limit: Math.max(limit, last?.limit ?? 0) })
  }
}

/** The ranges of spans: none is longer than 1 MiB. */
export const rangesOf = (spans: ReadonlyArray<Span>): ReadonlyArray<ByteRange> =>
  spans.flatMap(({ end, limit, start }, i) => {
    const spare = Math.max(0, Math.min(limit, spans[i + 1]?.start ?? limit) - end)
    const ranges: Array<ByteRange> = []
    for (let offset = start; offset < end || offset === start; offset += longestRange) {
      const length = Math.min(longestRange, end - offset)
      ranges.push({ offset, length, spare: offset + length === end ? spare : 0 })
    }
    return ranges
  })
