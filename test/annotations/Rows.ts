/** Rows through scanner and converter, without anything around them. */
import { BodyScanner } from "../../core/src/annotations/BodyScanner.ts"
import { type Conversion, type RowChoice, RowConverter } from "../../core/src/annotations/RowConverter.ts"
import type { RowText } from "../../core/src/annotations/RowText.ts"

export interface Converted {
  readonly text: string
  readonly state: Conversion
  readonly converter: RowConverter
}

/** The rows in the chunks of a body as text, through a window that begins with `windowSize` bytes. */
export const convert = (
  chunks: ReadonlyArray<Uint8Array>,
  width: number,
  form: RowText,
  choice: RowChoice | null = null,
  windowSize = 16
): Converted => {
  const scanner = new BodyScanner(true)
  const converter = new RowConverter(width, form, choice, windowSize)
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let text = ""
  let state: Conversion = "hungry"
  const drain = () => {
    do {
      state = converter.convert()
      text += decoder.decode(converter.takeText(), { stream: true })
    } while (state === "full")
  }
  for (const chunk of chunks) {
    scanner.push(chunk)
    const rowsPart = scanner.parts.rows
    if (rowsPart === null) continue
    for (let at = rowsPart.from; at < rowsPart.to && state === "hungry"; ) {
      const { space } = converter
      const part = chunk.subarray(at, Math.min(rowsPart.to, at + space.length))
      space.set(part)
      converter.filled(part.length)
      at += part.length
      if (part.length === space.length) drain()
    }
  }
  if (state === "hungry") drain()
  return { text, state, converter }
}
