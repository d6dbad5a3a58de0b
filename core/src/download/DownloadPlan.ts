/**
 * What a run will do with every file, decided before any byte moves: fetch it, skip it for a reason, or refuse it.
 *
 * Pure: the listing, the settings and a look at the destination go in, decisions come out. Faults of
 * docs/faults.md: D17 (collisions), K2 (disk space), K7 (names that differ only in case or composition), Z1
 * (names).
 */
import type { Restoration } from "../archive/Restoration.ts"
import {
  CannotCreate,
  type DiskTooSmall,
  NameCollision,
  NotFound,
  type ServiceError,
  type TrackingReadError,
  type TransferError,
  type UnsafeName
} from "../Errors.ts"
import { hasUnmapped, isDataType, partnerOf } from "../genome/formats/FileNames.ts"
import { collisionKey, type FileType, fileTypeOf, unsafeIndexName, unsafeName } from "../selection/FileName.ts"
import type { ListedAnalysis } from "../selection/ListedFiles.ts"
import { pathOf } from "../selection/OutputPath.ts"
import { type FileChoice, type WantedFile, wantedFiles, wantedTypes } from "../selection/WantedFiles.ts"
import { printable } from "../text/Printable.ts"
import type { SliceState } from "../transfer/SliceState.ts"
import type { SkipReason } from "./FileResult.ts"

/** What is at a final name before the run. */
export interface Occupant {
  readonly kind: "file" | "other"
  /** Bytes. */
  readonly size: number
}

export interface PlanRequest extends FileChoice {
  readonly overwrite: boolean
}

/** What can be seen of the destination; paths are `pathOf` of a planned file. */
export interface Destination {
  readonly occupants: ReadonlyMap<string, Occupant>
  /** Paths that this run itself writes, with what they are (`the log file`). */
  readonly reserved: ReadonlyMap<string, string>
  /** What stands where slices go. */
  readonly slices: ReadonlyMap<string, SliceState>
}

export type Decision =
  | { readonly _tag: "Fetch" }
  | { readonly _tag: "Skip"; readonly reason: SkipReason }
  | { readonly _tag: "Fail"; readonly error: PlanError }

export type PlanError = NameCollision | UnsafeName | CannotCreate | NotFound | DiskTooSmall | TransferError

/** What is foreseen of the restoration of an archived file: why it comes to this, and what is known of it already. */
export interface ForeseenRestoration extends Restoration {
  readonly why: string
}

/** What `--plan` says of a file: what becomes of it, its restoration included. */
export type Outlook =
  | Exclude<Decision, { readonly _tag: "Skip" }>
  /** `available`: nothing is to be restored, and only that was asked for. */
  | {
      readonly _tag: "Skip"
      readonly reason: SkipReason | "available"
      readonly restoration?: ForeseenRestoration
    }
  /** Its restoration is asked for. */
  | { readonly _tag: "Restore"; readonly restoration: ForeseenRestoration }
  /** Somebody is asked whether to restore it. */
  | { readonly _tag: "Ask"; readonly restoration: ForeseenRestoration }
  /** The restoration file cannot be read. */
  | { readonly _tag: "Fail"; readonly error: TrackingReadError }

/** A wanted file with what becomes of it. */
export interface ForeseenFile extends WantedFile {
  readonly decision: Outlook
}

/** A wanted file with what a run will do with it. */
export interface PlannedFile extends WantedFile {
  readonly decision: Decision
}

/** A thing that was asked for and cannot be had; it fails while the rest goes on. */
export interface PlanFailure {
  readonly analysisId: string | null
  readonly error: ServiceError
}

/** What a run will do with every file. */
export interface DownloadPlan<File extends WantedFile = PlannedFile> {
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
): DownloadPlan => {
  const shared = sharedPaths(places)
  const files = places.map((place): PlannedFile => {
    const path = pathOf(place)
    const owners = shared.size === 0 ? null : (shared.get(collisionKey(path)) ?? null)
    return { ...place, decision: decide({ place, path, owners }, request, destination) }
  })
  const { failures, warnings } = remarks(analyses, files, request)
  return { files, failures, warnings: [...warnings, ...files.flatMap((file) => otherSize(file, destination))] }
}

/** The analyses with files for one path, as its error names them. */
type Owners = Pick<NameCollision, "analyses" | "others">

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
  others: Math.max(0, ids.size - namedOwners)
})

/** A warning, because `exists` is decided by the name alone: the file may be cut, or of another analysis. */
const otherSize = (file: PlannedFile, destination: Destination): ReadonlyArray<string> => {
  const there = destination.occupants.get(pathOf(file))?.size
  if (file.decision._tag !== "Skip" || file.decision.reason !== "exists") return []
  if (there === undefined || file.size === null || there === file.size) return []
  return [
    `${pathOf(file)} exists with ${there} bytes, but analysis ${printable(file.analysisId)} lists ${file.size}: ` +
      "it was left as it is; check it, or give --overwrite"
  ]
}

/** What can be known of a wanted file before it is fetched. */
interface Candidate {
  readonly place: WantedFile
  /** `pathOf` the place. */
  readonly path: string
  /** Null when no other file has this path. */
  readonly owners: Owners | null
}

