/** How the linear index of a BAI is filled, held against the records of the reference. */

import type { FilePlace } from "../genome/FilePlace.ts"
import * as VirtualOffset from "../genome/VirtualOffset.ts"
import type { OddFields } from "./OddFields.ts"

/** The first record that ends behind the start of a window. */
interface First {
  readonly names: ReadonlyArray<bigint>
  /** It also starts before the window ends. */
  readonly overlaps: boolean
  /** The index says so. */
  readonly said: boolean
}

class Windows {
  readonly firsts: Array<First> = []
  /** One more than the last window with a record. */
  used = 0

  private readonly linear: BigUint64Array
  private readonly size: number

  constructor(linear: BigUint64Array, size: number) {
    this.linear = linear
    this.size = size
  }

  record(start: number, end: number, place: FilePlace): void {
    if (end <= this.used * this.size) return
    this.used = Math.ceil(end / this.size)
    while (this.firsts.length < Math.min(this.used, this.linear.length)) {
      const window = this.firsts.length
      const said = VirtualOffset.fromBits(this.linear[window]!)
      this.firsts.push({
        names: place.names(),
        overlaps: start < (window + 1) * this.size,
        said: place.is(VirtualOffset.block(said), VirtualOffset.within(said))
      })
    }
  }
}

export class LinearForm {
  /** htslib leaves unmapped reads out, others do not. */
  private readonly mapped: Windows
  private readonly all: Windows

  private readonly name: string
  private readonly linear: BigUint64Array

  constructor(name: string, linear: BigUint64Array, size: number) {
    this.name = name
    this.linear = linear
    this.mapped = new Windows(linear, size)
    this.all = new Windows(linear, size)
  }

  /** A record that covers `[start, end)` (0-based) begins at `place`. */
  record(start: number, end: number, mapped: boolean, place: FilePlace): void {
    this.all.record(start, end, place)
    if (mapped) this.mapped.record(start, end, place)
  }

  /** After the last record. Windows without a record are filled with the next one, the one before, or 0. */
  judge(odd: OddFields): void {
    const { all, linear, mapped, name } = this
    if (linear.length !== mapped.used && linear.length !== all.used) {
      const about = `it has ${linear.length} windows for ${name}, and records reach ${all.used}`
      odd.see([BigInt(mapped.used), BigInt(all.used)], BigInt(linear.length), about)
    }
    let before = 0n
    for (let window = 0; window < all.firsts.length; window++) {
      const said = linear[window]!
      const ofAll = all.firsts[window]!
      const ofMapped = mapped.firsts[window]
      const expected = [...ofAll.names]
      if (ofMapped !== undefined) expected.push(...ofMapped.names)
      if (ofMapped?.overlaps !== true) expected.push(0n, before)
      const fits = ofAll.said || ofMapped?.said === true || expected.includes(said)
      if (!fits) odd.see(expected, said, `its linear index is wrong at window ${window + 1} of ${name}`)
      else if (ofMapped?.overlaps === true) before = said
    }
  }
}
