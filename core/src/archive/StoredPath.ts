/**
 * Relative paths in a restoration file: what folder they begin at, and how this run writes its own.
 *
 * The writer of an entry stood somewhere when it named its restoration file: its other paths begin at the same place.
 * `options.restorationFile` says how that place named the file, and where the file lies says the rest. So a file can be
 * moved together with its downloads, a later run may start anywhere, and no folder is taken because it happens to exist.
 */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Result from "effect/Result"

export interface StoredPaths {
  /**
   * Where a stored path leads; fails with a reason for a person when that cannot be known.
   *
   * @param restorationFile - what the same entry says of the restoration file; null when it says nothing
   */
  readonly located: (stored: string, restorationFile: string | null) => Result.Result<string, string>
  /** How a path of this run is stored: as given when that leads there from the folder of the file, else absolute. */
  readonly stored: (given: string) => string
  /** How this run names the restoration file in its entries. */
  readonly own: string
}

/** @param file - the restoration file as the user names it; a symbolic link counts where it lies */
export const storedPaths = (file: string): Effect.Effect<StoredPaths, never, Path.Path> =>
  Effect.map(Path.Path, (path) => {
    const folder = path.dirname(path.resolve(file))
    return {
      located: (stored, restorationFile) =>
        path.isAbsolute(stored)
          ? Result.succeed(path.resolve(stored))
          : Result.map(baseOf(path, folder, restorationFile), (base) => path.resolve(base, stored)),
      stored: (given) => (path.resolve(folder, given) === path.resolve(given) ? given : path.resolve(given)),
      own: folder === path.resolve(".") ? path.basename(file) : path.resolve(file)
    }
  })

/** The folder that the relative paths of an entry begin at. */
const baseOf = (path: Path.Path, folder: string, restorationFile: string | null): Result.Result<string, string> => {
  // An absolute name names no folder but the one the file lies in.
  if (restorationFile === null || path.isAbsolute(restorationFile)) return Result.succeed(folder)
  const levels = path
    .dirname(path.normalize(restorationFile))
    .split(path.sep)
    .filter((level) => level !== ".")
  const last = folder.split(path.sep).slice(-levels.length)
  return levels.length === 0
    ? Result.succeed(folder)
    : levels.every((level, index) => level !== ".." && level === last[index])
      ? Result.succeed(path.resolve(folder, ...levels.map(() => "..")))
      : Result.fail(
          `its paths are relative to a folder that cannot be told: it was written as ${restorationFile}, and that is ` +
            "not how the file lies now; make them absolute"
        )
}
