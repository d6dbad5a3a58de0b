/** What a person sees of a run: a line for what happens, and the progress of what is being fetched. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { FileResult, RunResult } from "../../core/src/download/FileResult.ts"
import { archivedOf } from "../../core/src/download/Restoring.ts"
import { logFields } from "../../core/src/download/Run.ts"
import type { RunEvent } from "../../core/src/download/RunEvent.ts"
import { type Ended, Listener, type RunListener } from "../../core/src/download/RunEvents.ts"
import type { FileError, RunError } from "../../core/src/Errors.ts"
import { rowOf } from "../../core/src/report/Report.ts"
import { summaryLine } from "../../core/src/report/Summary.ts"
import { dataFileOf } from "../../core/src/selection/FileName.ts"
import { pathOf } from "../../core/src/selection/OutputPath.ts"
import type { RunFile } from "../../core/src/selection/RunFile.ts"
import { logFailure } from "../../core/src/telemetry/FailureLog.ts"
import { printable } from "../../core/src/text/Printable.ts"
import { counted, durationText, humanSize } from "../../core/src/text/Quantity.ts"
import type { TransferProgress } from "../../core/src/transfer/TransferRequest.ts"
import { Screen } from "../../platform/terminal/Screen.ts"
import { makeProgress, type Progress } from "./Progress.ts"
import { adviceFor } from "./RunAdvice.ts"

/**
 * Reads the events of a run to their end, and shows them.
 *
 * @param form - `resume` says nothing when transfers begin: they begin file by file as they come back
 * @param listener - hears of each event at once: of a run that is interrupted it knows every file
 */
export const watch = Effect.fn("svc.step.watch")(function* <A, E, R>(
  events: Stream.Stream<RunEvent | Ended<A>, E, R>,
  form: "download" | "resume",
  listener: RunListener
): Effect.fn.Return<void, E, R | Screen | Scope.Scope> {
  const show = yield* makeWatcher(form)
  const shown = Stream.runForEach(events, (event) => (event._tag === "Ended" ? Effect.void : show(event)))
  yield* Effect.provideService(shown, Listener, listener)
}, Effect.scoped)

const makeWatcher = Effect.fnUntraced(function* (form: "download" | "resume") {
  const screen = yield* Screen
  const scope = yield* Effect.scope
  let progress: { readonly shown: Progress; readonly scope: Scope.Closeable } | null = null
  let archived: ReadonlySet<RunFile> = new Set()
  // What stops several files is said once.
  const said = new Map<FileError, RunFile>()
  const begin = Effect.fnUntraced(function* (files: ReadonlyArray<RunFile>, bytes: number) {
    said.clear()
    if (files.length === 0) return
    if (form === "download") yield* Effect.logInfo(startText(files, bytes))
    const inner = yield* Scope.fork(scope)
    progress = { shown: yield* Scope.provide(makeProgress(screen, files), inner), scope: inner }
  })
  const settle = Effect.fnUntraced(function* (file: RunFile, result: FileResult) {
    if (progress === null || (yield* progress.shown.settled(file, result)) > 0) return
    yield* Scope.close(progress.scope, Exit.void)
    progress = null
  })
  const finish = Effect.fnUntraced(function* (file: RunFile, result: FileResult) {
    // The log has already said what happens with an archived file, when its restoration was decided.
    if (archived.has(file)) return
    yield* settle(file, result)
    const { action, error } = rowOf(result)
    const cause = result._tag === "Failed" ? said.get(result.error) : undefined
    if (result._tag === "Failed" && cause === undefined) said.set(result.error, file)
    const line = cause === undefined || error === null ? conclude(file, result) : concludeIndex(file, error, cause)
    yield* Effect.annotateLogs(line, { outcome: action })
  })
  return (event: RunEvent): Effect.Effect<void> => {
    switch (event._tag) {
      case "Failed":
        return logFailureOf(event.result.error, `analysis ${event.result.analysisId}`, event.result.analysisId ?? "")
      case "Begun":
        return begin(event.files, event.bytes)
      case "Progress": {
        const { file, progress: some } = event
        const line = Effect.annotateLogs(narrate(file, some), logFields(file))
        return Effect.andThen(progress?.shown.event(file, some) ?? Effect.void, line)
      }
      case "Finished":
        return Effect.annotateLogs(finish(event.file, event.result), logFields(event.file))
      case "Planned":
        archived = new Set(archivedOf(event.files))
        return Effect.void
      case "Listed":
      case "Awaiting":
        return Effect.void
    }
  }
})

