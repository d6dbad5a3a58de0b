/**
 * One entry of the restoration file: a file that waits for its restoration, with all that was asked for when it was
 * requested (docs/dev/service.md 2.3).
 *
 * `target`, `requestTime` and `status` are the keys of the object layout; the array layout may have them as well. An
 * entry without a target belongs to whatever target is asked for. Paths are relative to the folder of the file.
 */

import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { parseExactly } from "../contract/ExactNumber.ts"
import { AnalysisId } from "../contract/Ids.ts"
import { Hint, maybe, WideInteger } from "../contract/Record.ts"
import {
  type Check,
  type ChecksumKind,
  checks,
  checksumKinds,
  fileTypeOf,
  fileTypes,
  unsafeName
} from "../selection/FileName.ts"
import { placeOfIssue } from "../text/IssuePlace.ts"

const Id = Schema.Union([Schema.NonEmptyString, Schema.Int, WideInteger])

const Options = Schema.Struct({
  destination: maybe(Schema.NonEmptyString),
  overwrite: maybe(Schema.Boolean),
  range: maybe(Schema.NonEmptyString),
  bed: maybe(Schema.NonEmptyString),
  filetypes: maybe(Schema.Array(Schema.Literals(fileTypes)).pipe(Schema.check(Schema.isNonEmpty()))),
  restorationFile: Schema.optionalKey(Hint),
  unmapped: maybe(Schema.Boolean),
  layout: maybe(Schema.Literals(["flat", "analysis"])),
  checksums: maybe(Schema.Literals(checksumKinds)),
  check: maybe(Schema.Literals(checks)),
  makeIndex: maybe(Schema.Boolean)
})

/**
 * What an entry stores of the options of its request; absent where the entry says nothing.
 *
 * @category options
 * @since 0.1.0
 */
export type StoredOptions = typeof Options.Type

const Entry = Schema.Struct({
  analysisId: Id,
  fileName: Schema.NonEmptyString,
  restoreEstimation: Schema.optionalKey(Hint),
  target: maybe(Schema.NonEmptyString),
  requestTime: Schema.optionalKey(Hint),
  status: Schema.optionalKey(Hint),
  askedAgain: Schema.optionalKey(Hint),
  options: maybe(Options)
})

const decodeEntry = Schema.decodeUnknownResult(Entry)

/**
 * A request that waits for a restoration, as its entry says.
 *
 * @category models
 * @since 0.1.0
 */
export interface TrackingEntry {
  readonly analysisId: AnalysisId
  readonly fileName: string
  /** As the service gave it: any text, or null. A hint for when to look, never a fact. */
  readonly restoreEstimation: string | null
  readonly target: string | null
  readonly requestTime: string | null
  readonly status: string | null
  /** When a resuming run last asked for the restoration again, which the request itself agreed to; a key of ours. */
  readonly askedAgain: string | null
  readonly options: StoredOptions
  /** The options as they are in the file, with the keys that are not ours. */
  readonly storedOptions: Readonly<Record<string, unknown>>
  /** Stands for everything in the options that makes one request different from another. */
  readonly optionsKey: string
}

/** Status of an entry that is written before the service is asked, so that no answer can be lost. */
export const requesting = "requesting"

/** An entry out of a parsed JSON value; fails with a reason for a person. */
export const readEntry = (value: unknown): Result.Result<TrackingEntry, string> => {
  if (!isObject(value)) return Result.fail("it is not an object")
  const decoded = decodeEntry(value)
  if (Result.isFailure(decoded)) return Result.fail(placeOfIssue(decoded.failure))
  const { analysisId, fileName, options, ...entry } = decoded.success
  // The command line refuses such names and types; a file may have been written by anybody.
  const unsafe = unsafeName(fileName)
  if (unsafe !== null) return Result.fail(unsafe.message)
  if (fileTypeOf(fileName) === null) return Result.fail("fileName: not a file type that can be downloaded")
  return Result.succeed({
    analysisId: AnalysisId.make(String(analysisId)),
    fileName,
    restoreEstimation: entry.restoreEstimation ?? null,
    target: entry.target ?? null,
    requestTime: entry.requestTime ?? null,
    status: entry.status ?? null,
    askedAgain: entry.askedAgain ?? null,
    options: options ?? {},
    storedOptions: isObject(value["options"]) ? value["options"] : {},
    optionsKey: optionsKeyOf(value["options"])
  })
}

/** What makes two entries the same request; ids and options that differ only in form are equal (`"12"` and `12`). */
export const keyOf = (target: string, entry: Pick<TrackingEntry, "analysisId" | "fileName" | "optionsKey">): string =>
  JSON.stringify([target, entry.analysisId, entry.fileName, entry.optionsKey])

/** Keys that make no difference between requests: values that mean the same as a missing key, and where the restoration file lies. */
const makesNoDifference = (key: string, value: unknown) =>
  value === null || value === false || key === "restorationFile" || (key === "layout" && value === "flat")

/** The key of stored options, given as parsed JSON. */
export const optionsKeyOf = (options: unknown): string => {
  const members = isObject(options)
    ? Object.entries(options).filter(([key, value]) => !makesNoDifference(key, value))
    : []
  return JSON.stringify(canonical(Object.fromEntries(members)))
}

