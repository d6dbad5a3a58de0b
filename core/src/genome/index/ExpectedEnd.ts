/**
 * Where the records of a position are expected in the file. An index says where each window of 16 kb begins; a target in
 * its middle needs half of it. What is expected decides only how much is fetched at first, never what is kept.
 */

import * as VirtualOffset from "../bgzf/VirtualOffset.ts"
import type { ReferenceIndex } from "./BinIndex.ts"

/** Records of `position` (0-based) lie near `offset` of the file, in bytes. */
export interface Waypoint {
  readonly position: number
  readonly offset: number
}

/** The nearest waypoints at or before a position, and after it. */
export type Bracket = readonly [before: Waypoint, after: Waypoint]

/**
 * The windows of a BAI or TBI around `position`; `null` when it knows no window after it. A window begins with the first
 * record that reaches into it, taken here as one that starts up to a window earlier.
 */
export const windowsAround = ({ linear }: ReferenceIndex, position: number, minShift: number): Bracket | null => {
  const width = 2 ** minShift
  const waypoint = (i: number): Waypoint => ({
    position: (i - 1) * width,
    offset: VirtualOffset.block(VirtualOffset.fromBits(linear[i]!))
  })
  const window = Math.floor(position / width) + 1
  // One long record can be the first of several windows.
  for (let next = window + 1; next < linear.length; next++) {
    if (linear[next]! > linear[window]!) return [waypoint(window), waypoint(next)]
  }
  return null
}

/** Bytes for one block more than expected: the expectation may miss by a little. */
const oneBlock = 0x8000

/** Where the records that start before a position almost always end in the file (bytes). */
export const estimateEnd = ([before, after]: Bracket, position: number): number => {
  const distance = after.offset - before.offset
  const share = Math.min(1, Math.max(0, (position - before.position) / (after.position - before.position)))
  // As if they were spread evenly between the waypoints, and an eighth of their distance and a block more.
  return Math.ceil(before.offset + distance * (share + 1 / 8)) + oneBlock
}
