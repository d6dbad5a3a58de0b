/** Puts an index beside a data file that came without one: made of its records, whole under its final name or not there. */
import * as Effect from "effect/Effect"
import type { Busy, CannotCreate, FileDamaged, LocalIo, UnsafeName } from "../Errors.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import { indexNamesOf } from "../genome/formats/FileNames.ts"
import { type ChecksumKind, unsafeIndexName } from "../selection/FileName.ts"
import { makeIndex } from "../verify/IndexMaking.ts"
import * as ChecksumFile from "./ChecksumFile.ts"
import { algorithmsFor } from "./Digests.ts"
import type { CheckServices } from "./FileCheck.ts"
import { type PartPlace, placeOf } from "./PartFiles.ts"

/** A data file under its final name. */
export interface Indexed extends Pick<PartPlace, "directory" | "name"> {
  /** Its bytes are new: an index that stands beside it is of others, and is replaced. */
  readonly isNew: boolean
  /** For a file beside the index. */
  readonly checksums: ChecksumKind | null
}

/** An index that was put beside its data; `bytes` is its size. */
export interface PutIndex {
  readonly name: string
  readonly bytes: number
  readonly sha256: string
}

/** Makes the index and puts it there; null where a file that is kept has one. */
export const putMissingIndex = Effect.fn("svc.transfer.putMissingIndex")(function* (
  { codec, files }: CheckServices,
  { checksums, directory, isNew, name }: Indexed
): Effect.fn.Return<PutIndex | null, FileDamaged | Busy | UnsafeName | CannotCreate | LocalIo> {
  const unsafe = unsafeIndexName(name)
  if (unsafe !== null) return yield* unsafe
  const identity = yield* files.fingerprint(JSON.stringify(["index", name]))
  return yield* Effect.gen(function* () {
    yield* files.claim(yield* files.ours(placeOf(directory, name, identity)))
    const old = yield* Effect.filter(indexNamesOf(name), (index) =>
      Effect.scoped(Effect.map(files.beside(directory, index), (reader) => reader !== null))
    )
    const reader = yield* files.beside(directory, name)
    if (reader === null || (old.length > 0 && !isNew)) return null
    const { bytes, suffix } = yield* Effect.provideService(makeIndex({ name, reader }), Codec, codec)
    const place = yield* files.ours(placeOf(directory, `${name}.${suffix}`, identity))
    const part = yield* files.create(place)
    return yield* Effect.gen(function* () {
      yield* part.write(0, bytes)
      const digests = yield* part.digests(
        bytes.length,
        algorithmsFor([], ["sha256", ...(checksums === null ? [] : [checksums])])
      )
      yield* part.sync
      for (const index of old) {
        yield* ChecksumFile.withdraw(files, { ...place, name: index })
        yield* files.withdraw({ ...place, name: index })
      }
      yield* part.commit(bytes.length, false)
      if (checksums !== null) yield* ChecksumFile.put(files, place, checksums, digests.get(checksums) ?? "")
      return { name: place.name, bytes: bytes.length, sha256: digests.get("sha256") ?? "" }
    }).pipe(
      Effect.uninterruptible,
      Effect.onError(() => Effect.ignore(files.discard(place)))
    )
  }).pipe(Effect.scoped)
})
