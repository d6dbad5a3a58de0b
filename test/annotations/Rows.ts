/** Rows through scanner and reader, without anything around them. */
import { BodyScanner } from "../../core/src/annotations/BodyReading.ts"
import { type RowChoice, type RowFault, type RowForm, RowReader } from "../../core/src/annotations/RowReader.ts"

export interface Converted {
  readonly text: string
  readonly fault: RowFault | null
  readonly reader: RowReader
}

/** The rows in the chunks of a body as text. */
export const convert = (
  chunks: ReadonlyArray<Uint8Array>,
  width: number,
  form: RowForm,
  choice: RowChoice | null = null
): Converted => {
  const scanner = new BodyScanner()
  const reader = new RowReader(width, form, choice)
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let text = ""
  let fault: RowFault | null = null
  for (const chunk of chunks) {
    scanner.push(chunk)
    if (scanner.data === null) continue
    fault = reader.push(chunk.subarray(scanner.data.from, scanner.data.to))
    text += decoder.decode(reader.takeText(), { stream: true })
    if (fault !== null) break
  }
  return { text, fault, reader }
}
