/** A log file that is only appended to, private to its owner, and still there after it was deleted or rotated. */

import type { Stats } from "node:fs"
import { closeSync, constants, fstatSync, openSync, readSync, statSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { CannotCreate, errnoOf, LocalIo, meaningOf, UsageError } from "../../core/src/Errors.ts"
import { sameFile } from "../FileIdentity.ts"
import { descriptorAt } from "../OpenDescriptor.ts"

export interface LogFile {
  /** Appends whole lines, and says whether they are written. Never fails: what goes wrong is reported once, until it works again. */
  readonly append: (lines: string) => boolean
  /** Looks before the next line whether another file is at the path by now, as after a rotation. */
  readonly reopen: () => void
}

/** Folders whose links name devices and open files: `/dev/stderr`, `/dev/fd/3`. In `/dev/shm` everybody may make files and links. */
const deviceFolders: ReadonlyArray<string> = ["/dev", "/dev/fd"]

/** A symbolic link at the path is not followed, so that nobody can redirect the log. */
const noLink = (path: string) => (deviceFolders.includes(dirname(path)) ? 0 : constants.O_NOFOLLOW)

// A pipe that nobody reads must be an error and not a wait.
const appending = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK

/** The file is somebody's data. */
class NotText extends Error {
  /** Where errors of the system have their name. */
  readonly code = "it holds something else than text"
}

/** Opens the file and changes nothing of it; throws `NotText` for one that holds anything else than text. */
const openForAppend = (path: string) => {
  const descriptor = openSync(path, appending | noLink(path), 0o600)
  const stats = fstatSync(descriptor)
  try {
    if (stats.isFile() && stats.size > 0 && !holdsText(path, stats)) throw new NotText()
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
  return { descriptor, dev: stats.dev, ino: stats.ino }
}

/** A control character that no text has, in whatever encoding; compressed and binary data is full of them. */
const isBinary = (byte: number) => byte < 7 || (byte > 13 && byte < 32 && byte !== 27)
const sampled = 64 * 1024

/** Whether the file, which has the stats `expected`, begins as text does. */
const holdsText = (path: string, expected: Stats): boolean => {
  const descriptor = openSync(path, constants.O_RDONLY | noLink(path))
  try {
    const bytes = new Uint8Array(sampled)
    const read = readSync(descriptor, bytes, 0, sampled, 0)
    return sameFile(fstatSync(descriptor), expected) && !bytes.subarray(0, read).some(isBinary)
  } finally {
    closeSync(descriptor)
  }
}

/** Whether the log ends with a whole line; what is no file, or cannot be read, is taken for that. */
const endsInLine = (path: string, opened: Pick<Stats, "dev" | "ino">): boolean => {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined || !stats.isFile() || stats.size === 0) return true
  if (stats.ino !== opened.ino || stats.dev !== opened.dev) return true
  const descriptor = openSync(path, constants.O_RDONLY | noLink(path))
  try {
    const last = new Uint8Array(1)
    return readSync(descriptor, last, 0, 1, stats.size - 1) === 0 || last[0] === 10
  } finally {
    closeSync(descriptor)
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "its folder does not exist",
  ENXIO: "it is a pipe that nobody reads"
}

/** How long a full pipe is waited for: `most` at once, that much again after ten times as long, and `each` between two tries; in ms. */
const full = { most: 3000, regained: 0.1, each: 10 }
const never = new Int32Array(new SharedArrayBuffer(4))

/**
 * Waits a moment, with everything else standing still; false where that has been done for too long. A reader that is always slower than
 * the log would otherwise bring a gateway to a stop.
 */
export const makePatience = (
  now = () => performance.now(),
  sleep: (milliseconds: number) => void = (milliseconds) => void Atomics.wait(never, 0, 0, milliseconds)
) => {
  let [left, at] = [full.most, now()]
  return (): boolean => {
    const before = at
    at = now()
    left = Math.min(full.most, left + (at - before) * full.regained)
    if (left < full.each) return false
    left -= full.each
    sleep(full.each)
    return true
  }
}

/**
 * Writes all of it, also in parts. A pipe is not waited for by the system, since Node opens its own output so: where its reader is slow
 * (a container's log, the journal), it is tried again.
 */
const writeText = (descriptor: number, text: string, mayWait: () => boolean): void => {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(descriptor, bytes, at)
    } catch (error) {
      if (errnoOf(error) !== "EAGAIN" || !mayWait()) throw error
    }
  }
}

/** How often to look whether the file at the path is still the open one, in ms. */
const rotationCheck = 1000

/**
 * Opens `path` until the scope closes, creating it with mode 0600. Standard output and standard error are taken as they are.
 *
 * @param report - takes one sentence when writing begins to fail
 */
export const openLogFile = (
  path: string,
  report: (message: string) => void
): Effect.Effect<LogFile, CannotCreate | UsageError, Scope.Scope> =>
  Effect.flatMap(
    Effect.promise(() => descriptorAt(path)),
    (descriptor) =>
      descriptor === 1 || descriptor === 2
        ? Effect.succeed(openStandardLog(descriptor, report))
        : openFile(path, report)
  )

const openFile = (
  path: string,
  report: (message: string) => void
): Effect.Effect<LogFile, CannotCreate | UsageError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        let open = openForAppend(path)
        let checked = Date.now()
        let failing = false
        const mayWait = makePatience()

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
              // A full disk takes the beginning of a line: the next one must not go on there.
              if (failing && !endsInLine(path, open)) writeText(open.descriptor, "\n", mayWait)
              writeText(open.descriptor, lines, mayWait)
              failing = false
              return true
            } catch (error) {
              if (failing) return false
              failing = true
              const failure = new LocalIo({
                path,
                operation: "write the log file",
                errno: errnoOf(error, "unknown error")
              })
              report(`${failure.message}; the run goes on`)
              return false
            }
          },
          close: () => closeSync(open.descriptor)
        }
      },
      catch: (error) =>
        error instanceof NotText
          ? new UsageError({ message: `${path} cannot be the log file: ${error.code}: name another file for it` })
          : new CannotCreate({ path, reason: reasons[errnoOf(error)] ?? meaningOf(errnoOf(error, "unknown error")) })
    }),
    (file) => Effect.sync(() => file.close())
  )

/**
 * Standard output or standard error as a log. A reader who has gone ends other programs; a server that serves goes on, and its lines are
 * lost.
 *
 * @param report - takes one sentence when writing begins to fail
 */
export const openStandardLog = (descriptor: 1 | 2, report: (message: string) => void): LogFile => {
  const name = descriptor === 1 ? "standard output" : "standard error"
  let failing = false
  const mayWait = makePatience()
  return {
    reopen: () => {},
    append: (lines) => {
      try {
        writeText(descriptor, failing ? `\n${lines}` : lines, mayWait)
        failing = false
        return true
      } catch (error) {
        if (!failing) report(`Cannot write the log to ${name}: ${errnoOf(error, "unknown error")}; the run goes on`)
        failing = true
        return false
      }
    }
  }
}
