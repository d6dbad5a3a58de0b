/** What a run says that ends while restorations are pending. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { nextOf } from "../../core/src/archive/Estimate.ts"
import type { RunRecord } from "../../core/src/download/RunRecord.ts"
import { RestorationsPending } from "../../core/src/Errors.ts"
import type { TargetSettings } from "../../core/src/settings/Settings.ts"
import { printable, shellWord } from "../../core/src/text/Printable.ts"
import * as LogOutput from "../../platform/terminal/LogOutput.ts"

/** Null when nothing is awaited. */
export const pendingOf = Effect.fnUntraced(function* (settings: TargetSettings, record: RunRecord) {
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
      `svc-resume-restore -t ${shellWord(settings.target)} --restorationFile ${shellWord(settings.restorationFile)}`
    )
  })
})

/** The last line on standard error, at every log level: how many are pending, when, and how to go on. */
export const sayPending = Effect.fnUntraced(function* (settings: TargetSettings, record: RunRecord) {
  const pending = yield* pendingOf(settings, record)
  if (pending !== null) yield* LogOutput.hint(pending.message)
})
