/**
 * Where a command writes its data: standard output as it comes, or a file that appears only when it is complete.
 */

import { constants } from "node:fs"
import { type FileHandle, open, realpath, rename, rm, stat } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { Effect, type Scope } from "effect"
import { CannotCreate, LocalIo } from "../core/src/Errors.ts"
import { errnoOf } from "./Errno.ts"
import { clearTemporaries, temporaryBeside } from "./TemporaryFile.ts"

/** Takes data in order. Nothing of a file is seen under its name before `commit`; without it the file stays as it was. */
export interface Output {
  /** Waits while the reader is slow. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, LocalIo>
  /** All data is there. */
  readonly commit: Effect.Effect<void, LocalIo | CannotCreate>
  /** Forgets what was written after the first `size` bytes; false where it has been seen already. */
  readonly rewind: (size: number) => Effect.Effect<boolean, LocalIo>
}

const attempt = <A>(path: string, operation: string, act: () => Promise<A>): Effect.Effect<A, LocalIo> =>
  Effect.tryPromise({ try: act, catch: (error) => new LocalIo({ path, operation, errno: errnoOf(error) }) })

/** A file system that cannot sync promises nothing more than it has done. */
const tolerated = (error: unknown) => {
  if (!["ENOTSUP", "EOPNOTSUPP", "EINVAL"].includes(errnoOf(error))) throw error
}

/** A reader that has gone, or a full disk behind `>`, ends the whole process: nothing is left to do here. */
export const toStandardOutput = (bytes: Uint8Array) =>
  Effect.callback<void>((resume) => {
    process.stdout.write(bytes, (error) => {
      if (error === null || error === undefined) resume(Effect.void)
    })
  })

const standardOutput = (): Output => {
  let written = 0
  return {
    write: (bytes) =>
      Effect.suspend(() => {
        written += bytes.length
        return toStandardOutput(bytes)
      }),
    commit: Effect.void,
    rewind: (size) => Effect.sync(() => written <= size)
  }
}

/** @param at - place in the file; null where there are no places, as in a pipe */
const writeAll = async (file: FileHandle, bytes: Uint8Array, at: number | null): Promise<void> => {
  let done = 0
  while (done < bytes.length) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at === null ? null : at + done)
    done += bytesWritten
  }
}

/** A pipe or device is written to and never replaced. */
const toDevice = (path: string) =>
  Effect.map(
    Effect.acquireRelease(
      attempt(path, "open", () => open(path, constants.O_WRONLY)),
      (file) => Effect.promise(() => file.close().catch(() => {}))
    ),
    (file): Output => {
      let written = 0
      return {
        write: (bytes) =>
          Effect.suspend(() => {
            written += bytes.length
            return attempt(path, "write", () => writeAll(file, bytes, null))
          }),
        commit: Effect.void,
        rewind: (size) => Effect.sync(() => written <= size)
      }
    }
  )

/** Beside the final name until it is complete: another file system cannot be renamed from. */
const toFile = Effect.fnUntraced(function* (path: string, mode: number) {
  yield* clearTemporaries(path)
  const temporary = temporaryBeside(path)
  const failed = (errno: string) =>
    errno === "EACCES" || errno === "EPERM" || errno === "EROFS"
      ? new CannotCreate({ path, reason: "permission denied" })
      : new LocalIo({ path, operation: "write", errno })
  const file = yield* Effect.acquireRelease(
    Effect.tryPromise({
      // A link that somebody put there is not followed.
      try: () => open(temporary, "wx", mode),
      catch: (error) => failed(errnoOf(error))
    }),
    // All that matters was synced before, so an error of close has no one to go to. After the rename nothing is there; on
    // a disk that fails the file stays, until the next run clears it away.
    (file) =>
      Effect.promise(() =>
        file
          .close()
          .catch(() => {})
          .then(() => rm(temporary, { force: true }))
          .catch(() => {})
      )
  )
  let size = 0
  return {
    write: (bytes) =>
      attempt(path, "write", async () => {
        await writeAll(file, bytes, size)
        size += bytes.length
      }),
    commit: attempt(path, "write", async () => {
      await file.sync().catch(tolerated)
      await rename(temporary, path)
      const folder = await open(dirname(path), "r")
      await folder
        .sync()
        .catch(tolerated)
        .finally(() => folder.close())
    }),
    rewind: (to) =>
      attempt(path, "write", async () => {
        await file.truncate(to)
        size = to
        return true
      })
  } satisfies Output
})

/**
 * Opens `path`, or standard output for null and `-`. CannotCreate says at once what would make the work useless: no such
 * folder, a folder in place of the file, no permission.
 *
 * @param options - `private`: only the owner may read the file, whatever the umask permits
 */
export const openOutput = Effect.fn("OutputFile.open")(function* (
  path: string | null,
  options: { readonly private?: boolean } = {}
): Effect.fn.Return<Output, CannotCreate | LocalIo, Scope.Scope> {
  if (path === null || path === "-") return standardOutput()
  const real = yield* Effect.promise(() => realpath(path).catch(() => resolve(path)))
  const [there, folder] = yield* Effect.promise(() =>
    Promise.all([real, dirname(real)].map((name) => stat(name).catch(errnoOf)))
  )
  if (there === "ENAMETOOLONG") return yield* new CannotCreate({ path, reason: "its name is too long" })
  if (typeof folder !== "object" || !folder.isDirectory())
    return yield* new CannotCreate({ path, reason: "its folder does not exist" })
  if (typeof there === "object" && there.isDirectory())
    return yield* new CannotCreate({ path, reason: "it is a folder" })
  return yield* typeof there !== "object" || there.isFile()
    ? toFile(real, options.private === true ? 0o600 : 0o666)
    : toDevice(real)
})
