/**
 * What a run is asked for, read once: from settings, from the code of a program, or from the entry of a restoration file.
 */

import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type RestoreMode, RestorePolicy } from "../archive/Policy.ts"
import { AnalysisId, LimsId, SampleId } from "../contract/Ids.ts"
import {
  type LocalIo,
  misfitsOf,
  type NotFound,
  type OptionName,
  type OptionProblem,
  type UsageError,
  usageErrorOf
} from "../Errors.ts"
import type { Codec } from "../genome/bgzf/Codec.ts"
import { dataTypes, isDataType } from "../genome/formats/FileNames.ts"
import { readBedFile } from "../genome/regions/BedFile.ts"
import { parseRange, textOfRegion } from "../genome/regions/RegionText.ts"
import { type ChecksumKind, checks, checksumKinds, type FileType, fileTypes } from "../selection/FileName.ts"
import { type Filter, filterFields, parse } from "../selection/Filter.ts"
import type { SelectionRequest } from "../selection/Selection.ts"
import { combinationProblems, regionCombinations } from "../settings/Combinations.ts"
import type { SliceWish } from "../transfer/SliceRequest.ts"
import type { PlanRequest } from "./DownloadPlan.ts"

/** What a run is asked for; `downloadRequest` makes one. */
export interface DownloadRequest extends PlanRequest {
  readonly selection: SelectionRequest
  /** What a whole file must pass before it gets its final name. */
  readonly check: NonNullable<DownloadOptions["check"]>
  /** A checksum beside each file, in coreutils' form. */
  readonly checksums: ChecksumKind | null
  readonly makeIndex: boolean
  /** The types that a listing shows; null for all. */
  readonly shows: ReadonlyArray<FileType> | null
  /** The regions as they are stored when a file has to be restored first. */
  readonly regions: Regions
  readonly slice: SliceWish | null
  readonly destination: string
  /** What happens with archived files. */
  readonly archive: RestorePolicy
  readonly connections: number
}

/**
 * Why options are no request.
 *
 * @category errors
 * @since 0.1.0
 */
export type RequestError = UsageError | NotFound | LocalIo

/** A request whose options are parsed; the regions of its BED file are still to be read. */
export interface ParsedRequest extends Omit<DownloadRequest, "slice"> {
  /** The regions of `range`; none without one. */
  readonly wanted: SliceWish["wanted"]
}

const defaultTypes: ReadonlyArray<FileType> = ["bam", "bam.bai"]

/** Parses options; fails with all that is wrong with them, one sentence each. */
export const parseRequest = (options: DownloadOptions): Result.Result<ParsedRequest, ReadonlyArray<OptionProblem>> => {
  const problems: Array<OptionProblem> = []
  const refuse = (option: OptionName, message: string) => void problems.push({ option, message })
  const filters: Array<Filter> = []
  for (const source of options.filters ?? []) {
    const parsed = parse(source, filterFields)
    if (Result.isSuccess(parsed)) filters.push(parsed.success)
    else refuse("filters", parsed.failure.message)
  }
  const { analysisIds = [], latest = false, limsIds = [], sampleIds = [] } = options
  const {
    connections = 4,
    destination = ".",
    filetypes = defaultTypes,
    layout = "flat",
    makeIndex = false,
    overwrite = false,
    requireAll = false
  } = options
  const regions = regionsOf(options)
  const wanted = rangeOf(regions)
  if (Result.isFailure(wanted)) refuse("range", wanted.failure.message)
  const notCut = whyNotCut(regions, filetypes)
  if (notCut !== null) refuse("filetypes", notCut)
  if (!isCount(connections, 1)) refuse("connections", `connections is a whole number from 1, and not ${connections}`)
  if (!isCount(options.maxRestores ?? 0, 0)) {
    refuse("maxRestores", `maxRestores is a whole number from 0, and not ${options.maxRestores}`)
  }
  if (Result.isFailure(wanted) || problems.length > 0) return Result.fail(problems)
  return Result.succeed({
    selection: {
      // Options may come from a program as plain text.
      analysisIds: analysisIds.map((id) => AnalysisId.make(id)),
      sampleIds: sampleIds.map((id) => SampleId.make(id)),
      limsIds: limsIds.map((id) => LimsId.make(id)),
      filters,
      latest
    },
    shows: options.shows === undefined ? (options.filetypes ?? null) : options.shows,
    regions,
    wanted: wanted.success,
    filetypes,
    destination,
    layout,
    makeIndex,
    overwrite,
    requireAll,
    archive: { ...RestorePolicy[options.restoreArchived ?? "ask"], maxRestores: options.maxRestores ?? null },
    connections,
    check: options.check ?? "content",
    checksums: options.checksums ?? null
  })
}

