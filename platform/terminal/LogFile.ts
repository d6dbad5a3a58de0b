/** A log file that is only appended to, one write for a line, private to its owner. SIGHUP opens it again under its name, for logrotate. */

import { closeSync, constants, openSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { CannotCreate, errnoOf, LocalIo, meaningOf } from "../../core/src/Errors.ts"
import { descriptorAt } from "../FileIdentity.ts"

export interface LogFile {
  /** Appends whole lines, and says whether they are written. Never fails: what goes wrong is reported once, until it works again. */
  readonly append: (lines: string) => boolean
}

/** Takes one sentence when writing begins to fail. */
type Report = (message: string) => void

/** Folders whose links name devices and open files: `/dev/stderr`, `/dev/fd/3`. In `/dev/shm` everybody may make files and links. */
const deviceFolders: ReadonlyArray<string> = ["/dev", "/dev/fd"]

/** A symbolic link at the path is not followed, so that nobody can redirect the log. */
const noLink = (path: string) => (deviceFolders.includes(dirname(path)) ? 0 : constants.O_NOFOLLOW)

// A pipe that nobody reads must be an error and not a wait.
const appending = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK

const openForAppend = (path: string) => openSync(path, appending | noLink(path), 0o600)

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "its folder does not exist",
  ENXIO: "it is a pipe that nobody reads"
}

/** @param sentence - what is said of an error */
const appendTo = (descriptor: () => number, sentence: (errno: string) => string, report: Report) => {
  let failing = false
  // A full disk takes the beginning of a line: the next one must not go on there.
  let isTorn = false
  return (lines: string): boolean => {
    const bytes = Buffer.from(isTorn ? `\n${lines}` : lines)
    let written = 0
    try {
      while (written < bytes.length) written += writeSync(descriptor(), bytes, written)
      failing = isTorn = false
      return true
    } catch (error) {
      isTorn ||= written > 0
      if (!failing) report(`${sentence(errnoOf(error, "unknown error"))}; the run goes on`)
      failing = true
      return false
    }
  }
}

/** Opens `path` until the scope closes, creating it with mode 0600. Standard output and standard error are taken as they are. */
export const openLogFile = (path: string, report: Report): Effect.Effect<LogFile, CannotCreate, Scope.Scope> =>
  Effect.flatMap(
    Effect.promise(() => descriptorAt(path)),
    (descriptor) =>
      descriptor === 1 || descriptor === 2
        ? Effect.succeed(openStandardLog(descriptor, report))
        : openFile(path, report)
  )

const openFile = (path: string, report: Report): Effect.Effect<LogFile, CannotCreate, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        let descriptor = openForAppend(path)
        const sentence = (errno: string) => new LocalIo({ path, operation: "write the log file", errno }).message
        const reopen = () => {
          try {
            const old = descriptor
            descriptor = openForAppend(path)
            closeSync(old)
          } catch (error) {
            report(`${sentence(errnoOf(error, "unknown error"))}; it stays the file that was open`)
          }
        }
        process.on("SIGHUP", reopen)
        return {
          append: appendTo(() => descriptor, sentence, report),
          close: () => {
            process.off("SIGHUP", reopen)
            closeSync(descriptor)
          }
        }
      },
      catch: (error) =>
        new CannotCreate({ path, reason: reasons[errnoOf(error)] ?? meaningOf(errnoOf(error, "unknown error")) })
    }),
    (file) => Effect.sync(() => file.close())
  )

/** Standard output or standard error as a log. A reader who has gone ends other programs; a server that serves goes on, and its lines are lost. */
export const openStandardLog = (descriptor: 1 | 2, report: Report): LogFile => {
  const name = descriptor === 1 ? "standard output" : "standard error"
  return {
    append: appendTo(
      () => descriptor,
      (errno) => `Cannot write the log to ${name}: ${errno}`,
      report
    )
  }
}
