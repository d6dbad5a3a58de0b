/** Judges the text of a BAM header as samtools does when it asks it for anything (SAM specification, section 1.3). */
import type { BamHeader } from "./BamHeader.ts"
import { type HeaderJudgement, shown } from "./HeaderJudgement.ts"

// One character for each byte: not all writers use UTF-8.
const latin1 = new TextDecoder("latin1")

/** The values of a field such as `SN`, in their order. */
const valuesOf = (fields: ReadonlyArray<string>, key: string): ReadonlyArray<string> =>
  fields.filter((field) => field.startsWith(`${key}:`)).map((field) => field.slice(3))

/** samtools reads a length as far as it is a number, and -1 as none. */
const noLength = /^\s*-0*1(?!\d)/

/** What lines have said so far, for the lines after them. */
interface Seen {
  /** The references that the binary part of the header names. */
  readonly listed: ReadonlySet<string>
  readonly references: Set<string>
  /** Other names of references (`AN`), each with the reference that has it. */
  readonly alternatives: Map<string, string>
  readonly groups: Set<string>
  /** Each program with the one before it (`PP`). */
  readonly programs: Map<string, string | undefined>
  readonly warnings: Array<string>
}

/** What is wrong with a line of each type, with the line as subject; other types have no rules of their own. */
const rules: Readonly<Record<string, (fields: ReadonlyArray<string>, seen: Seen, line: string) => string | null>> = {
  SQ: (fields, { alternatives, listed, references, warnings }, line) => {
    const name = valuesOf(fields, "SN").at(-1)
    const length = valuesOf(fields, "LN").at(-1)
    if (name === undefined) return "has no SN"
    if (length === undefined || noLength.test(length)) return "has no LN"
    if (references.has(name)) return `names ${shown(name)} again`
    references.add(name)
    for (const other of valuesOf(fields, "AN").flatMap((list) => list.split(","))) {
      const owner: string = alternatives.get(other) ?? (listed.has(other) ? other : name)
      if (owner !== name) warnings.push(`${line} has the other name ${shown(other)}, which another line has`)
      alternatives.set(other, owner)
    }
    return null
  },
  RG: (fields, { groups, warnings }, line) => {
    const id = valuesOf(fields, "ID").at(-1)
    if (id === undefined) return "has no ID"
    if (groups.has(id)) warnings.push(`${line} has the ID ${shown(id)} again`)
    groups.add(id)
    return null
  },
  PG: (fields, { programs, warnings }, line) => {
    const [id, ...more] = valuesOf(fields, "ID")
    if (id === undefined) return "has no ID"
    if (more.length > 0) warnings.push(`${line} has several IDs`)
    programs.set(id, valuesOf(fields, "PP")[0])
    return null
  }
}

/** What is wrong with a line that begins with `@`; null when nothing is. */
const lineFault = (text: string, seen: Seen, line: string): string | null => {
  if (!/^@[A-Za-z]{2}/.test(text)) return "has no type of two letters"
  if (text.length === 3) return null
  if (text[3] !== "\t") return "has no tab after its type"
  const type = text.slice(1, 3)
  if (type === "CO") return null
  const fields = text.slice(4).split("\t")
  if (fields.some((field) => field.length < 3 || field[2] !== ":")) return "has a field that is not KEY:VALUE"
  return rules[type]?.(fields, seen, `${line} (@${type})`) ?? null
}

export const judgeBamHeader = ({ references, text: bytes }: BamHeader): HeaderJudgement => {
  const listed = new Set<string>()
  const programs: Seen["programs"] = new Map()
  const warnings: Array<string> = []
  const seen: Seen = { listed, references: new Set(), alternatives: new Map(), groups: new Set(), programs, warnings }
  const refused = (fault: string): HeaderJudgement => ({ fault: `samtools refuses it: ${fault}`, warnings })
  for (const { name } of references) {
    if (listed.has(name)) return refused(`its header has the reference ${shown(name)} twice`)
    listed.add(name)
  }
  const whole = latin1.decode(bytes)
  const [text = ""] = whole.split("\0")
  const lines = text.replace(/\n$/, "").split("\n")
  if (text.length < whole.length) {
    if (text !== "" && !text.endsWith("\n")) return refused(`header line ${lines.length} has a zero in it`)
    warnings.push(`what follows byte ${text.length} of its header is not read: a zero is there`)
  }
  if (text === "") return { fault: null, warnings }
  if (!text.endsWith("\n")) warnings.push("the last line of its header has no end")
  const other = lines.findIndex((line) => !line.startsWith("@"))
  if (other !== -1) return refused(`header line ${other + 1} does not begin with @`)
  for (const [i, line] of lines.entries()) {
    // The last line is not looked at when it is so short.
    if (i === lines.length - 1 && line.length < 3 && i + line.length > 1) break
    const place = `header line ${i + 1}`
    const fault = lineFault(line, seen, place)
    if (fault !== null) return refused(`${place} (${line.slice(0, 3)}) ${fault}`)
  }
  for (const [id, previous] of programs) {
    if (previous !== undefined && !programs.has(previous)) {
      warnings.push(`the program ${shown(id)} of its header names one before it, ${shown(previous)}, that is not there`)
    }
  }
  return { fault: null, warnings }
}
