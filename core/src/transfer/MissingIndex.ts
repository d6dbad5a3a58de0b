/** Puts an index beside a data file that has none: made of its records, whole under its final name or not there. */
import * as Effect from "effect/Effect"
import { type Busy, type CannotCreate, FileDamaged, type LocalIo, type UnsafeName } from "../Errors.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import { type ChecksumKind, unsafeIndexName } from "../selection/FileName.ts"
import { printable } from "../text/Printable.ts"
import { makeIndex } from "../verify/IndexMaking.ts"
import { commitIndex, type PutIndex } from "./Commit.ts"
import type { CheckServices } from "./FileCheck.ts"
import { isIndexed, plainNames } from "./IndexesBeside.ts"
import { type PartPlace, placeOf } from "./PartFiles.ts"

/** A data file under its final name. */
export interface Indexed extends Pick<PartPlace, "directory" | "name"> {
  /** For a file beside the index. */
  readonly checksums: ChecksumKind | null
}

/** An index of this much data takes seconds, so that somebody may wonder what the run does. */
const large = 1024 ** 3

/** Makes the index and puts it there; null where there is one: data that came anew has none of before (Commit.ts). */
export const putMissingIndex = Effect.fn("svc.transfer.putMissingIndex")(function* (
  { codec, files }: CheckServices,
  { checksums, directory, name }: Indexed
): Effect.fn.Return<PutIndex | null, FileDamaged | Busy | UnsafeName | CannotCreate | LocalIo> {
  const unsafe = unsafeIndexName(name)
  if (unsafe !== null) return yield* unsafe
  const indexed = isIndexed(files, { directory, name })
  // A folder where nothing is to be made may be one that cannot be written to.
  if (yield* indexed) return null
  const identity = yield* files.fingerprint(JSON.stringify(["index", name]))
  return yield* Effect.gen(function* () {
    const place = yield* files.ours(placeOf(directory, name, identity))
    yield* files.claim(place)
    // Another run may have made it while this one waited for the claim.
    if (yield* indexed) return null
    yield* plainNames(files, place)
    const reader = yield* files.beside(directory, name)
    if (reader === null) return null
    if (reader.size >= large) yield* Effect.logInfo(`Making the index of ${printable(name)}`)
    const made = yield* Effect.provideService(makeIndex({ name, reader }), Codec, codec)
    const stillThere = Effect.flatMap(reader.unchanged, (same) =>
      same
        ? Effect.void
        : new FileDamaged({ file: name, fault: "Changing", reason: "it was changed while its index was made" })
    )
    return yield* commitIndex(files, place, { ...made, identity }, checksums, stillThere)
  }).pipe(Effect.scoped)
})
