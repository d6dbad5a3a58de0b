/** What somebody writes for a place: a region by the names of the file, or a gene. Pure. */

export interface Sequence {
  readonly name: string
  /** Bases. */
  readonly length: number
  /** Where the first record stands, 1-based; null where that is not known. */
  readonly first: number | null
}

/** From the first base to the last, both 1-based. */
export interface Place {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** By their names in small letters. */
export type Genes = ReadonlyMap<string, ReadonlyArray<Place>>

const rowsIn = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split("\t"))

/** In lines `name length first`, with tabs between. */
export const sequencesIn = (text: string): ReadonlyArray<Sequence> =>
  rowsIn(text).map(([name = "", length = "", first = ""]) => ({
    name,
    length: Number(length),
    first: first === "" ? null : Number(first)
  }))

/** In lines of BED. */
export const genesIn = (text: string): Genes => {
  const genes = new Map<string, Array<Place>>()
  for (const [name = "", start = "", end = "", gene = ""] of rowsIn(text)) {
    const key = gene.toLowerCase()
    const place = { name, start: Number(start) + 1, end: Number(end) }
    const places = genes.get(key)
    if (places === undefined) genes.set(key, [place])
    else places.push(place)
  }
  return genes
}

/** Bases that are shown first. */
const window = 8000

/** Where the first records are: the whole of a genome would show nothing. Null where there is no sequence. */
export const firstPlace = (sequences: ReadonlyArray<Sequence>): Place | null => {
  const begun = sequences.find(({ first }) => first !== null) ?? sequences[0]
  if (begun === undefined) return null
  const start = Math.max(1, (begun.first ?? 1) - window / 10)
  return { name: begun.name, start, end: Math.min(begun.length, start + window) }
}

/** As samtools writes it. */
export const regionText = ({ end, name, start }: Place): string => `${name}:${start}-${end}`

/** What a place is looked up in. */
export interface Known {
  readonly sequences: ReadonlyArray<Sequence>
  /** Null where the gateway was given none. */
  readonly genes: Genes | null
}

/** A single base is shown with as many on each side. */
const beside = 20

/** A name and one number or two, as samtools writes a region, a table has it in its columns, and a mail with typographic dashes. */
const region = /^(.+?)\s*[:\s]\s*([\d,]+)(?:(?:\s*(?:[-\u2010-\u2015\u2212]|\.\.)\s*|\s+)([\d,]+))?$/

/** What was meant, which is several places for a gene that is at each of them; or a sentence that tells why nothing is. */
export const placesOf = (written: string, { genes, sequences }: Known): ReadonlyArray<Place> | string => {
  const text = written.trim()
  const sequence = (name: string) => sequences.find((each) => each.name === name)
  const whole = sequence(text)
  if (whole !== undefined) return [{ name: text, start: 1, end: whole.length }]
  const [, name = "", from = "", to] = region.exec(text) ?? []
  if (name !== "") {
    const named = sequence(name)
    return named === undefined ? noSequence(name, sequences) : placeIn(named, numberOf(from), to)
  }
  if (text === "" || text.includes(":"))
    return `${text === "" ? "A place" : `“${text}” is not understood: a place`} is a region such as ${example(sequences)}, or a gene.`
  const places = genes?.get(text.toLowerCase()) ?? []
  const here = places.filter((place) => sequence(place.name) !== undefined)
  if (here.length > 0) return here
  const [elsewhere] = places
  if (elsewhere !== undefined)
    return `${text} is at ${regionText(elsewhere)} by this gateway's genes. ${noSequence(elsewhere.name, sequences)}`
  if (twinOf(text, sequences) !== undefined || /^(?:chr)?(?:\d{1,2}|[XYM]|MT)$/i.test(text))
    return noSequence(text, sequences)
  const known =
    genes === null
      ? "this gateway knows none. Who runs it gives it some with --genes FILE: the GFF3 of GENCODE or Ensembl for this genome, or a BED"
      : "it is not among this gateway's genes, which are found by their exact names"
  return `No gene “${text}” here: ${known}.`
}

const numberOf = (digits: string) => Number(digits.replaceAll(",", ""))

const placeIn = ({ length, name }: Sequence, start: number, to: string | undefined): ReadonlyArray<Place> | string => {
  const end = to === undefined ? start : numberOf(to)
  if (start > length) return `${name} ends at ${length.toLocaleString("en")}.`
  if (start < 1) return "Bases are counted from 1."
  if (end < start) return "This region ends before it begins."
  const margin = to === undefined ? beside : 0
  return [{ name, start: Math.max(1, start - margin), end: Math.min(length, end + margin) }]
}

const example = (sequences: ReadonlyArray<Sequence>) => {
  const place = firstPlace(sequences)
  return place === null ? "chr1:1-100" : regionText(place)
}

/** What another genome may call the same. */
const twinOf = (name: string, sequences: ReadonlyArray<Sequence>) => {
  const bare = (text: string) => text.toLowerCase().replace(/^chr/, "").replace(/^mt$/, "m")
  return sequences.find((each) => bare(each.name) === bare(name))
}

const noSequence = (name: string, sequences: ReadonlyArray<Sequence>): string => {
  const twin = twinOf(name, sequences)
  const first = sequences.slice(0, 3).map((each) => each.name)
  const more = sequences.length - first.length
  return `No reference sequence “${name}” here: ${
    twin === undefined
      ? `there ${sequences.length === 1 ? "is" : "are"} ${first.join(", ")}${more > 0 ? ` and ${more} more` : ""}`
      : `this file has ${twin.name}`
  }.`
}
