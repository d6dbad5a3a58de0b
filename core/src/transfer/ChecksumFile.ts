/** A checksum beside a file, in the form of coreutils: `md5sum -c NAME.md5` and `sha256sum -c NAME.sha256` check it. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { type CannotCreate, FileDamaged, FileDiffers, type LocalIo } from "../Errors.ts"
import { type ChecksumKind, checksumKinds } from "../selection/FileName.ts"
import { checksumIn, checksumsOfOthers } from "../verify/Manifest.ts"
import { type CheckServices, checkAsked, contentProof } from "./FileCheck.ts"
import { PartFiles, type PartPlace } from "./PartFiles.ts"
import type { TransferRequest } from "./TransferRequest.ts"

type DataFile = Pick<PartPlace, "directory" | "name">

const nameOf = (name: string, kind: ChecksumKind) => `${name}.${kind}`

/** The text of the checksums of a file, null when there is none. */
const textOf = Effect.fnUntraced(function* ({ directory, name }: DataFile, kind: ChecksumKind, limit = Infinity) {
  const file = yield* (yield* PartFiles).beside(directory, nameOf(name, kind))
  return file === null ? null : new TextDecoder().decode(yield* file.read(0, Math.min(file.size, limit)))
}, Effect.scoped)

/** What the checksums of a file say of other files: a list of somebody else, in which only the line of ours may change. */
const othersOf = (data: DataFile, kind: ChecksumKind) =>
  Effect.map(textOf(data, kind), (text) => checksumsOfOthers(kind, text ?? "", data.name))

/** Replaces the checksum of a file. Names that coreutils would have to escape are refused long before. */
export const put = Effect.fnUntraced(function* (data: DataFile, kind: ChecksumKind, hex: string) {
  const files = yield* PartFiles
  const { directory, name } = data
  const others = yield* othersOf(data, kind)
  yield* files.replaceText(directory, nameOf(name, kind), `${hex}  ${name}\n${others}`)
})

/**
 * Removes the checksums of a file that is about to be replaced, of every kind and whether new ones are wanted or not: they
 * must never stand beside other bytes.
 */
export const withdraw = Effect.fnUntraced(function* (place: PartPlace) {
  const files = yield* PartFiles
  for (const kind of checksumKinds) {
    const name = nameOf(place.name, kind)
    const others = yield* othersOf(place, kind)
    yield* others === "" ? files.withdraw({ ...place, name }) : files.replaceText(place.directory, name, others)
  }
})

/** As much is read of the checksums beside a file, which have one line, seldom more. */
const largest = 1024 * 1024

/** Compares a file with the checksum of this kind beside it; false when there is none. `FileDamaged` when it does not fit. */
export const compare = Effect.fn("svc.transfer.compareChecksum")(function* (
  { directory, name }: DataFile,
  kind: ChecksumKind
): Effect.fn.Return<boolean, FileDamaged | CannotCreate | LocalIo, PartFiles> {
  const files = yield* PartFiles
  const text = yield* textOf({ directory, name }, kind, largest)
  if (text === null) return false
  const file = nameOf(name, kind)
  const stated = checksumIn(kind, text, name)
  if (Result.isFailure(stated)) {
    const reason = `${stated.failure}; remove it, and a new one is written`
    return yield* new FileDamaged({ file, fault: "Checksum", reason, overwrite: "both" })
  }
  const found = yield* files.digest(directory, name, kind)
  if (found === stated.success) return true
  const reason = `it does not fit ${name}, whose ${kind} is ${found}: one of the two was changed`
  return yield* new FileDamaged({ file, fault: "Checksum", reason, overwrite: "both" })
})

/** A file under its final name that a run keeps; `size` is what the service lists, null when it lists none. */
export type KeptFile = Pick<TransferRequest, "directory" | "fileName" | "name" | "size" | "check" | "checksums">

/**
 * Compares the checksum beside a kept file. Where none is, it puts one there, once the file has the listed size and passes the
 * check that a download has to pass: a checksum says that the file is as the service has it. False when there is none and none
 * may be written, because no size is listed.
 */
export const vouch = Effect.fn("svc.transfer.vouch")(function* (
  kept: KeptFile
): Effect.fn.Return<boolean, FileDamaged | FileDiffers | CannotCreate | LocalIo, CheckServices | Scope.Scope> {
  const files = yield* PartFiles
  const { checksums = null, directory, name, size } = kept
  if (checksums === null || (yield* compare(kept, checksums))) return true
  const reader = size === null ? null : yield* files.beside(directory, name)
  if (reader === null) return false
  const differs = FileDiffers.of(`${directory}/${name}`, reader.size, size)
  if (differs !== null) return yield* differs
  const proof = yield* contentProof(kept)
  const checked = Effect.andThen(checkAsked(kept, reader), proof.finish(reader))
  yield* Effect.catchTag(checked, "SvcFileDamaged", ({ fault, file, overwrite = "kept", reason }) => {
    return new FileDamaged({ fault, file, overwrite, reason })
  })
  yield* put(kept, checksums, yield* files.digest(directory, name, checksums))
  return true
}, Effect.scoped)
