/** A record of a BAM, seen through the view of @gmod/bam, which reads each field out of its bytes when it is asked for. */
import { BamRecord as View } from "@gmod/bam"
import * as Record from "../genome/formats/BamRecord.ts"

const operations = "MIDNSHP=XB"
/** The number of bases of an operation of a CIGAR, as it stands in a BAM. */
const basesOf = (operation: number): number => operation >>> 4

/**
 * An aligned or unaligned read. Positions are 0-based, `end` is after the last base; `ref_id` is the number of its reference in the header,
 * -1 for none.
 *
 * The CIGAR is that of the record also where it is unmapped, or stands in its CG tag; the view of the package has none then.
 *
 * @category models
 * @since 0.1.0
 */
export class BamRecord extends View {
  #cigar: number[] | Uint32Array | null = null

  /** @param number - of the record in its stream, from 0; its `fileOffset`, which tells records apart */
  constructor(byteArray: Uint8Array, start: number, end: number, number: number) {
    super({ bytes: { byteArray, start, end }, fileOffset: number })
  }

  get #at(): number {
    return this.b0 - 36
  }

  get #view(): DataView {
    return new DataView(this.byteArray.buffer)
  }

  override get flags(): number {
    return this.flag_nc >>> 16
  }

  /** Of a read that covers no base the position after its own, as for samtools. */
  override get end(): number {
    return Record.end(this.#view, this.#at)
  }

  /** Bases of the reference that it covers. */
  override get length_on_ref(): number {
    return this.cigarAndLength.length_on_ref
  }

  /** The qualities, one for each base; null where the record has none. */
  override get qual(): Uint8Array | null {
    const from = this.tagsStart - this.seq_length
    return this.seq_length === 0 || this.byteArray[from] === 0xff
      ? null
      : this.byteArray.subarray(from, from + this.seq_length)
  }

  override get NUMERIC_CIGAR(): number[] | Uint32Array {
    this.#cigar ??= this.#readCigar()
    return this.#cigar
  }

  override get cigarAndLength(): { length_on_ref: number; NUMERIC_CIGAR: number[] | Uint32Array } {
    const unmapped = (this.flags & Record.Flag.unmapped) !== 0
    const covered = unmapped || this.num_cigar_ops === 0 ? 0 : this.end - this.start
    return { length_on_ref: covered, NUMERIC_CIGAR: this.NUMERIC_CIGAR }
  }

  /** As SAM has it; empty for `*`. */
  override get CIGAR(): string {
    let text = ""
    for (const operation of this.NUMERIC_CIGAR) text += `${basesOf(operation)}${operations[operation & 15] ?? "?"}`
    return text
  }

  #readCigar(): number[] {
    const view = this.#view
    const { count, first } = Record.cigarOf(view, this.#at)
    return Array.from({ length: count }, (_, i) => view.getUint32(first + 4 * i, true))
  }
}
