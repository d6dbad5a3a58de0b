/** Where a reader of JSON stands among objects and lists. */

/** A JSON text is refused beyond this depth: what is deeper cannot be written again. */
export const deepest = 1000

export class Nesting {
  /** Objects and lists that are open. */
  depth = 0
  /** For each level from 1, 1 for an object and 0 for a list; for loops that count levels themselves. */
  readonly objects: Uint8Array
  /** Levels that may be open. */
  readonly most: number

  constructor(most: number = deepest) {
    this.most = most
    this.objects = new Uint8Array(most + 1)
  }

  get inObject(): boolean {
    return this.objects[this.depth] === 1
  }

  /** One level further in; false when that is too deep. */
  open(isObject: boolean): boolean {
    if (this.depth === this.most) return false
    this.objects[++this.depth] = isObject ? 1 : 0
    return true
  }

  /** One level further out; false when it is of the other kind, or there is none. */
  close(isObject: boolean): boolean {
    if (this.depth === 0 || this.inObject !== isObject) return false
    this.depth--
    return true
  }
}

/** What a message says of a text that is deeper. */
export const tooDeep = (most: number = deepest): string => `JSON nested deeper than ${most} levels`
