/** Virtual offsets taken apart into numbers: every record of a file is compared with some. */

import type { ContentPosition } from "../genome/bgzf/ContentPosition.ts"
import * as VirtualOffset from "../genome/bgzf/VirtualOffset.ts"

export class OffsetList {
  readonly length: number
  readonly #blocks: Float64Array
  readonly #withins: Uint16Array

  constructor(offsets: ReadonlyArray<bigint>) {
    this.length = offsets.length
    this.#blocks = Float64Array.from(offsets, (bits) => VirtualOffset.block(VirtualOffset.fromBits(bits)))
    this.#withins = Uint16Array.from(offsets, (bits) => VirtualOffset.within(VirtualOffset.fromBits(bits)))
  }

  /** Offset `i` lies after `place`. */
  isBehind(i: number, place: ContentPosition): boolean {
    const block = this.#blocks[i]!
    return block > place.block || (block === place.block && this.#withins[i]! > place.within)
  }

  /** Offset `i` means `place`. */
  is(i: number, place: ContentPosition): boolean {
    return place.is(this.#blocks[i]!, this.#withins[i]!)
  }
}
