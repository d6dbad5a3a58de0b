/** `--resumeArchivedDownloads`: downloads what has come back, and waits for the rest as long as it is told to. */

import { DateTime, Duration, Effect, FileSystem } from "effect"
import {
  entriesOf,
  type Item,
  othersIn,
  type TrackingDocument,
  without
} from "../../core/src/archive/TrackingDocument.ts"
import { TrackingFile } from "../../core/src/archive/TrackingFile.ts"
import { type Found, untilRestored } from "../../core/src/archive/Waiting.ts"
import type { PlannedFile } from "../../core/src/download/DownloadPlan.ts"
import { type FileResult, untouched } from "../../core/src/download/Outcome.ts"
import { type Look, makeResume, type Resume, type ResumeRequest } from "../../core/src/download/Resume.ts"
import { type Awaited, keyOfFile, makeRunRecord, type RunRecord } from "../../core/src/download/RunRecord.ts"
import { summaryLines } from "../../core/src/download/Summary.ts"
import type { ConfigUnusable, SessionError, TrackingReadError } from "../../core/src/Errors.ts"
import { standingsJson, standingsText } from "../../core/src/report/Standings.ts"
import type { Settings } from "../../core/src/settings/Settings.ts"
import { counted } from "../../core/src/text/Counted.ts"
import { Scrubber } from "../../core/src/text/Scrubber.ts"
import { Screen } from "../../platform/Screen.ts"
import { printDocument, printLines } from "../main/StandardOutput.ts"
import { Stopping } from "../main/Stopping.ts"
import { concluded } from "./Conclusion.ts"
import { type Countdown, makeCountdown } from "./Countdown.ts"
import { observe } from "./FetchFiles.ts"
import { ownFiles } from "./Planning.ts"
import { restoreRequestOf, sayPending } from "./Restorations.ts"
import { wiring } from "./Wiring.ts"
import { readWish } from "./Wish.ts"

/** Resumes, or with `--list` shows where everything stands; the exit code is 75 while something is pending. */
export const resumed = Effect.fn("download.resumed")(function* (settings: Settings) {
  const record = yield* makeRunRecord
  return yield* concluded(
    Effect.gen(function* () {
      const look = yield* resumeFiles(settings, record)
      if (settings.list && look !== null) {
        const { prose } = yield* Scrubber
        return yield* settings.format === "json"
          ? printDocument(standingsJson(look))
          : printLines(standingsText(look, prose))
      }
      yield* summarise(record)
    }),
    record,
    settings,
    "resume-restore"
  )
})

/** Waits for the archived `files` that this run has asked for, and downloads them; of other requests it sees nothing. */
export const awaited = Effect.fn("download.awaited")(function* (
  files: ReadonlyArray<PlannedFile>,
  settings: Settings,
  record: RunRecord
) {
  const keys = new Set(files.map(keyOfFile))
  const tracking = yield* TrackingFile
  const isForeign = ({ entry }: Item) => entry === null || !keys.has(keyOfFile(entry))
  const read = Effect.map(tracking.read, (document) => without(document, isForeign))
  yield* Effect.provideService(resumeFiles(settings, record), TrackingFile, { ...tracking, read })
  yield* summarise(record)
})

const summarise = Effect.fnUntraced(function* (record: RunRecord) {
  for (const { bad, text } of summaryLines(yield* record.results)) {
    yield* bad ? Effect.logError(text) : Effect.logInfo(text)
  }
})

/** Everything that becomes known goes into `record` at once. */
const resumeFiles = Effect.fn("download.resume")(function* (settings: Settings, record: RunRecord) {
  const request = resumeRequestOf(settings)
  const idle = withoutEffect.filter((key) => settings.source(key) === "command line").map((key) => `--${key}`)
  if (idle.length > 0) {
    yield* Effect.logWarning(
      `${idle.join(" and ")}: no effect on stored requests, which are resumed as they were made; it counts only where an entry stores nothing`
    )
  }
  const tracking = yield* TrackingFile
  // Without an entry there is no need to log in.
  const document = yield* tracking.read
  if (isIdle(document, request)) {
    const others = othersIn(document, request.target, request.nameOf)
    const more = others.length === 0 ? "" : `, and ${others.length} of other targets, which were left alone`
    const fs = yield* FileSystem.FileSystem
    const isThere = yield* Effect.orElseSucceed(fs.exists(tracking.path), () => true)
    yield* Effect.logInfo(
      isThere
        ? `${tracking.path} has no restorations for ${request.target}${more}`
        : `${tracking.path} does not exist, so there are no restorations to resume`
    )
    return { standings: [], unusable: [], others }
  }
  const screen = yield* Screen
  const stopping = yield* Stopping
  const resume = yield* makeResume(request, (files) => Effect.provideService(observe(files, record), Screen, screen))
  const wait = settings.wait ?? Duration.zero
  const waits = !Duration.isZero(wait) && !settings.list
  const countdown = yield* makeCountdown(screen)
  const attempt = Effect.gen(function* () {
    yield* countdown.end
    const found = yield* oneLook(resume, settings, waits).pipe(
      Effect.onInterrupt(() => Effect.flatMap(resume.sofar, (look) => noted(look, record)))
    )
    if (found.value.look !== null) yield* noted(found.value.look, record)
    // From here on a signal ends nothing but the waiting.
    if (waits) yield* stopping.endWith(settings.pendingOk ? 0 : 75)
    return found
  })
  const patience = { wait: waits ? wait : Duration.zero, poll: settings.poll }
  const { error, look } = yield* untilRestored(attempt, patience, (_, sleep, left) =>
    asleep(record, countdown, sleep, left)
  ).pipe(Effect.onInterrupt(() => sayPending(settings, record)))
  yield* stopping.endWith(null)
  if (error !== null) return yield* error
  return look
}, Effect.scoped)

