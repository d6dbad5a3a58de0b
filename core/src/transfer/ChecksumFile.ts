/** A checksum beside a file, in the form of coreutils: `md5sum -c NAME.md5` and `sha256sum -c NAME.sha256` check it. */
import { Effect } from "effect"
import type { CannotCreate, LocalIo } from "../Errors.ts"
import { type ChecksumKind, checksumKinds } from "../selection/FileName.ts"
import type { PartFiles, PartPlace } from "./PartFiles.ts"

type DataFile = Pick<PartPlace, "directory" | "name">

const nameOf = (name: string, kind: ChecksumKind) => `${name}.${kind}`

/** Replaces the checksum of a file. Names that coreutils would have to escape are refused long before. */
export const put = (files: PartFiles["Service"], { directory, name }: DataFile, kind: ChecksumKind, hex: string) =>
  files.replaceText(directory, nameOf(name, kind), `${hex}  ${name}\n`)

/**
 * Removes the checksums of a file that is about to be replaced, of every kind and whether new ones are wanted or not: they
 * must never stand beside other bytes.
 */
export const withdraw = (files: PartFiles["Service"], place: PartPlace) =>
  Effect.forEach(checksumKinds, (kind) => files.withdraw({ ...place, name: nameOf(place.name, kind) }), {
    discard: true
  })

/** Adds the checksum to a file that is there, where it is missing: the run before may have ended in between. */
export const complete = Effect.fn("svc.transfer.completeChecksums")(function* (
  files: PartFiles["Service"],
  place: DataFile,
  kind: ChecksumKind
): Effect.fn.Return<void, CannotCreate | LocalIo> {
  const { directory, name } = place
  const isThere = (name: string) => Effect.map(Effect.scoped(files.beside(directory, name)), (file) => file !== null)
  if (!(yield* isThere(name)) || (yield* isThere(nameOf(name, kind)))) return
  yield* put(files, place, kind, yield* files.digest(directory, name, kind))
})
