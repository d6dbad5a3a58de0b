/** `--resumeArchivedDownloads`: downloads what has come back, and waits for the rest as long as `--wait` says. */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import { type StoredRequests, storedRequests } from "../../core/src/archive/StoredRequests.ts"
import { type ServiceAddress, TrackingFile } from "../../core/src/archive/TrackingFile.ts"
import { isOverdue } from "../../core/src/archive/Waiting.ts"
import type { DownloadRequest } from "../../core/src/download/DownloadRequest.ts"
import type { FileResult } from "../../core/src/download/FileResult.ts"
import { awaitedIn, entryFailures, type Look } from "../../core/src/download/RestorationStatus.ts"
import { storableOptions, storesOwn } from "../../core/src/download/RestoredFiles.ts"
import { expectedIn, makeResume, type ResumeRequest, untilBack } from "../../core/src/download/Resume.ts"
import { eventsOf } from "../../core/src/download/RunEvents.ts"
import { makeRunRecord, type RunRecord } from "../../core/src/download/RunRecord.ts"
import type { RunError } from "../../core/src/Errors.ts"
import { restorationsJson, restorationsText } from "../../core/src/report/Listing.ts"
import type { Settings } from "../../core/src/settings/Settings.ts"
import { serviceOf } from "../../core/src/settings/Target.ts"
import { printable } from "../../core/src/text/Printable.ts"
import { counted } from "../../core/src/text/Quantity.ts"
import { Scrubber } from "../../core/src/text/Scrubber.ts"
import { Screen } from "../../platform/terminal/Screen.ts"
import { adviceOf } from "../main/Advice.ts"
import { Stopping } from "../main/Program.ts"
import { printDocument, printLines } from "../main/StandardOutput.ts"
import { clockText, drawStatus, firstThatFits, type StatusScreen } from "../main/Status.ts"
import { codeOf, conclude, sayPending } from "./Conclusion.ts"
import { summarise, watch } from "./Watching.ts"
import { trackingWiring, wiring } from "./Wiring.ts"

/** Resumes, or with `--list` shows where everything stands; the exit code is 75 while something is awaited. */
export const resumeRun = Effect.fn("svc.step.resumeRun")(
  function* (request: DownloadRequest, settings: Settings) {
    const record = yield* makeRunRecord
    const work = Effect.gen(function* () {
      const resumed = resumeOf(request, settings)
      const stored = yield* storedRequests(resumed.service)
      yield* warnOfIdle(stored, settings)
      yield* sayOthers(stored, resumed.service)
      const look = yield* resume(resumed, settings, record)
      yield* settings.list ? show(look, settings) : summarise(yield* record.results)
    })
    return yield* conclude(work, record, settings, "resume-restore")
  },
  (effect, _, settings) => Effect.provide(effect, trackingWiring(settings))
)

/** Where everything stands, on standard output. */
const show = Effect.fnUntraced(function* (look: Look, { format }: Settings) {
  const { prose } = yield* Scrubber
  yield* format === "json"
    ? printDocument(restorationsJson(look, adviceOf))
    : printLines(restorationsText(look, prose, adviceOf))
})

/** Waits for the archived `files` that this run has asked for, and downloads them; of other requests it sees nothing. */
export const awaitRestored = Effect.fn("svc.step.awaitRestored")(function* (
  files: ReadonlyArray<FileResult>,
  request: DownloadRequest,
  settings: Settings,
  record: RunRecord
) {
  const nameOf = ({ analysisId, fileName }: Record<"analysisId" | "fileName", string | null>) =>
    JSON.stringify([analysisId, fileName])
  const names = new Set(files.map(nameOf))
  const only: ResumeRequest["only"] = ({ entry }) => names.has(nameOf(entry))
  yield* resume({ ...resumeOf(request, settings), only }, settings, record)
  yield* summarise(yield* record.results)
})

const resumeOf = (fallback: DownloadRequest, settings: Settings): ResumeRequest => ({
  fallback,
  service: serviceOf(settings),
  statusOnly: settings.list
})

/** Options of the command line that some or all stored requests do not take, as they store their own. */
const warnOfIdle = Effect.fnUntraced(function* ({ requests }: StoredRequests, settings: Settings) {
  const given = storableOptions.filter((option) => settings.source(option) === "command line")
  if (given.length === 0) return
  const all = requests.length
  const idle = Map.groupBy(given, (option) => requests.filter((request) => storesOwn(request, option)).length)
  for (const [count, options] of idle) {
    if (count === 0 && all > 0) continue
    const which = count === all ? "stored requests" : `${count} of ${all} stored requests`
    const names = options.map((option) => `--${option}`).join(", ")
    yield* Effect.logWarning(`${names}: no effect on ${which}, which are resumed as they were made`)
  }
})

/**
 * Requests for other targets are left alone, and whoever made them fetches their files. Where nobody does, the service has moved, or
 * this run has the wrong target: the files would go back to the archive, and what their restoration cost is lost.
 */
const sayOthers = Effect.fnUntraced(function* ({ others }: StoredRequests, { nameOf, target }: ServiceAddress) {
  const { path } = yield* TrackingFile
  const now = yield* Clock.currentTimeMillis
  for (const [other, entries] of Map.groupBy(others, (entry) => printable(nameOf(entry.target)))) {
    const overdue = entries.filter((entry) => isOverdue(entry, now)).length
    const what = (count: number) => `${path}: ${counted(count, "restoration")} for ${other}`
    yield* overdue === 0
      ? Effect.logInfo(`${what(entries.length)}, left alone`)
      : Effect.logWarning(
          `${what(overdue)} overdue, left alone by a run for ${target}; if the service has moved, write its new address into their target`
        )
  }
})

