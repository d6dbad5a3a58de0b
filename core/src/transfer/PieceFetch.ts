/** The bytes that a part does not have yet: a large file in pieces over several connections, everything else in order. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as ByteRanges from "./ByteRanges.ts"
import type { PartProgress } from "./PartProgress.ts"
import { type FetchContext, fetchRange } from "./RangeFetch.ts"

/** A file is fetched in pieces of this size when it has more than two of them. */
const piece = 32 * 1024 * 1024
/**
 * The last 64 to 96 MiB of it go in pieces of this size: all connections stay busy to the end, and the hash, which follows the
 * bytes in order, has at most 24 MiB left after the last byte instead of 96 (with four connections).
 */
const lastPiece = 8 * 1024 * 1024

/** What all requests for the file share, with how far it is. */
export interface PartContext extends FetchContext {
  readonly progress: PartProgress
}

/**
 * Fetches what is missing. A large file goes in pieces over several connections, but only when a strong entity tag
 * vouches that all pieces are of one version; all else is fetched in order by one.
 */
export const fetchMissing = Effect.fnUntraced(function* (context: PartContext, connections: number) {
  const { progress, request } = context
  const known = yield* progress.known
  const present = yield* progress.ranges
  const size = known?.size ?? request.size
  if (connections === 1 || (size !== null && size <= 2 * piece)) return yield* inOrder(context)
  const first = ByteRanges.missing(present, size ?? piece, piece)[0]
  if (first === undefined) return yield* inOrder(context)
  const others = Effect.gen(function* () {
    const version = yield* Deferred.await(progress.version)
    if (version.etag === null || version.size === null) return
    const gaps = piecesOf(ByteRanges.add(present, first[0], first[1]), version.size)
    yield* Effect.forEach(gaps, (gap) => fetchRange(context, gap), { concurrency: connections, discard: true })
  })
  yield* Effect.all([fetchRange(context, first), others], { concurrency: 2, discard: true })
  yield* inOrder(context)
})

/** What is missing below `size`, in pieces. */
const piecesOf = (present: ByteRanges.ByteRanges, size: number): ByteRanges.ByteRanges => {
  const tail = Math.max(0, Math.floor(size / piece) - 2) * piece
  return [
    ...ByteRanges.missing(present, tail, piece),
    ...ByteRanges.missing(ByteRanges.add(present, 0, tail), size, lastPiece)
  ]
}

/** Fetches the gaps one after the other, the last of them to the end of the file; an empty file is asked for as well. */
const inOrder = Effect.fnUntraced(function* (context: PartContext) {
  const { progress, request } = context
  const size = (yield* progress.known)?.size ?? request.size
  const present = yield* progress.ranges
  const gaps = size === null ? [] : ByteRanges.missing(present, size, size)
  yield* Effect.forEach(gaps, (gap) => fetchRange(context, gap), { discard: true })
  if (size === null) yield* fetchRange(context, [ByteRanges.prefix(present), null])
  if (size === 0) yield* fetchRange(context, [0, 0])
})