const isCount = (value: number, least: number) => Number.isSafeInteger(value) && value >= least

/** The request with the regions of its BED file. */
export const readRequest = Effect.fn("svc.download.readRequest")(function* ({
  wanted,
  ...request
}: ParsedRequest): Effect.fn.Return<DownloadRequest, RequestError, FileSystem.FileSystem | Codec> {
  return { ...request, slice: yield* sliceOf(request.regions, wanted) }
})

/** The request that `options` stand for; `UsageError` names the options that are wrong, and says why. */
export const downloadRequest = (
  options: DownloadOptions
): Effect.Effect<DownloadRequest, RequestError, FileSystem.FileSystem | Codec> => {
  const wrong = wrongOptions(options)
  return Effect.fromResult(wrong.length > 0 ? Result.fail(wrong) : parseRequest(options)).pipe(
    Effect.mapError(usageErrorOf),
    Effect.flatMap(readRequest)
  )
}

/** Whether parts of files are wanted instead of whole files. */
export const wantsSlices = ({ bed, range, unmapped }: RegionOptions): boolean =>
  range != null || bed != null || unmapped === true

/** Why these regions cannot be cut out of files of these types, in a sentence; null when they can, or when none are wanted. */
const whyNotCut = (regions: RegionOptions, filetypes: ReadonlyArray<FileType>): string | null => {
  if (!wantsSlices(regions)) return null
  if (filetypes.some(isDataType)) return null
  return `Regions are cut out of ${dataTypes.join(" and ")} files: add one of them to filetypes; the index of a slice comes with it`
}

type Regions = ReturnType<typeof regionsOf>

const regionsOf = ({ bed = null, range = null, unmapped = false }: RegionOptions) => ({
  range: range === null || Predicate.isString(range) ? range : range.map(textOfRegion).join(" "),
  bed,
  unmapped
})

const rangeOf = ({ range }: Regions): Result.Result<SliceWish["wanted"], UsageError> =>
  range === null ? Result.succeed([]) : parseRange(range)

/** Null when whole files are wanted. Fails with `UsageError` for regions or a BED file that cannot be read as such. */
export const readRegions = Effect.fnUntraced(function* (
  options: RegionOptions
): Effect.fn.Return<SliceWish | null, RequestError, FileSystem.FileSystem | Codec> {
  const regions = regionsOf(options)
  return yield* sliceOf(regions, yield* Effect.fromResult(rangeOf(regions)))
})

const sliceOf = Effect.fnUntraced(function* (regions: Regions, wanted: SliceWish["wanted"]) {
  const { bed, unmapped } = regions
  if (!wantsSlices(regions)) return null
  return { wanted: bed === null ? wanted : yield* readBedFile(bed), unmapped }
})

const Types = Schema.Array(Schema.Literals(fileTypes)).pipe(Schema.check(Schema.isMinLength(1)))

/**
 * Regions as they are written down: in options, settings and entries.
 *
 * @category schemas
 * @since 0.1.0
 */
