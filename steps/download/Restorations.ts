/** What the download and the two restoration steps have in common: how a run stores its requests and names its service. */
import { Clock, Effect, Result } from "effect"
import { nextOf } from "../../core/src/archive/Estimate.ts"
import type { RestoreMode } from "../../core/src/archive/Policy.ts"
import { type Candidate, type RestoreRequest, type RestoreResult, restore } from "../../core/src/archive/Requests.ts"
import { storedPaths } from "../../core/src/archive/StoredPath.ts"
import { newOptions } from "../../core/src/archive/TrackingEntry.ts"
import { TrackingFile } from "../../core/src/archive/TrackingFile.ts"
import type { PlannedFile } from "../../core/src/download/DownloadPlan.ts"
import type { FileResult } from "../../core/src/download/Outcome.ts"
import type { Awaited, RunRecord } from "../../core/src/download/RunRecord.ts"
import { RestorationsPending } from "../../core/src/Errors.ts"
import type { Settings, TargetSettings } from "../../core/src/settings/Settings.ts"
import { resolveTarget } from "../../core/src/settings/Target.ts"
import { printable } from "../../core/src/text/Printable.ts"
import * as LogOutput from "../../platform/LogOutput.ts"

/** The requests of this run; a target is its address, under whatever name an entry has it. */
export const restoreRequestOf = (settings: Settings, mode: RestoreMode): RestoreRequest => {
  const target = settings.baseUrl.href
  return {
    mode,
    maxRestores: settings.maxRestores,
    target,
    nameOf: (stored) =>
      stored === null || stored === settings.target
        ? target
        : Result.match(resolveTarget(stored, null), { onSuccess: ({ href }) => href, onFailure: () => stored })
  }
}

/** What becomes of the archived files of a plan. */
export const restored = Effect.fn("download.restore")(function* (
  files: ReadonlyArray<PlannedFile>,
  settings: Settings,
  mode: RestoreMode
) {
  const archived = archivedOf(files)
  if (archived.length === 0) return new Map<PlannedFile, RestoreResult>()
  const results = yield* restore(yield* candidatesOf(archived, settings), restoreRequestOf(settings, mode))
  return new Map(archived.flatMap((file, index) => [[file, results[index]] as const]).flatMap(known))
})

const known = ([file, result]: readonly [PlannedFile, RestoreResult | undefined]) =>
  result === undefined ? [] : [[file, result] as const]

/** The pending ones. */
export const awaitedOf = (restorations: ReadonlyMap<PlannedFile, RestoreResult>): ReadonlyArray<Awaited> =>
  [...restorations.values()].flatMap((result) =>
    result._tag === "Pending" ? [{ estimate: result.estimate, underWay: true }] : []
  )

/** The result of an archived file, which says what its restoration came to. */
export const withRestoration = (plain: FileResult, restoration: RestoreResult): FileResult => {
  switch (restoration._tag) {
    case "Left":
      return plain
    case "Pending":
      return {
        ...plain,
        reason: "pending",
        restoration: { requestedAt: restoration.requestedAt, estimate: restoration.estimate }
      }
    case "Failed":
      return { ...plain, action: "failed", reason: null, error: restoration.error }
  }
}

/** Archived files with the options that a later run is to use. */
const candidatesOf = Effect.fnUntraced(function* (archived: ReadonlyArray<PlannedFile>, settings: Settings) {
  const { path } = yield* TrackingFile
  const options = newOptions(settings, yield* storedPaths(path))
  return archived.map(
    ({ analysisId, estimatedRestoreTime, fileName, size }): Candidate => ({
      analysisId,
      fileName,
      size,
      estimatedRestoreTime,
      options
    })
  )
})

/** Left alone by the plan because it is archived, and not because it is there already. */
export const archivedOf = (files: ReadonlyArray<PlannedFile>): ReadonlyArray<PlannedFile> =>
  files.filter(({ decision }) => decision._tag === "Skip" && decision.reason === "archived")

/** What a run says that leaves restorations pending; null when it leaves none. */
export const pendingOf = Effect.fnUntraced(function* (settings: TargetSettings, record: RunRecord) {
  const awaited = yield* record.awaited
  if (awaited.length === 0) return null
  const nextEstimate = nextOf(
    awaited.map(({ estimate }) => estimate),
    yield* Clock.currentTimeMillis
  )
  return new RestorationsPending({
    count: awaited.length,
    lost: awaited.filter(({ underWay }) => !underWay).length,
    nextEstimate: nextEstimate === null ? null : printable(nextEstimate),
    // Without credentials.
    rerun: printable(
      `svc-resume-restore -t ${quoted(settings.target)} --restorationFile ${quoted(settings.restorationFile)}`
    )
  })
})

/** The last line on standard error, at every log level: how many are pending, when, and how to go on. */
export const sayPending = Effect.fnUntraced(function* (settings: TargetSettings, record: RunRecord) {
  const pending = yield* pendingOf(settings, record)
  if (pending !== null) yield* LogOutput.hint(pending.message)
})

/** As a word for a shell. */
const quoted = (text: string): string => (/^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
