/**
 * Makes all pieces of a slice and joins them: bytes are fetched and written here, and what lies between is done by workers.
 * Several pieces are under way at once; they are written in their order.
 *
 * ```
 * slots:  piece 1  fetch ---- make ---- write
 *         piece 2  fetch ------- make --------- write
 *         piece 3  fetch -- make -------------------- write
 * ```
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { FileDamaged } from "../../Errors.ts"
import { type ByteReader, readInto } from "../ByteReader.ts"
import * as Bgzf from "../bgzf/Bgzf.ts"
import { Codec } from "../bgzf/Codec.ts"
import type { FragmentData } from "../index/IndexFragment.ts"
import { type FetchedRange, headroom, type PieceDamage, type PieceDone, type SliceJob } from "./PieceJob.ts"
import { here, type PieceStep, PieceWorkers, type SliceWorkers, type ThreadLost } from "./PieceWorkers.ts"
import { notSorted } from "./RecordOrder.ts"
import { type ByteRange, longestRange, type Piece } from "./SlicePieces.ts"

export interface PieceRun<E, E2> {
  readonly file: string
  readonly reader: ByteReader<E>
  readonly pieces: Iterable<Piece>
  /** Bytes that all ranges fetch. */
  readonly bytes: number
  readonly job: SliceJob
  /** Ranges fetched at the same time. */
  readonly connections: number
  /** Takes the output in order; its bytes are overwritten when it is done. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, E2>
  /** Takes the index of the part of the output that begins at `offset`. */
  readonly join: (fragment: FragmentData, offset: number) => void
}

/** What all pieces make together. */
type Sums = Pick<PieceDone, "bytes" | "records" | "copied">

/** Bytes of the next piece that are handed to the piece before it, for records that go on there: two blocks. */
const sharedBytes = 2 * Bgzf.maxBlock

/** Pieces under way for each buffer: those without one are made, and wait until all pieces before them are written. */
const waitingPerHolder = 4

/** A piece that is being fetched, made or written. */
interface PieceInFlight {
  readonly piece: Piece
  /** All pieces before it are written; null for the first. */
  readonly previousWritten: Deferred.Deferred<void> | null
  /** This piece is written. */
  readonly written: Deferred.Deferred<void>
  /** The first bytes of the next piece, if this one goes on there. */
  readonly tail: Deferred.Deferred<Uint8Array>
  /** Takes the first bytes of this piece, if the piece before it goes on here. */
  readonly head: Deferred.Deferred<Uint8Array> | null
  /** Bytes of it that are written. */
  bytesWritten: number
}

/** Ranges that are fetched into one buffer. A piece that lies past the end of a cut file has none, and fails for that. */
const batchesOf = (ranges: ReadonlyArray<ByteRange>): ReadonlyArray<ReadonlyArray<ByteRange>> => {
  if (ranges.length === 0) return [[]]
  const batches: Array<Array<ByteRange>> = []
  let bytes = 0
  for (const range of ranges) {
    const last = batches.at(-1)
    if (last === undefined || bytes + range.length > longestRange) {
      batches.push([range])
      bytes = range.length
    } else {
      last.push(range)
      bytes += range.length
    }
  }
  return batches
}