export const RegionOptions = Schema.Struct({
  /** `chr1:1-1000 chr2`, 1-based and inclusive; or `[{ reference: "chr1", start: 0, end: 1000 }]`, 0-based, without `end`. */
  range: Schema.optional(
    Schema.NullOr(
      Schema.Union([
        Schema.String,
        Schema.Array(Schema.Struct({ reference: Schema.String, start: Schema.Finite, end: Schema.Finite }))
      ])
    )
  ),
  /** Path of a BED file. */
  bed: Schema.optional(Schema.NullOr(Schema.String)),
  /** The unplaced reads, which lie after all others (BAM). */
  unmapped: Schema.optional(Schema.Boolean)
})
export interface RegionOptions extends Schema.Schema.Type<typeof RegionOptions> {}

/**
 * All that can be asked for, under the names of the settings; what is left out has their defaults. A program may give ids as plain
 * text.
 *
 * **Example** (Options of a file)
 *
 * ```ts
 * import { Effect, Schema } from "effect"
 * import { Downloads } from "svc-steps"
 *
 * // A misspelt option would be left out, and the run be another one.
 * const strictly = { onExcessProperty: "error" } as const
 * const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Downloads.DownloadOptions), strictly)
 * const run = Effect.fn(function* (json: string) {
 *   const options = yield* decode(json)
 *   return yield* Downloads.Downloads.use((downloads) => downloads.run(options))
 * })
 * ```
 *
 * @category schemas
 * @since 0.1.0
 */
export const DownloadOptions = Schema.Struct({
  ...RegionOptions.fields,
  analysisIds: Schema.optional(Schema.Array(AnalysisId.check(Schema.isNonEmpty()))),
  sampleIds: Schema.optional(Schema.Array(SampleId.check(Schema.isNonEmpty()))),
  limsIds: Schema.optional(Schema.Array(LimsId.check(Schema.isNonEmpty()))),
  /** `NAME op VALUE`; all must hold. */
  filters: Schema.optional(Schema.Array(Schema.NonEmptyString)),
  /** Only the newest analysis of each person. */
  latest: Schema.optional(Schema.Boolean),
  /** `bam` and `bam.bai` by default; a listing shows all types then. */
  filetypes: Schema.optional(Types),
  /** What a listing shows; `filetypes` by default. */
  shows: Schema.optional(Schema.NullOr(Types)),
  /** A folder that exists. */
  destination: Schema.optional(Schema.NonEmptyString),
  layout: Schema.optional(Schema.Literals(["flat", "analysis"])),
  overwrite: Schema.optional(Schema.Boolean),
  /** A file that was asked for and does not come is a failure: archived and not restored, or of a type that is not listed. */
  requireAll: Schema.optional(Schema.Boolean),
  restoreArchived: Schema.optional(Schema.Literals(Object.keys(RestorePolicy) as ReadonlyArray<RestoreMode>)),
  // Which numbers they may be is a rule for all who ask: see `parseRequest`.
  maxRestores: Schema.optional(Schema.NullOr(Schema.Finite)),
  /** Files in transfer at the same time. */
  connections: Schema.optional(Schema.Finite),
  /** What a whole file must pass before it gets its final name; `content` when it is left out. */
  check: Schema.optional(Schema.Literals(checks)),
  /** A checksum beside each file, in coreutils' form. */
  checksums: Schema.optional(Schema.NullOr(Schema.Literals(checksumKinds))),
  /** BAM and VCF.gz files that come without an index get one beside them, made of their records. */
  makeIndex: Schema.optional(Schema.Boolean)
})
export interface DownloadOptions extends Schema.Codec.Encoded<typeof DownloadOptions> {}

const misfits = misfitsOf(DownloadOptions.fields)

/** What is wrong with options before their values are read: names, types, and two that say the same differently. */
export const wrongOptions = (options: DownloadOptions): ReadonlyArray<OptionProblem> => {
  const problems = misfits(options)
  if (problems.length > 0) return problems
  const beside = combinationProblems(regionCombinations, {
    setTo: (name) => options[name as OptionName & keyof DownloadOptions] ?? null,
    isTyped: () => true,
    called: (name) => name
  })
  return beside.flatMap(({ message, options: names }) => names.map((name) => ({ option: name as OptionName, message })))
}
