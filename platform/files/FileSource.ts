/** `FileSource` on Node: reads at a place, and hashes on a thread of its own. */
import fs from "node:fs"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { FileDamaged, LocalIo } from "../../core/src/Errors.ts"
import type { ChecksumKind } from "../../core/src/genome/formats/FileNames.ts"
import { FileSource, type OpenFile } from "../../core/src/verify/FileSource.ts"
import { DigestThread } from "../threads/DigestThread.ts"

export const layer: Layer.Layer<FileSource> = Layer.effect(
  FileSource,
  Effect.gen(function* () {
    const digests = yield* Effect.acquireRelease(
      Effect.sync(() => new DigestThread()),
      (thread) => Effect.promise(() => thread.close())
    )
    return FileSource.of({ open: (path) => open(path, digests) })
  })
)

/** A file system call, never interrupted: a read that goes on after its file was closed would read another file. */
const call = <A>(
  path: string,
  operation: string,
  start: (done: (error: NodeJS.ErrnoException | null, value: A) => void) => void
) =>
  Effect.uninterruptible(
    Effect.callback<A, LocalIo>((resume) =>
      start((error, value) =>
        resume(
          error === null
            ? Effect.succeed(value)
            : Effect.fail(new LocalIo({ path, operation, errno: error.code ?? "EIO" }))
        )
      )
    )
  )

const open = Effect.fnUntraced(function* (path: string, digests: DigestThread) {
  const fd = yield* Effect.acquireRelease(
    // Non-blocking, so that opening a pipe does not wait for a writer.
    call<number>(path, "open", (done) => fs.open(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK, done)),
    (fd) => Effect.ignore(call<void>(path, "close", (done) => fs.close(fd, (error) => done(error ?? null))))
  )
  const { size } = yield* call<fs.Stats>(path, "look at", (done) => fs.fstat(fd, done))

  const readInto = Effect.fnUntraced(function* (offset: number, target: Uint8Array) {
    let filled = 0
    while (filled < target.length) {
      const got = yield* call<number>(path, "read", (done) =>
        fs.read(fd, target, filled, target.length - filled, offset + filled, done)
      )
      if (got === 0) {
        return yield* new FileDamaged({ file: path, fault: "Changing", reason: "it became shorter while it was read" })
      }
      filled += got
    }
  })

  const read = (offset: number, length: number) => {
    const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)))
    return Effect.as(readInto(offset, bytes), bytes)
  }

  const checksum = (kind: ChecksumKind) =>
    Effect.callback<string, LocalIo>((resume) => {
      const id = digests.start()
      let finished = false
      digests.finish(id, fd, size, [kind], (result) => {
        finished = true
        resume(
          "digests" in result
            ? Effect.succeed(result.digests.get(kind) ?? "")
            : Effect.fail(new LocalIo({ path, operation: "read", errno: result.errno }))
        )
      })
      // The thread must not read from the number of a closed file.
      const dropped = Effect.callback<void>((resume) => digests.drop(id, () => resume(Effect.void)))
      return Effect.suspend(() => (finished ? Effect.void : dropped))
    })
  return { size, read, readInto, checksum } satisfies OpenFile
})
