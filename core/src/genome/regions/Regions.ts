/**
 * Wanted regions in the one form that slicing works with: per reference, sorted, merged, 0-based half-open. Names are
 * checked against those of the file, so a typing error ends before any data moves.
 */
import * as Result from "effect/Result"
import { NotFound, UsageError } from "../../Errors.ts"
import { nearest } from "../../text/Spelling.ts"
import type { Reading, RegionText } from "./RegionText.ts"

/** A reference of the file; `length` (bases) null or 0 when the file does not say. */
export interface KnownReference {
  readonly name: string
  readonly length: number | null
}

/** Length in bases, infinite when the file does not say. */
export const lengthOf = ({ length }: KnownReference): number =>
  length === null || length === 0 ? Number.POSITIVE_INFINITY : length

/** What is wanted of one reference. */
export interface ReferenceRegions {
  /** Its number in the file. */
  readonly ref: number
  readonly name: string
  /**
   * Starts and ends in turn: sorted, not touching each other. The end of the reference is `Infinity`: a header may state a length that
   * is too short, and a variant may stand after the last base (VCF specification, section 1.6.1).
   */
  readonly bounds: ArrayLike<number>
  /** True when every position is wanted. */
  readonly whole: boolean
}

/** samtools and bcftools pass over such a region; here it is an error, since it may be a typing error. */
const notFound = (what: string, detail: string, next?: NotFound["next"]) =>
  Result.fail(new NotFound({ what, detail, ...(next === undefined ? {} : { next }) }))

/** The same for all spellings of one chromosome: with `chr` and without, in any case, M and MT. */
const chromosomeKey = (name: string): string => {
  const bare = name.trim().toLowerCase().replace(/^chr/, "")
  return bare === "m" ? "mt" : bare
}

/** The last reading of a region is the one with positions; the others take these for a part of the name. */
const nameOf = ({ readings, text }: RegionText): string => readings[readings.length - 1]?.name ?? text

/** Most unknown references whose likely names are looked for, and most that are named at all. */
const mostExplained = 10
const mostNamed = 50

/** All regions of references that the file does not have: a panel is mended at once, not line by line. */
const unknownReferences = (unknown: ReadonlyArray<RegionText>, known: ReadonlyArray<KnownReference>, file: string) => {
  const byName = new Map<string, RegionText>()
  for (const region of unknown) if (!byName.has(nameOf(region))) byName.set(nameOf(region), region)
  const explained = [...byName.values()]
  const [first] = explained
  if (first !== undefined && explained.length === 1) return unknownReference(first, known, file)
  const said = explained.slice(0, mostExplained).map((region) => {
    const meant = meantBy(nameOf(region), known)
    return `${nameOf(region)}${lineOf(region)}${meant === null ? "" : `: did you mean ${meant}?`}`
  })
  const others = explained.slice(mostExplained, mostNamed).map((region) => `${nameOf(region)}${lineOf(region)}`)
  const rest = explained.length > mostNamed ? [`and ${explained.length - mostNamed} more`] : []
  const detail = `${[...said, ...others, ...rest].join(", ")}; ${listOf(known)}`
  return notFound(`${explained.length} references in ${file}`, detail, "correctRegions")
}

const lineOf = ({ line }: RegionText): string => (line === undefined ? "" : ` (line ${line} of the BED file)`)

const listOf = (known: ReadonlyArray<KnownReference>): string => {
  const some = known.slice(0, 5).map(({ name }) => name)
  return known.length === 0 ? "it has none" : `it has ${some.join(", ")}${known.length > 5 ? ", ..." : ""}`
}

const unknownReference = (region: RegionText, known: ReadonlyArray<KnownReference>, file: string) => {
  const name = nameOf(region)
  const what = `reference ${name}${lineOf(region)} in ${file}`
  const before = name.slice(0, Math.max(0, name.lastIndexOf(":")))
  if (known.some((reference) => reference.name === before)) {
    return notFound(what, `positions of ${before} are whole numbers, such as ${before}:1000-2000`)
  }
  const meant = meantBy(name, known)
  if (meant !== null) return notFound(what, `did you mean ${meant}?`)
  return notFound(what, listOf(known), "correctRegion")
}

/** The reference of the file that a name means most likely; null when none does. */
const meantBy = (name: string, known: ReadonlyArray<KnownReference>): string | null => {
  const key = chromosomeKey(name)
  return known.find((reference) => chromosomeKey(reference.name) === key)?.name ?? nearestOf(name, known)
}

const numberIn = (name: string): string => name.replace(/\D/g, "")

/** Names that differ in their number are other chromosomes, not misspelt: `chr99` is not `chr9`, and `chr` alone may be any. */
const nearestOf = (name: string, known: ReadonlyArray<KnownReference>): string | null => {
  const number = numberIn(name)
  if (number === "") return null
  return nearest(
    name,
    known.flatMap((reference) => (numberIn(reference.name) === number ? [reference.name] : []))
  )
}

/**
 * The wanted references that a file may have though it does not say so: where nothing names all of them, a reference without a record
 * is not known. Names that are nearly those of the file, or are written in another way, are none of these.
 */
export const unlistedReferences = (
  wanted: ReadonlyArray<RegionText>,
  known: ReadonlyArray<KnownReference>
): ReadonlyArray<string> => {
  const names = new Set(known.map(({ name }) => name))
  const begins = (name: string) => /^chr/i.test(name)
  const styles = new Set(known.map(({ name }) => begins(name)))
  const found = new Set<string>()
  for (const region of wanted) {
    if (region.readings.some(({ name }) => names.has(name))) continue
    const name = nameOf(region)
    if ((styles.size === 0 || styles.has(begins(name))) && meantBy(name, known) === null) found.add(name)
  }
  return [...found]
}

