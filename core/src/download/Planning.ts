/**
 * The plan of a run: what is in the destination before it, what it needs there, and why nothing can be written. `--plan` shows
 * it, a download carries it out, and a resume too. Changes nothing.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { CannotCreate, DiskTooSmall, LocalIo } from "../Errors.ts"
import type { Codec } from "../genome/bgzf/Codec.ts"
import { dataTypeOf, unsafeName } from "../selection/FileName.ts"
import { finalName, hasOwnIndex, pathOf } from "../selection/OutputPath.ts"
import { type ListedAnalysis, wantedFiles } from "../selection/WantedFiles.ts"
import { typeAt } from "../settings/NamedFiles.ts"
import { printable } from "../text/Printable.ts"
import * as IndexesBeside from "../transfer/IndexesBeside.ts"
import { PartFiles, partStem } from "../transfer/PartFiles.ts"
import { provenBytes } from "../transfer/PartJournal.ts"
import type { SliceState } from "../transfer/SliceRequest.ts"
import {
  type Destination,
  type DownloadPlan,
  type Occupant,
  type PlannedFile,
  type PlanRequest,
  plan
} from "./DownloadPlan.ts"
import type { DownloadRequest } from "./DownloadRequest.ts"
import { existingSlice } from "./SliceTasks.ts"

/**
 * How many bytes the files of a plan need on the disk, and how many are free.
 *
 * @category models
 * @since 0.1.0
 */
export interface DiskSpace extends DiskNeed {
  /** Absolute or as the user gave it. */
  readonly destination: string
  /** Bytes; null when the file system does not say. */
  readonly free: number | null
}

export interface Planned {
  readonly plan: DownloadPlan<PlannedFile>
  readonly disk: DiskSpace
}

type PlanningServices = PartFiles | FileSystem.FileSystem | Path.Path | Codec

/** Decides on every file of `analyses`; looks at the destination and changes nothing. */
export const planFiles = Effect.fn("svc.download.planFiles")(function* (
  analyses: ReadonlyArray<ListedAnalysis>,
  request: PlanRequest & Pick<DownloadRequest, "destination">
): Effect.fn.Return<Planned, never, PlanningServices> {
  const files = yield* PartFiles
  const { destination } = request
  const places = wantedFiles(analyses, request)
  const view = yield* lookAt(request, places)
  const decided = yield* withPlainIndexes(plan(analyses, request, view, places), destination)
  const free = yield* files.free({ directory: destination })
  const left = request.overwrite ? yield* indexesLeft(decided, destination, view.occupants) : []
  const warnings = [...decided.warnings, ...left, ...notesLeft(decided, view)]
  yield* Effect.forEach(warnings, (warning) => Effect.logWarning(warning), { discard: true })
  return {
    plan: decided,
    disk: { ...diskNeed(decided.files, view.present), destination, free }
  }
})

/** The plan, in which a file fails whose index could not be put beside it: a link or a folder has a name of it. */
const withPlainIndexes = Effect.fnUntraced(function* (plan: DownloadPlan<PlannedFile>, destination: string) {
  const path = yield* Path.Path
  const judge = (file: PlannedFile): Effect.Effect<PlannedFile, never, PartFiles> => {
    const { decision } = file
    const kept = decision._tag === "Skip" && decision.reason === "exists"
    if (file.makesIndex !== true || !(kept || decision._tag === "Fetch")) return Effect.succeed(file)
    const data = { directory: path.join(destination, file.folder), name: finalName(file) }
    const indexed = kept ? IndexesBeside.isIndexed(data) : Effect.succeed(false)
    return Effect.match(
      Effect.flatMap(indexed, (has) => (has ? Effect.void : IndexesBeside.plainNames(data))),
      { onSuccess: () => file, onFailure: (error) => ({ ...file, decision: { _tag: "Fail", error } }) }
    )
  }
  return { ...plan, files: yield* Effect.forEach(plan.files, judge) }
})

