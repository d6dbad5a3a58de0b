/** The words of a command line, as a shell parts them; in quotes a word may have spaces. */
export const words = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, "$1$2"))
