/** Many small writes as few large ones: most blocks of a slice are a few KiB, and each write costs a call. */
import { Effect } from "effect"
import type { LocalIo } from "../Errors.ts"
import type { SliceSink } from "../genome/Slice.ts"
import type { PartFile } from "./PartFiles.ts"

/** Bytes. */
const writeSize = 1024 * 1024

/** Writes to the end of `part`; the last of them only with `flush`. */
export const gatheredWrites = (part: PartFile) => {
  let pieces: Array<Uint8Array> = []
  let bytes = 0
  let at = 0
  const flush = Effect.suspend(() => {
    const joined = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : join(pieces, bytes)
    const offset = at
    at += bytes
    pieces = []
    bytes = 0
    return Effect.andThen(part.write(offset, joined), part.settled(offset + joined.length))
  })
  const sink: SliceSink<LocalIo> = {
    write: (piece) =>
      Effect.suspend(() => {
        pieces.push(piece)
        bytes += piece.length
        return bytes < writeSize ? Effect.void : flush
      })
  }
  return { sink, flush }
}

const join = (pieces: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const joined = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    joined.set(piece, at)
    at += piece.length
  }
  return joined
}