/** Which indexes stay beside a data file that is replaced without them: they are those of the older file. */
const indexesLeft = Effect.fnUntraced(function* (
  { files }: DownloadPlan<PlannedFile>,
  destination: string,
  occupants: Destination["occupants"]
) {
  const [fs, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  const planned = new Set(files.map(pathOf))
  const warnings: Array<string> = []
  for (const file of files) {
    if (file.decision._tag !== "Fetch" || hasOwnIndex(file) || !occupants.has(pathOf(file))) continue
    const data = { directory: path.join(destination, file.folder), name: file.fileName }
    for (const fileName of yield* Effect.orElseSucceed(IndexesBeside.ownNames(data), () => [])) {
      const index = pathOf({ ...file, fileName })
      if (planned.has(index)) continue
      if (!(yield* Effect.orElseSucceed(fs.exists(path.join(destination, index)), () => false))) continue
      const [of, name] = [pathOf(file), index].map(printable)
      warnings.push(`${name} stays and is the index of the older ${of}, which is replaced: fetch it too, or remove it`)
    }
  }
  return warnings
})

/** Which notes of other programs stay beside a file that is fetched, or kept: they are not ours to remove. */
const notesLeft = ({ files }: DownloadPlan<PlannedFile>, { notes }: DestinationView): ReadonlyArray<string> =>
  files.flatMap((file) => {
    const { decision } = file
    const note = notes.get(pathOf(file))
    if (note === undefined) return []
    const [name, of] = [note, pathOf(file)].map(printable)
    if (decision._tag === "Fetch") {
      return `${name} stays, and by it another program would write into the new ${of}: remove it`
    }
    return decision._tag === "Skip" && decision.reason === "exists"
      ? `${name} is older than ${of}, which is taken as whole: verify that file, or remove the note`
      : []
  })

/** The plan, whose fetches all fail when it does not fit onto the disk, or nothing can be written for it. */
export const checkDestination = Effect.fn("svc.download.checkDestination")(function* ({
  plan,
  disk
}: Planned): Effect.fn.Return<DownloadPlan<PlannedFile>, never, PlanningServices> {
  const refusal =
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
export const filesToFetch = ({ files }: DownloadPlan<PlannedFile>): ReadonlyArray<PlannedFile> =>
  files.filter(({ decision }) => decision._tag === "Fetch")

/**
 * What a run still has to write.
 *
 * @category models
 * @since 0.1.0
 */
export interface DiskNeed {
  /** Bytes still to be written for the files whose size is known. */
  readonly bytes: number
  /** Files to be fetched whose size the service does not state. */
  readonly unknown: number
}

/**
 * What the fetched files need. A file that gets overwritten stays until its successor is whole, so it frees nothing.
 *
 * @param present - bytes that an earlier run already has on this disk for a file
 */
export const diskNeed = (files: ReadonlyArray<PlannedFile>, present: (file: PlannedFile) => number): DiskNeed => {
  let bytes = 0
  let unknown = 0
  for (const file of files) {
    if (file.decision._tag !== "Fetch") continue
    if (file.size === null) unknown++
    else bytes += Math.max(0, file.size - present(file))
  }
  return { bytes, unknown }
}

/** The refusal when `need` exceeds the `free` bytes; null when it fits or the file system does not say how much is free. */
export const shortage = (need: DiskNeed, destination: string, free: number | null): DiskTooSmall | null =>
  free !== null && need.bytes > free ? new DiskTooSmall({ path: destination, needed: need.bytes, free }) : null

/** The plan without its fetches: each fails with `error`. */
const refuseAll = (
  plan: DownloadPlan<PlannedFile>,
  error: CannotCreate | DiskTooSmall | LocalIo
): DownloadPlan<PlannedFile> => ({
  ...plan,
  files: plan.files.map((file) =>
    file.decision._tag === "Fetch" ? { ...file, decision: { _tag: "Fail", error } } : file
  )
})

type PlannedOutput = Pick<PlannedFile, "folder" | "fileName" | "type" | "slice" | "makesIndex">

export interface DestinationView extends Destination {
  /** By the path of a file, where another program notes what it lacks; it may be left from an older file. */
  readonly notes: ReadonlyMap<string, string>
  /** Bytes on the disk in the part file of a planned file. */
  readonly present: (place: PlannedOutput) => number
}

/** Looks at the places of a plan and changes nothing. Header and index are read only of a slice that may be kept. */
export const lookAt = Effect.fn("svc.download.lookAt")(function* (
  { destination, overwrite }: Pick<DownloadRequest, "destination" | "overwrite">,
  places: ReadonlyArray<PlannedOutput>
): Effect.fn.Return<DestinationView, never, FileSystem.FileSystem | Path.Path | Codec> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const occupants = new Map<string, Occupant>()
  const slices = new Map<string, SliceState>()
  const parts = new Map<string, number>()
  const notes = new Map<string, string>()

  // The id of an analysis becomes a folder; nothing outside of the destination is looked at.
  const within = places.filter(({ folder }) => folder === "" || unsafeName(folder) === null)
  for (const folder of new Set(within.map((place) => place.folder))) {
    const directory = path.join(destination, folder)
    const names = yield* Effect.orElseSucceed(fs.readDirectory(directory), () => [])
    for (const name of names) {
      const suffix = noteSuffixes.find((one) => name.endsWith(one))
      if (suffix !== undefined) notes.set(path.join(folder, name.slice(0, -suffix.length)), path.join(folder, name))
    }
    for (const name of names.filter(isPart)) {
      const journal = yield* Effect.orElseSucceed(fs.readFileString(path.join(directory, `${name}.json`)), () => "")
      parts.set(path.join(folder, partKey(name)), provenBytes(journal))
    }
  }
  for (const place of within) {
    if (unsafeName(place.fileName) !== null) continue
    const relative = pathOf(place)
    const absolute = path.join(destination, place.folder, finalName(place))
    const info = yield* Effect.option(fs.stat(absolute))
    if (Option.isNone(info)) continue
    const note = notes.get(relative)
    const isUnfinished = note !== undefined && (yield* isOf(path.join(destination, note), info.value))
    occupants.set(relative, {
      kind: info.value.type === "File" ? "file" : "other",
      size: Number(info.value.size),
      ...(isUnfinished ? { note } : {})
    })
    if (place.slice === null || overwrite) continue
    const kind = dataTypeOf(place.type)
    slices.set(relative, yield* existingSlice(absolute, kind, place.slice.content))
  }
  // The part of a slice is of no use to the next run.
  const bytesPresent = (place: PlannedOutput) =>
    place.slice === null ? (parts.get(path.join(place.folder, partStem(place.fileName))) ?? 0) : 0
  return {
    occupants,
    slices,
    notes,
    present: bytesPresent
  }
})

/** What aria2c and lftp put beside a file until it is whole. */
const noteSuffixes = [".aria2", ".lftp-pget-status"]

/** They save a note while they write, aria2c at least every 10 minutes (its `--auto-save-interval`). */
const savedWithin = 600_000

/** Whether a note is one of this data: it is left from an older file when the data has changed long after it. */
const isOf = Effect.fnUntraced(function* (note: string, data: FileSystem.File.Info) {
  const fs = yield* FileSystem.FileSystem
  const saved = yield* Effect.option(fs.stat(note))
  return Option.isSome(saved) && changedAt(data) - changedAt(saved.value) <= savedWithin
})

/** In ms since 1970. */
const changedAt = ({ mtime }: FileSystem.File.Info) => Number(Option.getOrElse(mtime, () => 0))

/** Why nothing can be written into the destination; null when it can, or nothing has to be (fault K6). */
export const writeRefusal = Effect.fn("svc.download.writeRefusal")(function* (
  files: ReadonlyArray<PlannedFile>,
  destination: string
): Effect.fn.Return<LocalIo | null, never, FileSystem.FileSystem> {
  // Other files go into folders below, which may be there and open.
  if (!files.some(({ decision, folder }) => decision._tag === "Fetch" && folder === "")) return null
  const fs = yield* FileSystem.FileSystem
  return yield* Effect.match(fs.access(destination, { writable: true }), {
    onSuccess: () => null,
    onFailure: LocalIo.of("write to", destination)
  })
})

const isPart = (name: string) => /^\.[^/]{1,250}\.[0-9a-f]{8}\.part$/.test(name)

/** `S1.bam`, shortened where it is long, out of `.S1.bam.1a2b3c4d.part`. */
const partKey = (name: string) => name.slice(1, -".12345678.part".length)
