/** The end of a run that delivers files: its report in the form that the name of its file asks for, its last line, its exit code. */
import { createHash } from "node:crypto"
import { hostname } from "node:os"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { nextOf } from "../../core/src/archive/Waiting.ts"
import {
  errorsOf,
  failureResult,
  isWhole,
  type RunResult,
  stopped,
  totalsOf
} from "../../core/src/download/FileResult.ts"
import type { RunRecord } from "../../core/src/download/RunRecord.ts"
import {
  type CannotCreate,
  type ExitCode,
  type LocalIo,
  mostSevere,
  RestorationsPending,
  type RunError,
  type UsageError
} from "../../core/src/Errors.ts"
import { multiQcJson } from "../../core/src/report/MultiQc.ts"
import { reportPage } from "../../core/src/report/Page.ts"
import { type ReportRun, reportJson, reportPieces } from "../../core/src/report/Report.ts"
import { canWriteReport, formOf, replaceable } from "../../core/src/report/ReportFile.ts"
import {
  headerOf,
  parseColumns,
  type SamplesheetForm,
  samplesheetOf,
  separatorOf,
  usualColumns
} from "../../core/src/report/Samplesheet.ts"
import { typeAt } from "../../core/src/settings/NamedFiles.ts"
import type { LocalSettings, TargetSettings } from "../../core/src/settings/Settings.ts"
import type { Problems } from "../../core/src/settings/Validation.ts"
import { logFailure } from "../../core/src/telemetry/FailureLog.ts"
import { printable, printableJson, shellWord } from "../../core/src/text/Printable.ts"
import { counted } from "../../core/src/text/Quantity.ts"
import { Scrubber } from "../../core/src/text/Scrubber.ts"
import { clearTemporaries } from "../../platform/files/AtomicFile.ts"
import { replaceFile } from "../../platform/files/OutputFile.ts"
import { userName } from "../../platform/ProcessIdentity.ts"
import * as LogOutput from "../../platform/terminal/LogOutput.ts"
import { adviceOf } from "../main/Advice.ts"
import { CommandText, type StepFailure } from "../main/Program.ts"
import { version } from "../main/Version.ts"
import { adviceFor, adviceOnArchived } from "./RunAdvice.ts"

/** What is told of a run: its record, and why its samplesheet could not be written. */
type Told = Omit<RunRecord, "results"> & { readonly results: Effect.Effect<ReadonlyArray<RunResult>> }

/** Runs `work`, which puts all it learns into `record`; the exit code of all that went wrong or is pending. */
export const conclude = <E extends RunError, R>(
  work: Effect.Effect<unknown, E, R>,
  record: RunRecord,
  settings: TargetSettings,
  step: ReportRun["step"]
): Effect.Effect<ExitCode, E | CannotCreate | UsageError | LocalIo, R | FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const { reportfile, samplesheet } = settings
    if (reportfile !== null) yield* Effect.andThen(canWriteReport(reportfile), clearTemporaries(reportfile))
    const sheet = samplesheet === null ? null : yield* planSamplesheet(samplesheet, settings)
    const unwritten: Array<RunResult> = []
    const told: Told = { ...record, results: Effect.map(record.results, (some) => [...some, ...unwritten]) }
    const stoppable = Effect.onInterrupt(work, () => sayKept(record))
    const documented =
      sheet === null
        ? stoppable
        : Effect.onExit(stoppable, () =>
            Effect.catch(writeSamplesheet(sheet, record, settings), (error) =>
              Effect.andThen(
                logFailure(error),
                Effect.sync(() => unwritten.push(failureResult(null, error)))
              )
            )
          )
    const code = yield* reportfile === null
      ? Effect.andThen(documented, codeOf(told, settings))
      : withReport(documented, told, settings, { step, reportfile })
    yield* sayPending(settings, record)
    return code
  })

/** To whoever stopped the run: what is there, and how to go on. */
const sayKept = (record: RunRecord): Effect.Effect<void> =>
  Effect.flatMap(record.results, (results) => {
    const text = keptText(results)
    return text === null ? Effect.void : LogOutput.conclusion(text)
  })

/** Null when the stopped run has nothing left to do. */
export const keptText = (results: ReadonlyArray<RunResult>): string | null => {
  const errors = errorsOf(results)
  const count = (error: RunError) => errors.filter((one) => one === error).length
  const [resume, restart, left] = [count(stopped.resumes), count(stopped.restarts), count(stopped.begins)]
  if (resume + restart + left === 0) return null
  const whole = totalsOf(results).downloaded
  const parts = [
    `${counted(whole, "file")} whole`,
    ...(resume === 0 ? [] : [resume === 1 ? "1 resumes where it stopped" : `${resume} resume where they stopped`]),
    ...(restart === 0 ? [] : [restart === 1 ? "1 slice starts again" : `${restart} slices start again`]),
    ...(left === 0 ? [] : [`${left} not begun`])
  ]
  return `${parts.join(", ")}: run the same command to go on`
}

