/**
 * Fields of an index that are not as writers fill them. One alone, a single bit away from what is expected, is damage; with
 * more of them the writer has ways of its own, and none is.
 */
export class OddFields {
  private count = 0
  private first: string | null = null

  /** @param about - what is wrong, with the index as subject */
  see(expected: ReadonlyArray<bigint>, said: bigint, about: string): void {
    const bits = expected.some((value) => isOneBit(value ^ said))
    if (this.count++ === 0 && bits) this.first = `${about}: one bit differs`
  }

  /** A field that can be as it is for no other reason. */
  seeBit(about: string): void {
    this.see([0n], 1n, about)
  }

  get damage(): string | null {
    return this.count === 1 ? this.first : null
  }
}

const isOneBit = (bits: bigint): boolean => bits !== 0n && (bits & (bits - 1n)) === 0n
