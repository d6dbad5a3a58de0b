/** What can be said for a file that a run keeps: a checksum beside it says that it is as the service has it. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type CannotCreate, FileDamaged, FileDiffers, type LocalIo } from "../Errors.ts"
import type { Codec } from "../genome/bgzf/Codec.ts"
import type { BlockPool } from "../verify/BlockPool.ts"
import * as ChecksumFile from "./ChecksumFile.ts"
import { checkAsked } from "./PartCheck.ts"
import type { PartFiles } from "./PartFiles.ts"
import { provePart } from "./PartProof.ts"
import type { TransferRequest } from "./TransferRequest.ts"

/** A file under its final name; `size` is what the service lists, null when it lists none. */
export type KeptFile = Pick<TransferRequest, "directory" | "fileName" | "name" | "size" | "check" | "checksums">

/**
 * Compares the checksum beside the file. Where none is, it puts one there, once the file has the listed size and passes the
 * check that a download has to pass. False when there is none and none may be written, because no size is listed.
 */
export const vouch = Effect.fn("svc.transfer.vouch")(function* (
  files: PartFiles["Service"],
  kept: KeptFile
): Effect.fn.Return<boolean, FileDamaged | FileDiffers | CannotCreate | LocalIo, BlockPool | Codec | Scope.Scope> {
  const { check, checksums = null, directory, name, size } = kept
  if (checksums === null || (yield* ChecksumFile.compare(files, kept, checksums))) return true
  const reader = size === null ? null : yield* files.beside(directory, name)
  if (reader === null) return false
  const differs = FileDiffers.of(`${directory}/${name}`, reader.size, size)
  if (differs !== null) return yield* differs
  yield* Effect.andThen(
    checkAsked(files, kept, reader),
    check === "full" ? provePart(files, kept, reader) : Effect.void
  ).pipe(
    Effect.catchTag("SvcFileDamaged", ({ fault, file, reason }) => {
      const advice = reason.includes("--overwrite")
        ? ""
        : "; it was there before this run: --overwrite fetches it again"
      return new FileDamaged({ file, fault, reason: `${reason}${advice}` })
    })
  )
  yield* ChecksumFile.put(files, kept, checksums, yield* files.digest(directory, name, checksums))
  return true
}, Effect.scoped)
