/** Rows as JSON Lines: one object per row, the cells byte for byte as the service sent them. */
import { type ByteBlock, copyWords } from "./ByteBlock.ts"
import { cellEnd, firstOf, marksIn, rowEnd } from "./CellMarks.ts"
import { Frame, type RowCopy, type RowText } from "./RowText.ts"

/**
 * Objects with `analysisId` first and then a property for each of `columns`.
 *
 * @param columns - place among the cells of a row, and name of the property
 */
export const jsonLines = (
  analysisId: string,
  columns: ReadonlyArray<{ readonly index: number; readonly name: string }>
): RowText => {
  const order = Int32Array.from(columns, ({ index }) => index)
  const names = columns.map(({ name }) => `,${JSON.stringify(name)}:`)
  const [first = "", ...others] = [...names, "}\n"]
  const frame = new Frame([`{"analysisId":${JSON.stringify(analysisId)}${first}`, ...others])
  const { block, length, starts: places } = frame
  return {
    copy:
      columns.length > 0 && columns.every(({ index }, i) => index === i) ? new JsonCopy(frame, columns.length) : null,
    room: (cellBytes) => length + cellBytes,
    write: (source, starts, target, at) => {
      let end = at
      let place = 0
      for (let i = 0; i < order.length; i++) {
        const next = places[i + 1] ?? 0
        end = copyWords(block, place, next, target, end)
        place = next
        const cell = order[i] ?? 0
        end = copyWords(source, starts[cell] ?? 0, (starts[cell + 1] ?? 0) - 1, target, end)
      }
      return copyWords(block, place, length, target, end)
    }
  }
}

class JsonCopy implements RowCopy {
  readonly width: number
  end = 0
  readonly #frame: Frame

  constructor(frame: Frame, width: number) {
    this.#frame = frame
    this.width = width
  }

  write(source: ByteBlock, from: number, target: ByteBlock, at: number): number {
    const { block, length, starts } = this.#frame
    const last = this.width - 1
    const input = source.words
    const output = target.words
    let begin = 0
    let place = from
    let end = at
    for (let cell = 0; cell <= last; cell++) {
      const next = starts[cell + 1] ?? 0
      end = copyWords(block, begin, next, target, end)
      begin = next
      let marks = 0
      while (marks === 0) {
        const word = input.getInt32(place, true)
        output.setInt32(end, word, true)
        marks = marksIn(word)
        const length = marks === 0 ? 4 : firstOf(marks)
        place += length
        end += length
      }
      if (source.bytes[place++] !== (cell === last ? rowEnd : cellEnd)) return -1
    }
    this.end = copyWords(block, begin, length, target, end)
    return place
  }
}
