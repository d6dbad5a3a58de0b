/** Bytes that grow at their end. */
export class GrowingBytes {
  bytes: Uint8Array = new Uint8Array(128 * 1024)
  length = 0

  /** Adds bytes `from` up to `to` of `source`. */
  add(source: Uint8Array, from: number, to: number): void {
    this.#makeRoom(to - from)
    const target = this.bytes
    let end = this.length
    // Cells and names are short: a loop is faster than a view of each.
    if (to - from > 64) target.set(source.subarray(from, to), end)
    else for (let at = from; at < to; at++) target[end++] = source[at] ?? 0
    this.length += to - from
  }

  addByte(byte: number): void {
    this.#makeRoom(1)
    this.bytes[this.length++] = byte
  }

  /** Removes the first `count` bytes. */
  dropFirst(count: number): void {
    this.bytes.copyWithin(0, count, this.length)
    this.length -= count
  }

  /** All bytes, which are then no longer kept; good until the next change. */
  take(): Uint8Array {
    const all = this.bytes.subarray(0, this.length)
    this.length = 0
    return all
  }

  #makeRoom(count: number): void {
    if (this.length + count <= this.bytes.length) return
    const larger = new Uint8Array(Math.max(2 * this.bytes.length, this.length + count))
    larger.set(this.bytes.subarray(0, this.length))
    this.bytes = larger
  }
}
