/**
 * The calls of Node's file system as effects. They fail with what the system said (`Errno`), until `named` says which file it
 * was about.
 */
import fs from "node:fs"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { CannotCreate, errnoOf, LocalIo, noInodes } from "../../core/src/Errors.ts"
import { Errno, tolerate, unsyncable } from "../Errno.ts"

type Done<A> = (error: NodeJS.ErrnoException | null, value?: A) => void

/** A file system call, never interrupted: a write that goes on after its file was closed would hit another file. */
export const call = <A = void>(start: (done: Done<A>) => void): Effect.Effect<A, Errno> =>
  Effect.uninterruptible(
    Effect.callback((resume) =>
      start((error, value) =>
        resume(error === null ? Effect.succeed(value as A) : Effect.fail(new Errno({ code: errnoOf(error) })))
      )
    )
  )

/** Says which file, and in doing what. */
export const named =
  (path: string, operation: string) =>
  <A, E, R>(self: Effect.Effect<A, E | Errno, R>): Effect.Effect<A, Exclude<E, Errno> | LocalIo, R> =>
    Effect.catch(
      self,
      (error): Effect.Effect<never, Exclude<E, Errno> | LocalIo> =>
        error instanceof Errno
          ? Effect.fail(new LocalIo({ path, operation, errno: error.code }))
          : Effect.fail(error as Exclude<E, Errno>)
    )

/** The regular file at a path, null when there is nothing; everything else is refused and not touched. */
export const statPlainFile = Effect.fnUntraced(function* (path: string) {
  const stats = yield* call<fs.Stats>((done) => fs.lstat(path, done)).pipe(tolerate("ENOENT"), named(path, "look at"))
  if (stats === null || stats.isFile()) return stats
  const what = stats.isSymbolicLink()
    ? "a symbolic link"
    : stats.isDirectory()
      ? "a directory"
      : stats.isFIFO()
        ? "a pipe"
        : "a device or socket"
  return yield* new CannotCreate({ path, reason: `${what} of that name is in the way` })
})

/** Removes a name; one that is gone already is no failure. */
export const remove = (path: string) =>
  call((done) => fs.unlink(path, done)).pipe(tolerate("ENOENT"), named(path, "remove"), Effect.asVoid)

/** What it means that a file could not be made in a folder for want of room: `ENOSPC` says it of inodes, too. */
export const wantOfRoom = (folder: string): Effect.Effect<string> =>
  call<fs.StatsFs>((done) => fs.statfs(folder, done)).pipe(
    Effect.map(({ ffree, files }) => (files > 0 && ffree === 0 ? noInodes : "ENOSPC")),
    Effect.orElseSucceed(() => "ENOSPC")
  )

/** Opens a file until the scope closes; one that is made is its owner's alone where no `mode` is given. */
export const openScoped = (path: string, flags: number, mode = 0o600): Effect.Effect<number, Errno, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.catch(
      call<number>((done) => fs.open(path, flags, mode, done)),
      (error) =>
        error.code === "ENOSPC" ? Effect.flatMap(wantOfRoom(dirname(path)), (code) => new Errno({ code })) : error
    ),
    // An error of close is ignored: everything that matters was synced before.
    (fd) => Effect.ignore(call((done) => fs.close(fd, done)))
  )

/** Waits until the disk has it, where the file system supports that. */
export const sync = (fd: number) => call((done) => fs.fsync(fd, done)).pipe(tolerate(...unsyncable))

/** Waits until the disk has the names in a folder. */
export const syncFolder = (directory: string) =>
  Effect.scoped(Effect.flatMap(openScoped(directory, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY), sync))

/** @param offset - null: behind what was written before, the only place that a pipe has */
export const writeAll = Effect.fnUntraced(function* (fd: number, bytes: Uint8Array, offset: number | null) {
  let at = 0
  while (at < bytes.length) {
    const place = offset === null ? null : offset + at
    at += yield* call<number>((done) => fs.write(fd, bytes, at, bytes.length - at, place, done))
  }
})

/** Reads `length` bytes, fewer only at the end of the file; into `room` where it is given. */
export const readExactly = Effect.fnUntraced(function* (
  fd: number,
  offset: number,
  length: number,
  room?: Uint8Array
): Effect.fn.Return<Uint8Array, Errno> {
  const bytes = room ?? Buffer.allocUnsafe(length)
  let at = 0
  while (at < length) {
    const count = yield* call<number>((done) => fs.read(fd, bytes, at, length - at, offset + at, done))
    if (count === 0) break
    at += count
  }
  return bytes.subarray(0, at)
})
