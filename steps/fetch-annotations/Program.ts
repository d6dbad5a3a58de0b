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
import { makeSessionProfile } from "../../core/src/session/SessionSettings.ts"
import type { LocalSettings, Settings } from "../../core/src/settings/Settings.ts"
import type { Problems } from "../../core/src/settings/Validation.ts"
import { parseCondition } from "../../core/src/text/Condition.ts"
import { printable } from "../../core/src/text/Printable.ts"
import { counted, humanSize } from "../../core/src/text/Quantity.ts"
import * as Clients from "../../platform/Clients.ts"
import { type Output, openOutput } from "../../platform/files/OutputFile.ts"
import * as SpoolFiles from "../../platform/files/SpoolFiles.ts"
import { Screen } from "../../platform/terminal/Screen.ts"
import { makeServiceProgram, type Own, type StepExit, valuesOf } from "../main/Program.ts"
import { firstThatFits, rateOf, type StatusScreen, showStatus } from "../main/Status.ts"
import type { ValuesOf } from "../main/Step.ts"
import { version } from "../main/Version.ts"
import type { options } from "./FetchAnnotationsStep.ts"

interface Wanted extends Pick<ValuesOf<typeof options>, "output"> {
  /** Each once, in the order they are named. */
  readonly analyses: ReadonlyArray<string>
  readonly request: AnnotationsRequest
}

/** Fails with one sentence for each value that cannot be understood. */
const parse = ({ analysisIds: analyses }: LocalSettings, own: Own): Result.Result<Wanted, Problems> => {
  const { columns, filters, format, output } = valuesOf<typeof options>(own)
  const conditions = filters.map(parseCondition)
  const problems = conditions.flatMap((it) => (Result.isFailure(it) ? [it.failure] : []))
  if (problems.length > 0) return Result.fail(problems)
  const request = { format, columns, filters: conditions.map(Result.getOrThrow), several: analyses.length > 1 }
  return Result.succeed({ analyses, output, request })
}

/** The services of this step: one session, and a place where rows wait for their header: beside the output, which needs the space anyway. */
const wiring = (settings: Settings, { folder }: Output) => {
  const session = Clients.sessionLayer(settings, makeSessionProfile(version))
  return Layer.mergeAll(session, SpoolFiles.layer(folder ?? tmpdir()))
}

export const program = makeServiceProgram(
  (settings, _operands, own) => parse(settings, own),
  Effect.fnUntraced(function* (settings: Settings, wanted: Wanted) {
    const output = yield* openOutput(wanted.output)
    const progress = yield* makeProgress(yield* Screen)
    const fetch = yield* makeAnnotationsFetch(wanted.request, output, progress.received)
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
    if (counts.missingColumns.length > 0) {
      const missing = counts.missingColumns.join(", ")
      yield* Effect.logWarning(`Analysis ${analysis} does not have ${missing}: these cells of the table are empty`)
    }
    yield* Effect.logInfo(`Analysis ${analysis}: ${summary(counts)}`)
  })
  const { errors } = yield* askEach(analyses, fetch, takeCounts, isFatal)
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
