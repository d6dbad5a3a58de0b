/** A table of numbers that grows row by row, without an object for each: the plan of a million regions has as many rows. */

const rowsOfPage = 1024

interface Page {
  readonly numbers: Float64Array
  /** The same bytes. */
  readonly bits: BigUint64Array
}

const newPage = (columns: number): Page => {
  const numbers = new Float64Array(rowsOfPage * columns)
  return { numbers, bits: new BigUint64Array(numbers.buffer) }
}

/** A cell holds a number or, if it was put there as such, a `bigint` of 64 bits. */
export class NumberRows {
  readonly #columns: number
  readonly #pages: Array<Page> = []
  #length = 0

  constructor(columns: number) {
    this.#columns = columns
  }

  get length(): number {
    return this.#length
  }

  /** Adds a row, zeros after the numbers that are given, and gives its number. */
  add(...values: ReadonlyArray<number>): number {
    const row = this.#length++
    if (row === this.#pages.length * rowsOfPage) this.#pages.push(newPage(this.#columns))
    this.#page(row).numbers.set(values, this.#cell(row, 0))
    return row
  }

  number(row: number, column: number): number {
    return this.#page(row).numbers[this.#cell(row, column)]!
  }

  bits(row: number, column: number): bigint {
    return this.#page(row).bits[this.#cell(row, column)]!
  }

  setNumber(row: number, column: number, value: number): void {
    this.#page(row).numbers[this.#cell(row, column)] = value
  }

  setBits(row: number, column: number, value: bigint): void {
    this.#page(row).bits[this.#cell(row, column)] = value
  }

  #page(row: number): Page {
    return this.#pages[Math.floor(row / rowsOfPage)]!
  }

  #cell(row: number, column: number): number {
    return (row % rowsOfPage) * this.#columns + column
  }
}
