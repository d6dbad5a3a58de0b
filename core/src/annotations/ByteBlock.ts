/** Bytes with two views: one by one, and four at a time wherever they begin. */

/** Readers and writers of four-byte words may go this many bytes beyond the end of their data. */
const slack = 8

export class ByteBlock {
  readonly bytes: Uint8Array
  readonly words: DataView

  /** `capacity` bytes for use, and a few more after them. */
  constructor(capacity: number) {
    this.bytes = new Uint8Array(capacity + slack)
    this.words = new DataView(this.bytes.buffer)
  }

  get capacity(): number {
    return this.bytes.length - slack
  }
}

/** Copies bytes `from` up to `to` of `source` into `target` at `at`, in words; returns where they end there. */
export const copyWords = (source: ByteBlock, from: number, to: number, target: ByteBlock, at: number): number => {
  const input = source.words
  const output = target.words
  const shift = at - from
  for (let place = from; place < to; place += 4) output.setInt32(place + shift, input.getInt32(place, true), true)
  return to + shift
}

/** A block that holds `bytes`. */
export const blockOf = (bytes: Uint8Array): ByteBlock => {
  const block = new ByteBlock(bytes.length)
  block.bytes.set(bytes)
  return block
}
