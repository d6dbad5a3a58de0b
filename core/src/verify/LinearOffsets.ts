/** The offsets at which an index lets readers begin: the linear index of BAI and TBI, loffset of CSI. Records come in file order. */

import type { ContentPosition } from "../genome/bgzf/ContentPosition.ts"
import type { BinIndex, ReferenceIndex } from "../genome/index/BinIndex.ts"
import { binStart } from "../genome/index/Bins.ts"
import { OffsetList } from "./OffsetList.ts"

export class LinearOffsets {
  /** 0-based positions, ascending; for each, `#offsets` says where a reader begins that wants the records after it. */
  readonly #positions: Float64Array
  readonly #offsets: OffsetList
  /** Number of positions that were compared: no later record ends before them. */
  #compared = 0

  constructor({ bins, linear }: ReferenceIndex, { depth, format, minShift }: BinIndex) {
    const linearOffsets: Array<readonly [position: number, offset: bigint]> =
      format === "CSI"
        ? Array.from(bins.values(), ({ id, loffset }) => [binStart(id, minShift, depth), loffset ?? 0n])
        : Array.from(linear, (offset, window) => [window * 2 ** minShift, offset])
    linearOffsets.sort((a, b) => a[0] - b[0])
    this.#positions = Float64Array.from(linearOffsets, ([position]) => position)
    this.#offsets = new OffsetList(linearOffsets.map(([, offset]) => offset))
  }

  /** A record that begins at `place` ends before base `end` (0-based): false when a reader would begin after it. */
  reaches(end: number, place: ContentPosition): boolean {
    for (; this.#compared < this.#positions.length && this.#positions[this.#compared]! < end; this.#compared++) {
      if (this.#offsets.isBehind(this.#compared, place)) return false
    }
    return true
  }
}