/** The exit code of all that `record` has, and of `ended`, with which the run ends. */
export const codeOf = Effect.fnUntraced(function* (
  record: Told,
  settings: TargetSettings,
  ended: ReadonlyArray<RunError> = []
) {
  return mostSevere([...errorsOf(yield* record.results), ...(yield* pendingFailure(settings, record)), ...ended])
})

/** Pending restorations are the mildest failure (75), and none with `--pendingOk`. */
const pendingFailure = (settings: TargetSettings, record: Told): Effect.Effect<ReadonlyArray<RestorationsPending>> =>
  settings.pendingOk
    ? Effect.succeed([])
    : Effect.map(pendingOf(settings, record), (pending) => (pending === null ? [] : [pending]))

/** Writes the report however the run ends, also when it is stopped; a report that cannot be written is a failure. */
const withReport = <E extends RunError, R>(
  work: Effect.Effect<unknown, E, R>,
  record: Told,
  settings: TargetSettings,
  { reportfile, step }: { readonly reportfile: string; readonly step: ReportRun["step"] }
): Effect.Effect<ExitCode, E | CannotCreate | UsageError | LocalIo, R | FileSystem.FileSystem | Path.Path> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const runOf = Effect.fnUntraced(function* (results: ReadonlyArray<RunResult>, exitCode: ExitCode | null) {
        const pending = yield* pendingOf(settings, record)
        return {
          version,
          step,
          host: settings.baseUrl.host,
          command: yield* CommandText,
          machine: hostname(),
          user: userName(),
          startedAt: record.startedAt,
          finishedAt: DateTime.toDate(yield* DateTime.now),
          milliseconds: yield* record.milliseconds,
          exitCode,
          throughput: yield* record.throughput,
          advice: [...adviceFor(results), ...adviceOnArchived(results), ...(pending === null ? [] : [pending.message])],
          adviceOf
        } satisfies ReportRun
      })
      // A run that is killed writes none, and that of the run before would be taken for its own. A failure shows in the end.
      const isOfBefore = Effect.map(typeAt(reportfile), (type) => type === "File")
      const replaced = Effect.flatMap(runOf([], null), (run) => writeReport(reportfile, { ...run, goesOn: true }, []))
      yield* Effect.ignore(Effect.flatMap(isOfBefore, (there) => (there ? replaced : Effect.void)))
      const exit = yield* Effect.exit(restore(work))
      const error = Exit.isFailure(exit) ? Option.getOrNull(Cause.findErrorOption(exit.cause)) : null
      const results = [...(yield* record.results), ...(error === null ? [] : [failureResult(null, error)])]
      const errors = [...errorsOf(results), ...(yield* pendingFailure(settings, record))]
      const exitCode = Exit.isSuccess(exit) || error !== null ? mostSevere(errors) : codeOfCause(exit.cause)
      const run = yield* runOf(results, exitCode)
      const unwritten = yield* Effect.match(writeReport(reportfile, run, results), {
        onSuccess: () => null,
        onFailure: (failure) => failure
      })
      if (Exit.isFailure(exit) && (unwritten === null || error === null || !isWorse(unwritten, error)))
        return yield* Effect.failCause(exit.cause)
      if (unwritten === null) return mostSevere(errors)
      yield* logFailure(error ?? unwritten)
      return error === null ? mostSevere([...errors, unwritten]) : yield* unwritten
    })
  )

/** Stopped by a signal: the process knows which one, this program does not. */
const codeOfCause = (cause: Cause.Cause<unknown>): ExitCode | null => (Cause.hasInterruptsOnly(cause) ? null : 1)

const isWorse = (one: StepFailure, other: StepFailure): boolean => mostSevere([one, other]) !== mostSevere([other])

/** The configuration file of this command line; one that is found by itself is found again, and must not be named for another target. A pipe has been read. */
const configOf = ({ config, source }: TargetSettings): string =>
  config === null || source("config") !== "command line" || config.startsWith("/dev/fd/")
    ? ""
    : ` --config ${shellWord(config)}`

/** Null when nothing is awaited. */
export const pendingOf = Effect.fnUntraced(function* (settings: TargetSettings, record: Told) {
  const awaited = yield* record.awaited
  if (awaited.length === 0) return null
  const estimates = awaited.map(({ estimate }) => estimate)
  const nextEstimate = nextOf(estimates, yield* Clock.currentTimeMillis)
  return new RestorationsPending({
    count: awaited.length,
    lost: awaited.filter(({ underWay }) => !underWay).length,
    nextEstimate: nextEstimate === null ? null : printable(nextEstimate),
    // Without credentials.
    rerun: printable(
      `svc-resume-restore -t ${shellWord(settings.service ?? settings.target)}${configOf(settings)} --restorationFile ${shellWord(settings.restorationFile)}`
    )
  })
})

