/** HTML and SVG in which every value from outside is escaped. */
import { printable } from "../text/Printable.ts"

/** Text that is markup already; everything else is escaped when it is put into `markup`. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** What a page is put together from; null leaves nothing. */
export type MarkupValue = Markup | string | number | null | ReadonlyArray<MarkupValue>

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;"
}

/** Escapes text, also for attributes in double quotes; control and bidirectional characters become visible signs. */
export const escapeMarkup = (text: string): string =>
  printable(text).replace(/[&<>"'`]/g, (character) => entities[character] ?? "")

const textOf = (value: MarkupValue): string => {
  if (value === null) return ""
  if (value instanceof Markup) return value.text
  if (typeof value === "string") return escapeMarkup(value)
  return typeof value === "number" ? String(value) : value.map(textOf).join("")
}

/** A template whose fixed parts are markup and whose values are not; values stand in text or in double quotes. */
export const markup = (strings: TemplateStringsArray, ...values: ReadonlyArray<MarkupValue>): Markup =>
  new Markup(strings.map((string, index) => string + textOf(values[index] ?? null)).join(""))

/** At most `most` characters; what is left out is marked, and the end stays, where names differ. */
export const shorten = (text: string, most: number): string => {
  const characters = [...text]
  if (characters.length <= most) return text
  const tail = Math.floor(most / 3)
  return `${characters.slice(0, most - tail - 1).join("")}…${characters.slice(-tail).join("")}`
}
