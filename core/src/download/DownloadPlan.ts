/**
 * What a run will do with every file, decided before any byte moves: fetch it, skip it for a reason, or refuse it.
 *
 * Pure: the listing, the settings and a look at the destination go in, decisions come out. Faults of
 * docs/dev/faults.md: D17 (collisions), K2 (disk space), K7 (names that differ only in case or composition), Z1
 * (names), Z9 (what is there already).
 */

import type { Restoration } from "../archive/Waiting.ts"
import { type AdviceName, CannotCreate, FileDiffers, type FileError, NameCollision, NotFound } from "../Errors.ts"
import { hasUnmapped } from "../genome/formats/FileNames.ts"
import { collisionKey, unsafeIndexName, unsafeName } from "../selection/FileName.ts"
import { dataPathOf, finalName, finalPath, hasOwnIndex, pathOf } from "../selection/OutputPath.ts"
import type { RunFile } from "../selection/RunFile.ts"
import { type ListedAnalysis, type WantedFile, wantedFiles } from "../selection/WantedFiles.ts"
import { printable } from "../text/Printable.ts"
import type { SliceState } from "../transfer/SliceRequest.ts"
import type { SkipReason } from "./FileResult.ts"
import { type PlanFailure, type RequiredChoice, remarksOn } from "./PlanRemarks.ts"
import type { Decision } from "./RunEvent.ts"

/** What is at a final name before the run. */
export interface Occupant {
  readonly kind: "file" | "other"
  /** Bytes. */
  readonly size: number
  /** Where another program, which makes a file as large as it will be, notes what this one lacks; none when it is absent. */
  readonly note?: string
}

/** Which files a plan is for, and what it does with those that exist. */
export interface PlanRequest extends RequiredChoice {
  /** The folder that paths begin with in sentences; none when absent. */
  readonly destination?: string
  readonly overwrite: boolean
}

/** What can be seen of the destination; paths are `pathOf` of a planned file. */
export interface Destination {
  readonly occupants: ReadonlyMap<string, Occupant>
  /** What stands where slices go. */
  readonly slices: ReadonlyMap<string, SliceState>
}

/**
 * What is foreseen of the restoration of an archived file: why it comes to this, and what is known of it already.
 *
 * @category models
 * @since 0.1.0
 */
export interface ForeseenRestoration extends Restoration {
  readonly why: string
  readonly advice?: AdviceName
}

/**
 * What `--plan` says of a file: what becomes of it, its restoration included.
 *
 * @category models
 * @since 0.1.0
 */
export type Outlook =
  | Exclude<Decision, { readonly _tag: "Skip" }>
  /** `available`: nothing is to be restored, and only that was asked for. */
  | {
      readonly _tag: "Skip"
      readonly reason: SkipReason | "available"
      readonly existing?: number
      readonly restoration?: ForeseenRestoration
    }
  /** Its restoration is asked for. */
  | { readonly _tag: "Restore"; readonly restoration: ForeseenRestoration }
  /** Somebody is asked whether to restore it. */
  | { readonly _tag: "Ask"; readonly restoration: ForeseenRestoration }

/**
 * A file with what becomes of it.
 *
 * @category models
 * @since 0.1.0
 */
export interface ForeseenFile extends RunFile {
  readonly decision: Outlook
}

/** A wanted file with what a run will do with it. */
export interface PlannedFile extends WantedFile {
  readonly decision: Decision
}

/**
 * What a run will do with every file.
 *
 * @category models
 * @since 0.1.0
 */
export interface DownloadPlan<File extends RunFile> {
  /** The files of the requested types, in the order of the listing. */
  readonly files: ReadonlyArray<File>
  readonly failures: ReadonlyArray<PlanFailure>
  /** Sentences for the log. */
  readonly warnings: ReadonlyArray<string>
}

/**
 * The decisions. All files whose names collide fail: none of them has a better right to the name.
 *
 * @param places - the wanted files of `analyses`, where they are known already
 */
export const plan = (
  analyses: ReadonlyArray<ListedAnalysis>,
  request: PlanRequest,
  destination: Destination,
  places: ReadonlyArray<WantedFile> = wantedFiles(analyses, request)
): DownloadPlan<PlannedFile> => {
  const shared = sharedPaths(places)
  const files = places.map((place): PlannedFile => {
    const path = pathOf(place)
    const shown = request.destination === undefined ? path : finalPath(request.destination, place)
    const owners = shared.size === 0 ? null : (shared.get(collisionKey(path)) ?? null)
    return { ...place, decision: decide({ place, path, shown, owners }, request, destination) }
  })
  return { files: withoutOrphans(files, destination), ...remarksOn(analyses, files, request) }
}

/**
 * No index is fetched to lie beside a file of another size, or one that another program has not finished: it fails with its data,
 * which would otherwise be called damaged when the index is compared with it.
 */
