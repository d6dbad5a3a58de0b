/** What a download is asked for, under the names of the settings, and what is said to a program that gives something else. */
import * as Schema from "effect/Schema"
import { type RestoreMode, RestorePolicy } from "../archive/Policy.ts"
import { misfitsOf, type OptionProblem } from "../Errors.ts"
import { checksumKinds, fileTypes } from "../selection/FileName.ts"

const Id = Schema.NonEmptyString

const Types = Schema.Array(Schema.Literals(fileTypes)).pipe(Schema.check(Schema.isMinLength(1)))

/**
 * Regions as they are written down: in options, settings and entries.
 *
 * @category schemas
 * @since 0.1.0
 */
export const RegionOptions = Schema.Struct({
  /** `chr1:1-1000 chr2`, 1-based and inclusive. */
  range: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** Path of a BED file. */
  bed: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** The unplaced reads, which lie after all others (BAM). */
  unmapped: Schema.optionalKey(Schema.Boolean)
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
 * const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Downloads.DownloadOptions))
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
  analysisIds: Schema.optionalKey(Schema.Array(Id.pipe(Schema.brand("AnalysisId")))),
  sampleIds: Schema.optionalKey(Schema.Array(Id.pipe(Schema.brand("SampleId")))),
  limsIds: Schema.optionalKey(Schema.Array(Id.pipe(Schema.brand("LimsId")))),
  /** `field op value`; all must hold. */
  filters: Schema.optionalKey(Schema.Array(Schema.NonEmptyString)),
  /** Only the newest analysis of each person. */
  latest: Schema.optionalKey(Schema.Boolean),
  /** `bam` and `bam.bai` by default; a listing shows all types then. */
  filetypes: Schema.optional(Types),
  /** What a listing shows; `filetypes` by default. */
  shows: Schema.optionalKey(Schema.NullOr(Types)),
  /** A folder that exists. */
  destination: Schema.optionalKey(Schema.NonEmptyString),
  layout: Schema.optionalKey(Schema.Literals(["flat", "analysis"])),
  overwrite: Schema.optionalKey(Schema.Boolean),
  /** A file that was asked for and does not come is a failure: archived and not restored, or of a type that is not listed. */
  requireAll: Schema.optionalKey(Schema.Boolean),
  restoreArchived: Schema.optionalKey(Schema.Literals(Object.keys(RestorePolicy) as ReadonlyArray<RestoreMode>)),
  // Which numbers they may be is a rule for all who ask: see `parseRequest`.
  maxRestores: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
  /** Files in transfer at the same time. */
  connections: Schema.optionalKey(Schema.Finite),
  /** What a whole file must pass before it gets its final name; `structure` when it is left out. */
  check: Schema.optionalKey(Schema.Literals(["structure", "full"])),
  /** A checksum beside each file, in coreutils' form. */
  checksums: Schema.optionalKey(Schema.NullOr(Schema.Literals(checksumKinds))),
  /** BAM and VCF.gz files that come without an index get one beside them, made of their records. */
  makeIndex: Schema.optionalKey(Schema.Boolean)
})
export interface DownloadOptions extends Schema.Codec.Encoded<typeof DownloadOptions> {}

const misfits = misfitsOf(DownloadOptions.fields)

/** What is wrong with options before their values are read: names, types, and two that say the same differently. */
export const wrongOptions = (options: DownloadOptions): ReadonlyArray<OptionProblem> => {
  const problems = misfits(options)
  if (problems.length > 0 || options.bed == null) return problems
  const others = (["range", "unmapped"] as const).filter((name) => options[name])
  return others.map((option) => ({
    option,
    message: `bed and ${option} cannot be used together: give the regions as range`
  }))
}
