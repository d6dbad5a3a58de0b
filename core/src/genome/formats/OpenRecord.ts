/** A record that goes on past the bytes that have come. What nobody judges of it, such as the bases of a read, is not kept. */
import * as Bgzf from "../bgzf/Bgzf.ts"
import { release } from "../bgzf/InflatedRun.ts"
import { type Bytes, bytesOf, largestRecord, type RecordFormat } from "./RecordFormats.ts"

export class OpenRecord {
  readonly #format: Pick<RecordFormat, "size" | "most" | "unjudged">
  /** Its bytes, and behind them those that came with its end. Pages to which nothing is written take no memory. */
  #bytes: Uint8Array
  #length: number

  /** @param begin - its bytes so far, copied */
  constructor(format: Pick<RecordFormat, "size" | "most" | "unjudged">, begin: Uint8Array) {
    this.#format = format
    this.#bytes = begin.slice()
    this.#length = begin.length
  }

  /** Number of its bytes that have come. */
  get length(): number {
    return this.#length
  }

  /** The whole record is at its beginning. */
  get data(): Bytes {
    return bytesOf(this.#bytes.subarray(0, this.#length))
  }

  /** Takes the bytes that follow; gives how many of them are its own, 0 when it goes on past them, -1 when it is no record. */
  take(content: Uint8Array): number {
    const before = this.#length
    const length = before + content.length
    const known = this.data
    const unjudged = this.#format.unjudged(known, 0)
    if (length > this.#bytes.length) {
      // With what is there, which may reach past the record, and not with what is claimed; what is not kept is not copied.
      const larger = new Uint8Array(Math.max(length, Math.min(length * 2, this.#format.most(known, 0) + Bgzf.maxBlock)))
      copyJudged(known.bytes, larger, 0, unjudged)
      release(this.#bytes)
      this.#bytes = larger
    }
    copyJudged(content, this.#bytes, before, unjudged)
    this.#length = length
    const size = this.#format.size(this.data, 0, before)
    if (size === 0) return length > largestRecord ? -1 : 0
    return size === -1 ? -1 : size - before
  }

  /** It is not used any more. */
  release(): void {
    release(this.#bytes)
  }
}

/** Copies to `at` of a record what lies outside of `[from, to)` of it. */
const copyJudged = (
  source: Uint8Array,
  record: Uint8Array,
  at: number,
  [from, to]: readonly [number, number]
): void => {
  record.set(source.subarray(0, Math.max(0, from - at)), at)
  const rest = Math.max(0, to - at)
  if (rest < source.length) record.set(source.subarray(rest), at + rest)
}
