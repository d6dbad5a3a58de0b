/** Random access to the bytes of one file, wherever it lies. */
import * as Effect from "effect/Effect"

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

/** Bytes in memory as a `ByteReader`. */
export const fromBytes = (bytes: Uint8Array): ByteReader => ({
  size: bytes.length,
  read: (offset, length) => Effect.succeed(bytes.subarray(offset, offset + length))
})
