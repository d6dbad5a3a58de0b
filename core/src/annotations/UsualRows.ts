/**
 * Reads rows in their usual form ahead of the grammar, four bytes at a time: lists of plain strings, numbers, literals and
 * lists of these, without white space. What it does not know it leaves to the grammar, which knows everything.
 */
import {
  closeBracket,
  comma,
  falsWord,
  letterE,
  nineDigit,
  nullWord,
  openBracket,
  quote,
  trueWord,
  zeroDigit
} from "../text/JsonBytes.ts"
import * as State from "../text/JsonStates.ts"
import type { Nesting } from "../text/Nesting.ts"
import { cellsLevel, rowsLevel } from "./BodyParts.ts"
import { cellEnd, rowEnd, skip } from "./CellMarks.ts"
import { afterDigits, afterNumber, afterString } from "./TokenEnds.ts"

/** A word, and the bytes after it that are looked at without asking, lie inside the chunk. */
const lookahead = 8

export class UsualRows {
  /** Rows that were completed in the last run. */
  rows = 0
  /** Where in the chunk the last row of the last run began; -1 when none did. */
  rowStart = -1
  /** The state of the grammar after the last run. */
  state = State.value

  readonly #marking: boolean
  readonly #nesting: Nesting

  constructor(marking: boolean, nesting: Nesting) {
    this.#marking = marking
    this.#nesting = nesting
  }

  /** Begins at `from`, where a value of a list must stand; returns the offset that it reached. `nesting` is that of the place. */
  read(chunk: Uint8Array, view: DataView, from: number): number {
    const safe = chunk.length - lookahead
    const { most, objects } = this.#nesting
    const marking = this.#marking
    /** Everything before `taken` is read; `depth` and `due` are the nesting and the state there. */
    let taken = from
    let depth = this.#nesting.depth
    let due = State.value
    let at = from
    let rows = 0
    let rowStart = -1
    while (at < safe) {
      const byte = chunk[at] ?? 0
      if (byte === quote) at = afterString(chunk, view, at + 1, safe)
      else if (byte === openBracket) {
        if (depth === most) break
        objects[++depth] = 0
        if (depth === cellsLevel) {
          rowStart = at
          if (marking) chunk[at] = skip
        }
        taken = ++at
        due = State.valueOrEnd
        if (chunk[at] !== closeBracket) continue
      } else if (depth === rowsLevel) break
      else if (byte > zeroDigit && byte <= nineDigit) at = afterNumber(chunk, afterDigits(chunk, at + 1, safe), safe)
      else if (byte === zeroDigit) at = afterNumber(chunk, at + 1, safe)
      else {
        const word = view.getInt32(at, true)
        if (word === nullWord || word === trueWord) at += 4
        else if (word === falsWord && chunk[at + 4] === letterE) at += 5
        else break
      }
      if (at >= safe) break
      let next = chunk[at] ?? 0
      if (next === comma && depth === cellsLevel) {
        if (marking) chunk[at] = cellEnd
        taken = ++at
        due = State.value
        continue
      }
      while (next === closeBracket && depth > rowsLevel && objects[depth] === 0 && at < safe) {
        depth--
        if (depth === rowsLevel) {
          rows++
          if (marking) chunk[at] = rowEnd
        }
        taken = ++at
        due = State.after
        next = chunk[at] ?? 0
      }
      if (next !== comma || objects[depth] === 1) break
      if (marking && depth <= cellsLevel) chunk[at] = depth === cellsLevel ? cellEnd : skip
      taken = ++at
      due = State.value
    }
    this.#nesting.depth = depth
    this.state = due
    this.rows = rows
    this.rowStart = rowStart
    return taken
  }
}
