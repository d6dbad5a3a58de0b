/**
 * The buffer between a socket and the reader of its body: the kernel writes into it, the reader takes slices of it,
 * and no byte is copied in between.
 */

/** One read of the socket brings no more than this, in bytes, so that reading goes on in a large ring whose oldest bytes are lent. */
const longestRead = 1024 * 1024

/** Bytes that a ring has until they do not suffice: thousands of small files never touch the memory of a large one. */
const firstCapacity = 64 * 1024

/** Half the buffer: the other half can be read meanwhile. */
const reachOf = (buffer: Buffer): number => Math.min(buffer.length / 2, longestRead)

export class ByteRing {
  readonly #capacity: number
  #buffer: Buffer
  /** The most that one read of the socket may bring, in bytes. */
  #reach: number
  #head = 0
  #used = 0
  /** Bytes of a socket that brings its own buffers, when they found no room. */
  #overflow: Array<Uint8Array> = []

  /** @param capacity - bytes */
  constructor(capacity: number) {
    this.#capacity = capacity
    this.#buffer = Buffer.allocUnsafeSlow(Math.min(capacity, firstCapacity))
    this.#reach = reachOf(this.#buffer)
  }

  /**
   * Where the next read must put its bytes. It depends on nothing but what was read before, so it stays right while
   * reading has stopped. It may be written to only while the ring is `roomy`.
   */
  get target(): Buffer {
    return this.#buffer.subarray(this.#head, Math.min(this.#head + this.#reach, this.#buffer.length))
  }

  /** Whether the whole of `target` is free. */
  get roomy(): boolean {
    return this.#overflow.length === 0 && this.#buffer.length - this.#used >= this.target.length
  }

  /** Bytes that can be taken. */
  get used(): number {
    return this.#used
  }

  /** `length` bytes were put into `target`. */
  filled(length: number): void {
    // Bytes that someone still reads would be lost without a trace: nothing downstream could know.
    if (length > this.#buffer.length - this.#used) throw new RangeError("a ring buffer was overrun")
    this.#head = (this.#head + length) % this.#buffer.length
    this.#used += length
    // A read as long as it may be: more is on its way.
    if (length === this.#reach) this.#grow()
  }

  /** Copies bytes in. What finds no room waits for `take`; the caller stops reading when the ring is not `roomy`. */
  push(bytes: Uint8Array): void {
    let rest = bytes
    if (rest.length > this.#buffer.length - this.#used) this.#grow()
    while (rest.length > 0 && this.#overflow.length === 0) {
      const room = Math.min(this.#buffer.length - this.#used, this.#buffer.length - this.#head, rest.length)
      if (room === 0) break
      this.#buffer.set(rest.subarray(0, room), this.#head)
      this.filled(room)
      rest = rest.subarray(room)
    }
    if (rest.length > 0) this.#overflow.push(rest)
  }

  /** Takes all the memory that the ring may have. What was given out of the old buffer stays valid. */
  #grow(): void {
    if (this.#buffer.length === this.#capacity) return
    const larger = Buffer.allocUnsafeSlow(this.#capacity)
    const oldest = this.peek()
    larger.set(oldest)
    larger.set(this.#buffer.subarray(0, this.#used - oldest.length), oldest.length)
    this.#buffer = larger
    this.#reach = reachOf(larger)
    this.#head = this.#used
  }

  /** The oldest bytes that lie in one piece; they stay valid until taken. */
  peek(): Uint8Array {
    const tail = (this.#head - this.#used + this.#buffer.length) % this.#buffer.length
    return this.#buffer.subarray(tail, Math.min(tail + this.#used, this.#buffer.length))
  }

  /** Frees the oldest `length` bytes. */
  take(length: number): void {
    this.#used -= length
    if (this.#overflow.length > 0) {
      const waiting = this.#overflow
      this.#overflow = []
      for (const bytes of waiting) this.push(bytes)
    }
  }
}
