/** Whether a complete part is what its name says; an index is compared with its data file too, where that lies beside it. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { FileDamaged, type LocalIo } from "../Errors.ts"
import type { Codec } from "../genome/bgzf/Codec.ts"
import { dataOf, kindOfName } from "../genome/formats/FileNames.ts"
import { checkStructure } from "../genome/Structure.ts"
import type { PartFiles } from "./PartFiles.ts"
import type { PartReader, TransferRequest } from "./TransferRequest.ts"

/** The same command again would keep the data file, and fail again. */
const fetchBoth = "--overwrite fetches both again"

/** Whether the structure was checked: false for a name of no known file type. Fails with `FileDamaged` as `checkStructure` does. */
const checkPart = Effect.fn("svc.transfer.checkPart")(function* (
  files: PartFiles["Service"],
  { directory, fileName, name }: Pick<TransferRequest, "directory" | "fileName" | "name">,
  part: PartReader
): Effect.fn.Return<boolean, FileDamaged | LocalIo, Codec | Scope.Scope> {
  // Where the final name shows no file type, the name that the service gave does.
  const known = kindOfName(name) === null ? fileName : name
  const dataName = dataOf(known)
  const reader = dataName === known ? null : yield* files.beside(directory, dataName)
  if (reader === null) {
    return (yield* checkStructure(known, part)).kind !== "other"
  }
  yield* Effect.catchTag(
    checkStructure(known, part, { name: dataName, reader }),
    "SvcFileDamaged",
    ({ fault, file: damaged, reason }) =>
      new FileDamaged({
        file: fileName,
        fault,
        reason:
          damaged === dataName
            ? `cannot be checked, as ${dataName} beside it is damaged: ${reason}; ${fetchBoth}`
            : fault === "IndexMismatch"
              ? `${reason}; ${fetchBoth}`
              : reason
      })
  )
  return true
}, Effect.scoped)

/** What the caller wants of a file before it gets its name; whether its structure is known and was compared. */
export const checkAsked = (
  files: PartFiles["Service"],
  request: Pick<TransferRequest, "check" | "directory" | "fileName" | "name">,
  part: PartReader
): Effect.Effect<boolean, FileDamaged | LocalIo, Codec> => {
  const { check = "structure" } = request
  if (check === "none") return Effect.succeed(false)
  return typeof check === "function" ? Effect.as(check(part), false) : checkPart(files, request, part)
}
