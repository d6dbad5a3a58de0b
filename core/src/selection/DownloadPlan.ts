/**
 * What a run will do with every file, decided before any byte moves: fetch it, skip it for a reason, or refuse it.
 *
 * Pure: the listing, the settings and a look at the destination go in, decisions come out. Faults of
 * docs/faults.md: D17 (collisions), K2 (room on the disk), K7 (names that differ only in case or composition), Z1
 * (names).
 */
import {
  CannotCreate,
  type DiskTooSmall,
  NameCollision,
  NotFound,
  type ServiceError,
  type TransferError,
  type UnsafeName
} from "../Errors.ts"
import { isDataType, partnerOf } from "../genome/formats/FileNames.ts"
import { printable } from "../text/Printable.ts"
import type { SliceEstimate, SliceWish } from "../transfer/SliceRequest.ts"
import type { SliceState } from "../transfer/SliceState.ts"
import { collisionKey, type FileType, fileTypeOf, indexRank, sliceName, unsafeName } from "./FileName.ts"
import { folderOf, type Layout, pathOf, sliceForm } from "./Place.ts"
import type { SkipReason } from "./Report.ts"
import type { SelectedAnalysis } from "./Selection.ts"

/** One entry of the download links of an analysis, without its link. */
export interface ListedFile {
  /** As the service gave it; null when it gave none. */
  readonly fileName: string | null
  /** Bytes; null when the service does not say. */
  readonly size: number | null
  readonly archived: boolean
  readonly estimatedRestoreTime: string | null
  readonly hasLink: boolean
  /** What its slice would fetch, where that was asked for. */
  readonly ranged?: SliceEstimate
}

export interface ListedAnalysis extends SelectedAnalysis {
  readonly sampleId: string | null
  readonly limsId: string | null
  readonly files: ReadonlyArray<ListedFile>
}

/** What is at a final name before the run. */
export interface Occupant {
  readonly kind: "file" | "other"
  /** Bytes. */
  readonly size: number
}

