/** The token file of a gateway: read when it starts, and again when it is told to. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { TokenFileUnusable } from "../../core/src/Errors.ts"
import { Scrubber } from "../../core/src/text/Scrubber.ts"
import { type NamedReader, parseReaders } from "../../gateway/Readers.ts"
import { exposure, readSmallFile } from "../../platform/inputs/PrivateFile.ts"

/** Some ten thousand readers. Bytes. */
const longest = 1024 * 1024

/** Whom the file names; from here on their tokens appear in no line of the log. Logs a warning when others may read the file. */
export const readTokenFile = Effect.fn("svc.step.readTokenFile")(function* (
  path: string
): Effect.fn.Return<ReadonlyArray<NamedReader>, TokenFileUnusable> {
  const unusable = (reason: string) => new TokenFileUnusable({ path, reason })
  const scrubber = yield* Scrubber
  const file = yield* Effect.mapError(readSmallFile(path, longest), unusable)
  yield* Effect.forEach(exposure(path, file), (warning) => Effect.logWarning(warning), { discard: true })
  if (file.bytes.length > longest) return yield* unusable("it is longer than 1 MB")
  const text = yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(file.bytes),
    catch: () => unusable("it is not UTF-8 text")
  })
  const readers = yield* Effect.fromResult(Result.mapError(parseReaders(text), unusable))
  for (const { token } of readers) scrubber.protect(token)
  return readers
})
