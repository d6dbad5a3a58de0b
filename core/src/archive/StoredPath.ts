/**
 * Paths in a restoration file: relative to the folder that the file is named in, not to the working folder of the run
 * that reads it. So a file can be moved together with its downloads, and a later run may start anywhere.
 */
import { Effect, Path } from "effect"

export interface StoredPaths {
  /** Where a stored path leads. */
  readonly located: (stored: string) => string
  /** How a path of this run is stored: as given when that leads there, else absolute. */
  readonly stored: (given: string) => string
}

/** @param file - the restoration file as the user names it; a symbolic link counts where it lies */
export const storedPaths = (file: string): Effect.Effect<StoredPaths, never, Path.Path> =>
  Effect.map(Path.Path, (path) => {
    const folder = path.dirname(path.resolve(file))
    const located = (stored: string) => path.resolve(folder, stored)
    return {
      located,
      stored: (given) => (located(given) === path.resolve(given) ? given : path.resolve(given))
    }
  })
