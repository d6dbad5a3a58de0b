/** Annotation bodies in every spelling that JSON allows, cut into chunks anywhere; the same seed gives the same ones. */

/** A number from 0 up to `below`. */
export type Chance = (below: number) => number

export const chance = (seed: number): Chance => {
  let state = seed | 0
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }

const unit = (code: number, upper: boolean) => {
  const digits = code.toString(16).padStart(4, "0")
  return `\\u${upper ? digits.toUpperCase() : digits}`
}

const stringText = (text: string, pick: Chance): string => {
  const plain = JSON.stringify(text)
  if (pick(3) > 0) return plain
  return `"${[...text].map((character) => (pick(3) === 0 ? [...Array(character.length).keys()].map((i) => unit(character.charCodeAt(i), pick(2) === 0)).join("") : character === "/" ? "\\/" : JSON.stringify(character).slice(1, -1))).join("")}"`
}

/** `value` as JSON: with white space and needless escapes now and then, or always `dense`. */
export const jsonText = (value: Json, pick: Chance, dense: boolean): string => {
  const space = () => (dense || pick(3) > 0 ? "" : ([" ", "\n", "\t", "\r\n", "  "][pick(5)] ?? ""))
  const list = (open: string, items: ReadonlyArray<string>, close: string) =>
    `${open}${space()}${items.join(`${space()},${space()}`)}${space()}${close}`
  if (typeof value === "string") return dense ? JSON.stringify(value) : stringText(value, pick)
  if (Array.isArray(value))
    return list(
      "[",
      value.map((item) => jsonText(item, pick, dense)),
      "]"
    )
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(
      ([name, item]) => `${stringText(name, pick)}${space()}:${space()}${jsonText(item, pick, dense)}`
    )
    return list("{", members, "}")
  }
  return JSON.stringify(value)
}

/** The bytes in chunks of 1 to `longest` bytes; each is a copy. */
export const chunksOf = (bytes: Uint8Array, pick: Chance, longest: number): ReadonlyArray<Uint8Array> => {
  const chunks: Array<Uint8Array> = []
  for (let at = 0; at < bytes.length; ) {
    const chunk = bytes.slice(at, at + 1 + pick(longest))
    chunks.push(chunk)
    at += chunk.length
  }
  return chunks
}

const encoder = new TextEncoder()

/** A body with these members, in this order. */
export const bodyText = (
  members: ReadonlyArray<readonly [name: string, value: Json]>,
  pick: Chance,
  dense: boolean
): Uint8Array => {
  const texts = members.map(([name, value]) => `${stringText(name, pick)}:${jsonText(value, pick, dense)}`)
  return encoder.encode(`{${texts.join(",")}}`)
}

const words = [
  "BRCA1",
  "",
  "a, b; c",
  'said "no"',
  "tab\tline\n\r",
  "Größe 5′",
  "\u{1f9ec}",
  "\\",
  "/",
  ";",
  "\u0001\u001b",
  "x".repeat(50)
]

/** A cell as the service could send it. */
const cellValue = (pick: Chance, depth = 0): Json => {
  switch (pick(depth > 2 ? 5 : 8)) {
    case 0:
      return null
    case 1:
      return pick(2) === 0
    case 2:
      return [0, -0.5, 12345678, 1e21, 1.5e-9, -7, 0.25][pick(7)] ?? 0
    case 3:
    case 4:
      return words[pick(words.length)] ?? ""
    case 5:
    case 6:
      return Array.from({ length: pick(4) }, () => cellValue(pick, depth + 1))
    default:
      return { [words[pick(words.length)] ?? ""]: cellValue(pick, depth + 1) }
  }
}

/** A table of `width` columns. */
export const tableOf = (pick: Chance, width: number, rows: number) => ({
  data: Array.from({ length: rows }, () => Array.from({ length: width }, () => cellValue(pick))),
  header: Array.from({ length: width }, (_, i) => ({ id: `C${i}`, title: `Column ${i}` }))
})