/**
 * The last line on standard error: how many are pending, when, and how to go on. At every log level, but for a quiet run with
 * `--pendingOk`: cron made a mail of it every 20 minutes.
 */
export const sayPending = Effect.fnUntraced(function* (settings: TargetSettings, record: Told) {
  const pending = yield* pendingOf(settings, record)
  const isNews = !settings.pendingOk || settings.loglevel === "info" || settings.loglevel === "debug"
  if (pending !== null && isNews) yield* LogOutput.conclusion(pending.message)
})

const sha256 = (text: string) => createHash("sha256").update(text).digest("base64")

/** The sentences in it lose the secrets of this process first. */
export const writeReport = Effect.fn("svc.step.writeReport")(function* (
  file: string,
  run: ReportRun,
  results: ReadonlyArray<RunResult>
) {
  const { document } = yield* Scrubber
  yield* replaceFile(file, encoded(textOf(file, run, results, document)), "the report")
})

const textOf = (
  file: string,
  run: ReportRun,
  results: ReadonlyArray<RunResult>,
  document: Scrubber["document"]
): Iterable<string> => {
  switch (formOf(file)) {
    case "page":
      return [reportPage(document(reportJson(run, results)), sha256)]
    case "multiqc":
      return [`${printableJson(multiQcJson(document(reportJson(run, results))))}\n`]
    case "json":
      return reportPieces(run, results, document)
  }
}

/** Characters of text that are written at a time. */
const batch = 64 * 1024

function* encoded(pieces: Iterable<string>): Generator<Uint8Array> {
  const encoder = new TextEncoder()
  let text = ""
  for (const piece of pieces) {
    text += piece
    if (text.length < batch) continue
    yield encoder.encode(text)
    text = ""
  }
  yield encoder.encode(text)
}

/** A samplesheet that can be written at the end of the run. */
interface Sheet {
  readonly path: string
  readonly form: SamplesheetForm
}

/** What the settings ask for, or what is wrong with them. */
export const sheetProblems = (settings: LocalSettings): Problems => {
  const { samplesheet, samplesheetColumns } = settings
  if (samplesheet === null) return []
  const columns = samplesheetColumns === null ? null : parseColumns(samplesheetColumns)
  return [
    ...(separatorOf(samplesheet) === null
      ? [`${samplesheet}: the name of a samplesheet ends in .csv (commas) or .tsv (tabs)`]
      : []),
    ...(columns !== null && Result.isFailure(columns) ? [`--samplesheetColumns: ${columns.failure}`] : [])
  ]
}

/** Asked before the run, as a report is. */
const planSamplesheet = Effect.fnUntraced(function* (path: string, settings: TargetSettings) {
  const columns = Result.getOrElse(
    settings.samplesheetColumns === null ? Result.succeed(usualColumns) : parseColumns(settings.samplesheetColumns),
    () => usualColumns
  )
  const form = { columns, separator: separatorOf(path) ?? ",", partial: settings.samplesheetPartial }
  yield* canWriteReport(path, replaceable.samplesheet(headerOf(form)))
  yield* clearTemporaries(path)
  return { path, form } satisfies Sheet
})

/** Says which analyses are not in it, or not whole. */
const writeSamplesheet = Effect.fn("svc.step.writeSamplesheet")(function* (
  { form, path }: Sheet,
  record: RunRecord,
  settings: TargetSettings
) {
  const fs = yield* FileSystem.FileSystem
  const results = yield* Effect.forEach(yield* record.results, placed)
  // A login that is refused, or a resume that finds nothing stored, says nothing of what an earlier run brought.
  if (results.length === 0 && (yield* Effect.orElseSucceed(fs.exists(path), () => false))) {
    return yield* Effect.logInfo(`${path} stays as it is: this run has no files for it`)
  }
  // What stored requests were for is in their results alone.
  const wanted = settings.resumeArchivedDownloads ? [] : settings.filetypes
  const sheet = samplesheetOf(results, yield* record.owners, wanted, form)
  for (const { analysisId, kept, lacks } of sheet.incomplete) {
    const end = kept ? "has empty cells" : "is left out of it"
    yield* Effect.logWarning(`${path}: analysis ${printable(analysisId)} lacks ${lacks}, and ${end}`)
  }
  yield* replaceFile(path, [new TextEncoder().encode(sheet.text)], "the samplesheet")
  yield* Effect.logInfo(`${counted(sheet.rows, "row")} in ${path}`)
})

/** With absolute paths. */
const placed = Effect.fnUntraced(function* (result: RunResult) {
  const { resolve } = yield* Path.Path
  if (!isWhole(result)) return result
  const path = resolve(result.path)
  return result.index === null
    ? { ...result, path }
    : { ...result, path, index: { ...result.index, path: resolve(result.index.path) } }
})