/** Fails with the `FileDamaged` of the first piece that is damaged. */
export const makePieces = Effect.fnUntraced(function* <E, E2>(
  run: PieceRun<E, E2>
): Effect.fn.Return<Sums, FileDamaged | E | E2, Codec | Scope.Scope> {
  const { bytes, connections, file, job, join, pieces, reader, write } = run
  const codec = yield* Codec
  const workers = (yield* (yield* PieceWorkers).open(job, bytes)) ?? here(codec, job)

  const sums = { bytes: 0, records: 0, copied: 0 }
  let last: PieceDone["last"] = null

  /** Buffers that are used again: the collector would let those of a large slice pile up to hundreds of MB. */
  const free: Array<Uint8Array> = []
  const takeBuffer = () => free.pop() ?? new Uint8Array(headroom + longestRange + sharedBytes)
  const permits = yield* Semaphore.make(connections)
  /** Pieces that may hold a buffer. */
  const holders = connections + workers.width
  const holding = yield* Semaphore.make(holders)
  const readAt = (offset: number, target: Uint8Array) =>
    target.length === 0 ? Effect.void : permits.withPermit(readInto(reader, offset, target))

  /** Fetches ranges into one buffer, those that follow each other as one. */
  const bring = Effect.fnUntraced(function* (ranges: ReadonlyArray<ByteRange>) {
    const buffer = takeBuffer()
    const fetched: Array<FetchedRange> = []
    let at = headroom
    for (const { length, offset, spare } of ranges) {
      const before = fetched.at(-1)
      if (before !== undefined && before.offset + before.length === offset) {
        fetched[fetched.length - 1] = { ...before, length: before.length + length, spare }
      } else fetched.push({ buffer, at, offset, length, spare })
      at += length
    }
    yield* Effect.forEach(fetched, (one) => readAt(one.offset, buffer.subarray(one.at, one.at + one.length)), {
      concurrency: "unbounded",
      discard: true
    })
    return fetched
  })

  const damageError = ({ fault, reason }: PieceDamage) => new FileDamaged({ file, fault, reason })

  /** Takes the buffers of a step back; `isLast`: the piece needs no other. */
  const takeBack = ({ buffers }: PieceStep, isLast: boolean) => {
    free.push(...buffers)
    return isLast ? holding.release(1) : Effect.void
  }

  /** Writes the output of a step, which begins `at` bytes into the piece. A piece that was lost is made again: what it wrote before is passed over. */
  const put = Effect.fnUntraced(function* (current: PieceInFlight, at: number, { output, toFree }: PieceStep) {
    let end = at
    for (const bytes of output) {
      const unwritten = bytes.subarray(current.bytesWritten - end)
      end += bytes.length
      if (unwritten.length === 0) continue
      yield* write(unwritten)
      current.bytesWritten = end
    }
    // Given back at once: the collector would let such memory pile up.
    for (const { buffer } of toFree) if (buffer instanceof ArrayBuffer) buffer.transfer(0)
    return end
  })

  const finish = (done: PieceDone): Effect.Effect<void, FileDamaged> => {
    const [before, first] = [last, done.first]
    if (
      before !== null &&
      first !== null &&
      (first[0] < before[0] || (first[0] === before[0] && first[1] < before[1]))
    ) {
      return damageError(notSorted(job, first))
    }
    last = done.last ?? before
    join(done.fragment, sums.bytes)
    sums.bytes += done.bytes
    sums.records += done.records
    sums.copied += done.copied
    return Effect.void
  }

  /** Makes one piece; `by` may lose it. */
  const make = Effect.fnUntraced(function* (
    current: PieceInFlight,
    by: SliceWorkers
  ): Effect.fn.Return<void, FileDamaged | ThreadLost | E | E2> {
    const { head, piece, tail } = current
    const previousWritten = current.previousWritten === null ? Effect.void : Deferred.await(current.previousWritten)
    const work = by.begin(piece.stretches)
    const batches = batchesOf(piece.ranges)
    let bytesMade = 0
    /** Hands ranges to the worker, and fetches what it asks for, until they are used. */
    const use = Effect.fnUntraced(function* (ranges: ReadonlyArray<FetchedRange>, isLast: boolean) {
      let done = yield* work.take(ranges, isLast)
      while (done.result._tag === "Needs") {
        const { length, offset, spare } = done.result
        const more = yield* bring([{ offset, length, spare }])
        done = yield* work.take(more, false)
      }
      return done
    })
    for (const [i, batch] of batches.entries()) {
      const isLast = i === batches.length - 1
      let fetched: ReadonlyArray<FetchedRange> = yield* bring(batch)
      const [begin] = fetched
      if (i === 0 && head !== null && begin !== undefined) {
        const length = Math.min(sharedBytes, begin.length)
        yield* Deferred.succeed(head, begin.buffer.slice(begin.at, begin.at + length))
      }
      if (isLast && piece.goesOn) fetched = withTail(fetched, yield* Deferred.await(tail))
      // What a piece of many buffers makes is written as it comes, or it would fill the memory.
      if (batches.length > 1) yield* previousWritten
      const made = yield* use(fetched, isLast)
      // Small targets leave little of what was fetched: it waits for its turn outside of the buffers, which others need.
      const liesInBuffers = made.output.some((bytes) => made.buffers.some(({ buffer }) => buffer === bytes.buffer))
      if (!liesInBuffers) yield* takeBack(made, isLast)
      yield* previousWritten
      if (made.result._tag === "Damaged") return yield* damageError(made.result.damage)
      bytesMade = yield* put(current, bytesMade, made)
      if (liesInBuffers) yield* takeBack(made, isLast)
      if (made.result._tag === "Done") yield* finish(made.result.done)
    }
  })

  let newest: PieceInFlight | null = null
  const rest = pieces[Symbol.iterator]()
  // Without interruption: two slots must not take pieces in another order than that of the file.
  const nextPiece = Effect.sync((): PieceInFlight | null => {
    const { done, value: piece } = rest.next()
    if (done === true) return null
    const before = newest
    newest = {
      piece,
      previousWritten: before?.written ?? null,
      written: Deferred.makeUnsafe<void>(),
      tail: Deferred.makeUnsafe<Uint8Array>(),
      head: before?.piece.goesOn === true ? before.tail : null,
      bytesWritten: 0
    }
    return newest
  })

  const slot = Effect.gen(function* () {
    while (true) {
      // Before the piece: the first one that is not written always has its buffer.
      yield* holding.take(1)
      const next = yield* nextPiece
      if (next === null) return yield* holding.release(1)
      yield* make(next, workers).pipe(
        // Its bytes went with the thread: they are fetched once more.
        Effect.catchTag("ThreadLost", () => make(next, here(codec, job))),
        Effect.catchTag("ThreadLost", Effect.die)
      )
      yield* Deferred.succeed(next.written, undefined)
    }
  })
  const slots = Array.from({ length: waitingPerHolder * holders }, () => slot)
  yield* Effect.all(slots, { concurrency: "unbounded", discard: true })
  return sums
})

/** The fetched ranges, with `tail` put after the last of them in its buffer. */
const withTail = (ranges: ReadonlyArray<FetchedRange>, tail: Uint8Array): ReadonlyArray<FetchedRange> =>
  ranges.map((range, i) => {
    if (i < ranges.length - 1) return range
    range.buffer.set(tail, range.at + range.length)
    return { ...range, length: range.length + tail.length, spare: Math.max(0, range.spare - tail.length) }
  })
