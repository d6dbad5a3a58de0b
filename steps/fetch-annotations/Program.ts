/** The program of `svc-fetch-annotations`. */

import { tmpdir } from "node:os"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import {
  type AnnotationsCounts,
  type AnnotationsError,
  type AnnotationsRequest,
  makeAnnotationsFetch
} from "../../core/src/annotations/AnnotationsFetch.ts"
import type { Received } from "../../core/src/annotations/BodyReading.ts"
import { askEach } from "../../core/src/client/Outage.ts"
import { mostSevere } from "../../core/src/Errors.ts"
import { fromBytes } from "../../core/src/genome/ByteReader.ts"
import { readBed } from "../../core/src/genome/regions/BedFile.ts"
import { parseRange, type RegionText } from "../../core/src/genome/regions/RegionText.ts"
import { makeSessionProfile } from "../../core/src/session/SessionSettings.ts"
import type { LocalSettings, Settings } from "../../core/src/settings/Settings.ts"
import type { Problems } from "../../core/src/settings/Validation.ts"
import { printable } from "../../core/src/text/Printable.ts"
import { counted, humanSize } from "../../core/src/text/Quantity.ts"
import * as Clients from "../../platform/Clients.ts"
import { type Output, openOutput } from "../../platform/files/OutputFile.ts"
import * as SpoolFiles from "../../platform/files/SpoolFiles.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import { readInput } from "../../platform/inputs/InputFile.ts"
import { Screen } from "../../platform/terminal/Screen.ts"
import { makeServiceProgram, type Own, type StepExit, valuesOf } from "../main/Program.ts"
import { firstThatFits, rateOf, type StatusScreen, showStatus } from "../main/Status.ts"
import type { ValuesOf } from "../main/Step.ts"
import { version } from "../main/Version.ts"
import type { options } from "./FetchAnnotationsStep.ts"

/** What the command line asks for, before files that it names are read. */
interface Wanted extends Omit<ValuesOf<typeof options>, "range"> {
  /** Each once, in the order they are named. */
  readonly analyses: ReadonlyArray<string>
  /** Null without `--range`. */
  readonly regions: ReadonlyArray<RegionText> | null
}

