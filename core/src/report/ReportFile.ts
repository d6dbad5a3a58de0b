/** Whether a report can be written at the end of a run. */
import { Effect, FileSystem, Option, Path } from "effect"
import { CannotCreate } from "../Errors.ts"

/** Asked at the start of a run, so that hours of work do not end in a report that has no folder. */
export const canWriteReport = Effect.fn("svc.report.canWriteReport")(function* (
  file: string
): Effect.fn.Return<void, CannotCreate, FileSystem.FileSystem | Path.Path> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const [folder, there] = yield* Effect.all([
    Effect.option(fs.stat(path.dirname(path.resolve(file)))),
    Effect.option(fs.stat(file))
  ])
  if (Option.isNone(folder) || folder.value.type !== "Directory") {
    return yield* new CannotCreate({ path: file, reason: "its folder does not exist" })
  }
  if (Option.isSome(there) && there.value.type === "Directory") {
    return yield* new CannotCreate({ path: file, reason: "it is a folder" })
  }
  // A device or pipe is written to directly and never replaced.
  if (Option.isSome(there) && there.value.type !== "File") return
  yield* Effect.mapError(
    fs.access(path.dirname(path.resolve(file)), { writable: true }),
    () => new CannotCreate({ path: file, reason: "its folder cannot be written to" })
  )
})
