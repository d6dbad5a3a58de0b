/** The download itself: plan, fetch, and say for every file what became of it. */

import { Effect, type Scope } from "effect"
import { unwritable } from "../../core/src/download/DestinationView.ts"
import { refuseAll, shortage } from "../../core/src/download/DiskNeed.ts"
import type { PlannedFile } from "../../core/src/download/DownloadPlan.ts"
import { type RunObserver, run } from "../../core/src/download/DownloadRun.ts"
import type { FileResult } from "../../core/src/download/Outcome.ts"
import type { RunRecord } from "../../core/src/download/RunRecord.ts"
import { summaryLines } from "../../core/src/download/Summary.ts"
import { pathOf } from "../../core/src/selection/Place.ts"
import { counted } from "../../core/src/text/Counted.ts"
import { printable } from "../../core/src/text/Printable.ts"
import { humanSize } from "../../core/src/text/Size.ts"
import type { TransferProgress } from "../../core/src/transfer/TransferRequest.ts"
import { Screen } from "../../platform/Screen.ts"
import type { LinkSource } from "./LinkSource.ts"
import { type Planned, planned } from "./Planning.ts"
import { makeProgress } from "./Progress.ts"
import { awaitedOf, withRestoration } from "./Restorations.ts"
import type { DownloadSettings } from "./Wish.ts"

/**
 * Everything that becomes known goes into `record` at once. Restorations are asked for first: they take longest. Gives
 * the files whose restoration is pending.
 */
export const fetchFiles = Effect.fn("download.fetch")(function* <E, R>(
  settings: DownloadSettings,
  source: LinkSource<E, R>,
  record: RunRecord
) {
  const { entries, failures } = yield* source.gather(() => Effect.void)
  yield* Effect.forEach(failures, record.failed, { discard: true })
  const analyses = entries.map(({ listed }) => listed)
  const { plan, room } = yield* withRoom(yield* planned(settings, analyses))
  for (const failure of plan.failures) {
    yield* Effect.logError(failure.error.message)
    yield* record.failed(failure)
  }
  yield* record.planned(plan.files, settings.destination)
  const restorations = yield* source.restore(plan.files)
  yield* record.awaiting(awaitedOf(restorations))

  const fetch = plan.files.filter(({ decision }) => decision._tag === "Fetch")
  if (fetch.length > 0) yield* Effect.logInfo(startText(fetch, room.bytes))
  const { connections, destination, overwrite } = settings
  const request = { target: settings.baseUrl.href, connections, destination, overwrite }
  const shown = yield* observe(fetch, record)
  yield* run(plan, yield* source.book(entries), request, {
    progress: shown.progress,
    finished: (file, plain) => {
      const restoration = restorations.get(file)
      if (restoration === undefined) return Effect.andThen(record.finished(file, plain), shown.finished(file, plain))
      return record.finished(file, withRestoration(plain, restoration))
    }
  })
  for (const { bad, text } of summaryLines(yield* record.results)) {
    yield* bad ? Effect.logError(text) : Effect.logInfo(text)
  }
  return [...restorations].flatMap(([file, { _tag }]) => (_tag === "Pending" ? [file] : []))
}, Effect.scoped)

/** Shows and records the progress of `files`, and says how each ends. */
export const observe = Effect.fnUntraced(function* (
  files: ReadonlyArray<PlannedFile>,
  record: RunRecord
): Effect.fn.Return<RunObserver, never, Screen | Scope.Scope> {
  const progress = yield* makeProgress(yield* Screen, files)
  // What stops several files is said once.
  const said = new Set<FileResult["error"]>()
  return {
    progress: (file, event) =>
      Effect.all([record.progress(file, event), progress.event(file, event), narrate(file, event)], { discard: true }),
    finished: Effect.fnUntraced(function* (file, result) {
      yield* progress.settled(file, result)
      if (!said.has(result.error)) yield* conclude(file, result)
      if (result.error !== null) said.add(result.error)
    })
  }
})

/** A plan that does not fit onto the disk, or that nothing can be written for, fetches nothing. */
const withRoom = Effect.fnUntraced(function* ({ plan, room }: Planned) {
  const refusal = shortage(room, room.destination, room.free) ?? (yield* unwritable(plan.files, room.destination))
  return { plan: refusal === null ? plan : refuseAll(plan, refusal), room }
})

/** `bytes` is the sum of the sizes that the service told. */
const startText = (files: ReadonlyArray<PlannedFile>, bytes: number): string => {
  const count = `Fetching ${counted(files.length, "file")}`
  const unknown = files.filter(({ size }) => size === null).length
  if (unknown === 0) return `${count}, ${humanSize(bytes)}`
  return unknown === files.length ? count : `${count}, ${humanSize(bytes)} and ${unknown} of unknown size`
}

/** What happens to a transfer on its way; bytes are the progress display's business. */
const narrate = (file: PlannedFile, event: TransferProgress): Effect.Effect<void> => {
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
      return Effect.logInfo(`${name}: ${event.reason}; again in ${(event.milliseconds / 1000).toFixed(1)} s`)
    case "Renewing":
      return Effect.logInfo(`${name}: ${event.reason}; asking for a new link`)
    case "Restarting":
      return Effect.logWarning(`${name}: ${event.reason}; starting again from its first byte`)
  }
}

/** The one line about the end of a file; of an archived one the restoration has spoken before. */
const conclude = (file: PlannedFile, result: FileResult): Effect.Effect<void> => {
  const name = printable(pathOf(file))
  if (result.error !== null) return Effect.logError(printable(result.error.message))
  if (result.action === "downloaded") {
    const seconds = result.milliseconds / 1000
    const size = humanSize(result.bytes ?? 0)
    const what =
      result.records === null
        ? "downloaded"
        : `${result.records} records cut out, with ${humanSize(result.fetched ?? 0)} in ${result.attempts} requests`
    return Effect.logInfo(`${name}: ${what}, ${size} in ${seconds.toFixed(1)} s, sha256 ${result.sha256}`)
  }
  if (result.reason === "no-reads") return Effect.logInfo(`${name}: skipped, a VCF has no unmapped reads`)
  return result.reason === "exists" ? Effect.logInfo(`${name}: exists, kept`) : Effect.void
}
