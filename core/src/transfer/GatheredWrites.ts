/** Many small writes as few large ones: most blocks of a slice are a few KiB, and each write costs a call. */
import * as Effect from "effect/Effect"
import type { LocalIo } from "../Errors.ts"
import type { SliceSink } from "../genome/slice/Slice.ts"
import type { Algorithm } from "./Digests.ts"
import type { PartFile } from "./PartFiles.ts"

/** Bytes. */
const writeSize = 1024 * 1024
/** Pieces of this size are worth a write of their own, and are not copied. */
const largePiece = 256 * 1024

/** Writes to the end of `part`; the last of them only with `flush`. */
export const gatheredWrites = (part: PartFile, algorithms: ReadonlyArray<Algorithm>) => {
  const gathered = new Uint8Array(writeSize)
  let length = 0
  let at = 0
  const append = (bytes: Uint8Array) =>
    Effect.suspend(() => {
      const offset = at
      at += bytes.length
      return Effect.andThen(part.write(offset, bytes), part.finalUpTo(at, algorithms))
    })
  const flush = Effect.suspend(() => {
    const bytes = gathered.subarray(0, length)
    length = 0
    return bytes.length === 0 ? Effect.void : append(bytes)
  })
  const gather = (piece: Uint8Array) =>
    Effect.sync(() => {
      gathered.set(piece, length)
      length += piece.length
    })
  const sink: SliceSink<LocalIo> = {
    write: (piece) =>
      Effect.suspend(() => {
        const large = piece.length >= largePiece
        if (!large && length + piece.length <= writeSize) return gather(piece)
        return Effect.andThen(flush, large ? append(piece) : gather(piece))
      })
  }
  return { sink, flush }
}