/** The last look; everything that becomes known goes into `record` at once. */
const resume = Effect.fn("svc.step.resumeFiles")(function* (
  request: ResumeRequest,
  settings: Settings,
  record: RunRecord
) {
  const idle = yield* idleLook(request, settings.given("restorationFile"))
  // Without an entry there is no need to log in.
  if (idle !== null) return idle
  const [screen, stopping] = [yield* Screen, yield* Stopping]
  const run = yield* makeResume(request)
  const latest = yield* Ref.make<Look>({ statuses: [], unusable: [], others: [] })
  const wait = settings.list ? Duration.zero : (settings.wait ?? Duration.zero)
  const countdown = yield* makeCountdown(screen)
  const look = Effect.gen(function* () {
    yield* countdown.end
    // A signal ends a download again, which is no waiting.
    yield* stopping.endWith(null)
    const events = eventsOf(Effect.tap(run.look, (found) => Ref.set(latest, found)))
    yield* Effect.provide(watch(events, "resume", record.note), wiring(settings))
    return yield* Ref.get(latest)
  })
  const onSleep = Effect.fnUntraced(function* (
    sleep: Duration.Duration,
    left: Duration.Duration,
    error: RunError | null
  ) {
    // From here on a signal ends nothing but the waiting: as the end of its time would now.
    const found = yield* Ref.get(latest)
    const stuck = entryFailures(found).map((failure) => failure.error)
    yield* stopping.endWith(yield* codeOf(record, settings, error === null ? stuck : [error, ...stuck]))
    const expected = expectedIn(found).length
    const now = yield* DateTime.now
    const [next, end] = [sleep, left].map((time) => DateTime.formatIso(DateTime.addDuration(now, time)))
    // Pending is only what is under way, and no file that failed for a reason that passes.
    const pending = awaitedIn(found).filter(({ underWay }) => underWay).length
    const state = pending === expected ? "pending" : "requested"
    const what = expected === 0 ? "no answer yet" : `${counted(expected, "restoration")} ${state}`
    yield* Effect.logInfo(`${what}; looking again at ${next}, until ${end} at most`)
    yield* countdown.begin(what, sleep, left)
  })
  const last = yield* untilBack(look, { wait, poll: settings.poll }, onSleep).pipe(
    Effect.onInterrupt(() => sayPending(settings, record))
  )
  yield* stopping.endWith(null)
  // A later look may have taken an entry out, so that is told of the last one.
  for (const result of entryFailures(yield* Ref.get(latest))) yield* record.note({ _tag: "Failed", result })
  return last
}, Effect.scoped)

/** What there is to say when the file has nothing for this service; null when it has. */
const idleLook = Effect.fnUntraced(function* ({ service }: ResumeRequest, named: boolean) {
  const { others, requests, unusable } = yield* storedRequests(service)
  if (requests.length + unusable.length > 0) return null
  const { path } = yield* TrackingFile
  const fs = yield* FileSystem.FileSystem
  const isThere = yield* Effect.orElseSucceed(fs.exists(path), () => true)
  // The name of the file may be a mistake: the restorations would never be fetched.
  if (!isThere && named)
    yield* Effect.logWarning(`${path} does not exist: no restoration is resumed; is this the file that was meant?`)
  else
    yield* Effect.logInfo(
      isThere
        ? `${path} has no restorations for ${service.target}`
        : `${path} does not exist, so there are no restorations to resume`
    )
  return { statuses: [], unusable, others }
})

/** What a person sees while restorations are awaited: for what, when the next look is, and how long it goes on. */
export interface Countdown {
  /** A pause begins: its length, and the longest time that the waiting may still take. */
  readonly begin: (awaited: string, sleep: Duration.Duration, left: Duration.Duration) => Effect.Effect<void>
  /** It is over: the status is left to what comes next. */
  readonly end: Effect.Effect<void>
}

/** Times in ms. */
export const countdownLine = (
  { awaited, deadline, wake }: { readonly awaited: string; readonly wake: number; readonly deadline: number },
  columns: number
): string => {
  const until = (time: number) => clockText(Math.max(0, Math.ceil(time / 1000)))
  return firstThatFits(
    [
      `${awaited}, looking again in ${until(wake)}, for another ${until(deadline)} at most; Ctrl-C keeps them for a later run`,
      `${awaited}, looking again in ${until(wake)}, for ${until(deadline)} at most`,
      `${awaited}, next look ${until(wake)}, end ${until(deadline)}`,
      `${awaited}, next look ${until(wake)}`,
      `next look ${until(wake)}`
    ],
    columns
  )
}

/** Drawn on a terminal until the scope closes; elsewhere the log says it once for each pause. */
export const makeCountdown = Effect.fnUntraced(function* (
  screen: StatusScreen
): Effect.fn.Return<Countdown, never, Scope.Scope> {
  let now: { readonly awaited: string; readonly wake: number; readonly deadline: number } | null = null
  const time = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))
  yield* drawStatus(screen, (columns) =>
    Effect.map(time, (at) =>
      now === null ? null : [countdownLine({ ...now, wake: now.wake - at, deadline: now.deadline - at }, columns)]
    )
  )
  return {
    begin: (awaited, sleep, left) =>
      Effect.map(time, (at) => {
        now = { awaited, wake: at + Duration.toMillis(sleep), deadline: at + Duration.toMillis(left) }
      }),
    end: Effect.sync(() => {
      now = null
      screen.status([])
    })
  }
})
