/** What a download is asked for, under the names of the settings, and what is said to a program that gives something else. */
import * as Schema from "effect/Schema"
import { type RestoreMode, RestorePolicy } from "../archive/Policy.ts"
import { misfitsOf, type OptionProblem } from "../Errors.ts"
import { type ChecksumKind, checksumKinds, type FileType, fileTypes } from "../selection/FileName.ts"
import type { Layout } from "../selection/OutputPath.ts"

/**
 * Regions as they are written down: in options, settings and entries.
 *
 * @category options
 * @since 0.1.0
 */
export interface RegionOptions {
  /** `chr1:1-1000 chr2`, 1-based and inclusive. */
  readonly range?: string | null
  /** Path of a BED file. */
  readonly bed?: string | null
  /** The unplaced reads, which lie after all others (BAM). */
  readonly unmapped?: boolean
}

/**
 * All that can be asked for, under the names of the settings; what is left out has their defaults.
 *
 * @category options
 * @since 0.1.0
 */
export interface DownloadOptions extends RegionOptions {
  readonly analysisIds?: ReadonlyArray<string>
  readonly sampleIds?: ReadonlyArray<string>
  readonly limsIds?: ReadonlyArray<string>
  /** `field op value`; all must hold. */
  readonly filters?: ReadonlyArray<string>
  /** Only the newest analysis of each person. */
  readonly latest?: boolean
  /** `bam` and `bam.bai` by default; a listing shows all types then. */
  readonly filetypes?: ReadonlyArray<FileType> | undefined
  /** What a listing shows; `filetypes` by default. */
  readonly shows?: ReadonlyArray<FileType> | null
  /** A folder that exists. */
  readonly destination?: string
  readonly layout?: Layout
  readonly overwrite?: boolean
  /** A file that was asked for and does not come is a failure: archived and not restored, or of a type that is not listed. */
  readonly requireAll?: boolean
  readonly restoreArchived?: RestoreMode
  readonly maxRestores?: number | null
  /** Files in transfer at the same time. */
  readonly connections?: number
  /** What a whole file must pass before it gets its final name; `structure` when it is left out. */
  readonly check?: "structure" | "full"
  /** A checksum beside each file, in coreutils' form. */
  readonly checksums?: ChecksumKind | null
  /** BAM and VCF.gz files that come without an index get one beside them, made of their records. */
  readonly makeIndex?: boolean
}

const texts = Schema.Array(Schema.NonEmptyString)
const types = Schema.Array(Schema.Literals(fileTypes)).pipe(Schema.check(Schema.isMinLength(1)))

const misfits = misfitsOf({
  analysisIds: texts,
  sampleIds: texts,
  limsIds: texts,
  filters: texts,
  latest: Schema.Boolean,
  filetypes: types,
  shows: Schema.NullOr(types),
  destination: Schema.NonEmptyString,
  layout: Schema.Literals(["flat", "analysis"]),
  overwrite: Schema.Boolean,
  requireAll: Schema.Boolean,
  restoreArchived: Schema.Literals(Object.keys(RestorePolicy) as ReadonlyArray<RestoreMode>),
  // Which numbers they may be is a rule for all who ask: see `parseRequest`.
  maxRestores: Schema.NullOr(Schema.Finite),
  connections: Schema.Finite,
  check: Schema.Literals(["structure", "full"]),
  checksums: Schema.NullOr(Schema.Literals(checksumKinds)),
  makeIndex: Schema.Boolean,
  range: Schema.NullOr(Schema.String),
  bed: Schema.NullOr(Schema.String),
  unmapped: Schema.Boolean
} satisfies { readonly [K in keyof DownloadOptions]-?: { readonly Type: Exclude<DownloadOptions[K], undefined> } })

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
