/** Judges the text of a BAM header as samtools does when it is asked for anything (SAM specification, section 1.3). */
import { lineFeed, tab } from "../Ascii.ts"
import { decodeName } from "../ReferenceName.ts"
import type { BamHeader, BamReference } from "./BamHeader.ts"
import { type HeaderJudgement, shown } from "./Format.ts"
import { linesOf, startOf, textOf } from "./HeaderLines.ts"

const colon = 0x3a
const atSign = 0x40

/** The fields `KEY:VALUE` of a header line, read where they lie: a header has millions of lines. */
class Fields {
  #line: Uint8Array = new Uint8Array(0)
  /** Where each field begins, and behind the last one where the next would. */
  readonly #starts: Array<number> = []

  /** Takes the fields of another line; false when one of them is none. */
  read(line: Uint8Array): boolean {
    this.#line = line
    this.#starts.length = 0
    let start = typeLength + 1
    for (let at = start; at <= line.length; at++) {
      if (at < line.length && line[at] !== tab) continue
      if (at - start < 3 || line[start + 2] !== colon) return false
      this.#starts.push(start)
      start = at + 1
    }
    this.#starts.push(start)
    return true
  }

  /** The values of a key such as `SN`, in their order. */
  values(key: string): ReadonlyArray<Uint8Array> {
    const [first, second] = [key.charCodeAt(0), key.charCodeAt(1)]
    const values: Array<Uint8Array> = []
    for (let i = 0; i + 1 < this.#starts.length; i++) {
      const start = this.#starts[i]!
      if (this.#line[start] === first && this.#line[start + 1] === second)
        values.push(this.#line.subarray(start + 3, this.#starts[i + 1]! - 1))
    }
    return values
  }
}

/** `@` and two letters. */
const typeLength = 3

/** samtools reads a length as far as it is a number, and -1 as none. */
const noLength = /^\s*-0*1(?!\d)/
const isLetter = (byte: number | undefined): byte is number =>
  byte !== undefined && ((byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a))
const isDigit = (byte: number | undefined) => byte !== undefined && byte >= 0x30 && byte <= 0x39

/** Whether these are the bytes of a name; false where it is not ASCII. */
const isName = (bytes: Uint8Array, name: string): boolean => {
  if (bytes.length !== name.length) return false
  for (let i = 0; i < name.length; i++) if (bytes[i] !== name.charCodeAt(i)) return false
  return true
}

/** Names that `@SQ` lines have had so far. As long as they are those of the references, in their order, a number says which. */
class NamedReferences {
  readonly #references: ReadonlyArray<BamReference>
  #inOrder = 0
  #others: Set<string> | null = null

  constructor(references: ReadonlyArray<BamReference>) {
    this.#references = references
  }

  /** Adds a name; null when it was there. */
  add(bytes: Uint8Array): string | null {
    const next = this.#references[this.#inOrder]?.name
    if (this.#others === null && next !== undefined && isName(bytes, next)) {
      this.#inOrder++
      return next
    }
    const name = decodeName(bytes)
    this.#others ??= new Set(this.#references.slice(0, this.#inOrder).map((reference) => reference.name))
    if (this.#others.has(name)) return null
    this.#others.add(name)
    return name
  }
}

/** What lines have said so far, for the lines after them. */
interface Seen {
  /** The references that the binary part of the header names. */
  readonly listed: ReadonlySet<string>
  readonly references: NamedReferences
  /** Other names of references (`AN`), each with the reference that has it. */
  readonly alternatives: Map<string, string>
  readonly groups: Set<string>
  /** Each program with the one before it (`PP`). */
  readonly programs: Map<string, string | undefined>
  readonly warnings: Array<string>
}

/** What is wrong with a line of each type, with the line as subject; other types have no rules of their own. */
const rules: Readonly<Record<string, (fields: Fields, seen: Seen, line: () => string) => string | null>> = {
  SQ: (fields, { alternatives, listed, references, warnings }, line) => {
    const own = fields.values("SN").at(-1)
    const length = fields.values("LN").at(-1)
    if (own === undefined) return "has no SN"
    if (length === undefined || (!isDigit(length[0]) && noLength.test(textOf(length)))) return "has no LN"
    const name = references.add(own)
    if (name === null) return `names ${shown(decodeName(own))} again`
    for (const other of fields.values("AN").flatMap((list) => decodeName(list).split(","))) {
      const owner: string = alternatives.get(other) ?? (listed.has(other) ? other : name)
      if (owner !== name) warnings.push(`${line()} has the other name ${shown(other)}, which another line has`)
      alternatives.set(other, owner)
    }
    return null
  },
  RG: (fields, { groups, warnings }, line) => {
    const id = fields.values("ID").at(-1)
    if (id === undefined) return "has no ID"
    const group = decodeName(id)
    if (groups.has(group)) warnings.push(`${line()} has the ID ${shown(group)} again`)
    groups.add(group)
    return null
  },
  PG: (fields, { programs, warnings }, line) => {
    const [id, ...more] = fields.values("ID")
    if (id === undefined) return "has no ID"
    if (more.length > 0) warnings.push(`${line()} has several IDs`)
    const [previous] = fields.values("PP")
    programs.set(decodeName(id), previous === undefined ? undefined : decodeName(previous))
    return null
  }
}

/** What is wrong with a line that begins with `@`; null when nothing is. */
const lineFault = (bytes: Uint8Array, fields: Fields, seen: Seen, line: () => string): string | null => {
  if (!isLetter(bytes[1]) || !isLetter(bytes[2])) return "has no type of two letters"
  if (bytes.length === typeLength) return null
  if (bytes[typeLength] !== tab) return "has no tab after its type"
  const type = String.fromCharCode(bytes[1], bytes[2])
  if (type === "CO") return null
  if (!fields.read(bytes)) return "has a field that is not KEY:VALUE"
  return rules[type]?.(fields, seen, () => `${line()} (@${type})`) ?? null
}

export const judgeBamHeader = ({ references, text: whole }: BamHeader): HeaderJudgement => {
  const listed = new Set<string>()
  const programs: Seen["programs"] = new Map()
  const warnings: Array<string> = []
  const named = new NamedReferences(references)
  const seen: Seen = { listed, references: named, alternatives: new Map(), groups: new Set(), programs, warnings }
  const refused = (fault: string): HeaderJudgement => ({ fault: `samtools refuses it: ${fault}`, warnings })
  for (const { name } of references) {
    if (listed.has(name)) return refused(`its header has the reference ${shown(name)} twice`)
    listed.add(name)
  }
  const zero = whole.indexOf(0)
  const text = zero === -1 ? whole : whole.subarray(0, zero)
  const hasEnd = text.at(-1) === lineFeed
  if (zero !== -1) {
    if (text.length > 0 && !hasEnd) return refused(`header line ${[...linesOf(text)].length} has a zero in it`)
    warnings.push(`what follows byte ${text.length} of its header is not read: a zero is there`)
  }
  if (text.length === 0) return { fault: null, warnings }
  if (!hasEnd) warnings.push("the last line of its header has no end")
  const fields = new Fields()
  let count = 0
  for (const line of linesOf(text)) {
    count++
    if (line[0] !== atSign) return refused(`header line ${count} does not begin with @`)
    // The last line is not looked at when it is so short.
    const isLast = startOf(line, text) + line.length + 1 >= text.length
    if (isLast && line.length < typeLength && count + line.length > 2) break
    const fault = lineFault(line, fields, seen, () => `header line ${count}`)
    if (fault !== null) return refused(`header line ${count} (${textOf(line.subarray(0, typeLength))}) ${fault}`)
  }
  for (const [id, previous] of programs) {
    if (previous !== undefined && !programs.has(previous)) {
      warnings.push(`the program ${shown(id)} of its header names one before it, ${shown(previous)}, that is not there`)
    }
  }
  return { fault: null, warnings }
}
