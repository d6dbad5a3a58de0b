/** A list of identifiers in a file, as people keep it: one a line, with comments. */

/** The identifiers of a text: blank lines, and what stands behind a `#` at the start of a line or behind a space, count for nothing. */
export const idsIn = (text: string): ReadonlyArray<string> => [
  ...new Set(
    text
      .replace(/^\ufeff/, "")
      .split(/\r\n|\n|\r/)
      .map((line) => line.replace(/(?:^|\s)#.*$/, "").trim())
      .filter((line) => line !== "")
  )
]
