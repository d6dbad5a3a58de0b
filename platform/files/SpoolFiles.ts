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
import { CannotCreate, LocalIo } from "../../core/src/Errors.ts"

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = fs.constants

const bufferSize = 1024 * 1024

/** @param folder - where the files are made; it needs room for the largest body */
export const layer = (folder: string): Layer.Layer<Spools> => Layer.succeed(Spools, { open: open(folder) })

const errorOf = (folder: string, operation: string, { code = "EIO" }: NodeJS.ErrnoException) =>
  new LocalIo({ path: folder, operation, errno: code })

/** Never interrupted: a call that goes on after its file was closed would hit another file. */
const call = <A, E>(start: (resume: (effect: Effect.Effect<A, E>) => void) => void): Effect.Effect<A, E> =>
  Effect.uninterruptible(Effect.callback(start))

const createNameless = (folder: string) =>
  Effect.acquireRelease(
    call<number, CannotCreate>((resume) => {
      const path = join(folder, `.svc-steps.${randomUUID()}.spool`)
      fs.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600, (error, file) => {
        if (error !== null) {
          const reason = `no temporary file can be made there (${error.code}); TMPDIR names another folder`
          return resume(Effect.fail(new CannotCreate({ path: folder, reason })))
        }
        // The file stays open; a name that cannot be removed is left in the folder.
        fs.unlink(path, () => resume(Effect.succeed(file)))
      })
    }),
    (file) => call<void, never>((resume) => fs.close(file, () => resume(Effect.void)))
  )

const writeAll = (folder: string, file: number, bytes: Uint8Array, at: number): Effect.Effect<void, LocalIo> =>
  call((resume) => {
    const next = (done: number) => {
      if (done === bytes.length) return resume(Effect.void)
      fs.write(file, bytes, done, bytes.length - done, at + done, (error, written) =>
        error === null ? next(done + written) : resume(Effect.fail(errorOf(folder, "write a temporary file in", error)))
      )
    }
    next(0)
  })

const readSome = (folder: string, file: number, at: number, into: Uint8Array): Effect.Effect<number, LocalIo> =>
  call((resume) =>
    fs.read(file, into, 0, into.length, at, (error, count) =>
      resume(
        error === null && count > 0
          ? Effect.succeed(count)
          : Effect.fail(errorOf(folder, "read a temporary file in", error ?? { name: "", message: "", code: "EIO" }))
      )
    )
  )

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
      writing = yield* Effect.forkIn(writeAll(folder, file, buffer, inFile), scope, { startImmediately: true })
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
          return Effect.andThen(written, readSome(folder, source, offset, part))
        }
        const part = buffer.subarray(offset - inFile, Math.min(inBuffer, offset - inFile + into.length))
        into.set(part)
        return Effect.succeed(part.length)
      }
    }
  })
