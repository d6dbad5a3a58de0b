/**
 * Where the parts of a JSON text lie, for changing one of them and leaving all others byte for byte. `elements` and `members`
 * expect a text that `JSON.parse` accepts.
 */

/** From the character `start` up to `end`. */
export interface Span {
  readonly start: number
  readonly end: number
}

const [quote, backslash, comma, open, close, openObject, closeObject] = [0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d]

/** The place after the string that begins at `at`; the end of the text when it does not end. */
const endOfString = (text: string, at: number): number => {
  let end = at
  while (true) {
    end = text.indexOf('"', end + 1)
    if (end === -1) return text.length
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return end + 1
  }
}

/** The deepest nesting of lists and objects in any text, valid or not. */
export const depthOf = (text: string): number => {
  let depth = 0
  let most = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at) - 1
    else if (code === open || code === openObject) most = Math.max(most, ++depth)
    else if (code === close || code === closeObject) depth--
  }
  return most
}

/** The parts between the commas of the list or object that begins at `start`, without the white space around them. */
export const elements = (text: string, start: number): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  let depth = 0
  let from = start + 1
  const add = (to: number) => {
    const part = text.slice(from, to)
    const end = from + part.trimEnd().length
    if (end > from) spans.push({ start: from + (part.length - part.trimStart().length), end })
    from = to + 1
  }
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at) - 1
    else if (code === open || code === openObject) depth++
    else if (code === comma && depth === 1) add(at)
    else if ((code === close || code === closeObject) && --depth === 0) {
      add(at)
      return spans
    }
  }
  return spans
}

/** The members of the object that begins at `start`: each name, and where its value begins. */
export const members = (text: string, start: number) =>
  elements(text, start).map((span) => {
    const nameEnd = endOfString(text, span.start)
    const value = text.slice(text.indexOf(":", nameEnd) + 1, span.end)
    return { name: String(JSON.parse(text.slice(span.start, nameEnd))), start: span.end - value.trimStart().length }
  })
