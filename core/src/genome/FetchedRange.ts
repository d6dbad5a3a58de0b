/**
 * The ranges of a slice, fetched several at a time and handed on in order, in buffers that are used again and again: the
 * collector would let those of a large slice pile up to hundreds of MB.
 */
import { Effect, Queue, Stream } from "effect"
import * as Bgzf from "./Bgzf.ts"
import type { ByteReader } from "./ByteReader.ts"
import type { ByteRange } from "./SlicePlan.ts"

/** Free bytes in front of every range: the start of a block that ends in it can be put there. */
export const headroom = Bgzf.maxBlock

/** Bytes `[offset, offset + length)` of the file, which lie in `room` behind the headroom. */
export interface FetchedRange extends ByteRange {
  readonly room: Uint8Array
}

const readInto = <E>(reader: ByteReader<E>, offset: number, target: Uint8Array): Effect.Effect<void, E> =>
  reader.readInto?.(offset, target) ?? Effect.map(reader.read(offset, target.length), (bytes) => target.set(bytes))

/** Calls `use` for each range, in order; a range may be used until the call for the next one has ended. */
export const fetchRanges = Effect.fnUntraced(function* <E, E2>(
  reader: ByteReader<E>,
  ranges: ReadonlyArray<ByteRange>,
  connections: number,
  use: (range: FetchedRange) => Effect.Effect<void, E2>
): Effect.fn.Return<void, E | E2> {
  const longest = ranges.reduce((most, { length }) => Math.max(most, length), 0)
  const count = Math.min(ranges.length, connections + 2)
  const free = yield* Queue.unbounded<Uint8Array>()
  for (let i = 0; i < count; i++) yield* Queue.offer(free, new Uint8Array(headroom + longest))
  let before: Uint8Array | null = null
  // Ranges take their buffers in order, so that the one that is waited for always has one.
  yield* Stream.fromIterable(ranges).pipe(
    Stream.mapEffect(
      ({ length, offset }) =>
        Effect.flatMap(Queue.take(free), (room) =>
          Effect.as(readInto(reader, offset, room.subarray(headroom, headroom + length)), { offset, length, room })
        ),
      { concurrency: connections }
    ),
    Stream.runForEach((range) =>
      Effect.andThen(
        use(range),
        Effect.suspend(() => {
          const done = before
          before = range.room
          return done === null ? Effect.void : Queue.offer(free, done)
        })
      )
    )
  )
})
