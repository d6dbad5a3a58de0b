/** The bytes of an index file as they are written: little-endian numbers, in a buffer that grows. */
export class IndexBytes {
  #bytes = new Uint8Array(0x10000)
  #view = new DataView(this.#bytes.buffer)
  #length = 0
  #reserve(size: number): number {
    const at = this.#length
    this.#length += size
    if (this.#length > this.#bytes.length) {
      const bytes = new Uint8Array(this.#length * 2)
      bytes.set(this.#bytes)
      this.#bytes = bytes
      this.#view = new DataView(bytes.buffer)
    }
    return at
  }
  raw(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length)
    this.#bytes.set(bytes, at)
  }
  u32(value: number): void {
    const at = this.#reserve(4)
    this.#view.setUint32(at, value, true)
  }
  u64(value: number): void {
    const at = this.#reserve(8)
    this.#view.setBigUint64(at, BigInt(value), true)
  }
  offset(block: number, within: number): void {
    const at = this.#reserve(8)
    this.#view.setUint16(at, within, true)
    this.#view.setUint16(at + 2, block % 0x10000, true)
    this.#view.setUint32(at + 4, Math.floor(block / 0x10000), true)
  }
  done(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }
}
