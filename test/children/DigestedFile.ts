/** A program of the library that waits for nothing but the MD5 of this file, which a thread computes; prints it. */
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { FileSource } from "../../core/src/verify/Verification.ts"
import * as FileSources from "../../platform/files/NodeFileSource.ts"

await Effect.runPromise(
  Effect.gen(function* () {
    const { checksum } = yield* (yield* FileSource).open(fileURLToPath(import.meta.url))
    process.stdout.write(`${yield* checksum("md5")}\n`)
  }).pipe(Effect.scoped, Effect.provide(FileSources.layer))
)
