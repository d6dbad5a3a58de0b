/**
 * Which bytes of a file are there: sorted, disjoint, non-touching half-open ranges `[start, end)`.
 */

/** First byte and the byte after the last, 0-based. */
export type ByteRange = readonly [start: number, end: number]
export type ByteRanges = ReadonlyArray<ByteRange>

/** `ranges` with `[start, end)` added. */
export const add = (ranges: ByteRanges, start: number, end: number): ByteRanges => {
  if (start >= end) return ranges
  const before = ranges.filter((range) => range[1] < start)
  const after = ranges.filter((range) => range[0] > end)
  const touched = ranges.slice(before.length, ranges.length - after.length)
  const from = Math.min(start, touched[0]?.[0] ?? start)
  const to = Math.max(end, touched.at(-1)?.[1] ?? end)
  return [...before, [from, to], ...after]
}

/** Number of bytes that are there. */
export const count = (ranges: ByteRanges): number => ranges.reduce((sum, [start, end]) => sum + end - start, 0)

/** Number of bytes that are there without a gap from byte 0. */
export const prefix = (ranges: ByteRanges): number => (ranges[0]?.[0] === 0 ? ranges[0][1] : 0)

/** The gaps below `size`, divided at multiples of `segment`. */
export const missing = (ranges: ByteRanges, size: number, segment: number): ByteRanges => {
  const gaps: Array<ByteRange> = []
  let at = 0
  for (const [start, end] of [...ranges, [size, size] as const]) {
    while (at < Math.min(start, size)) {
      const to = Math.min(start, size, (Math.floor(at / segment) + 1) * segment)
      gaps.push([at, to])
      at = to
    }
    at = Math.max(at, end)
  }
  return gaps
}
