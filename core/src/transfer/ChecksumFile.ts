/** A checksum beside a file, in the form of coreutils: `md5sum -c NAME.md5` and `sha256sum -c NAME.sha256` check it. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type CannotCreate, FileDamaged, type LocalIo } from "../Errors.ts"
import { type ChecksumKind, checksumKinds } from "../selection/FileName.ts"
import { checksumIn } from "../verify/ChecksumList.ts"
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

/** A checksum file is read whole; one beside a file has one line, seldom more. */
const largest = 1024 * 1024

/** Holds a file against the checksum of this kind beside it; false when there is none. `FileDamaged` when it does not fit. */
export const compare = Effect.fn("svc.transfer.compareChecksum")(function* (
  files: PartFiles["Service"],
  { directory, name }: DataFile,
  kind: ChecksumKind
): Effect.fn.Return<boolean, FileDamaged | CannotCreate | LocalIo> {
  const text = yield* Effect.flatMap(files.beside(directory, nameOf(name, kind)), (file) =>
    file === null ? Effect.succeed(null) : file.read(0, Math.min(file.size, largest))
  ).pipe(Effect.scoped)
  if (text === null) return false
  const wrong = (reason: string) => new FileDamaged({ file: nameOf(name, kind), fault: "Checksum", reason })
  const stated = checksumIn(kind, new TextDecoder().decode(text), name)
  if (Result.isFailure(stated)) return yield* wrong(`${stated.failure}; remove it, and a new one is written`)
  const found = yield* files.digest(directory, name, kind)
  if (found === stated.success) return true
  return yield* wrong(
    `it does not fit ${name}, whose ${kind} is ${found}: one of the two was changed; --overwrite fetches both again`
  )
})
