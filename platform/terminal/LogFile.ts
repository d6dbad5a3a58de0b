/** A log file that is only appended to, private to its owner, and still there after it was deleted or rotated. */

import { closeSync, constants, fstatSync, openSync, statSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { Effect, type Scope } from "effect"
import { CannotCreate, LocalIo } from "../../core/src/Errors.ts"
import { errnoOf } from "../Errno.ts"

export interface LogFile {
  /** Appends whole lines. Never fails: what goes wrong is reported once, until it works again. */
  readonly append: (lines: string) => void
  /** Looks before the next line whether another file is at the path by now, as after a rotation. */
  readonly reopen: () => void
}

/** Folders whose links name devices and open files: `/dev/stderr`, `/dev/fd/3`. In `/dev/shm` everybody may make files and links. */
const deviceFolders: ReadonlyArray<string> = ["/dev", "/dev/fd"]

/** A symbolic link at the path is not followed, so that nobody can redirect the log. */
const flags = (path: string) =>
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  // A pipe that nobody reads must be an error and not a wait.
  constants.O_NONBLOCK |
  (deviceFolders.includes(dirname(path)) ? 0 : constants.O_NOFOLLOW)

const openForAppend = (path: string) => {
  const descriptor = openSync(path, flags(path), 0o600)
  const { dev, ino } = fstatSync(descriptor)
  return { descriptor, dev, ino }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "its folder does not exist",
  ENOTDIR: "its folder is not a folder",
  EACCES: "permission denied",
  EISDIR: "it is a folder",
  ELOOP: "it is a symbolic link",
  EROFS: "the file system is read-only",
  ENXIO: "it is a pipe that nobody reads"
}

/** How often to look whether the file at the path is still the open one, in ms. */
const rotationCheck = 1000

/**
 * Opens `path` until the scope closes, creating it with mode 0600.
 *
 * @param report - takes one sentence when writing begins to fail
 */
export const openLogFile = (
  path: string,
  report: (message: string) => void
): Effect.Effect<LogFile, CannotCreate, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        let open = openForAppend(path)
        let checked = Date.now()
        let failing = false

        const followRotation = () => {
          const now = Date.now()
          if (Math.abs(now - checked) < rotationCheck) return
          checked = now
          const found = statSync(path, { throwIfNoEntry: false })
          if (found?.ino === open.ino && found.dev === open.dev) return
          const old = open
          open = openForAppend(path)
          closeSync(old.descriptor)
        }

        return {
          reopen: () => {
            checked = Number.NEGATIVE_INFINITY
          },
          append: (lines: string) => {
            try {
              followRotation()
              // Unlike writeSync this goes on after a partial write.
              writeFileSync(open.descriptor, lines)
              failing = false
            } catch (error) {
              if (failing) return
              failing = true
              const failure = new LocalIo({
                path,
                operation: "write the log file",
                errno: errnoOf(error, "unknown error")
              })
              report(`${failure.message}; the run goes on`)
            }
          },
          close: () => closeSync(open.descriptor)
        }
      },
      catch: (error) => new CannotCreate({ path, reason: reasons[errnoOf(error)] ?? errnoOf(error, "unknown error") })
    }),
    (file) => Effect.sync(() => file.close())
  )
