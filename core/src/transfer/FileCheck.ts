/**
 * What the bytes of a file have to pass before it gets its final name: the checks that the caller asked for, and the checksums
 * that its link host stated.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { FileDamaged, type LocalIo } from "../Errors.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import { dataOf, kindOfName } from "../genome/formats/FileNames.ts"
import { checkStructure } from "../genome/Structure.ts"
import { proveFile } from "../verify/FileProof.ts"
import { type Algorithm, algorithmsFor, checksumDamage, comparisonOf } from "./Digests.ts"
import type { OpenPart } from "./OpenPart.ts"
import { type PartFiles, readerOfPart } from "./PartFiles.ts"
import type { PartReader, TransferRequest } from "./TransferRequest.ts"

/** What is needed to read a file as what its name says. */
export interface CheckServices {
  readonly files: PartFiles["Service"]
  readonly codec: Codec["Service"]
}

/** A file that is checked: `name` is its final name in `directory`, `fileName` the one that the service gave it. */
export type CheckedFile = Pick<TransferRequest, "check" | "directory" | "fileName" | "name">

/** The name that shows the type of a file: where its final name shows none, the one that the service gave does. */
const typedName = ({ fileName, name }: CheckedFile) => (kindOfName(name) === null ? fileName : name)

/** Runs the check that was asked for, `full` up to its structure; false where no structure is known to compare with. */
export const checkAsked = (
  { codec, files }: CheckServices,
  file: CheckedFile,
  reader: PartReader
): Effect.Effect<boolean, FileDamaged | LocalIo> => {
  const { check = "structure" } = file
  if (check === "none") return Effect.succeed(false)
  if (typeof check === "function") return Effect.as(check(reader), false)
  return Effect.provideService(checkPart(files, file, reader), Codec, codec)
}

/** Both ends of a file, and an index against its data file, where that lies beside it. */
const checkPart = Effect.fn("svc.transfer.checkPart")(function* (
  files: PartFiles["Service"],
  file: CheckedFile,
  part: PartReader
): Effect.fn.Return<boolean, FileDamaged | LocalIo, Codec | Scope.Scope> {
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
export const prove = Effect.fn("svc.transfer.provePart")(
  function* (
    { files }: CheckServices,
    file: CheckedFile,
    part: PartReader
  ): Effect.fn.Return<boolean, FileDamaged | LocalIo, Codec | Scope.Scope> {
    const known = typedName(file)
    const dataName = dataOf(known)
    if (dataName === known) return (yield* proveFile({ name: known, reader: part }, null)) !== null
    const reader = yield* files.beside(file.directory, dataName)
    if (reader === null) return false
    return (yield* proveFile({ name: dataName, reader }, { name: known, reader: part })) !== null
  },
  Effect.scoped,
  (effect, { codec }) => Effect.provideService(effect, Codec, codec)
)

/** Whether the content of the complete part was read and found good; false for a file whose kind is not known. */
export type ContentProof = (part: PartReader) => Effect.Effect<boolean, FileDamaged | LocalIo>

/**
 * Begins to read blocks and records while they arrive, for `--check full`; what is given back waits for
 * the verdict. A file of unknown size is read when it is complete.
 */
export const proveOnArrival = Effect.fnUntraced(function* (
  services: CheckServices,
  request: Pick<TransferRequest, keyof CheckedFile | "size">,
  { file, reached }: OpenPart
): Effect.fn.Return<ContentProof, never, Scope.Scope> {
  if (request.check !== "full") return () => Effect.succeed(false)
  const { size } = request
  if (size === null) return (part) => prove(services, request, part)
  const read: PartReader["read"] = (offset, length) =>
    Effect.andThen(reached(Math.min(size, offset + length)), file.read(offset, length))
  const proving = yield* Effect.forkScoped(prove(services, request, { size, read }))
  return () => Fiber.join(proving)
})

/**
 * Compares the complete part of `size` bytes with everything that is known of the file; `FileDamaged` when it differs.
 *
 * @param own - digests that are computed whether the link host states them or not
 */
export const compare = Effect.fnUntraced(function* (
  services: CheckServices,
  request: Pick<TransferRequest, keyof CheckedFile | "size">,
  { file, known }: OpenPart,
  size: number,
  content: ContentProof,
  own: ReadonlyArray<Algorithm>
) {
  const reader = readerOfPart(file, size)
  const structure = yield* checkAsked(services, request, reader)
  const proven = yield* content(reader)
  const version = yield* known
  const stated = version?.digests ?? []
  const digests = yield* file.digests(size, algorithmsFor(stated, own))
  const damage = checksumDamage(request.fileName, stated, digests)
  if (damage !== null) return yield* damage
  const sized = (version?.size ?? request.size) !== null
  const compared = [
    ...(sized ? ["size"] : []),
    ...(structure ? ["structure"] : []),
    ...(proven ? ["content"] : []),
    ...stated.map(comparisonOf)
  ]
  return { compared, digests }
})
