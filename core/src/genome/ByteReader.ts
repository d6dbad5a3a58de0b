/** Random access to the bytes of one file, wherever it lies. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { LocalIo } from "../Errors.ts"

/**
 * A file of known size. `read` gives exactly the bytes `[offset, offset + length)` cut at `size`, and fails with `E`
 * when it cannot; a reader of something that may change fails rather than mix two versions.
 */
export interface ByteReader<E = never> {
  /** Bytes. */
  readonly size: number
  readonly read: (offset: number, length: number) => Effect.Effect<Uint8Array, E>
  /** Like the function `readInto`, which uses `read` where this is absent. */
  readonly readInto?: (offset: number, target: Uint8Array) => Effect.Effect<void, E>
}

/** Fills `target` with the bytes from `offset` on, all of which lie before the end. */
export const readInto = <E>(reader: ByteReader<E>, offset: number, target: Uint8Array): Effect.Effect<void, E> =>
  reader.readInto?.(offset, target) ?? Effect.map(reader.read(offset, target.length), (bytes) => target.set(bytes))

export const fromBytes = (bytes: Uint8Array): ByteReader => ({
  size: bytes.length,
  read: (offset, length) => Effect.succeed(bytes.subarray(offset, offset + length))
})

/** Opens a file of `size` bytes until the scope closes. Reads may be asked for at the same time. */
export const readerOf = Effect.fnUntraced(function* (
  path: string,
  size: number
): Effect.fn.Return<ByteReader<LocalIo>, LocalIo, FileSystem.FileSystem | Scope.Scope> {
  const fs = yield* FileSystem.FileSystem
  const failed = LocalIo.of("read", path)
  const file = yield* Effect.mapError(fs.open(path), failed)
  // An open file has one position: between a seek and its read there must be no other.
  const turn = yield* Semaphore.make(1)
  const fill = Effect.fnUntraced(function* (offset: number, bytes: Uint8Array) {
    yield* Effect.mapError(file.seek(BigInt(offset), "start"), failed)
    let filled = 0
    while (filled < bytes.length) {
      const count = Number(yield* Effect.mapError(file.read(bytes.subarray(filled)), failed))
      if (count === 0) return yield* new LocalIo({ path, operation: "read", errno: "EIO" })
      filled += count
    }
  })
  const readInto = (offset: number, target: Uint8Array) => turn.withPermit(fill(offset, target))
  const read = (offset: number, length: number) =>
    Effect.suspend(() => {
      const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)))
      return Effect.as(readInto(offset, bytes), bytes)
    })
  return { size, read, readInto }
})