/** The last lines of a run. */
export const summarise = Effect.fnUntraced(function* (
  results: ReadonlyArray<RunResult>,
  lineOf: typeof summaryLine = summaryLine
) {
  const { bad, text } = lineOf(results)
  for (const line of [text, ...adviceFor(results)]) yield* bad ? Effect.logError(line) : Effect.logInfo(line)
})

/** `bytes` is the sum of the sizes that the service states. */
const startText = (files: ReadonlyArray<RunFile>, bytes: number): string => {
  // The size of a slice is known when header and index are read, which happens later.
  if (files.every(({ slice }) => slice !== null)) return `Fetching regions of ${counted(files.length, "file")}`
  const count = `Fetching ${counted(files.length, "file")}`
  const unknown = files.filter(({ size }) => size === null).length
  if (unknown === 0) return `${count}, ${humanSize(bytes)}`
  return unknown === files.length ? count : `${count}, ${humanSize(bytes)} and ${unknown} of unknown size`
}

/** What happens to a transfer on its way; bytes are the progress display's business. */
const narrate = (file: RunFile, event: TransferProgress): Effect.Effect<void> => {
  const name = printable(pathOf(file))
  switch (event._tag) {
    case "Started":
      return event.resumedFrom > 0
        ? Effect.logInfo(`${name}: going on after ${humanSize(event.resumedFrom)} of an earlier run`)
        : Effect.logDebug(`${name}: started`)
    case "Bytes":
    case "GivenUp":
      return Effect.void
    case "Retrying":
      return Effect.logInfo(`${name}: ${event.reason}; again in ${durationText(event.milliseconds)}`)
    case "Renewing":
      return Effect.logInfo(`${name}: ${event.reason}; asking for a new link`)
    case "Restarting":
      return Effect.logWarning(`${name}: ${event.reason}; starting again from its first byte`)
    case "Refetching":
      return Effect.logWarning(`${name}: ${event.reason}; fetching ${humanSize(event.bytes)} again`)
  }
}

/** The line about an index that failed because its data file, `cause`, did; nothing for any other file. */
const concludeIndex = (file: RunFile, error: RunError, cause: RunFile): Effect.Effect<void> => {
  if (file.folder !== cause.folder || dataFileOf(file.fileName) !== cause.fileName) return Effect.void
  return logFailure(
    error,
    () => `${printable(pathOf(file))}: not downloaded, because ${printable(cause.fileName)} was not`
  )
}

/** Logs why something failed, by its name, which the sentence of a host that does not answer lacks. What ends a run is of all. */
const logFailureOf = (error: RunError, path: string, ...names: ReadonlyArray<string>) =>
  logFailure(error, (sentence) => {
    const said = printable(sentence)
    const isNamed = error.scope === "run" || names.some((name) => said.includes(printable(name)))
    return isNamed ? said : `${printable(path)}: ${said}`
  })

/** `0.0 s` would not be true. */
const secondsText = (seconds: number) => (seconds < 0.1 ? "<0.1 s" : durationText(1000 * seconds))

/** The one line about the end of a file. */
const conclude = (file: RunFile, result: FileResult): Effect.Effect<void> => {
  const name = printable(pathOf(file))
  switch (result._tag) {
    case "Failed":
      return logFailureOf(result.error, pathOf(file), file.fileName, pathOf(file).replace(/^.*\//, ""))
    case "Downloaded":
    case "Sliced": {
      const { attempts, seconds } = result.transfer
      const size = humanSize(result.bytes)
      const what =
        result._tag === "Downloaded"
          ? `downloaded, ${size}`
          : `${counted(result.records, "record")}, ${size} written (${humanSize(result.fetched)} fetched in ${counted(attempts, "request")})`
      const line = Effect.logInfo(`${name}: ${what} in ${secondsText(seconds)}`)
      // With a checksum of 64 characters no line fits a terminal; the report has it.
      return Effect.andThen(line, Effect.logDebug(`${name}: sha256 ${result.sha256}`))
    }
    case "Streamed": {
      const { bytes, records, transfer } = result
      const what = records === null ? humanSize(bytes) : `${counted(records, "record")}, ${humanSize(bytes)}`
      return Effect.logInfo(`${name}: ${what} written to standard output in ${secondsText(transfer.seconds)}`)
    }
    case "Kept":
      return Effect.logInfo(`${name}: exists, kept`)
    case "Skipped":
      return result.reason === "no-reads"
        ? Effect.logInfo(`${name}: skipped, this file type has no unmapped reads`)
        : Effect.void
    case "Pending":
      return Effect.void
  }
}
