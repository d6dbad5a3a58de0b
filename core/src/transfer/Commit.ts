/**
 * How finished files get their final names: a whole file alone, a slice together with the index that was made with it, an index
 * that is made of a file that has its name.
 *
 * A crash leaves at no moment a checksum beside data that it does not belong to, nor an index where one of ours goes there, nor,
 * where nothing was before, a slice that looks complete without its index.
 */
import * as Effect from "effect/Effect"
import { type Busy, type CannotCreate, FileDamaged, type LocalIo, type UnsafeName } from "../Errors.ts"
import type { Codec } from "../genome/bgzf/Codec.ts"
import { type IndexSuffix, indexSuffixes } from "../genome/formats/FileNames.ts"
import { type ChecksumKind, unsafeIndexName } from "../selection/FileName.ts"
import { printable } from "../text/Printable.ts"
import { makeIndex } from "../verify/FileProof.ts"
import * as ChecksumFile from "./ChecksumFile.ts"
import { ownAlgorithms } from "./Digests.ts"
import * as IndexesBeside from "./IndexesBeside.ts"
import { isIndexed, plainNames } from "./IndexesBeside.ts"
import type { OpenPart } from "./OpenPart.ts"
import { type PartFile, PartFiles, type PartPlace, placeOf } from "./PartFiles.ts"

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

/** Gives a whole file its final name, then its checksum; `makesIndex`: its index is made afterwards. */
export const commit = Effect.fnUntraced(function* ({
  bytes,
  checksum,
  checkOwnership,
  file,
  makesIndex,
  place,
  replaces
}: FinishedPart & { readonly makesIndex: boolean }) {
  // What needs disk space is done before anything is removed.
  if (replaces || makesIndex) yield* file.sync
  yield* checkOwnership
  // What is refused is refused while all that is there still stands.
  yield* file.checkName(replaces)
  const indexes = makesIndex ? yield* IndexesBeside.plainNames(place) : []
  if (replaces) yield* ChecksumFile.withdraw(place)
  yield* IndexesBeside.withdraw(place, indexes)
  yield* file.commit(bytes, replaces)
  if (checksum !== null) yield* ChecksumFile.put(place, checksum.kind, checksum.hex)
}, Effect.uninterruptible)

/** Where an index of ours lies. */
const placeOfIndex = ({ directory, name }: PartPlace, suffix: string, identity: string) =>
  PartFiles.use((files) => files.ours(placeOf(directory, `${name}.${suffix}`, identity)))

/** Removes the parts of a slice and of its index. */
export const discardSlice = Effect.fnUntraced(function* (place: PartPlace, identity: string) {
  const files = yield* PartFiles
  for (const suffix of indexSuffixes) yield* files.discard(yield* placeOfIndex(place, suffix, identity))
  yield* files.discard(place)
})

/** An index of ours; `identity` as the part beside it has it. */
export interface FinishedIndex {
  readonly identity: string
  readonly suffix: IndexSuffix
  readonly bytes: Uint8Array
}

/** An index that was put beside its data; `bytes` is its size. */
export interface PutIndex {
  readonly name: string
  readonly bytes: number
  readonly sha256: string
}

/**
 * Writes the index of the data at `place` to a part, which `named` gives its final name; then it gets its checksum. However that
 * fails, no part is left.
 */
const stageIndex = Effect.fnUntraced(function* <E>(
  data: PartPlace,
  { bytes, identity, suffix }: FinishedIndex,
  checksums: ChecksumKind | null,
  named: (index: {
    readonly place: PartPlace
    readonly commit: (overwrite: boolean) => ReturnType<PartFile["commit"]>
  }) => Effect.Effect<void, E, PartFiles>
) {
  const files = yield* PartFiles
  const place = yield* placeOfIndex(data, suffix, identity)
  const part = yield* files.create(place)
  return yield* Effect.gen(function* () {
    yield* part.write(0, bytes)
    const digests = yield* part.digests(bytes.length, ownAlgorithms(checksums))
    yield* part.sync
    yield* named({ place, commit: (overwrite) => part.commit(bytes.length, overwrite) })
    if (checksums !== null) yield* ChecksumFile.put(place, checksums, digests.get(checksums) ?? "")
    return { name: place.name, bytes: bytes.length, sha256: digests.get("sha256") ?? "" } satisfies PutIndex
  }).pipe(
    Effect.uninterruptible,
    Effect.onError(() => Effect.ignore(files.discard(place)))
  )
})

