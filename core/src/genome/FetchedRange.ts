/**
 * The ranges of a slice, fetched several at a time and handed on in order, in buffers that are used again and again: the
 * collector would let those of a large slice pile up to hundreds of MB.
 */
import { Effect, Queue, Stream } from "effect"
import * as Bgzf from "./Bgzf.ts"
import { type ByteReader, readInto } from "./ByteReader.ts"
import { type ByteRange, type FetchPlan, longestRange } from "./FetchPlan.ts"

/** Free bytes in front of every range: the start of a block that ends in it can be put there. */
export const headroom = Bgzf.maxBlock

/** Bytes `[offset, offset + length)` of the file, which lie in `room` behind the headroom. */
export interface FetchedRange extends ByteRange {
  readonly room: Uint8Array
}

/** Takes the ranges of a slice. */
export interface RangeUser<E> {
  /** The range came, maybe before those in front of it. */
  readonly arrived: (range: FetchedRange) => void
  /**
   * Called for each range, in order; a range may be used until the call for the next one has ended. It tells from which
   * byte on more is needed, `null` for nothing: when that lies in what is to spare of the range, it is fetched and handed on next.
   */
  readonly use: (range: FetchedRange) => Effect.Effect<number | null, E>
}

/** Fetches the ranges, `connections` at a time. */
export const fetchRanges = Effect.fnUntraced(function* <E, E2>(
  reader: ByteReader<E>,
  ranges: Omit<FetchPlan, "bytes">,
  connections: number,
  { arrived, use }: RangeUser<E2>
): Effect.fn.Return<void, E | E2> {
  let longest = 0
  for (const { length, spare } of ranges) longest = Math.max(longest, Math.min(longestRange, length + spare))
  const count = Math.min(ranges.length, connections + 2)
  const makeRoom = () => new Uint8Array(headroom + longest)
  // It cannot grow: what is put back was taken, so it holds as many as there are rooms, `count` and the one in reserve.
  const free = yield* Queue.unbounded<Uint8Array>()
  for (let i = 0; i < count; i++) yield* Queue.offer(free, makeRoom())
  /** For what is needed beyond expectation, which cannot wait for a room: all may hold later ranges. */
  let reserve: Uint8Array | null = null
  let before: Uint8Array | null = null

  const bring = ({ length, offset, spare }: ByteRange, room: Uint8Array): Effect.Effect<FetchedRange, E> => {
    const range = { offset, length, spare, room }
    return length === 0
      ? Effect.succeed(range)
      : Effect.as(readInto(reader, offset, room.subarray(headroom, headroom + length)), range)
  }

  const serve = (range: FetchedRange, isMore: boolean): Effect.Effect<void, E | E2> =>
    Effect.gen(function* () {
      const from = yield* use(range)
      const done = before
      before = range.room
      if (done !== null && isMore) reserve = done
      else if (done !== null) yield* Queue.offer(free, done)
      const end = range.offset + range.length
      if (from === null || range.spare === 0 || from >= end + range.spare) return
      const length = Math.min(range.spare, longest)
      const more = { offset: end, length, spare: range.spare - length }
      const room = reserve ?? makeRoom()
      yield* serve(yield* bring(more, room), true)
    })

  // Ranges take their buffers in order, so that the one that is waited for always has one.
  yield* Stream.fromIterable(ranges).pipe(
    Stream.mapEffect(
      (range) =>
        Effect.flatMap(Queue.take(free), (room) =>
          Effect.tap(bring(range, room), (fetched) => Effect.sync(() => arrived(fetched)))
        ),
      {
        concurrency: connections
      }
    ),
    Stream.runForEach((range) => serve(range, false))
  )
})