/**
 * Intervals of one reference without overlap, as starts and ends in turn; touching ones become one. Starts and ends are
 * sorted on their own: where as many have ended as have begun, a gap follows.
 */
export const union = (readings: ReadonlyArray<Pick<Reading, "starts" | "ends">>): Float64Array => {
  const starts = sortNumbers(readings.map((reading) => reading.starts))
  const ends = sortNumbers(readings.map((reading) => reading.ends))
  let gaps = 0
  for (let i = 1; i < starts.length; i++) if (starts[i]! > ends[i - 1]!) gaps++
  const bounds = new Float64Array(2 * (gaps + 1))
  let length = 0
  for (let i = 0; i < starts.length; i++) {
    if (i === 0 || starts[i]! > ends[i - 1]!) {
      bounds[length] = starts[i]!
      length += 2
    }
    bounds[length - 1] = ends[i]!
  }
  return bounds
}

/** The numbers of one list or more in order; a single list that is in order is not copied. */
const sortNumbers = (lists: ReadonlyArray<ArrayLike<number>>): ArrayLike<number> => {
  let count = 0
  let before = 0
  let inOrder = true
  for (const list of lists) {
    count += list.length
    for (let i = 0; i < list.length; i++) {
      const value = list[i]!
      if (value < before) inOrder = false
      before = value
    }
  }
  const [first] = lists
  if (inOrder && first?.length === count) return first
  const all = new Float64Array(count)
  let at = 0
  for (const list of lists) {
    all.set(list, at)
    at += list.length
  }
  return all.sort()
}

/**
 * Decides every region by the references of the file, which come in file order; so does the result. A text that is both a
 * name and a name with positions is refused with `UsageError`, as samtools does. A
 * reference that the file does not have, or a start beyond the end of one, is `NotFound`.
 *
 * @param file - its name, for messages
 */
export const resolveRegions = (
  wanted: ReadonlyArray<RegionText>,
  known: ReadonlyArray<KnownReference>,
  file: string
): Result.Result<ReadonlyArray<ReferenceRegions>, NotFound | UsageError> => {
  const numbers = new Map(known.map((reference, i) => [reference.name, i]))
  const found = new Map<number, Array<Reading>>()
  const unknown = wanted.filter(({ readings }) => !readings.some(({ name }) => numbers.has(name)))
  if (unknown.length > 0) return unknownReferences(unknown, known, file)
  for (const { readings, text } of wanted) {
    const possible = readings.filter(({ name }) => numbers.has(name))
    const [reading] = possible
    if (reading === undefined) continue
    if (possible.length > 1) {
      const names = possible.map(({ name }) => `{${name}}`)
      const part = `${names[1]}:${text.slice(text.lastIndexOf(":") + 1)}`
      const message = `Ambiguous range: ${text}: write ${names[0]} for the reference, or ${part} for a part`
      return Result.fail(new UsageError({ message }))
    }
    const ref = numbers.get(reading.name) ?? 0
    const length = lengthOf(known[ref]!)
    const beyond = firstFrom(reading.starts, length)
    if (beyond !== -1) {
      const { name } = reading
      const region = regionText(name, reading.starts[beyond]!, reading.ends[beyond]!)
      const detail = `${name} ends at ${length} by the header, which may be wrong: ${name} alone means all of it`
      return notFound(`${region} in ${file}`, detail, "dropRegion")
    }
    const list = found.get(ref)
    if (list === undefined) found.set(ref, [reading])
    else list.push(reading)
  }
  return Result.succeed(
    [...found]
      .sort((a, b) => a[0] - b[0])
      .map(([ref, readings]) => {
        const { name } = known[ref]!
        const bounds = union(readings)
        return { ref, name, bounds, whole: bounds[0] === 0 && bounds[1] === Number.POSITIVE_INFINITY }
      })
  )
}

/** Place of the first number that is `least` or greater; -1 for none. */
const firstFrom = (numbers: ArrayLike<number>, least: number): number => {
  for (let i = 0; i < numbers.length; i++) if (numbers[i]! >= least) return i
  return -1
}

const regionText = (name: string, start: number, end: number): string =>
  `${quoteName(name)}:${start + 1}-${Number.isFinite(end) ? end : ""}`

/** A name that could be read as a region, or as several, has braces around it. */
const quoteName = (name: string): string => (/[:,\s]/.test(name) ? `{${name}}` : name)

/** How many regions are made into text at a time. */
const batch = 4096

/**
 * The regions as region text, in the same order, and `*` for the unplaced reads: what the headers of slices say.
 * It comes in pieces, which make one text with spaces between the regions.
 */
export function* formatRegions(regions: ReadonlyArray<ReferenceRegions>, takeUnplaced: boolean): Generator<string> {
  let words: Array<string> = []
  for (const { bounds, name, whole } of regions) {
    for (let i = 0; i < bounds.length; i += 2) {
      if (words.length === batch) {
        yield `${words.join(" ")} `
        words = []
      }
      words.push(whole ? quoteName(name) : regionText(name, bounds[i]!, bounds[i + 1]!))
    }
  }
  if (takeUnplaced) words.push("*")
  yield words.join(" ")
}
