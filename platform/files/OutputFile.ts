/**
 * Where a command writes its data: standard output as it comes, or a file that appears only when it is complete.
 */

import fs, { constants } from "node:fs"
import { realpath, stat } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { CannotCreate, errnoOf, LocalIo } from "../../core/src/Errors.ts"
import { pipePoll } from "../../core/src/Schedules.ts"
import { printable } from "../../core/src/text/Printable.ts"
import { descriptorAt } from "../FileIdentity.ts"
import { clearTemporaries, freshFile, temporaryBeside } from "./AtomicFile.ts"
import { call, named, openScoped, writeAll } from "./FileCalls.ts"

/** Takes data in order. Nothing of a file is seen under its name before `commit`; without it the file stays as it was. */
export interface Output {
  /** Waits while the reader is slow. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, LocalIo>
  /** All data is there. */
  readonly commit: Effect.Effect<void, LocalIo | CannotCreate>
  /** Forgets what was written after the first `size` bytes; false where it has been seen already. */
  readonly rewind: (size: number) => Effect.Effect<boolean, LocalIo>
  /** The folder of a file; null for what is no file of a folder, such as a pipe. */
  readonly folder: string | null
}

/** Whether a person would see the bytes. */
export const isTerminal = (): boolean => process.stdout.isTTY === true

/** Returns when the bytes are taken; never when the reader has gone or the disk behind `>` is full, which ends the whole process. */
export const toStandardOutput = (bytes: Uint8Array) =>
  Effect.callback<void>((resume) => {
    process.stdout.write(bytes, (error) => {
      if (error === null || error === undefined) resume(Effect.void)
    })
  })

/** What is seen as it is written; only what has not been seen yet can be forgotten. */
const asItComes = (write: Output["write"]): Output => {
  let written = 0
  return {
    write: (bytes) =>
      Effect.suspend(() => {
        written += bytes.length
        return write(bytes)
      }),
    commit: Effect.void,
    rewind: (size) => Effect.sync(() => written <= size),
    folder: null
  }
}

const toStandardError = (path: string) => (bytes: Uint8Array) =>
  Effect.callback<void, LocalIo>((resume) => {
    process.stderr.write(bytes, (error) => {
      resume(error == null ? Effect.void : new LocalIo({ path, operation: "write", errno: errnoOf(error) }))
    })
  })

/**
 * What the process has open under that name, to be written to where it stands. A file behind `>` or `>>` must not be replaced, as it
 * would be by its name: what was written to it before, and by others, would be lost. Null for all that can be opened by its name.
 */
const toDescriptor = Effect.fnUntraced(function* (path: string, descriptor: number | null) {
  if (descriptor === null) return null
  if (descriptor === 1) return asItComes(toStandardOutput)
  if (descriptor === 2) return asItComes(toStandardError(path))
  const stats = yield* call<fs.Stats>((done) => fs.fstat(descriptor, done)).pipe(named(path, "open"))
  return stats.isFile() ? asItComes((bytes) => named(path, "write")(writeAll(descriptor, bytes, null))) : null
})

/**
 * Returns when somebody reads the pipe. A plain `open` would wait for that too, but in a thread that no signal reaches. What is
 * opened here stays open with the output: if it were closed first, the reader would see an end.
 */
const readerOf = (path: string) =>
  openScoped(path, constants.O_WRONLY | constants.O_NONBLOCK).pipe(named(path, "open"), Effect.asVoid)

const isUnread = (error: LocalIo) => error.errno === "ENXIO"

/** Waits for a reader, who often starts after the writer; `waits` false: fails instead. */
const awaitReader = Effect.fnUntraced(function* (path: string, waits: boolean) {
  const unread = yield* readerOf(path).pipe(
    Effect.as(false),
    Effect.catchIf(isUnread, () => Effect.succeed(true))
  )
  if (!unread) return
  if (!waits) return yield* new CannotCreate({ path, reason: "it is a pipe that nobody reads" })
  yield* Effect.logInfo(`Waiting for a reader of the pipe ${printable(path)}`)
  yield* Effect.retry(readerOf(path), { while: isUnread, schedule: pipePoll })
})

