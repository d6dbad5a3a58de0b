/** Numbers of the bins that BAI, TBI and CSI share (SAM specification, section 5.3). Positions are 0-based. */

/** Number of the pseudo-bin, which holds counts instead of chunks. */
export const pseudoBin = (depth: number): number => (2 ** (3 * (depth + 1)) - 1) / 7 + 1

/** First bin number of a level; level 0 is the root, level `depth` has the smallest bins. */
export const firstOfLevel = (level: number): number => (2 ** (3 * level) - 1) / 7

/** Of BAI and TBI: bases of the smallest bins as a power of two, and levels of bins, which hold 2^29 bases. */
export const usualShift = 14
export const usualDepth = 5

/** Levels of bins of an index that is being made: they hold 2^38 bases. It is written with fewer where those hold its records. */
export const newDepth = 8

/** Records must end at or before this position to be in an index with these bins. */
export const lastBase = (minShift: number, depth: number): number => 2 ** (minShift + 3 * depth)

export const levelOf = (id: number, depth: number): number => {
  let level = depth
  while (id < firstOfLevel(level)) level--
  return level
}

/** The number of the same bin among `levels` levels, of which the root holds what was in a larger one. */
export const binAmong = (levels: number, id: number, depth: number): number => {
  const level = levelOf(id, depth)
  const among = level - depth + levels
  return among < 0 ? 0 : id - firstOfLevel(level) + firstOfLevel(among)
}

/** 0-based position where a bin begins. */
export const binStart = (id: number, minShift: number, depth: number): number => {
  const level = levelOf(id, depth)
  return (id - firstOfLevel(level)) * 2 ** (minShift + 3 * (depth - level))
}

/** The smallest bin of the R-tree that holds `[start, end)` (`reg2bin` of the SAM specification, section 5.3). */
export const binOf = (start: number, end: number, minShift: number, depth: number): number => {
  const last = end - 1
  // Called for every record: `**` is a call into C.
  let shift = minShift < 31 ? 1 << minShift : 2 ** minShift
  let first = ((1 << (3 * depth)) - 1) / 7
  for (let level = depth; level > 0; level--) {
    if (Math.floor(start / shift) === Math.floor(last / shift)) return first + Math.floor(start / shift)
    shift *= 8
    first -= 1 << (3 * (level - 1))
  }
  return 0
}
