/** Rows as JSON Lines: one object per row, the cells byte for byte as the service sent them. */
import type { RowForm } from "./RowReader.ts"

const encoder = new TextEncoder()
const lineEnd = encoder.encode("}\n")

/**
 * Objects with `analysisId` first and then a property for each of `columns`.
 *
 * @param columns - place among the cells of a row, and name of the property
 */
export const jsonLines = (
  analysisId: string,
  columns: ReadonlyArray<{ readonly index: number; readonly name: string }>
): RowForm => {
  const begin = encoder.encode(`{"analysisId":${JSON.stringify(analysisId)}`)
  const names = columns.map(({ name }) => encoder.encode(`,${JSON.stringify(name)}:`))
  const cells = columns.map(({ index }) => index)
  return ({ bytes, ends, starts }, text) => {
    text.add(begin, 0, begin.length)
    for (let i = 0; i < cells.length; i++) {
      const name = names[i] ?? begin
      const cell = cells[i] ?? 0
      text.add(name, 0, name.length)
      text.add(bytes, starts[cell] ?? 0, ends[cell] ?? 0)
    }
    text.add(lineEnd, 0, lineEnd.length)
  }
}
