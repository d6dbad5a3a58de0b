/** `check: "full"`: every block and record of a file, and that an index leads to all of them, proven while the bytes arrive. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { FileDamaged, LocalIo } from "../Errors.ts"
import type { Codec } from "../genome/bgzf/Codec.ts"
import { dataOf, kindOfName } from "../genome/formats/FileNames.ts"
import type { BlockPool } from "../verify/BlockPool.ts"
import { proveFile } from "../verify/FileProof.ts"
import type { PartFiles } from "./PartFiles.ts"
import type { PartReader, TransferRequest } from "./TransferRequest.ts"

/** True when something was proven: a data file, or an index together with the data beside it. */
export const provePart = Effect.fn("svc.transfer.provePart")(function* (
  files: PartFiles["Service"],
  { directory, fileName, name }: Pick<TransferRequest, "directory" | "fileName" | "name">,
  part: PartReader
): Effect.fn.Return<boolean, FileDamaged | LocalIo, BlockPool | Codec | Scope.Scope> {
  const known = kindOfName(name) === null ? fileName : name
  const dataName = dataOf(known)
  if (dataName === known) return (yield* proveFile({ name: known, reader: part }, null)) !== null
  const reader = yield* files.beside(directory, dataName)
  if (reader === null) return false
  return (yield* proveFile({ name: dataName, reader }, { name: known, reader: part })) !== null
}, Effect.scoped)
