/** By what a page of HTML or XML is known where something else is due. */
import { printable } from "./Printable.ts"

export const isWhiteSpace = (byte: number | undefined) =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/**
 * True when the first character after white space is `<`. JSON never begins so, nor does a genomic file or its index, whatever the
 * content type claims, and HTML, XHTML and XML always do (H17).
 */
export const beginsLikeMarkup = (start: Uint8Array): boolean => {
  let at = start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf ? 3 : 0
  while (at < start.length && isWhiteSpace(start[at])) at++
  return start[at] === 0x3c
}

/** Where a title is looked for, in characters: a search through a whole page takes quadratic time where many begin and none ends. */
const titlesWithin = 8192

/** The title of a page of HTML; null where a text has none. */
export const titleOf = (text: string): string | null => {
  const title = /<title[^>]*>([^<]{1,300})/i.exec(text.slice(0, titlesWithin))?.[1]?.replace(/\s+/g, " ").trim() ?? ""
  return title === "" ? null : printable(title.slice(0, 100))
}