/** What every request stores for itself. */
const withoutEffect = ["destination", "filetypes", "overwrite", "layout", "range", "bed", "unmapped"] as const

const resumeRequestOf = (settings: Settings): ResumeRequest => {
  const { connections, destination, filetypes, layout, list, overwrite, restoreArchived } = settings
  return {
    ...restoreRequestOf(settings, restoreArchived),
    fallback: { destination, overwrite, layout, filetypes },
    wishOf: readWish,
    connections,
    own: ownFiles(settings),
    statusOnly: list
  }
}

const isIdle = (document: TrackingDocument, { nameOf, target }: ResumeRequest): boolean =>
  entriesOf(document, target, nameOf).size === 0 && document.items.every(({ problem }) => problem === null)

interface Outcome {
  /** Null when the service was away. */
  readonly look: Look | null
  readonly error: LookError | null
}

/**
 * One look, with a session of its own. Who waits gets over a service that is away for some time; when it is away at the
 * last look, that is the failure of the run.
 */
const oneLook = (resume: Resume, settings: Settings, waits: boolean) =>
  resume.look.pipe(
    Effect.provide(wiring(settings)),
    Effect.map((look): Found<Outcome> => ({ value: { look, error: null }, awaited: awaitedIn(look) })),
    Effect.catch((error): Effect.Effect<Found<Outcome>, LookError> => {
      if (!waits || !error.retryable) return Effect.fail(error)
      const again: Found<Outcome> = { value: { look: null, error }, awaited: [null] }
      return Effect.as(Effect.logWarning(error.message), again)
    })
  )

type LookError = SessionError | TrackingReadError | ConfigUnusable

/** What may still come back: what is pending, and what failed for a reason that passes. */
const awaitedIn = ({ standings }: Look): ReadonlyArray<string | null> =>
  standings.flatMap(({ state }) =>
    state._tag === "Requested"
      ? [state.estimate]
      : state._tag === "Failed" && state.error.retryable === true
        ? [null]
        : []
  )

const noted = Effect.fnUntraced(function* ({ standings, unusable }: Look, record: RunRecord) {
  const nothing = { analysisId: null, fileName: null, path: null, bytes: null }
  const refused = unusable.map((error) => untouched(nothing, { action: "failed", reason: null, error }))
  yield* record.resumed([...eachOnce(standings.flatMap(({ results }) => results)), ...refused])
  yield* record.awaiting(standings.flatMap(({ state }) => (state._tag === "Requested" ? [state] : [])))
})

/** An index that has an entry of its own came with its data file: two entries tell of one file, which counts once. */
const eachOnce = (results: ReadonlyArray<FileResult>): ReadonlyArray<FileResult> => {
  const keyOf = ({ action, path, reason, startedAt }: FileResult) =>
    path === null ? null : JSON.stringify([path, action, reason, startedAt])
  return [...new Map(results.map((result) => [keyOf(result) ?? result, result])).values()]
}

/** Pending is only what is under way. */
const awaitedText = (awaited: ReadonlyArray<Awaited>) =>
  `${counted(awaited.length, "restoration")} ${awaited.every(({ underWay }) => underWay) ? "pending" : "requested"}`

const asleep = Effect.fnUntraced(function* (
  record: RunRecord,
  countdown: Countdown,
  sleep: Duration.Duration,
  left: Duration.Duration
) {
  const awaited = yield* record.awaited
  const now = yield* DateTime.now
  const [next, end] = [sleep, left].map((time) => DateTime.formatIso(DateTime.addDuration(now, time)))
  yield* Effect.logInfo(`${awaitedText(awaited)}; looking again at ${next}, until ${end} at most`)
  yield* countdown.begin(awaited.length, sleep, left)
})