const decide = (candidate: Candidate, request: PlanRequest, destination: Destination): Decision => {
  const refused = refusal(candidate, request, destination)
  if (refused !== null) return fail(refused)
  const reason = skipReason(candidate, request, destination)
  if (reason !== null) return { _tag: "Skip", reason }
  const missing = missingOf(candidate.place)
  return missing === null ? fetch : fail(missing)
}

/** The decision on most files: one object for all. */
const fetch: Decision = { _tag: "Fetch" }

/** Why nothing may be written under the name; null when something may. */
const refusal = (
  { owners, path, place }: Candidate,
  { overwrite }: PlanRequest,
  { occupants, reserved, slices }: Destination
): PlanError | null => {
  const unsafe =
    unsafeName(place.fileName) ??
    (place.slice === null ? null : unsafeIndexName(place.slice.name)) ??
    (place.folder === "" ? null : unsafeName(place.folder))
  if (unsafe !== null) return unsafe
  if (owners !== null) return new NameCollision({ name: path, ...owners })
  const own = reserved.get(path)
  if (own !== undefined) return new CannotCreate({ path, reason: `it is ${own} of this run` })
  if (occupants.get(path)?.kind === "other") {
    return new CannotCreate({ path, reason: "something else than a file is there" })
  }
  const slice = slices.get(path)
  return slice?._tag === "Other" && !overwrite && !hasNoReads(place) ? slice.error : null
}

/** Why the file is left alone; null when it is not. */
const skipReason = (
  { path, place }: Candidate,
  { overwrite }: PlanRequest,
  { occupants, slices }: Destination
): SkipReason | null => {
  if (hasNoReads(place)) return "no-reads"
  const isThere = place.slice === null ? occupants.has(path) : slices.get(path)?._tag === "Same"
  if (isThere && !overwrite) return "exists"
  return place.archived ? "archived" : null
}

/** What the service does not list although the file needs it; null when nothing is missing. */
const missingOf = ({ analysisId, fileName, hasLink, slice }: WantedFile): NotFound | null => {
  const analysis = `(analysis ${printable(analysisId)})`
  if (slice?.indexFile === null) {
    return new NotFound({
      what: `index of ${printable(fileName)} ${analysis}`,
      detail: "regions cannot be found without one, and the service lists none"
    })
  }
  return hasLink ? null : new NotFound({ what: `download link of ${fileName} ${analysis}` })
}

/** True when only unmapped reads are wanted of a file type that has none. */
const hasNoReads = ({ slice, type }: WantedFile): boolean =>
  slice !== null && !hasUnmapped(type) && slice.content.wanted.length === 0

const fail = (error: PlanError): Decision => ({ _tag: "Fail", error })

/** What the analyses lack: a failure where none of the types is there, a warning where some are not. */
const remarks = (
  analyses: ReadonlyArray<ListedAnalysis>,
  files: ReadonlyArray<PlannedFile>,
  request: PlanRequest
): Pick<DownloadPlan, "failures" | "warnings"> => {
  const failures: Array<PlanFailure> = []
  const warnings: Array<string> = []
  const filetypes = wantedTypes(request)
  const wanted = filetypes.join(", ")
  const typesOf = Map.groupBy(files, (file) => file.analysisId)
  for (const analysis of analyses) {
    const found = new Set(typesOf.get(analysis.id)?.map((file) => file.type))
    // An analysis found by sample or person need not have all types, but one file of a pair without the other is worth a warning.
    const absent = filetypes.filter((type) => !found.has(type) && (analysis.named || found.has(partnerOf(type))))
    if (found.size === 0 && analysis.named) {
      failures.push({
        analysisId: analysis.id,
        error: nothingOf(wanted, `analysis ${printable(analysis.id)}`, [analysis])
      })
    } else if (found.size > 0 && absent.length > 0) {
      // An index is listed, and the file that it belongs to is not: what was asked for is lost.
      const lost = absent.filter((type) => isDataType(type) && found.has(partnerOf(type)))
      const optional = absent.filter((type) => !lost.includes(type))
      if (lost.length > 0) failures.push({ analysisId: analysis.id, error: onlyIndexOf(lost, analysis.id) })
      if (optional.length > 0) warnings.push(`Analysis ${printable(analysis.id)} has no ${optional.join(", ")} file`)
    }
    const nameless = analysis.files.filter((file) => file.fileName === null).length
    if (nameless > 0)
      warnings.push(`Analysis ${printable(analysis.id)}: ${nameless} file(s) without a name were left out`)
  }
  if (analyses.length > 0 && files.length === 0 && failures.length === 0) {
    failures.push({ analysisId: null, error: nothingOf(wanted, "the selected analyses", analyses) })
  }
  return { failures, warnings }
}

const onlyIndexOf = (types: ReadonlyArray<FileType>, id: string) =>
  new NotFound({ what: `${types.join(", ")} files of analysis ${printable(id)}`, detail: "only their index is listed" })

const nothingOf = (wanted: string, where: string, analyses: ReadonlyArray<ListedAnalysis>) => {
  const names = analyses.flatMap((analysis) => analysis.files.flatMap((file) => file.fileName ?? []))
  const others = [...new Set(names.map(fileTypeOf))].filter((type) => type !== null)
  const detail =
    others.length === 0 ? "it has no files of a known type" : `there are ${others.join(", ")}: see --filetypes`
  return new NotFound({ what: `${wanted} files of ${where}`, detail })
}
