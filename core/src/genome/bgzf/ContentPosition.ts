/** Where a byte of the content lies in its BGZF file, in the words of an index (SAM specification, section 4.1.1). */

/** Consecutive blocks that were inflated together. */
export interface BlockLayout {
  /** Where each block begins in the file (bytes), and where the one after the last would. */
  readonly offsets: ReadonlyArray<number>
  /** Where the content of each block ends in the content of all. */
  readonly ends: ReadonlyArray<number>
}

/** Moves along the content of a file from its first to its last byte. */
export class ContentPosition {
  /** First byte of the block in the file. */
  block = 0
  /** Offset in the content of the block. */
  within = 0

  #blocks: BlockLayout = { offsets: [0], ends: [] }
  #i = 0
  /** Where the content of block `i` begins. */
  #begin = 0
  #lastBlock = -1
  #lastLength = 0
  #empty: Array<number> = []

  /** To the first byte of `blocks`, which follow the ones before. */
  enter(blocks: BlockLayout): void {
    this.leave()
    this.#blocks = blocks
    this.#i = 0
    this.#begin = 0
    this.block = blocks.offsets[0] ?? this.block
  }

  /** To byte `at` of their content, never back. */
  seek(at: number): void {
    const { ends } = this.#blocks
    while (this.#i < ends.length && at >= ends[this.#i]!) this.#step()
    this.within = at - this.#begin
  }

  /** After their last byte. */
  leave(): void {
    while (this.#i < this.#blocks.ends.length) this.#step()
    this.within = 0
  }

  /** Whether an index that says (`block`, `within`) means this place: the end of a block is the start of the next one. */
  is(block: number, within: number): boolean {
    if (within === this.within && block === this.block) return true
    if (this.within !== 0) return false
    return (block === this.#lastBlock && within === this.#lastLength) || (within === 0 && this.#empty.includes(block))
  }

  /** This place for a person. */
  words(): string {
    return `at byte ${this.within} of the content of the block at byte ${this.block}`
  }

  /** This place, which stays where it is. */
  copy(): ContentPosition {
    const copy = new ContentPosition()
    copy.block = this.block
    copy.within = this.within
    copy.#lastBlock = this.#lastBlock
    copy.#lastLength = this.#lastLength
    copy.#empty = this.#empty
    return copy
  }

  #step(): void {
    const end = this.#blocks.ends[this.#i]!
    if (end === this.#begin) this.#empty.push(this.block)
    else {
      this.#lastBlock = this.block
      this.#lastLength = end - this.#begin
      // A new one: a copy may hold the old one.
      if (this.#empty.length > 0) this.#empty = []
    }
    this.#begin = end
    this.#i++
    this.block = this.#blocks.offsets[this.#i] ?? this.block
  }
}
