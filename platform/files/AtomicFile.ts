/**
 * Files that are whole before they have their name: written beside it under another, made durable, and put in its place.
 * Readers see the old file or the new one, also after a power cut.
 */
import fs from "node:fs"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Errno, tolerate } from "../Errno.ts"
import { call, openScoped, sync, syncFolder, writeAll } from "./FileCalls.ts"

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = fs.constants

/** A file that nobody else has open. */
export interface FreshFile {
  readonly write: (offset: number, bytes: Uint8Array) => Effect.Effect<void, Errno>
  readonly truncate: (size: number) => Effect.Effect<void, Errno>
  /** Returns when what was written survives a power cut. */
  readonly sync: Effect.Effect<void, Errno>
  /** Gives it the name `path`, whatever had that before. */
  readonly rename: (path: string) => Effect.Effect<void, Errno>
  /** The same, and the name survives a power cut. */
  readonly putInPlace: (path: string) => Effect.Effect<void, Errno>
}

const unlink = (path: string) => call((done) => fs.unlink(path, done)).pipe(tolerate("ENOENT"), Effect.asVoid)

/** Makes a file where none is; what still has that name when the scope closes is removed. */
export const freshFile = Effect.fnUntraced(function* (
  path: string,
  mode: number
): Effect.fn.Return<FreshFile, Errno, Scope.Scope> {
  let here = true
  // A link that somebody put there is not followed. An interruption while the file is opened removes it too.
  const fd = yield* Effect.acquireRelease(openScoped(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode), () =>
    here ? Effect.ignore(unlink(path)) : Effect.void
  )
  const rename = (name: string) =>
    Effect.map(
      call((done) => fs.rename(path, name, done)),
      () => {
        here = false
      }
    )
  return {
    write: (offset, bytes) => writeAll(fd, bytes, offset),
    truncate: (size) => call((done) => fs.ftruncate(fd, size, done)),
    sync: Effect.asVoid(sync(fd)),
    rename,
    putInPlace: (name) => Effect.andThen(rename(name), Effect.asVoid(syncFolder(dirname(name))))
  }
})

/** Hands a durable file of that content to `use`; it is gone afterwards unless it got another name. */
export const withFresh = <A, E, R>(
  path: string,
  bytes: Uint8Array,
  mode: number,
  use: (file: FreshFile) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | Errno, Exclude<R, Scope.Scope>> =>
  Effect.scoped(
    Effect.gen(function* () {
      const file = yield* freshFile(path, mode)
      yield* file.write(0, bytes)
      yield* file.sync
      return yield* use(file)
    })
  )
