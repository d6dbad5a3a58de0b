/**
 * Wanted regions in the one form that slicing works with: per reference, sorted, merged, 0-based half-open. Names are
 * checked against those of the file, so a typing error ends before any data moves.
 */
import { Result } from "effect"
import { UsageError } from "../Errors.ts"
import type { RegionText } from "./RegionText.ts"

/** A reference of the file; `length` null when the file does not say. */
export interface KnownReference {
  readonly name: string
  readonly length: number | null
}

/** What is wanted of one reference. */
export interface ReferenceRegions {
  /** Its number in the file. */
  readonly ref: number
  readonly name: string
  /** Starts and ends in turn: sorted, not touching each other; an end may be `Infinity`. */
  readonly bounds: ReadonlyArray<number>
  /** True when every position is wanted. */
  readonly whole: boolean
}

const fail = (message: string) => Result.fail(new UsageError({ message }))

/** Spellings of one chromosome that files differ in: prefix, case, mitochondrion. */
const spelling = (name: string): string => {
  const bare = name.toLowerCase().replace(/^chr/, "")
  return bare === "m" ? "mt" : bare
}

const unknown = (name: string, known: ReadonlyArray<KnownReference>): string => {
  const alike = known.find((reference) => spelling(reference.name) === spelling(name))
  const hint = alike === undefined ? "" : `; did you mean ${alike.name}?`
  const some = known
    .slice(0, 5)
    .map((reference) => reference.name)
    .join(", ")
  const list = alike !== undefined || known.length === 0 ? "" : ` (it has ${some}${known.length > 5 ? ", ..." : ""})`
  return `Unknown reference: ${name} is not in the file${hint}${list}`
}

/** Sorted intervals without overlap; touching ones become one. */
const merge = (intervals: ReadonlyArray<readonly [number, number]>): ReadonlyArray<number> => {
  const bounds: Array<number> = []
  for (const [start, end] of [...intervals].sort((a, b) => a[0] - b[0])) {
    const last = bounds.length - 1
    if (last < 0 || start > bounds[last]!) bounds.push(start, end)
    else if (end > bounds[last]!) bounds[last] = end
  }
  return bounds
}

/**
 * Decides every region by the references of the file, which come in file order; so does the result. A text that is both a
 * name and a name with positions is refused, as samtools does. Ends beyond a reference are cut. Fails with `UsageError`.
 */
export const resolveRegions = (
  wanted: ReadonlyArray<RegionText>,
  known: ReadonlyArray<KnownReference>
): Result.Result<ReadonlyArray<ReferenceRegions>, UsageError> => {
  const numbers = new Map(known.map((reference, i) => [reference.name, i]))
  const found = new Map<number, Array<readonly [number, number]>>()
  for (const { readings, text } of wanted) {
    const possible = readings.filter(({ name }) => numbers.has(name))
    const [reading] = possible
    if (reading === undefined) return fail(unknown(readings[readings.length - 1]?.name ?? text, known))
    if (possible.length > 1) {
      const names = possible.map(({ name }) => `{${name}}`)
      return fail(
        `Ambiguous range: ${text}: write ${names[0]} for the reference, or ${names[1]}:${text.slice(text.lastIndexOf(":") + 1)} for a part`
      )
    }
    const ref = numbers.get(reading.name) ?? 0
    const length = known[ref]?.length ?? Number.POSITIVE_INFINITY
    const end = Math.min(reading.end ?? length, length)
    if (reading.start >= end) return fail(`Invalid range: ${text}: ${reading.name} has ${length} bases`)
    const list = found.get(ref)
    if (list === undefined) found.set(ref, [[reading.start, end]])
    else list.push([reading.start, end])
  }
  return Result.succeed(
    [...found]
      .sort((a, b) => a[0] - b[0])
      .map(([ref, intervals]) => {
        const bounds = merge(intervals)
        const { length, name } = known[ref]!
        return { ref, name, bounds, whole: bounds[0] === 0 && bounds[1]! >= (length ?? Number.POSITIVE_INFINITY) }
      })
  )
}

/** The regions as region text, in the same order; what the headers of slices say. */
export const formatRegions = (regions: ReadonlyArray<ReferenceRegions>): string => {
  const words: Array<string> = []
  for (const { bounds, name, whole } of regions) {
    const quoted = name.includes(":") ? `{${name}}` : name
    if (whole) words.push(quoted)
    else {
      for (let i = 0; i < bounds.length; i += 2) {
        const end = bounds[i + 1]!
        words.push(`${quoted}:${bounds[i]! + 1}-${Number.isFinite(end) ? end : ""}`)
      }
    }
  }
  return words.join(" ")
}
