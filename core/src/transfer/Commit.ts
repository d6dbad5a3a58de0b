/**
 * How finished files get their final names: a whole file alone, a slice together with the index that was made with it.
 *
 * A crash leaves at no moment an index or a checksum beside data that it does not belong to, nor, where nothing was before,
 * a slice that looks complete without its index.
 */
import * as Effect from "effect/Effect"
import { type IndexSuffix, indexSuffixes } from "../genome/formats/FileNames.ts"
import type { ChecksumKind } from "../selection/FileName.ts"
import * as ChecksumFile from "./ChecksumFile.ts"
import { algorithmsFor } from "./Digests.ts"
import type { OpenPart } from "./OpenPart.ts"
import { type PartFile, type PartFiles, type PartPlace, placeOf } from "./PartFiles.ts"

/** A part that has all its bytes, checked. */
export interface FinishedPart extends Pick<OpenPart, "checkOwnership"> {
  readonly place: PartPlace
  readonly file: PartFile
  readonly bytes: number
  /** Another file stands under the final name and is to be replaced. */
  readonly replaces: boolean
  /** For a file beside it; null where none is wanted. */
  readonly checksum: { readonly kind: ChecksumKind; readonly hex: string } | null
}

/** Gives a whole file its final name, then its checksum. */
export const commit = Effect.fnUntraced(function* (files: PartFiles["Service"], part: FinishedPart) {
  const { bytes, checksum, checkOwnership, file, place, replaces } = part
  yield* checkOwnership
  if (replaces) yield* ChecksumFile.withdraw(files, place)
  yield* file.commit(bytes, replaces)
  if (checksum !== null) yield* ChecksumFile.put(files, place, checksum.kind, checksum.hex)
}, Effect.uninterruptible)

/** Where the index of a slice lies. */
const placeOfIndex = (files: PartFiles["Service"], { directory, name }: PartPlace, suffix: string, identity: string) =>
  files.ours(placeOf(directory, `${name}.${suffix}`, identity))

/** Removes the parts of a slice and of its index. */
export const discardSlice = Effect.fnUntraced(function* (
  files: PartFiles["Service"],
  place: PartPlace,
  identity: string
) {
  for (const suffix of indexSuffixes) yield* files.discard(yield* placeOfIndex(files, place, suffix, identity))
  yield* files.discard(place)
})

/** The index of a slice; `identity` as the part of the slice has it. */
export interface FinishedIndex {
  readonly identity: string
  readonly suffix: IndexSuffix
  readonly bytes: Uint8Array
}

/**
 * Gives a slice and its index their final names. Where nothing was, the index comes first and the data file completes the
 * pair. Where a pair is replaced the old index goes first: a reader then finds no index, never a wrong one, and the next run
 * mends it.
 */
export const commitSlice = Effect.fn("svc.transfer.commitSlice")(function* (
  files: PartFiles["Service"],
  data: FinishedPart,
  { bytes, identity, suffix }: FinishedIndex
) {
  const { checksum, place, replaces } = data
  const indexPlace = yield* placeOfIndex(files, place, suffix, identity)
  const index = yield* files.create(indexPlace)
  return yield* Effect.gen(function* () {
    yield* index.write(0, bytes)
    const own = algorithmsFor([], ["sha256", ...(checksum === null ? [] : [checksum.kind])])
    const digests = yield* index.digests(bytes.length, own)
    yield* index.sync
    // Everything that needs disk space is done before the first name changes.
    yield* data.file.sync
    yield* data.checkOwnership
    if (replaces) {
      yield* ChecksumFile.withdraw(files, place)
      yield* ChecksumFile.withdraw(files, indexPlace)
      for (const old of indexSuffixes) yield* files.withdraw({ ...place, name: `${place.name}.${old}` })
      yield* data.file.commit(data.bytes, true)
      yield* index.commit(bytes.length, true)
    } else {
      yield* index.commit(bytes.length, true)
      // Data that appeared meanwhile is not ours, so our index must not stay beside it.
      yield* Effect.onError(data.file.commit(data.bytes, false), () => Effect.ignore(files.withdraw(indexPlace)))
    }
    if (checksum !== null) {
      yield* ChecksumFile.put(files, place, checksum.kind, checksum.hex)
      yield* ChecksumFile.put(files, indexPlace, checksum.kind, digests.get(checksum.kind) ?? "")
    }
    return { name: indexPlace.name, bytes: bytes.length, sha256: digests.get("sha256") ?? "" }
  }).pipe(
    Effect.uninterruptible,
    Effect.onError(() => Effect.ignore(files.discard(indexPlace)))
  )
})