/** Fails with one sentence for each value that cannot be understood. */
const parse = ({ analysisIds: analyses }: LocalSettings, own: Own): Result.Result<Wanted, Problems> => {
  const { range, ...values } = valuesOf<typeof options>(own)
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
const requestOf = Effect.fnUntraced(function* ({ analyses, bed, columns, format, gene, regions }: Wanted) {
  return {
    format,
    columns,
    filter: { genes: gene, regions: regions ?? (bed === null ? null : yield* regionsIn(bed)) },
    several: analyses.length > 1
  } satisfies AnnotationsRequest
})

/** The services of this step: one session, and a place where rows wait for their header: beside the output, which needs the space anyway. */
const wiring = (settings: Settings, { folder }: Output) => {
  const session = Clients.sessionLayer(settings, makeSessionProfile(version))
  return Layer.mergeAll(session, SpoolFiles.layer(folder ?? tmpdir()))
}

export const program = makeServiceProgram(
  (settings, _operands, own) => parse(settings, own),
  Effect.fnUntraced(function* (settings: Settings, wanted: Wanted) {
    const request = yield* Effect.provide(requestOf(wanted), ZlibCodec.layer)
    const output = yield* openOutput(wanted.output)
    const progress = yield* makeProgress(yield* Screen)
    const fetch = yield* makeAnnotationsFetch(request, output, progress.received)
    const one = (analysis: string) => progress.during(analysis, fetch(analysis))
    const work = fetchEach(wanted.analyses, one, output, wanted.output)
    return yield* Effect.provide(work, wiring(settings, output))
  }, Effect.scoped)
)

/** Failures of the request or the output, not of one analysis: nothing is written. */
const isFatal = ({ _tag, scope }: AnnotationsError): boolean => _tag === "SvcUsageError" || scope === "file"

/** What stands in the log about one analysis, or all of them. */
const summary = ({ bytes, rowsRead, rowsWritten }: Pick<AnnotationsCounts, "bytes" | "rowsRead" | "rowsWritten">) =>
  `${rowsWritten === rowsRead ? counted(rowsRead, "row") : `${rowsWritten} of ${counted(rowsRead, "row")}`}, ${counted(bytes, "byte")} received`

const warningsOf = (analysis: string, { missingColumns, unplacedRows }: AnnotationsCounts): ReadonlyArray<string> => [
  ...(missingColumns.length === 0
    ? []
    : [`Analysis ${analysis} does not have ${missingColumns.join(", ")}: these cells of the table are empty`]),
  ...(unplacedRows === 0
    ? []
    : [`Analysis ${analysis}: ${counted(unplacedRows, "row")} left out, because the position cannot be read`])
]

/**
 * Writes one analysis after the other into one output. An analysis that fails does not stop the others: the output then holds
 * the complete ones, the log names the others, and the exit code is that of a failure.
 *
 * @param name - of the output, as the user gave it
 */
const fetchEach = Effect.fnUntraced(function* <R>(
  analyses: ReadonlyArray<string>,
  fetch: (analysis: string) => Effect.Effect<AnnotationsCounts, AnnotationsError, R>,
  output: Output,
  name: string
): Effect.fn.Return<StepExit, AnnotationsError, R> {
  const done: Array<AnnotationsCounts> = []
  const takeCounts = Effect.fnUntraced(function* (counts: AnnotationsCounts, analysis: string) {
    done.push(counts)
    yield* Effect.forEach(warningsOf(analysis, counts), (it) => Effect.logWarning(it), { discard: true })
    yield* Effect.logInfo(`Analysis ${analysis}: ${summary(counts)}`)
  })
  const { errors } = yield* askEach(analyses, fetch, takeCounts, isFatal)
  for (const gene of unmetIn(done, ({ unmetGenes }) => unmetGenes)) {
    yield* Effect.logWarning(`No variant of gene ${gene}`)
  }
  const unmet = unmetIn(done, ({ unmetChromosomes }) => unmetChromosomes)
  if (unmet.length > 0)
    yield* Effect.logWarning(
      elsewhere(
        unmet,
        done.flatMap(({ chromosomes }) => chromosomes)
      )
    )
  if (done.length > 0) yield* output.commit
  const sum = (value: (counts: AnnotationsCounts) => number) => done.reduce((total, counts) => total + value(counts), 0)
  const total = summary({
    rowsRead: sum(({ rowsRead }) => rowsRead),
    rowsWritten: sum(({ rowsWritten }) => rowsWritten),
    bytes: sum(({ bytes }) => bytes)
  })
  const where = name === "-" ? "standard output" : name
  if (errors.length === 0) {
    if (done.length > 1) yield* Effect.logInfo(`${done.length} analyses: ${total}`)
  } else if (done.length === 0) yield* Effect.logError(`None of ${analyses.length} analyses could be fetched`)
  else yield* Effect.logError(`${where} has ${done.length} of ${analyses.length} analyses: ${total}`)
  return mostSevere(errors)
})

/** Wanted genes or chromosomes that no analysis had. */
const unmetIn = (
  [first, ...others]: ReadonlyArray<AnnotationsCounts>,
  unmet: (counts: AnnotationsCounts) => ReadonlyArray<string>
): ReadonlyArray<string> =>
  first === undefined ? [] : unmet(first).filter((wanted) => others.every((counts) => unmet(counts).includes(wanted)))

/**
 * Unlike a BAM file, the annotations do not say which chromosomes there are: one without a variant is no error, and one
 * that does not exist looks the same.
 */
const elsewhere = (unmet: ReadonlyArray<string>, there: ReadonlyArray<string>): string => {
  const few = (names: ReadonlyArray<string>) =>
    names.length > 5 ? `${names.slice(0, 5).join(", ")} and ${names.length - 5} more` : names.join(", ")
  const some = [...new Set(there)].slice(0, 6).join(", ")
  return `No variant at all on ${few(unmet)}${some === "" ? "" : `; there are variants on ${some}: is it spelt as there?`}`
}

interface Progress {
  readonly received: (now: Received) => void
  /** Draws while `work` runs. */
  readonly during: <A, E, R>(analysis: string, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

const statusLine = (analysis: string, { bytes, rows }: Received, milliseconds: number, columns: number): string => {
  const rate = rateOf(bytes, milliseconds)
  const name = printable(analysis)
  const speed = rate === null ? "" : `, ${humanSize(rate)}/s`
  return firstThatFits(
    [`Analysis ${name}: ${humanSize(bytes)}, ${rows} rows${speed}`, `${name}: ${humanSize(bytes)}${speed}`],
    columns
  )
}

/** What a person sees while a body comes: one line about it. */
const makeProgress = (screen: StatusScreen): Effect.Effect<Progress, never, Scope.Scope> =>
  Effect.gen(function* () {
    let analysis: string | null = null
    let begun = 0
    let now: Received = { bytes: 0, rows: 0 }
    yield* showStatus(screen, (columns) =>
      Effect.map(Clock.currentTimeMillis, (time) =>
        analysis === null ? null : [statusLine(analysis, now, time - begun, columns)]
      )
    )
    return {
      received: (latest) => {
        now = latest
      },
      during: (id, work) =>
        Effect.gen(function* () {
          begun = yield* Clock.currentTimeMillis
          analysis = id
          now = { bytes: 0, rows: 0 }
          return yield* work
        }).pipe(
          Effect.ensuring(
            Effect.sync(() => {
              analysis = null
              screen.status([])
            })
          )
        )
    }
  })
