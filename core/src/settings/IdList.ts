/** A list of identifiers in a file, as people keep it: one a line, with comments. */

/** The identifiers of a text: blank lines are left out, and so is what follows a `#` at the start of a line or after a space. */
export const idsIn = (text: string): ReadonlyArray<string> => [
  ...new Set(
    text
      .replace(/^\ufeff/, "")
      .split(/\r\n|\n|\r/)
      .map((line) => line.replace(/(?:^|\s)#.*$/, "").trim())
      .filter((line) => line !== "")
  )
]