/** The same for all values that mean the same: names sorted, numbers as text, file types as a set. */
const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical).sort(byText)
  if (isObject(value)) {
    return Object.entries(value)
      .map(([key, member]): readonly [string, unknown] => [key, canonical(member)])
      .sort(byText)
  }
  return typeof value === "number" ? String(value) : value
}

const byText = (a: unknown, b: unknown) => {
  const [one, other] = [JSON.stringify(a), JSON.stringify(b)]
  return one < other ? -1 : one > other ? 1 : 0
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What is written for a new request. */
export interface NewEntry {
  readonly target: string
  readonly analysisId: AnalysisId
  readonly fileName: string
  readonly restoreEstimation: string | null
  /** ISO 8601 UTC; null only where an entry said nothing before. */
  readonly requestTime: string | null
  readonly status: string | null
  /** ISO 8601 UTC, or null; absent leaves what the entry says. */
  readonly askedAgain?: string | null
  /** `NewOptions`, or what an entry had stored before. */
  readonly options: NewOptions | Readonly<Record<string, unknown>>
}

/** The options of a new request, in the order of docs/dev/service.md 2.3. */
export interface NewOptions {
  readonly destination: string
  readonly overwrite: boolean
  readonly range: string | null
  readonly bed: string | null
  readonly restorationFile: string
  readonly filetypes: ReadonlyArray<string>
  readonly unmapped?: true
  readonly layout?: "analysis"
  readonly checksums?: ChecksumKind
  readonly check?: Exclude<Check, "content">
  readonly makeIndex?: true
}

/** What a later run needs to know of the request. */
export interface WantedOptions
  extends Omit<NewOptions, "unmapped" | "layout" | "restorationFile" | "checksums" | "check" | "makeIndex"> {
  readonly unmapped: boolean
  readonly checksums: ChecksumKind | null
  readonly check: Check
  readonly makeIndex: boolean
  readonly layout: "flat" | "analysis"
}

export const newOptions = (
  wanted: WantedOptions,
  { own, stored }: Pick<StoredPaths, "own" | "stored">
): NewOptions => ({
  destination: stored(wanted.destination),
  overwrite: wanted.overwrite,
  range: wanted.range,
  bed: wanted.bed === null ? null : stored(wanted.bed),
  restorationFile: own,
  filetypes: wanted.filetypes,
  ...(wanted.unmapped ? { unmapped: true } : {}),
  ...(wanted.layout === "analysis" ? { layout: "analysis" } : {}),
  ...(wanted.checksums === null ? {} : { checksums: wanted.checksums }),
  ...(wanted.check === "content" ? {} : { check: wanted.check }),
  ...(wanted.makeIndex ? { makeIndex: true } : {})
})

/** The JSON text of a new entry, its keys in the order of docs/dev/service.md 2.3 and those beyond it last. */
export const textOf = ({ analysisId, fileName, restoreEstimation, options, ...rest }: NewEntry): string => {
  const { target, requestTime, status } = rest
  return JSON.stringify({ analysisId, fileName, restoreEstimation, options, target, requestTime, status }, null, 2)
}

/** The JSON text of an entry with some values replaced, all its other keys kept, each number by its digits. */
export const withChanges = (
  text: string,
  changes: Partial<Pick<NewEntry, "restoreEstimation" | "requestTime" | "status" | "askedAgain">>
): string => JSON.stringify({ ...(parseExactly(text, "all") as object), ...changes }, null, 2)

export interface StoredPaths {
  /**
   * Where a stored path leads; fails with a reason for a person when that cannot be known.
   *
   * @param restorationFile - what the same entry says of the restoration file; null when it says nothing
   */
  readonly located: (stored: string, restorationFile: string | null) => Result.Result<string, string>
  /** How a path of this run is stored: as given when that leads there from the folder of the file, else absolute. */
  readonly stored: (given: string) => string
  /** How this run names the restoration file in its entries. */
  readonly own: string
}

/** @param file - the restoration file as the user names it; a symbolic link counts where it lies */
export const storedPaths = (file: string): Effect.Effect<StoredPaths, never, Path.Path> =>
  Effect.map(Path.Path, (path) => {
    const folder = path.dirname(path.resolve(file))
    return {
      located: (stored, restorationFile) =>
        path.isAbsolute(stored)
          ? Result.succeed(path.resolve(stored))
          : Result.map(baseOf(path, folder, restorationFile), (base) => path.resolve(base, stored)),
      stored: (given) => (path.resolve(folder, given) === path.resolve(given) ? given : path.resolve(given)),
      own: folder === path.resolve(".") ? path.basename(file) : path.resolve(file)
    }
  })

/** The folder that the relative paths of an entry begin at. */
const baseOf = (path: Path.Path, folder: string, restorationFile: string | null): Result.Result<string, string> => {
  // An absolute name names no folder but the one the file lies in.
  if (restorationFile === null || path.isAbsolute(restorationFile)) return Result.succeed(folder)
  const levels = path
    .dirname(path.normalize(restorationFile))
    .split(path.sep)
    .filter((level) => level !== ".")
  const last = folder.split(path.sep).slice(-levels.length)
  return levels.length === 0
    ? Result.succeed(folder)
    : levels.every((level, index) => level !== ".." && level === last[index])
      ? Result.succeed(path.resolve(folder, ...levels.map(() => "..")))
      : Result.fail(
          `its paths are relative to a folder that cannot be told: it was written as ${restorationFile}, and that is ` +
            "not how the file lies now; make them absolute"
        )
}
