/** The offsets by which an index lets readers skip what lies before: the linear index of BAI and TBI, loffset of CSI. */
import type { BinIndex, ReferenceIndex } from "../genome/BinIndex.ts"
import { binStart } from "../genome/Bins.ts"
import type { ContentPosition } from "../genome/ContentPosition.ts"
import { OffsetList } from "./OffsetList.ts"

export class LinearOffsets {
  /** 0-based positions, ascending, and where a reader starts who looks for what lies behind them. */
  readonly #positions: Float64Array
  readonly #offsets: OffsetList
  #passed = 0

  constructor({ bins, linear }: ReferenceIndex, { depth, format, minShift }: BinIndex) {
    const linearOffsets: Array<readonly [position: number, offset: bigint]> =
      format === "CSI"
        ? Array.from(bins.values(), ({ id, loffset }) => [binStart(id, minShift, depth), loffset ?? 0n])
        : Array.from(linear, (offset, window) => [window * 2 ** minShift, offset])
    linearOffsets.sort((a, b) => a[0] - b[0])
    this.#positions = Float64Array.from(linearOffsets, ([position]) => position)
    this.#offsets = new OffsetList(linearOffsets.map(([, offset]) => offset))
  }

  /** A record that begins at `place` ends before `end` (0-based); false when a reader would start behind it. */
  record(end: number, place: ContentPosition): boolean {
    for (; this.#passed < this.#positions.length && this.#positions[this.#passed]! < end; this.#passed++) {
      if (this.#offsets.isBehind(this.#passed, place)) return false
    }
    return true
  }
}