export interface PlanRequest {
  readonly filetypes: ReadonlyArray<FileType>
  readonly layout: Layout
  readonly overwrite: boolean
  /** Only this of each file, as a file of its own with a fresh index; absent for whole files. */
  readonly slice?: SliceWish | null
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

/** A part of a file as a file of its own. */
export interface PlannedSlice {
  /** The name it gets; its index has the same with `.bai`, `.csi` or `.tbi`. */
  readonly name: string
  /** The listed index of the source; null when none is listed. */
  readonly indexFile: string | null
  readonly wish: SliceWish
  /** What it would fetch, where that was asked for. */
  readonly estimate: SliceEstimate | null
}

export interface PlannedFile {
  readonly analysisId: string
  readonly fileName: string
  readonly type: FileType
  /** Folder inside the destination; empty for the destination itself. */
  readonly folder: string
  /** Bytes; of a slice null until it is estimated. */
  readonly size: number | null
  /** The file, or the index that its slice needs, is in the archive. */
  readonly archived: boolean
  readonly estimatedRestoreTime: string | null
  /** Null for the whole file. */
  readonly slice: PlannedSlice | null
  readonly decision: Decision
}

/** A thing that was asked for and cannot be had; it fails while the rest goes on. */
export interface PlanFailure {
  readonly analysisId: string | null
  readonly error: ServiceError
}

export interface DownloadPlan {
  /** The files of the requested types, in the order of the listing. */
  readonly files: ReadonlyArray<PlannedFile>
  readonly failures: ReadonlyArray<PlanFailure>
  /** Sentences for the log. */
  readonly warnings: ReadonlyArray<string>
}

/** The files of the requested types with the place of each, before anything is known about the destination. */
export const layOut = (
  analyses: ReadonlyArray<ListedAnalysis>,
  request: PlanRequest
): ReadonlyArray<Omit<PlannedFile, "decision"> & { readonly hasLink: boolean }> =>
  analyses.flatMap((analysis) =>
    analysis.files.flatMap((file) => {
      const type = requestedType(file, request)
      if (file.fileName === null || type === null) return []
      const { fileName, size, archived, estimatedRestoreTime, hasLink } = file
      const folder = folderOf(request.layout, analysis.id)
      const whole = { analysisId: analysis.id, fileName, type, folder, size, archived, estimatedRestoreTime, hasLink }
      return [request.slice == null ? { ...whole, slice: null } : sliced(whole, analysis.files, request.slice)]
    })
  )

/** The slice of a file, and of two files now what it needs: the index that is listed for it, best one that is online. */
const sliced = <F extends Pick<PlannedFile, "fileName" | "archived" | "estimatedRestoreTime"> & { hasLink: boolean }>(
  file: F,
  listed: ReadonlyArray<ListedFile>,
  wish: SliceWish
) => {
  const form = sliceForm({ regions: wish.wanted.length > 0, unmapped: true }) ?? "ranged"
  const [index] = listed
    .flatMap((other) => {
      const rank = other.fileName === null ? null : indexRank(file.fileName, other.fileName)
      return rank === null ? [] : [{ other, rank: rank + (other.archived || !other.hasLink ? 10 : 0) }]
    })
    .sort((a, b) => a.rank - b.rank)
    .map(({ other }) => other)
  const archived = file.archived || index?.archived === true
  return {
    ...file,
    // Of a slice it is not known before its regions are.
    size: null,
    archived,
    estimatedRestoreTime: file.estimatedRestoreTime ?? index?.estimatedRestoreTime ?? null,
    hasLink: file.hasLink && index?.hasLink !== false,
    slice: { name: sliceName(file.fileName, form), indexFile: index?.fileName ?? null, wish, estimate: null }
  }
}

/** The decisions. Colliding names all fail: none of the files is more right than the other. */
export const plan = (
  analyses: ReadonlyArray<ListedAnalysis>,
  request: PlanRequest,
  destination: Destination
): DownloadPlan => {
  const places = layOut(analyses, request)
  const owners = new Map<string, Array<string>>()
  for (const place of places) {
    const key = collisionKey(pathOf(place))
    const list = owners.get(key)
    if (list === undefined) owners.set(key, [place.analysisId])
    else list.push(place.analysisId)
  }
  const files = places.map(({ hasLink, ...place }): PlannedFile => {
    const path = pathOf(place)
    const sharing = owners.get(collisionKey(path)) ?? []
    return { ...place, decision: decide(place, path, hasLink, sharing, request, destination) }
  })
  const { failures, warnings } = remarks(analyses, files, request)
  return { files, failures, warnings: [...warnings, ...files.flatMap((file) => otherSize(file, destination))] }
}

/** Said aloud because `exists` is decided by the name alone: the file may be cut, or of another analysis. */
const otherSize = (file: PlannedFile, destination: Destination): ReadonlyArray<string> => {
  const there = destination.occupants.get(pathOf(file))?.size
  if (file.decision._tag !== "Skip" || file.decision.reason !== "exists") return []
  if (there === undefined || file.size === null || there === file.size) return []
  return [
    `${pathOf(file)} exists with ${there} bytes, but analysis ${printable(file.analysisId)} lists ${file.size}: ` +
      "it was left as it is; check it, or give --overwrite"
  ]
}

const decide = (
  place: Omit<PlannedFile, "decision">,
  path: string,
  hasLink: boolean,
  sharing: ReadonlyArray<string>,
  request: PlanRequest,
  destination: Destination
): Decision => {
  const unsafe =
    unsafeName(place.fileName) ??
    (place.slice === null ? null : unsafeName(`${place.slice.name}.bai`)) ??
    (place.folder === "" ? null : unsafeName(place.folder))
  if (unsafe !== null) return fail(unsafe)
  if (sharing.length > 1) return fail(new NameCollision({ name: path, analyses: [...new Set(sharing)].map(printable) }))
  const reserved = destination.reserved.get(path)
  if (reserved !== undefined) return fail(new CannotCreate({ path, reason: `it is ${reserved} of this run` }))
  const occupant = destination.occupants.get(path)
  if (occupant?.kind === "other") return fail(new CannotCreate({ path, reason: "something else than a file is there" }))
  if (place.slice !== null) {
    if (place.type === "vcf.gz" && place.slice.wish.wanted.length === 0) return { _tag: "Skip", reason: "no-reads" }
    const state = destination.slices.get(path)
    if (!request.overwrite && state?._tag === "Other") return fail(state.error)
    if (!request.overwrite && state?._tag === "Same") return { _tag: "Skip", reason: "exists" }
  } else if (occupant !== undefined && !request.overwrite) return { _tag: "Skip", reason: "exists" }
  if (place.archived) return { _tag: "Skip", reason: "archived" }
  if (place.slice?.indexFile === null) {
    const what = `index of ${printable(place.fileName)} (analysis ${printable(place.analysisId)})`
    return fail(new NotFound({ what, detail: "regions cannot be found without one, and the service lists none" }))
  }
  if (!hasLink)
    return fail(new NotFound({ what: `download link of ${place.fileName} (analysis ${printable(place.analysisId)})` }))
  return { _tag: "Fetch" }
}

const fail = (error: PlanError): Decision => ({ _tag: "Fail", error })

/**
 * The type of a file when it is requested. A name that is unsafe at its end (`x.bam `) still counts as its type, so that
 * it is refused aloud and not left out in silence.
 */
const requestedType = (file: ListedFile, request: PlanRequest): FileType | null => {
  if (file.fileName === null) return null
  const type = fileTypeOf(file.fileName) ?? fileTypeOf(withoutTail(file.fileName))
  return type !== null && requestedTypes(request).includes(type) ? type : null
}

/** Slices are made of data files and bring their own index. */
const requestedTypes = ({ filetypes, slice }: PlanRequest): ReadonlyArray<FileType> =>
  slice == null ? filetypes : filetypes.filter(isDataType)

const withoutTail = (name: string): string => {
  let end = name.length
  while (end > 0 && !/[\p{L}\p{N}]/u.test(name[end - 1] ?? "")) end--
  return name.slice(0, end)
}

/** What is missing: all requested types of a named analysis (a failure), some of them (a warning). */
const remarks = (
  analyses: ReadonlyArray<ListedAnalysis>,
  files: ReadonlyArray<PlannedFile>,
  request: PlanRequest
): Pick<DownloadPlan, "failures" | "warnings"> => {
  const failures: Array<PlanFailure> = []
  const warnings: Array<string> = []
  const filetypes = requestedTypes(request)
  const wanted = filetypes.join(", ")
  const typesOf = Map.groupBy(files, (file) => file.analysisId)
  for (const analysis of analyses) {
    const found = new Set(typesOf.get(analysis.id)?.map((file) => file.type))
    // An analysis found by sample or person need not have all types, but half a pair is odd.
    const absent = filetypes.filter((type) => !found.has(type) && (analysis.named || found.has(partnerOf(type))))
    if (found.size === 0 && analysis.named) {
      failures.push({
        analysisId: analysis.id,
        error: nothingOf(wanted, `analysis ${printable(analysis.id)}`, [analysis])
      })
    } else if (found.size > 0 && absent.length > 0) {
      warnings.push(`Analysis ${printable(analysis.id)} has no ${absent.join(", ")} file`)
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

const nothingOf = (wanted: string, where: string, analyses: ReadonlyArray<ListedAnalysis>) => {
  const names = analyses.flatMap((analysis) => analysis.files.flatMap((file) => file.fileName ?? []))
  const others = [...new Set(names.map(fileTypeOf))].filter((type) => type !== null)
  const detail =
    others.length === 0 ? "it has no files of a known type" : `there are ${others.join(", ")}: see --filetypes`
  return new NotFound({ what: `${wanted} files of ${where}`, detail })
}
