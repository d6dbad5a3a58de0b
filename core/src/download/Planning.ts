/** The plan of a run with the disk space it needs: what `--plan` shows, a download carries out, and a resume carries out too. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import { CannotCreate, type LocalIo, type UsageError } from "../Errors.ts"
import type { Codec } from "../genome/bgzf/Codec.ts"
import type { ListedAnalysis } from "../selection/ListedFiles.ts"
import { wantedFiles } from "../selection/WantedFiles.ts"
import { typeAt } from "../settings/PathType.ts"
import { PartFiles } from "../transfer/PartFiles.ts"
import { lookAt, writeRefusal } from "./DestinationView.ts"
import { type DiskNeed, diskNeed, refuseAll, shortage } from "./DiskNeed.ts"
import { type DownloadPlan, type PlannedFile, type PlanRequest, plan } from "./DownloadPlan.ts"
import type { DownloadRequest } from "./DownloadRequest.ts"

/** How many bytes the files of a plan need on the disk, and how many are free. */
export interface DiskSpace extends DiskNeed {
  /** Absolute or as the user gave it. */
  readonly destination: string
  /** Bytes; null when the file system does not say. */
  readonly free: number | null
}

export interface Planned {
  readonly plan: DownloadPlan
  readonly disk: DiskSpace
  /** A planned file is one that the run itself writes: nothing may be done. */
  readonly clash: UsageError | null
}

type PlanningServices = PartFiles | FileSystem.FileSystem | Path.Path | Codec

/** Decides on every file of `analyses`; looks at the destination and changes nothing. */
export const planFiles = Effect.fn("svc.download.planFiles")(function* (
  analyses: ReadonlyArray<ListedAnalysis>,
  request: PlanRequest & Pick<DownloadRequest, "checksums" | "destination" | "own">
): Effect.fn.Return<Planned, never, PlanningServices> {
  const files = yield* PartFiles
  const { destination } = request
  const places = wantedFiles(analyses, request)
  const view = yield* lookAt(request, places)
  const decided = plan(analyses, request, view, places)
  const free = yield* files.free({ directory: destination })
  yield* Effect.forEach(decided.warnings, (warning) => Effect.logWarning(warning), { discard: true })
  return {
    plan: decided,
    disk: { ...diskNeed(decided.files, view.present), destination, free },
    clash: view.clash
  }
})

/** The plan, whose fetches all fail when it does not fit onto the disk, or nothing can be written for it. */
export const checkDestination = Effect.fn("svc.download.checkDestination")(function* ({
  clash,
  plan,
  disk
}: Planned): Effect.fn.Return<DownloadPlan, never, PlanningServices> {
  const refusal =
    clash ??
    (yield* missingFolder(disk.destination)) ??
    shortage(disk, disk.destination, disk.free) ??
    (yield* writeRefusal(plan.files, disk.destination))
  return refusal === null ? plan : refuseAll(plan, refusal)
})

/** A folder is not made for somebody who may have meant another one. */
export const missingFolder = (
  path: string
): Effect.Effect<CannotCreate | LocalIo | null, never, FileSystem.FileSystem> =>
  Effect.match(typeAt(path), {
    onFailure: (error) => error,
    onSuccess: (type) => {
      if (type === "Directory") return null
      const reason = type === null ? "the folder to download into does not exist" : "it is no folder to download into"
      return new CannotCreate({ path, reason })
    }
  })

/** What a plan will fetch. */
export const filesToFetch = ({ files }: DownloadPlan): ReadonlyArray<PlannedFile> =>
  files.filter(({ decision }) => decision._tag === "Fetch")
