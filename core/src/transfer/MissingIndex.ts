/** Puts an index beside a data file that has none: made of its records, whole under its final name or not there. */
import * as Effect from "effect/Effect"
import { Busy, type CannotCreate, type FileDamaged, type LocalIo, type UnsafeName } from "../Errors.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import { indexNamesOf } from "../genome/formats/FileNames.ts"
import { type ChecksumKind, unsafeIndexName } from "../selection/FileName.ts"
import { makeIndex } from "../verify/IndexMaking.ts"
import { commitIndex, type PutIndex } from "./Commit.ts"
import type { CheckServices } from "./FileCheck.ts"
import { type PartPlace, placeOf } from "./PartFiles.ts"

/** A data file under its final name. */
export interface Indexed extends Pick<PartPlace, "directory" | "name"> {
  /** For a file beside the index. */
  readonly checksums: ChecksumKind | null
}

/** Makes the index and puts it there; null where there is one: data that came anew has none of before (Commit.ts). */
export const putMissingIndex = Effect.fn("svc.transfer.putMissingIndex")(function* (
  { codec, files }: CheckServices,
  { checksums, directory, name }: Indexed
): Effect.fn.Return<PutIndex | null, FileDamaged | Busy | UnsafeName | CannotCreate | LocalIo> {
  const unsafe = unsafeIndexName(name)
  if (unsafe !== null) return yield* unsafe
  const identity = yield* files.fingerprint(JSON.stringify(["index", name]))
  return yield* Effect.gen(function* () {
    const place = yield* files.ours(placeOf(directory, name, identity))
    yield* files.claim(place)
    for (const index of indexNamesOf(name)) {
      if ((yield* Effect.scoped(files.beside(directory, index))) !== null) return null
    }
    const reader = yield* files.beside(directory, name)
    if (reader === null) return null
    const made = yield* Effect.provideService(makeIndex({ name, reader }), Codec, codec)
    const stillThere = Effect.flatMap(reader.unchanged, (same) =>
      same ? Effect.void : new Busy({ file: name, owner: "it replaced the file while its index was made" })
    )
    return yield* commitIndex(files, place, { ...made, identity }, checksums, stillThere)
  }).pipe(Effect.scoped)
})
