/** Holds a file against the checksum beside it (`S1.bam.md5`). */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { FileDamaged, type LocalIo, NotFound } from "../Errors.ts"
import type { ChecksumKind, ChecksumName } from "../genome/formats/FileNames.ts"
import { checksumIn } from "./ChecksumList.ts"
import { FileSource, type OpenFile } from "./FileSource.ts"

/** A checksum file is read whole; one beside a file has one line, seldom more. */
const largest = 1024 * 1024

const algorithms: Readonly<Record<ChecksumKind, string>> = { md5: "MD5", sha256: "SHA-256" }

/**
 * Succeeds when the file at `data` has the checksum that `file`, open from `path`, holds. `FileDamaged` is about `path` and
 * names both: which of the two was changed cannot be known. `NotFound` when there is no file at `data`.
 */
export const proveChecksum = Effect.fn("svc.verify.proveChecksum")(function* (
  path: string,
  { data, kind }: ChecksumName,
  file: OpenFile
): Effect.fn.Return<void, FileDamaged | LocalIo | NotFound, FileSource | Scope.Scope> {
  const wrong = (fault: FileDamaged["fault"], reason: string) => new FileDamaged({ file: path, fault, reason })
  if (file.size > largest) return yield* wrong("BadRecord", "it is too large for a checksum")
  const text = new TextDecoder().decode(yield* file.read(0, file.size))
  const stated = checksumIn(kind, text, data.slice(data.lastIndexOf("/") + 1))
  if (Result.isFailure(stated)) return yield* wrong("BadRecord", stated.failure)
  const source = yield* FileSource
  const opened = yield* Effect.mapError(source.open(data), (error) =>
    error.errno === "ENOENT" ? new NotFound({ what: `${data}, the file of ${path}` }) : error
  )
  const found = yield* opened.checksum(kind)
  if (found === stated.success) return
  return yield* wrong(
    "Checksum",
    `it does not fit ${data}, whose ${algorithms[kind]} is ${found}: one of the two was changed`
  )
})
