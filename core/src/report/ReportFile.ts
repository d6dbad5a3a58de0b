/**
 * Writes a report: readers see the old report or the whole new one, also when the run is killed in between.
 */
import { Effect, FileSystem, Option, Path } from "effect"
import { CannotCreate, LocalIo } from "../Errors.ts"

/** Asked at the start of a run, so that hours of work do not end in a report that has no folder. */
export const canWriteReport = Effect.fn("selection.canWriteReport")(function* (
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
  // A device or pipe is written to where it is.
  if (Option.isSome(there) && there.value.type !== "File") return
  yield* Effect.mapError(
    fs.access(path.dirname(path.resolve(file)), { writable: true }),
    () => new CannotCreate({ path: file, reason: "its folder cannot be written to" })
  )
})

/**
 * Replaces the file with `text`. A device or pipe at the path is written to and never replaced.
 *
 * @param temporary - where it is written first: a name beside the file that no other process has
 */
export const writeReport = Effect.fn("selection.writeReport")(function* (
  file: string,
  text: string,
  temporary: string
): Effect.fn.Return<void, LocalIo, FileSystem.FileSystem | Path.Path> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const there = yield* Effect.option(fs.stat(file))
  if (Option.isSome(there) && there.value.type !== "File") {
    return yield* Effect.mapError(fs.writeFileString(file, text), LocalIo.of("write the report", file))
  }
  yield* Effect.gen(function* () {
    const handle = yield* fs.open(temporary, { flag: "wx" })
    yield* handle.writeAll(new TextEncoder().encode(text))
    yield* handle.sync
  }).pipe(
    Effect.scoped,
    Effect.andThen(fs.rename(temporary, file)),
    Effect.onError(() => Effect.ignore(fs.remove(temporary))),
    Effect.mapError(LocalIo.of("write the report", file))
  )
  // The report is there; only that it outlasts a power cut is not certain where a folder cannot be synced.
  yield* Effect.ignore(
    Effect.scoped(Effect.flatMap(fs.open(path.dirname(file), { flag: "r" }), (folder) => folder.sync))
  )
})
