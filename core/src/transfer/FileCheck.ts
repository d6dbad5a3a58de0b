/**
 * What the bytes of a file have to pass before it gets its final name: the checks that the caller asked for, and the checksums
 * that its link host stated.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { FileDamaged, type LocalIo } from "../Errors.ts"
import * as BlockProof from "../genome/bgzf/BlockProof.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import { dataOf, kindOfName } from "../genome/formats/FileNames.ts"
import { checkStructure, isInBlocks } from "../genome/Structure.ts"
import { proveFile } from "../verify/FileProof.ts"
import type { ByteRange } from "./ByteRanges.ts"
import { type Algorithm, agreeing, checksumDamage, type StatedDigest } from "./Digests.ts"
import { LinkPool } from "./LinkPool.ts"
import type { OpenPart } from "./OpenPart.ts"
import { PartFiles, readerOfPart } from "./PartFiles.ts"
import type { PartReader, Proof, TransferRequest } from "./TransferRequest.ts"

/** What is needed to read a file as what its name says. */
export type CheckServices = PartFiles | Codec | LinkPool

/** A file that is checked: `name` is its final name in `directory`, `fileName` the one that the service gave it. */
export type CheckedFile = Pick<TransferRequest, "check" | "directory" | "fileName" | "name">

/** The name that shows the type of a file: where its final name shows none, the one that the service gave does. */
const typedName = ({ fileName, name }: CheckedFile) => (kindOfName(name) === null ? fileName : name)

/** Runs the check that was asked for up to its structure; false where no structure is known to compare with. */
export const checkAsked = (
  file: CheckedFile,
  reader: PartReader
): Effect.Effect<boolean, FileDamaged | LocalIo, CheckServices> => {
  const { check = "content" } = file
  if (check === "none") return Effect.succeed(false)
  if (typeof check === "function") return Effect.as(check(reader), false)
  return checkPart(file, reader)
}

/** Both ends of a file, and an index against its data file, where that lies beside it. */
const checkPart = Effect.fn("svc.transfer.checkPart")(function* (
  file: CheckedFile,
  part: PartReader
): Effect.fn.Return<boolean, FileDamaged | LocalIo, CheckServices | Scope.Scope> {
  const files = yield* PartFiles
  const known = typedName(file)
  const dataName = dataOf(known)
  const reader = dataName === known ? null : yield* files.beside(file.directory, dataName)
  if (reader === null) return (yield* checkStructure(known, part)).kind !== "other"
  const { fileName } = file
  yield* Effect.catchTag(
    checkStructure(known, part, { name: dataName, reader }),
    "SvcFileDamaged",
    ({ fault, file: damaged, reason }) => {
      // The same command again would keep the data file, and fail again.
      const overwrite = "both"
      if (damaged === dataName) {
        const because = `cannot be checked, as ${dataName} beside it is damaged: ${reason}`
        return new FileDamaged({ file: fileName, fault, reason: because, overwrite })
      }
      return new FileDamaged({ file: fileName, fault, reason, ...(fault === "IndexMismatch" ? { overwrite } : {}) })
    }
  )
  return true
}, Effect.scoped)

/**
 * Reads every block and record of a data file, or of an index together with the data file beside it, as its bytes arrive.
 * False where nothing is known to compare with.
 */
export const prove = Effect.fn("svc.transfer.provePart")(function* (
  file: CheckedFile,
  part: PartReader
): Effect.fn.Return<boolean, FileDamaged | LocalIo, CheckServices | Scope.Scope> {
  const files = yield* PartFiles
  const known = typedName(file)
  const dataName = dataOf(known)
  if (dataName === known) return (yield* proveFile({ name: known, reader: part }, null)) !== null
  const reader = yield* files.beside(file.directory, dataName)
  if (reader === null) return false
  return (yield* proveFile({ name: dataName, reader }, { name: known, reader: part })) !== null
}, Effect.scoped)

/** What proves the content of a part: it hears of the bytes as they come, and ends when the part is complete. */
export interface ContentProof {
  /** Null where nothing is proven of bytes as they come. */
  readonly take: BlockProof.BlockProof["take"] | null
  /** By what the content is proven now; null where nothing is known to compare with. */
  readonly finish: (
    part: PartReader
  ) => Effect.Effect<"records" | "blocks" | null, FileDamaged | LocalIo, CheckServices>
}

