/** The file of `--fromLinks`: read as a whole, and judged before anything of it is used. */
import { stat } from "node:fs/promises"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type LinkManifest, readLinks } from "../../core/src/download/LinkManifest.ts"
import { InputMalformed, type LocalIo, type NotFound } from "../../core/src/Errors.ts"
import { protectLinks } from "../../core/src/text/Scrubber.ts"
import { readInput } from "./InputFile.ts"

/** Reads `path`, or standard input for `-`; warns when other users can read the file too. */
export const readLinksFile = Effect.fn("svc.platform.readLinksFile")(function* (
  path: string
): Effect.fn.Return<LinkManifest, NotFound | LocalIo | InputMalformed> {
  const { bytes, name } = yield* readInput(path)
  const malformed = (reason: string) => new InputMalformed({ input: name, reason })
  const text = yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () => malformed("it is not UTF-8 text")
  })
  // 7 MB of 10,000 links, which would still be there when the first files take memory.
  if (bytes.buffer instanceof ArrayBuffer && bytes.buffer.byteLength === bytes.length) bytes.buffer.transfer(0)
  const manifest = readLinks(text)
  if (Result.isFailure(manifest)) return yield* malformed(manifest.failure)
  const info = yield* Effect.promise(() => stat(path).catch(() => null))
  if (path !== "-" && info?.isFile() === true && (info.mode & 0o044) !== 0) {
    yield* Effect.logWarning(`${name} holds links and other users can read it: make it private with chmod 600`)
  }
  // One by one: an entry makes its link when it is asked for, and keeps it packed.
  for (const { link } of manifest.success.entries) if (link !== null) yield* protectLinks([link])
  return manifest.success
})
