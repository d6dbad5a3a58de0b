/**
 * Regions as people write them on a command line: samtools' region strings. Only the form is checked here, so that a
 * typing error is found before a login; which names exist is for `Regions` to say.
 */
import * as Result from "effect/Result"
import { UsageError } from "../../Errors.ts"

/** Intervals of one reference, 0-based half-open: a start and an end for each, `Infinity` for the end of the reference. */
export interface Reading {
  readonly name: string
  readonly starts: ArrayLike<number>
  readonly ends: ArrayLike<number>
}

/** A wanted region, or all those of a BED file on one reference: the ways it can be read, to be decided by the names that exist. */
export interface RegionText {
  /** As it was written, for messages. */
  readonly text: string
  /** Of a BED file: the first line that names the reference. */
  readonly line?: number
  readonly readings: ReadonlyArray<Reading>
}

/**
 * Bases of a reference: 0-based, from `start` to before `end`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Region {
  readonly reference: string
  readonly start: number
  readonly end: number
}

/** A region as people write it, by which it is also checked. What is not plain gets braces: else all of it could be read as a name. */
export const textOfRegion = ({ end, reference, start }: Region): string => {
  const isPlain = /^[\w.-]+$/.test(reference) && Number.isSafeInteger(start) && Number.isSafeInteger(end)
  return `${isPlain ? reference : `{${reference}}`}:${start + 1}-${end}`
}

interface Interval {
  readonly start: number
  readonly end: number
}

const whole: Interval = { start: 0, end: Number.POSITIVE_INFINITY }

const reading = (name: string, { end, start }: Interval): Reading => ({ name, starts: [start], ends: [end] })

/** No reference is longer; larger numbers are typing errors. */
export const longestReference = 2 ** 40

/** Shows control characters, and no more of a long text than helps. */
const quoteInput = (text: string): string => {
  const short = text.length > 80 ? `${text.slice(0, 77)}...` : text
  return JSON.stringify(short).slice(1, -1)
}

const wrong = (text: string, reason: string) =>
  new UsageError({ message: `Invalid range: ${quoteInput(text)}: ${reason}` })

/** Digits with commas, as a number; NaN for anything else. */
const count = (text: string): number => (/^\d[\d,]*$/.test(text) ? Number(text.replaceAll(",", "")) : Number.NaN)

/** True for text that can only be meant as positions. */
const likePositions = (text: string): boolean => /^[\d,-]*$/.test(text)

/** `N`, `a-b`, `a-` or `-b` (1-based, inclusive) as an interval; the failure says what is wrong. */
const parsePositions = (text: string): Result.Result<Interval, string> => {
  const dash = text.indexOf("-")
  const from = dash === -1 ? text : text.slice(0, dash)
  const to = dash === -1 ? "" : text.slice(dash + 1)
  if (from === "" && to === "") return Result.fail("positions are missing")
  const start = from === "" ? 1 : count(from)
  const end = to === "" ? Number.POSITIVE_INFINITY : count(to)
  if (Number.isNaN(start) || Number.isNaN(end)) return Result.fail("expected CHR:START-END with whole numbers")
  if (start < 1) return Result.fail("positions count from 1")
  if (start > longestReference || (to !== "" && end > longestReference)) return Result.fail("no reference is as long")
  if (end < start) return Result.fail("it ends before it starts")
  return Result.succeed({ start: start - 1, end })
}

/**
 * Hardly a name of a reference has a comma (SAM specification, section 1.2.1 forbids it now), so one outside of positions stands
 * between regions, unless there are braces around it.
 */
const parseRegion = (text: string): Result.Result<RegionText, UsageError> =>
  Result.flatMap(parseReadings(text), (region) =>
    !text.startsWith("{") && region.readings.every(({ name }) => name.includes(","))
      ? Result.fail(wrong(text, "regions are separated by spaces; a name with a comma goes into braces, {a,b}:1-9"))
      : Result.succeed(region)
  )

const parseReadings = (text: string): Result.Result<RegionText, UsageError> => {
  if (text === "*") return Result.fail(wrong(text, "it means the unplaced reads: a download takes them with unmapped"))
  if (text.startsWith("{")) {
    const close = text.indexOf("}")
    const name = text.slice(1, close)
    if (close < 2) return Result.fail(wrong(text, "the closing } or the name is missing"))
    const rest = text.slice(close + 1)
    if (rest === "") return Result.succeed({ text, readings: [reading(name, whole)] })
    if (!rest.startsWith(":")) return Result.fail(wrong(text, "after } comes : and positions"))
    return Result.mapBoth(parsePositions(rest.slice(1)), {
      onFailure: (reason) => wrong(text, reason),
      onSuccess: (interval) => ({ text, readings: [reading(name, interval)] })
    })
  }
  const colon = text.lastIndexOf(":")
  const asName = reading(text, whole)
  if (colon === -1) return Result.succeed({ text, readings: [asName] })
  const positions = text.slice(colon + 1)
  if (!likePositions(positions)) return Result.succeed({ text, readings: [asName] })
  if (colon === 0) return Result.fail(wrong(text, "the name of the reference is missing"))
  return Result.mapBoth(parsePositions(positions), {
    onFailure: (reason) => wrong(text, reason),
    onSuccess: (interval) => ({ text, readings: [asName, reading(text.slice(0, colon), interval)] })
  })
}

/** A region: what stands in braces at its beginning may have blanks. Where braces do not close, the next blank ends it. */
const regionWord = /\{[^{}]*\}\S*|\S+/g

/** Regions that stand in one text with white space between them. */
export const regionWords = (text: string): ReadonlyArray<string> => text.match(regionWord) ?? []

/**
 * Parses regions separated by white space: `chr`, `chr:start` (to the end of the reference), `chr:start-end`, `chr:-end`,
 * 1-based and inclusive, with or without commas, and `{name}:start-end` for names that look like regions or have a comma or a blank.
 * Fails with `UsageError`.
 */
export const parseRange = (text: string): Result.Result<ReadonlyArray<RegionText>, UsageError> => {
  const words = regionWords(text)
  if (words.length === 0) return Result.fail(wrong(text, "it names no region"))
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const control = words.find((word) => /[\u0000-\u001f\u007f]/.test(word))
  if (control !== undefined) return Result.fail(wrong(control, "it has control characters"))
  const regions: Array<RegionText> = []
  // The first that is wrong ends it: fifty thousand errors took a second.
  for (const word of words) {
    const region = parseRegion(word)
    if (Result.isFailure(region)) return Result.fail(region.failure)
    regions.push(region.success)
  }
  return Result.succeed(regions)
}
