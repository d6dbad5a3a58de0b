/** Lists of whole numbers in as few bytes as they need: there are BED files of millions of regions. */

/** Zeros for `length` numbers up to `most`: 4 bytes each while that is enough, else 8. */
export const zeros = (length: number, most: number): Uint32Array | Float64Array =>
  most < 2 ** 32 ? new Uint32Array(length) : new Float64Array(length)

/** A list that grows at its end. */
export class NumberList {
  #numbers: Uint32Array | Float64Array = zeros(64, 0)
  #length = 0
  #most = 0

  /** Adds a number, 0 or greater; it may be infinite. */
  push(value: number): void {
    if (value > this.#most) this.#most = value
    if (this.#length === this.#numbers.length) this.#move(2 * this.#length)
    else if (value >= 2 ** 32 && this.#numbers instanceof Uint32Array) this.#move(this.#numbers.length)
    this.#numbers[this.#length++] = value
  }

  /** The numbers so far, which later ones do not alter. */
  numbers(): Uint32Array | Float64Array {
    return this.#numbers.subarray(0, this.#length)
  }

  #move(length: number): void {
    const numbers = zeros(length, this.#most)
    numbers.set(this.#numbers)
    this.#numbers = numbers
  }
}
