/** Judges the header of a VCF as bcftools does when it opens the file (VCF specification, sections 1.4 and 1.5). */
import { type HeaderJudgement, shown } from "./Format.ts"
import { linesOf, textOf } from "./HeaderLines.ts"

const fixed = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO"
const types: ReadonlySet<string> = new Set(["Integer", "Float", "Character", "String", "Flag"])
const tagName = /^(?:[A-Za-z_][0-9A-Za-z_.]*|1000G)$/
const contigName = /^[0-9A-Za-z!#$%&+./:;?@^_|~-][0-9A-Za-z!#$%&*+./:;=?@^_|~-]*$/

/** What `##INFO`, `##FORMAT` and `##contig` lines lack, with the line as subject. */
const lacks = ({ fields, key }: VcfMetaLine): ReadonlyArray<string> => {
  if (key !== "INFO" && key !== "FORMAT" && key !== "contig") return []
  const id = fields.get("ID")
  const named =
    id === undefined
      ? ["has no ID"]
      : (key === "contig" ? contigName : tagName).test(id)
        ? []
        : [`has an ID that cannot be one: "${shown(id)}"`]
  if (key === "contig") return named
  const type = fields.get("Type")
  const number = fields.get("Number")
  return [
    ...named,
    ...(type === undefined
      ? ["has no Type"]
      : types.has(type)
        ? []
        : [`has a Type that does not exist: "${shown(type)}"`]),
    ...(number === undefined ? ["has no Number"] : type === "Flag" && number !== "0" ? ["is a Flag with values"] : [])
  ]
}

/** Names with their numbers (`IDX`), which a number taken twice makes worthless. */
class Numbers {
  readonly #names = new Set<string>()
  readonly #taken = new Set<number>()
  #next = 0

  /** False when the number of a new name is taken. */
  add(name: string, wanted: number | null): boolean {
    if (this.#names.has(name)) return true
    const number = wanted ?? this.#next
    if (this.#taken.has(number)) return false
    this.#names.add(name)
    this.#taken.add(number)
    this.#next = Math.max(this.#next, number + 1)
    return true
  }
}

const numbered: ReadonlySet<string> = new Set(["INFO", "FORMAT", "FILTER", "contig"])

/** What is wrong with the columns of the `#CHROM` line; null when nothing is. */
const columnsFault = (line: string, samples: ReadonlyArray<string>): string | null => {
  const rest = line.slice(fixed.length)
  if (!line.startsWith(fixed) || (rest !== "" && rest !== "\tFORMAT" && !rest.startsWith("\tFORMAT\t"))) {
    return "has other columns than #CHROM, POS, ID, REF, ALT, QUAL, FILTER, INFO, FORMAT and the samples, with tabs between"
  }
  if (samples.some((sample) => sample.trim() === "")) return "has a sample without a name"
  const known = new Set<string>()
  const twice = samples.find((sample) => known.size === known.add(sample).size)
  return twice === undefined ? null : `names the sample ${shown(twice)} twice`
}

export const judgeVcfHeader = (text: Uint8Array): HeaderJudgement => {
  const warnings: Array<string> = []
  const refused = (fault: string): HeaderJudgement => ({ fault: `bcftools refuses it: ${fault}`, warnings })
  const contigs = new Numbers()
  const tags = new Numbers()
  tags.add("PASS", null)

  /** Why the file is refused for a `##` line, with the line as subject; null when it is not. */
  const judge = (line: string, place: string): string | null => {
    const meta = readMetaLine(line)
    if ("refused" in meta) {
      if (meta.refused === null) warnings.push(`${place} cannot be read, and readers leave it out`)
      return meta.refused
    }
    const { fields, key, oddity } = meta
    for (const what of [...(oddity === null ? [] : [oddity]), ...lacks(meta)])
      warnings.push(`${place} (##${shown(key)}) ${what}`)
    const id = fields.get("ID")
    if (id === undefined || !numbered.has(key)) return null
    const length = key === "contig" ? (fields.get("length") ?? "0") : "0"
    if (!/^\s*\+?\d/.test(length)) return null
    const index = fields.get("IDX")
    if (index !== undefined && !/^\s*\+?\d+$/.test(index)) {
      warnings.push(`${place} (##${shown(key)}) has an IDX that is no number`)
      return null
    }
    const isFree = (key === "contig" ? contigs : tags).add(id, index === undefined ? null : Number(index))
    return isFree ? null : `gives ${shown(id)} the IDX of another`
  }

  let count = 0
  let samples: ReadonlyArray<string> | null = null
  for (const bytes of linesOf(text)) {
    count++
    const place = `header line ${count}`
    const line = textOf(bytes).replace(/\r$/, "")
    if (samples !== null) {
      // What follows the #CHROM line is a record.
      if (samples.length > 0 && line.split("\t").length !== 9 + samples.length) {
        return refused(`${place} begins with # and stands after the #CHROM line`)
      }
      warnings.push(`${place} begins with # and stands after the #CHROM line`)
      continue
    }
    if (line === "") {
      warnings.push(`${place} is blank: bcftools skips it, other readers may not`)
      continue
    }
    if (line.includes("\0")) return refused(`${place} has a zero in it`)
    if (line.startsWith("##")) {
      const fault = judge(line, place)
      if (fault !== null) return refused(`${place} ${fault}`)
      continue
    }
    if (!/^#CHROM[\t ]/.test(line)) return refused(`${place} is neither a ## line nor the #CHROM line`)
    samples = line.split("\t").slice(9)
    const fault = columnsFault(line, samples)
    if (fault !== null) return refused(`${place} ${fault}`)
    // Its readers do not agree: bcftools 1.16 refuses it, tabix and others take it, and there are such files.
    if (line.endsWith("\tFORMAT")) warnings.push("its #CHROM line has FORMAT and no samples, which some readers refuse")
  }
  return { fault: null, warnings }
}

/** A line `##KEY=VALUE` of a VCF header, read as bcftools does: where it stops, others do (VCF specification, section 1.4). */
interface VcfMetaLine {
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
interface UnreadableLine {
  readonly refused: string | null
}

const unreadable: UnreadableLine = { refused: null }

/** Reads a line that begins with `##`. */
const readMetaLine = (line: string): VcfMetaLine | UnreadableLine => {
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
