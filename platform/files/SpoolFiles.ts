/**
 * `Spools` in files without a name: unlinked before the first byte is in them, so that nobody else can open them and
 * nothing is left, however the process ends. What fits into the buffer never reaches the disk.
 */
import { randomUUID } from "node:crypto"
import fs from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { type Spool, Spools } from "../../core/src/annotations/Spool.ts"
import { CannotCreate, type LocalIo } from "../../core/src/Errors.ts"
import { Errno } from "../Errno.ts"
import { call, named, openScoped, readExactly, writeAll } from "./FileCalls.ts"

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = fs.constants

const bufferSize = 1024 * 1024

/** @param folder - where the files are made; it needs room for the largest body */
export const layer = (folder: string): Layer.Layer<Spools> => Layer.succeed(Spools, { open: open(folder) })

/** The file stays open; a name that cannot be removed is left in the folder. */
const createNameless = (folder: string): Effect.Effect<number, CannotCreate, Scope.Scope> => {
  const path = join(folder, `.svc-steps.${randomUUID()}.spool`)
  return openScoped(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW).pipe(
    Effect.tap(() => Effect.ignore(call((done) => fs.unlink(path, done)))),
    Effect.uninterruptible,
    Effect.mapError(({ code }) => {
      const reason = `no temporary file can be made there (${code}); TMPDIR names another folder`
      return new CannotCreate({ path: folder, reason })
    })
  )
}

/** Reads what has been written; the number of bytes. */
const readBack = Effect.fnUntraced(function* (file: number, at: number, into: Uint8Array) {
  const { length } = yield* readExactly(file, at, into.length, into)
  return length > 0 ? length : yield* new Errno({ code: "EIO" })
})

const open = (folder: string): Effect.Effect<Spool, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    let buffer = new Uint8Array(bufferSize)
    let spare = new Uint8Array(0)
    let file: number | null = null
    let inFile = 0
    let inBuffer = 0
    /** One write goes on while the next buffer fills. */
    let writing: Fiber.Fiber<void, LocalIo> | null = null
    const written = Effect.suspend(() => (writing === null ? Effect.void : Fiber.join(writing)))

    const flush = Effect.gen(function* () {
      file ??= yield* Scope.provide(createNameless(folder), scope)
      yield* written
      const write = writeAll(file, buffer, inFile).pipe(named(folder, "write a temporary file in"))
      // Uninterrupted, since a write that goes on after its file was closed would hit another file.
      writing = yield* Effect.forkIn(Effect.uninterruptible(write), scope, { startImmediately: true })
      inFile += bufferSize
      inBuffer = 0
      const free = spare.length === 0 ? new Uint8Array(bufferSize) : spare
      spare = buffer
      buffer = free
    })

    return {
      size: () => inFile + inBuffer,
      write: Effect.fnUntraced(function* (bytes) {
        for (let at = 0; at < bytes.length; ) {
          const part = bytes.subarray(at, at + bufferSize - inBuffer)
          buffer.set(part, inBuffer)
          inBuffer += part.length
          at += part.length
          if (inBuffer === bufferSize) yield* flush
        }
      }),
      read: (offset, into) => {
        const source = file
        if (source !== null && offset < inFile) {
          const part = into.subarray(0, Math.min(into.length, inFile - offset))
          return Effect.andThen(written, readBack(source, offset, part).pipe(named(folder, "read a temporary file in")))
        }
        const part = buffer.subarray(offset - inFile, Math.min(inBuffer, offset - inFile + into.length))
        into.set(part)
        return Effect.succeed(part.length)
      }
    }
  })