/** Gives an index its final name beside data that has its own, once `stillThere` says that it is the data of the index. */
export const commitIndex = <E>(
  data: PartPlace,
  index: FinishedIndex,
  checksums: ChecksumKind | null,
  stillThere: Effect.Effect<void, E>
) => stageIndex(data, index, checksums, ({ commit }) => Effect.andThen(stillThere, commit(false)))

/**
 * Gives a slice and its index their final names. Where nothing was, the index comes first and the data file completes the
 * pair. Where a pair is replaced the old index goes first: a reader then finds no index, never a wrong one, and the next run
 * mends it.
 */
export const commitSlice = Effect.fn("svc.transfer.commitSlice")(function* (
  data: FinishedPart,
  finished: FinishedIndex
) {
  const files = yield* PartFiles
  const { checksum, place, replaces } = data
  return yield* stageIndex(
    place,
    finished,
    checksum?.kind ?? null,
    Effect.fnUntraced(function* (index) {
      // Everything that needs disk space is done before the first name changes.
      yield* data.file.sync
      yield* data.checkOwnership
      yield* data.file.checkName(replaces)
      if (replaces) {
        const indexes = yield* IndexesBeside.plainNames(place)
        yield* ChecksumFile.withdraw(place)
        yield* IndexesBeside.withdraw(place, indexes)
        yield* data.file.commit(data.bytes, true)
        yield* index.commit(true)
      } else {
        yield* index.commit(true)
        // Data that appeared meanwhile is not ours, so our index must not stay beside it.
        yield* Effect.onError(data.file.commit(data.bytes, false), () => Effect.ignore(files.withdraw(index.place)))
      }
      if (checksum !== null) yield* ChecksumFile.put(place, checksum.kind, checksum.hex)
    })
  )
})

/** A data file under its final name. */
export interface Indexed extends Pick<PartPlace, "directory" | "name"> {
  /** For a file beside the index. */
  readonly checksums: ChecksumKind | null
}

/** An index of this much data takes seconds, so that somebody may wonder what the run does. */
const large = 1024 ** 3

/** Makes the index and puts it there; null where there is one: data that came anew has none of before (Commit.ts). */
export const putMissingIndex = Effect.fn("svc.transfer.putMissingIndex")(function* ({
  checksums,
  directory,
  name
}: Indexed): Effect.fn.Return<
  PutIndex | null,
  FileDamaged | Busy | UnsafeName | CannotCreate | LocalIo,
  PartFiles | Codec
> {
  const files = yield* PartFiles
  const unsafe = unsafeIndexName(name)
  if (unsafe !== null) return yield* unsafe
  const indexed = isIndexed({ directory, name })
  // A folder where nothing is to be made may be one that cannot be written to.
  if (yield* indexed) return null
  const identity = yield* files.fingerprint(JSON.stringify(["index", name]))
  return yield* Effect.gen(function* () {
    const place = yield* files.ours(placeOf(directory, name, identity))
    yield* files.claim(place)
    // Another run may have made it while this one waited for the claim.
    if (yield* indexed) return null
    yield* plainNames(place)
    const reader = yield* files.beside(directory, name)
    if (reader === null) return null
    if (reader.size >= large) yield* Effect.logInfo(`Making the index of ${printable(name)}`)
    const made = yield* makeIndex({ name, reader })
    const stillThere = Effect.flatMap(reader.unchanged, (same) =>
      same
        ? Effect.void
        : new FileDamaged({ file: name, fault: "Changing", reason: "it was changed while its index was made" })
    )
    return yield* commitIndex(place, { ...made, identity }, checksums, stillThere)
  }).pipe(Effect.scoped)
})