/** Proves the content of a file that is there as far as its check asks for it. */
export const contentProof = Effect.fnUntraced(function* (
  file: CheckedFile
): Effect.fn.Return<ContentProof, never, CheckServices> {
  const index = kindOfName(typedName(file))?.index
  const blocks = BlockProof.make(yield* Codec, (yield* LinkPool).inflating)
  const proven = Effect.fnUntraced(function* (part: PartReader) {
    // A BAI has no blocks, and who does not know the format does not know whether there are any.
    if (index === undefined || (index !== null && !(yield* isInBlocks(part)))) return null
    yield* blocks.finish(file.fileName, part)
    return "blocks" as const
  })
  switch (file.check ?? "content") {
    case "content":
      return { take: index === undefined ? null : blocks.take, finish: proven }
    case "full":
      return {
        take: null,
        finish: (part) => Effect.map(prove(file, part), (found) => (found ? "records" : null))
      }
    default:
      return { take: null, finish: () => Effect.succeed(null) }
  }
})

/**
 * The same while the part is filled. Blocks are proven as they come, unless the link host states a digest, which is cheaper; what an
 * earlier run left is read beside them. Records are read behind the bytes that came without a gap, where the size is known.
 */
export const proveOnArrival = Effect.fnUntraced(function* (
  request: Pick<TransferRequest, keyof CheckedFile | "size">,
  { file, known, ranges, reached }: OpenPart
): Effect.fn.Return<ContentProof, never, CheckServices | Scope.Scope> {
  const proof = yield* contentProof(request)
  const { size } = request
  if (request.check === "full" && size !== null) {
    const read: PartReader["read"] = (offset, length) =>
      Effect.andThen(reached(Math.min(size, offset + length)), file.read(offset, length))
    const proving = yield* Effect.forkScoped(proof.finish({ size, read }))
    return { ...proof, finish: () => Fiber.join(proving) }
  }
  const { take: proveBytes } = proof
  if (proveBytes === null) return proof
  const take = (offset: number, bytes: Uint8Array) =>
    Effect.flatMap(known, (version) => ((version?.digests.length ?? 0) > 0 ? Effect.void : proveBytes(offset, bytes)))
  const takeAgain = Effect.fnUntraced(function* ([start, end]: ByteRange) {
    const room = new Uint8Array(Math.min(readLength, end - start))
    for (let at = start; at < end; at += room.length) {
      yield* take(at, yield* file.read(at, Math.min(room.length, end - at), room))
    }
  })
  const earlier = yield* ranges
  // What cannot be read now is read in the end, and said then.
  const again = yield* Effect.forkScoped(Effect.ignore(Effect.forEach(earlier, takeAgain, { discard: true })))
  return { take, finish: (part) => Effect.andThen(Fiber.join(again), proof.finish(part)) }
})

/** Bytes of what an earlier run left that are read at once. */
const readLength = 1024 * 1024

/**
 * Compares the complete part of `size` bytes with everything that is known of the file; `FileDamaged` when it differs.
 *
 * @param wanted - digests that are computed
 */
export const compare = Effect.fnUntraced(function* (
  request: Pick<TransferRequest, keyof CheckedFile | "size">,
  { file, known }: OpenPart,
  size: number,
  content: ContentProof,
  wanted: (stated: ReadonlyArray<StatedDigest>) => ReadonlyArray<Algorithm>
) {
  const reader = readerOfPart(file, size)
  const structure = yield* checkAsked(request, reader)
  const records = request.check === "full" ? yield* content.finish(reader) : null
  const version = yield* known
  const stated = version?.digests ?? []
  const digests = yield* file.digests(size, wanted(stated))
  const damage = checksumDamage(request.fileName, stated, digests)
  if (damage !== null) return yield* damage
  const digest = records ?? agreeing(stated, digests)
  const sized = (version?.size ?? request.size) !== null
  const provenBy: Proof | null =
    digest ?? (yield* content.finish(reader)) ?? (structure ? "structure" : sized ? "size" : null)
  return { provenBy, digests }
})
