/** What the command line asks for, and its regions read where they stand in a file. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { AnnotationsRequest } from "../../core/src/annotations/AnnotationsFetch.ts"
import { fromBytes } from "../../core/src/genome/ByteReader.ts"
import { readBed } from "../../core/src/genome/regions/BedFile.ts"
import { parseRange, type RegionText } from "../../core/src/genome/regions/RegionText.ts"
import type { LocalSettings } from "../../core/src/settings/Settings.ts"
import { readInput } from "../../platform/inputs/InputFile.ts"
import { type Own, type Problems, type ValuesOf, valuesOf } from "../main/Step.ts"
import type { annotationOptions } from "./Options.ts"

/** What the command line asks for, before files that it names are read. */
export interface Wanted extends Omit<ValuesOf<typeof annotationOptions>, "range"> {
  /** Each once, in the order they are named. */
  readonly analyses: ReadonlyArray<string>
  /** Null without `--range`. */
  readonly regions: ReadonlyArray<RegionText> | null
}

/** Fails with one sentence for each value that cannot be understood. */
export const parse = ({ analysisIds: analyses }: LocalSettings, own: Own): Result.Result<Wanted, Problems> => {
  const { range, ...values } = valuesOf<typeof annotationOptions>(own)
  const problems: Array<string> = []
  const shaping = ["columns", "gene", "range", "bed"].filter((name) => own.given(name)).map((name) => `--${name}`)
  if (values.format === "json" && shaping.length > 0) {
    problems.push(`--format json gives the answer as it is: it cannot be used with ${shaping.join(", ")}`)
  }
  if (own.given("range") && own.given("bed")) {
    problems.push("--range and --bed cannot be used together: both say which regions are wanted")
  }
  const regions = range === null ? Result.succeed(null) : parseRange(range)
  if (Result.isFailure(regions)) problems.push(regions.failure.message)
  if (Result.isFailure(regions) || problems.length > 0) return Result.fail(problems)
  return Result.succeed({ ...values, analyses, regions: regions.success })
}

const regionsIn = Effect.fnUntraced(function* (bed: string) {
  const { bytes, name } = yield* readInput(bed)
  return yield* readBed(name, fromBytes(bytes))
})

/** The request, with the regions of its BED file. */
export const requestOf = Effect.fnUntraced(function* ({ analyses, bed, columns, format, gene, regions }: Wanted) {
  return {
    format,
    columns,
    filter: { genes: gene, regions: regions ?? (bed === null ? null : yield* regionsIn(bed)) },
    several: analyses.length > 1
  } satisfies AnnotationsRequest
})