/** A pipe or device is written to and never replaced. */
const toDevice = Effect.fnUntraced(function* (path: string) {
  const fd = yield* named(path, "open")(openScoped(path, constants.O_WRONLY))
  return asItComes((bytes) => writeAll(fd, bytes, null).pipe(named(path, "write")))
})

/** Until it is complete the file lies in the folder of its final name, since a rename does not work across file systems. */
const toFile = Effect.fnUntraced(function* (path: string) {
  yield* clearTemporaries(path)
  const temporary = temporaryBeside(path)
  const errorOf = (errno: string) =>
    errno === "EACCES" || errno === "EPERM" || errno === "EROFS"
      ? new CannotCreate({ path, reason: "permission denied" })
      : new LocalIo({ path, operation: "write", errno })
  const file = yield* Effect.mapError(freshFile(temporary, 0o666), ({ code }) => errorOf(code))
  let size = 0
  return {
    write: (bytes) =>
      Effect.suspend(() => {
        const offset = size
        size += bytes.length
        return named(path, "write")(file.write(offset, bytes))
      }),
    commit: named(path, "write")(Effect.andThen(file.sync, file.putInPlace(path))),
    rewind: (to) =>
      Effect.suspend(() => {
        size = to
        return named(path, "write")(Effect.as(file.truncate(to), true))
      }),
    folder: dirname(path)
  } satisfies Output
})

/**
 * Opens `path`, or standard output for null and `-`. CannotCreate says at once what would make the work useless: no such
 * folder, a folder in place of the file, no permission.
 */
export const openOutput = Effect.fn("svc.platform.openOutput")(function* (
  path: string | null
): Effect.fn.Return<Output, CannotCreate | LocalIo, Scope.Scope> {
  return path === null || path === "-" ? asItComes(toStandardOutput) : yield* openPath(path, true)
})

/** @param waits - for a reader of a pipe */
const openPath = Effect.fnUntraced(function* (
  path: string,
  waits: boolean
): Effect.fn.Return<Output, CannotCreate | LocalIo, Scope.Scope> {
  const open = yield* toDescriptor(path, yield* Effect.promise(() => descriptorAt(path)))
  if (open !== null) return open
  const real = yield* Effect.promise(() => realpath(path).catch(() => resolve(path)))
  const [there, folder] = yield* Effect.promise(() =>
    Promise.all([real, dirname(real)].map((name) => stat(name).catch(errnoOf)))
  )
  if (there === "ENAMETOOLONG") return yield* new CannotCreate({ path, reason: "its name is too long" })
  if (typeof folder !== "object" || !folder.isDirectory())
    return yield* new CannotCreate({ path, reason: "its folder does not exist" })
  if (typeof there === "object" && there.isDirectory())
    return yield* new CannotCreate({ path, reason: "it is a folder" })
  if (typeof there === "object" && there.isFIFO()) yield* awaitReader(real, waits)
  return yield* typeof there !== "object" || there.isFile() ? toFile(real) : toDevice(real)
})

/** Replaces the file at `path` as a whole by these bytes; a device or pipe there is written to. `what` names them in messages. */
export const replaceFile = Effect.fn("svc.platform.replaceFile")(function* (
  path: string,
  content: Iterable<Uint8Array>,
  what: string
): Effect.fn.Return<void, CannotCreate | LocalIo> {
  const written = Effect.gen(function* () {
    // Often the last thing of a run that has been stopped, which nothing can interrupt.
    const output = yield* openPath(path, false)
    for (const bytes of content) yield* output.write(bytes)
    yield* output.commit
  })
  yield* Effect.scoped(written).pipe(
    Effect.catchTag(
      "SvcLocalIo",
      ({ errno, operation }) => new LocalIo({ path, operation: `${operation} ${what}`, errno })
    )
  )
})
