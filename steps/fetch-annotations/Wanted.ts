/** What the command line asks for, checked, and read where it names a file. */
import { Effect, Result } from "effect"
import type { AnnotationsRequest } from "../../core/src/annotations/AnnotationsFetch.ts"
import { readBed } from "../../core/src/genome/BedFile.ts"
import { fromBytes } from "../../core/src/genome/ByteReader.ts"
import { parseRange } from "../../core/src/genome/RegionText.ts"
import { readInput } from "../../platform/InputFile.ts"
import { type Own, type ValuesOf, valuesOf } from "../main/Step.ts"
import type { annotationOptions } from "./Options.ts"

export type AnnotationValues = ValuesOf<typeof annotationOptions>

/** Each analysis once, in the order they are named. */
export const analysesOf = (operands: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(operands.flatMap((operand) => operand.split(",")).map((id) => id.trim()))
]

/** One sentence for each thing that has no meaning. */
export const problemsOf = (operands: ReadonlyArray<string>, own: Own): ReadonlyArray<string> => {
  const { format, range } = valuesOf<typeof annotationOptions>(own)
  const problems: Array<string> = []
  if (analysesOf(operands).includes("")) problems.push("ID must not be empty")
  const shaping = ["columns", "gene", "range", "bed"].filter((name) => own.given(name)).map((name) => `--${name}`)
  if (format === "json" && shaping.length > 0) {
    problems.push(`--format json gives the answer as it is: it cannot be used with ${shaping.join(", ")}`)
  }
  if (own.given("range") && own.given("bed")) {
    problems.push("--range and --bed cannot be used together: both say which regions are wanted")
  }
  const parsed = range === null ? Result.succeed([]) : parseRange(range)
  if (Result.isFailure(parsed)) problems.push(parsed.failure.message)
  return problems
}

const regionsOf = Effect.fnUntraced(function* ({ bed, range }: AnnotationValues) {
  if (range !== null) return yield* Effect.fromResult(parseRange(range))
  if (bed === null) return null
  const { bytes, name } = yield* readInput(bed)
  return yield* readBed(name, fromBytes(bytes))
})

export const requestOf = Effect.fnUntraced(function* (values: AnnotationValues, analyses: ReadonlyArray<string>) {
  const { columns, format, gene } = values
  return {
    format,
    columns,
    filter: { genes: gene, regions: yield* regionsOf(values) },
    several: analyses.length > 1
  } satisfies AnnotationsRequest
})
