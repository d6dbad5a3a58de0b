/**
 * How data file and index of a slice get their final names, so that a crash at no moment leaves an index beside data that
 * it does not belong to, nor data that looks complete without its index where nothing was before.
 */
import * as Effect from "effect/Effect"
import { indexSuffixes } from "../genome/formats/FileNames.ts"
import type { SliceResult } from "../genome/slice/Slice.ts"
import type { ChecksumKind } from "../selection/FileName.ts"
import * as ChecksumFile from "./ChecksumFile.ts"
import { algorithmsFor } from "./Digests.ts"
import type { PartFile, PartFiles, PartPlace } from "./PartFiles.ts"
import * as PartJournal from "./PartJournal.ts"
import * as PartProgress from "./PartProgress.ts"

/** Removes the parts of both files. */
export const discard = Effect.fnUntraced(function* (files: PartFiles["Service"], place: PartPlace, identity: string) {
  for (const suffix of indexSuffixes) {
    yield* files.discard(PartJournal.placeOf(place.directory, `${place.name}.${suffix}`, identity))
  }
  yield* files.discard(place)
})

export interface Pair {
  readonly place: PartPlace
  readonly identity: string
  readonly part: PartFile
  readonly journal: PartJournal.PartJournal
  readonly result: SliceResult
  /** A data file stands under the final name and is to be replaced. */
  readonly replaces: boolean
  /** The checksum of the data, for a file beside it; the index gets one of the same kind. */
  readonly checksums: { readonly kind: ChecksumKind; readonly hex: string } | null
}

/**
 * Commits both. Where nothing was, the index comes first and the data file completes the pair. Where a pair is replaced
 * the old index goes first: a reader then finds no index, never a wrong one, and the next run mends it.
 */
export const commit = Effect.fn("svc.transfer.commitSlice")(function* (files: PartFiles["Service"], pair: Pair) {
  const { identity, part, place, result } = pair
  const name = `${place.name}.${result.indexSuffix}`
  const indexPlace = PartJournal.placeOf(place.directory, name, identity)
  const index = yield* files.create(indexPlace)
  return yield* Effect.gen(function* () {
    yield* index.write(0, result.index)
    const { checksums, replaces } = pair
    const own = algorithmsFor([], ["sha256", ...(checksums === null ? [] : [checksums.kind])])
    const digests = yield* index.digests(result.index.length, own)
    yield* index.sync
    // Everything that needs disk space is done before the first name changes.
    yield* part.sync
    yield* PartProgress.checkOwnership(files, place, pair.journal)
    if (replaces) {
      yield* ChecksumFile.withdraw(files, place)
      yield* ChecksumFile.withdraw(files, indexPlace)
      for (const suffix of indexSuffixes) {
        yield* files.withdraw(PartJournal.placeOf(place.directory, `${place.name}.${suffix}`, identity))
      }
      yield* part.commit(result.bytes, true)
      yield* index.commit(result.index.length, true)
    } else {
      yield* index.commit(result.index.length, true)
      // Data that appeared meanwhile is not ours, so our index must not stay beside it.
      yield* Effect.onError(part.commit(result.bytes, false), () => Effect.ignore(files.withdraw(indexPlace)))
    }
    if (checksums !== null) {
      yield* ChecksumFile.put(files, place, checksums.kind, checksums.hex)
      yield* ChecksumFile.put(files, indexPlace, checksums.kind, digests.get(checksums.kind) ?? "")
    }
    return { name, bytes: result.index.length, sha256: digests.get("sha256") ?? "" }
  }).pipe(
    Effect.uninterruptible,
    Effect.onError(() => Effect.ignore(files.discard(indexPlace)))
  )
})
