/** A line `##KEY=VALUE` of a VCF header, read as bcftools does: where it stops, others do (VCF specification, section 1.4). */

export interface VcfMetaLine {
  readonly key: string
  /** The keys between `<` and `>` with their values, the first of each; empty for a line without. */
  readonly fields: ReadonlyMap<string, string>
  /** What is odd about it, with the line as subject; null when nothing is. */
  readonly oddity: string | null
}

/** A key with its equals sign and the blanks around both. */
const name = / *([A-Za-z_][0-9A-Za-z_.]*) *= */y

/** Where the text between quotes or brackets that begins at `from` ends; -1 when it does not. A backslash hides one character. */
const endOfQuoted = (line: string, from: number, ending: string): number => {
  for (let at = from; at < line.length; at++) {
    if (line[at] === "\\") at++
    else if (line[at] === ending) return at
  }
  return -1
}

/** Why a line cannot be read, with the line as subject. `refused`: the whole file is refused for it, not the line alone. */
export interface UnreadableLine {
  readonly refused: string | null
}

const unreadable: UnreadableLine = { refused: null }

/** Reads a line that begins with `##`. */
export const readMetaLine = (line: string): VcfMetaLine | UnreadableLine => {
  const equals = line.indexOf("=")
  if (equals < 3) return unreadable
  const key = line.slice(2, equals)
  const fields = new Map<string, string>()
  let at = equals + 1
  if (line[at] !== "<") return { key, fields, oddity: null }
  let open = 1
  while (at < line.length && open > 0) {
    // Past the `<`, and then past what stands between two fields.
    name.lastIndex = at + 1
    const [found, field] = name.exec(line) ?? []
    if (found === undefined || field === undefined) return unreadable
    at = name.lastIndex
    const from = at
    let value: string
    const ending = line[at] === '"' ? '"' : line[at] === "[" ? "]" : null
    if (ending !== null) {
      const end = endOfQuoted(line, at + 1, ending)
      if (end === -1 && ending === "]") return { refused: "has no ] after its [" }
      at = end === -1 ? line.length : end + 1
      value = line.slice(from + 1, end === -1 ? at : end)
    } else {
      for (; at < line.length; at++) {
        if (line[at] === "<") open++
        if (line[at] === ">" && --open === 0) break
        if (line[at] === "," && open === 1) break
      }
      value = line.slice(from, at).trimEnd()
    }
    if (line[at] === ">") {
      open = Math.max(0, open - 1)
      at++
    }
    if (!fields.has(field)) fields.set(field, value)
  }
  const oddity = open > 0 ? "has no > at its end" : line.slice(at).trim() === "" ? null : "has text after its >"
  return { key, fields, oddity }
}
