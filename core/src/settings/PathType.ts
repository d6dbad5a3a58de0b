/** What is at a path that a user gave. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { errnoOf, LocalIo } from "../Errors.ts"

/** Null when nothing is there. Fails when that cannot be known, as in a folder that may not be entered. */
export const typeAt = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<FileSystem.File.Type | null, LocalIo, FileSystem.FileSystem> {
  const fs = yield* FileSystem.FileSystem
  return yield* Effect.matchEffect(fs.stat(path), {
    onSuccess: ({ type }) => Effect.succeed(type),
    onFailure: (error) =>
      ["ENOENT", "ENOTDIR"].includes(errnoOf(error))
        ? Effect.succeed(null)
        : Effect.fail(LocalIo.of("look at", path)(error))
  })
})

/** Why a folder is none to download into; null when it is one. */
export const destinationProblem = (path: string): Effect.Effect<string | null, LocalIo, FileSystem.FileSystem> =>
  Effect.map(typeAt(path), (type) =>
    type === null
      ? `Destination directory does not exist: ${path}`
      : type === "Directory"
        ? null
        : `Destination is not a directory: ${path}`
  )