const withoutOrphans = (files: ReadonlyArray<PlannedFile>, { occupants }: Destination): ReadonlyArray<PlannedFile> => {
  const refused = new Map<string, FileError>()
  for (const { decision, ...file } of files) {
    if (decision._tag !== "Fail") continue
    const path = pathOf(file)
    if (occupants.get(path)?.kind === "file") refused.set(path, decision.error)
  }
  if (refused.size === 0) return files
  return files.map((file) => {
    const data = dataPathOf(file)
    const error = data === null ? undefined : refused.get(data)
    return error === undefined || file.decision._tag !== "Fetch" ? file : { ...file, decision: fail(error) }
  })
}

/** The analyses with files for one path, as its error names them. */
type Owners = Pick<NameCollision, "analyses" | "others" | "alike">

/** A collision names this many analyses: where thousands have a file of one name, each of its errors named all of them. */
const namedOwners = 5

/** What would be written by several files, by its collision key. */
const sharedPaths = (places: ReadonlyArray<WantedFile>): ReadonlyMap<string, Owners> => {
  const owners = new Map<string, string>()
  const shared = new Map<string, Set<string>>()
  for (const place of places) {
    const key = collisionKey(pathOf(place))
    const owner = owners.get(key)
    if (owner === undefined) owners.set(key, place.analysisId)
    else shared.set(key, (shared.get(key) ?? new Set([owner])).add(place.analysisId))
  }
  return new Map(Array.from(shared, ([key, ids]) => [key, ownersOf(ids)]))
}

const ownersOf = (ids: ReadonlySet<string>): Owners => ({
  analyses: [...ids].slice(0, namedOwners).map(printable),
  others: Math.max(0, ids.size - namedOwners),
  ...(ids.size > 1 && new Set([...ids].map(collisionKey)).size === 1 ? { alike: true } : {})
})

/** What can be known of a wanted file before it is fetched. */
interface Candidate {
  readonly place: WantedFile
  /** `pathOf` the place. */
  readonly path: string
  /** The path as errors name it, with the destination. */
  readonly shown: string
  /** Null when no other file has this path. */
  readonly owners: Owners | null
}

const decide = (candidate: Candidate, request: PlanRequest, destination: Destination): Decision => {
  const refused = refusal(candidate, request, destination)
  if (refused !== null) return fail(refused)
  if (hasNoReads(candidate.place)) return { _tag: "Skip", reason: "no-reads" }
  const kept = request.overwrite ? null : judgeExisting(candidate, destination)
  if (kept !== null) return kept
  if (candidate.place.archived) return { _tag: "Skip", reason: "archived" }
  const missing = missingOf(candidate.place)
  return missing === null ? fetch : fail(missing)
}

/** The decision on most files: one object for all. */
const fetch: Decision = { _tag: "Fetch" }

/** Why nothing may be written under the name; null when something may. */
const refusal = (
  { owners, path, place, shown }: Candidate,
  { overwrite }: PlanRequest,
  { occupants, slices }: Destination
): FileError | null => {
  const unsafe =
    unsafeName(place.fileName) ??
    (hasOwnIndex(place) ? unsafeIndexName(finalName(place)) : null) ??
    (place.folder === "" ? null : unsafeName(place.folder))
  if (unsafe !== null) return unsafe
  if (owners !== null) return new NameCollision({ name: path, ...owners })
  const { kind, note } = occupants.get(path) ?? {}
  if (kind === "other") {
    return new CannotCreate({
      path: shown,
      reason: "a folder, or something else that is no file, is there: move it away, or give another destination"
    })
  }
  if (note !== undefined && !overwrite) {
    const reason = `${note} says that another program has not finished it: finish it there, or remove ${note} if the file is whole`
    return new CannotCreate({ path: shown, reason, replaceable: true })
  }
  const slice = slices.get(path)
  return slice?._tag === "Other" && !overwrite && !hasNoReads(place) ? slice.error : null
}

/** What a file means that stands where this one goes; null when none does. */
const judgeExisting = ({ path, place, shown }: Candidate, { occupants, slices }: Destination): Decision | null => {
  if (place.slice !== null) {
    const slice = slices.get(path)
    return slice?._tag === "Same" ? { _tag: "Skip", reason: "exists", index: slice.index } : null
  }
  const existing = occupants.get(path)?.size
  if (existing === undefined) return null
  const error = FileDiffers.of(shown, existing, place.sizeLearned === true ? null : place.size)
  return error === null ? { _tag: "Skip", reason: "exists", existing } : { ...fail(error), existing }
}

/** What the service does not list although the file needs it; null when nothing is missing. */
export const missingOf = ({ analysisId, fileName, hasLink, slice }: WantedFile): NotFound | null => {
  const analysis = `(analysis ${printable(analysisId)})`
  if (slice !== null && slice.indexFile === null) {
    return new NotFound({
      what: `index of ${printable(fileName)} ${analysis}`,
      detail: "regions cannot be found without one, and the service lists none"
    })
  }
  return hasLink ? null : new NotFound({ what: `download link of ${fileName} ${analysis}` })
}

/** True when only unmapped reads are wanted of a file type that has none. */
export const hasNoReads = ({ slice, type }: WantedFile): boolean =>
  slice !== null && !hasUnmapped(type) && slice.content.wanted.length === 0

const fail = (error: FileError) => ({ _tag: "Fail", error }) as const
