/** The plan of a run, with the room it needs: what `--plan` shows and the download carries out. */
import { Effect } from "effect"
import { lookAt } from "../../core/src/download/DestinationView.ts"
import { diskNeed } from "../../core/src/download/DiskNeed.ts"
import { type DownloadPlan, plan } from "../../core/src/download/DownloadPlan.ts"
import type { Room } from "../../core/src/report/PlanView.ts"
import { wantedFiles } from "../../core/src/selection/FileWish.ts"
import type { ListedAnalysis } from "../../core/src/selection/Listed.ts"
import type { TargetSettings } from "../../core/src/settings/Settings.ts"
import { PartFiles } from "../../core/src/transfer/PartFiles.ts"
import { planRequestOf } from "./Gather.ts"
import type { DownloadSettings } from "./Wish.ts"

export interface Planned {
  readonly plan: DownloadPlan
  readonly room: Room
}

/** Decides on every file of `analyses`; looks at the destination and changes nothing. */
export const planned = Effect.fn("download.planned")(function* (
  settings: DownloadSettings,
  analyses: ReadonlyArray<ListedAnalysis>
) {
  const disk = yield* PartFiles
  const { destination } = settings
  const request = planRequestOf(settings)
  const view = yield* lookAt(destination, wantedFiles(analyses, request), ownFiles(settings))
  const decided = plan(analyses, request, view)
  const free = yield* disk.free({ directory: destination })
  const room: Room = { ...diskNeed(decided.files, view.present), destination, free }
  yield* Effect.forEach(decided.warnings, (warning) => Effect.logWarning(warning), { discard: true })
  return { plan: decided, room } satisfies Planned
})

/** Files that this run writes itself: no download may take their place. */
export const ownFiles = ({
  linksFile,
  logfile,
  reportfile,
  restorationFile
}: TargetSettings): ReadonlyMap<string, string> =>
  new Map([
    ...(logfile === null ? [] : [[logfile, "the log file"] as const]),
    ...(reportfile === null ? [] : [[reportfile, "the report file"] as const]),
    ...(linksFile === null ? [] : [[linksFile, "the links file"] as const]),
    [restorationFile, "the restoration file"]
  ])
