/**
 * What is in the destination before a run: files under final names, and what earlier runs left of unfinished ones.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { LocalIo, UsageError } from "../Errors.ts"
import type { Codec } from "../genome/bgzf/Codec.ts"
import { dataTypeOf, unsafeName } from "../selection/FileName.ts"
import { dataNames, finalName, pathOf } from "../selection/OutputPath.ts"
import { identityIn, identityOf, identityOfInfo } from "../settings/NamedFiles.ts"
import type { SliceState } from "../transfer/SliceRequest.ts"
import type { Destination, Occupant, PlannedFile } from "./DownloadPlan.ts"
import type { DownloadRequest } from "./DownloadRequest.ts"
import { existingSlice } from "./ExistingSlice.ts"

type PlannedOutput = Pick<PlannedFile, "folder" | "fileName" | "type" | "slice">

export interface DestinationView extends Destination {
  /** Bytes on the disk in the part file of a planned file. */
  readonly present: (place: PlannedOutput) => number
  /** A planned file is one that the run itself writes; null when none is. */
  readonly clash: UsageError | null
}

/** Looks at the places of a plan and changes nothing. Header and index are read only of a slice that may be kept. */
export const lookAt = Effect.fn("svc.download.lookAt")(function* (
  { checksums, destination, overwrite, own }: Pick<DownloadRequest, "checksums" | "destination" | "overwrite" | "own">,
  places: ReadonlyArray<PlannedOutput>
): Effect.fn.Return<DestinationView, never, FileSystem.FileSystem | Path.Path | Codec> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const occupants = new Map<string, Occupant>()
  const slices = new Map<string, SliceState>()
  const parts = new Map<string, number>()

  const ownFiles = yield* identitiesOf(own)
  const clashes: Array<string> = []
  // The id of an analysis becomes a folder; nothing outside of the destination is looked at.
  const within = places.filter(({ folder }) => folder === "" || unsafeName(folder) === null)
  const folders = new Map<string, string | null>()
  for (const folder of new Set(within.map((place) => place.folder))) {
    const directory = path.join(destination, folder)
    folders.set(folder, yield* identityOf(directory))
    const names = yield* Effect.orElseSucceed(fs.readDirectory(directory), () => [])
    for (const name of names.filter(isPart)) {
      const info = yield* Effect.option(fs.stat(path.join(directory, name)))
      if (Option.isSome(info)) parts.set(path.join(folder, partKey(name)), allocatedBytes(info.value))
    }
  }
  for (const place of within) {
    if (unsafeName(place.fileName) !== null) continue
    const relative = pathOf(place)
    const absolute = path.join(destination, place.folder, finalName(place))
    const info = yield* Effect.option(fs.stat(absolute))
    const sums = (name: string) => (checksums === null ? [name] : [name, `${name}.${checksums}`])
    const written = dataNames(place).flatMap(sums)
    const ids = written.map((name): string | null => identityIn(folders.get(place.folder) ?? null, name))
    const mine = ids.concat(Option.isSome(info) ? identityOfInfo(info.value) : []).find((id) => ownFiles.has(id))
    if (mine !== undefined) clashes.push(`${relative} would be written over ${ownFiles.get(mine)}`)
    if (Option.isNone(info)) continue
    occupants.set(relative, { kind: info.value.type === "File" ? "file" : "other", size: Number(info.value.size) })
    if (place.slice === null || overwrite) continue
    const kind = dataTypeOf(place.type)
    slices.set(relative, yield* existingSlice(absolute, kind, place.slice.content))
  }
  // The part of a slice is of no use to the next run.
  const bytesPresent = (place: PlannedOutput) =>
    place.slice === null ? (parts.get(path.join(place.folder, place.fileName)) ?? 0) : 0
  const [clash = null] = clashes
  return {
    occupants,
    slices,
    present: bytesPresent,
    clash:
      clash === null ? null : new UsageError({ message: `${clash}: name another file for it; nothing was fetched` })
  }
})

/** The files of `own` by what they are on the disk, and by the names that they would get. */
const identitiesOf = Effect.fnUntraced(function* (own: DownloadRequest["own"]) {
  const path = yield* Path.Path
  const known = new Map<string | null, string>()
  for (const [file, what] of own) {
    const folder = yield* identityOf(path.dirname(path.resolve(file)))
    known.set(identityIn(folder, path.basename(file)), `${what} ${file}`)
    known.set(yield* identityOf(file), `${what} ${file}`)
  }
  known.delete(null)
  return known
})

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

/** `S1.bam` out of `.S1.bam.1a2b3c4d.part`. */
const partKey = (name: string) => name.slice(1, -".12345678.part".length)

/** A part may have holes, so its length says little; 512 is the unit of `blocks` (POSIX `st_blocks` on Linux). */
const allocatedBytes = (info: FileSystem.File.Info): number =>
  Math.min(Number(info.size), Number(Option.getOrElse(info.blocks, () => 0n)) * 512)
