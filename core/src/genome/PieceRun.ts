/**
 * Makes all pieces of a slice and joins them: bytes are fetched and written here, and what lies between is done by a crew.
 * Several pieces are under way at once; they are written in their order.
 *
 * ```
 * lanes:  piece 1  fetch ---- make ---- write
 *         piece 2  fetch ------- make --------- write
 *         piece 3  fetch -- make -------------------- write
 * ```
 */
import { Deferred, Effect, type Scope, Semaphore } from "effect"
import { FileDamaged } from "../Errors.ts"
import * as Bgzf from "./Bgzf.ts"
import { type ByteReader, readInto } from "./ByteReader.ts"
import { Codec } from "./Codec.ts"
import { type ByteRange, longestRange } from "./FetchPlan.ts"
import type { FragmentData } from "./IndexFragment.ts"
import { here, PieceCrew, type PieceTurn, type SliceCrew, type ThreadLost } from "./PieceCrew.ts"
import { headroom, type PieceDamage, type PieceDone, type SliceJob, type Window } from "./PieceOrder.ts"
import type { Piece } from "./SlicePieces.ts"

export interface PieceRun<E, E2> {
  readonly file: string
  readonly reader: ByteReader<E>
  readonly pieces: Iterable<Piece>
  /** That all ranges fetch. */
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

/** So much of the next piece is handed to the one in front, for records that go on there: two blocks. */
const sharedBytes = 2 * Bgzf.maxBlock

/** A piece that is under way. */
interface Lane {
  readonly piece: Piece
  /** All pieces in front of it are written; null for the first. */
  readonly turn: Deferred.Deferred<void> | null
  /** It is written itself. */
  readonly written: Deferred.Deferred<void>
  /** The first bytes of the piece behind it, where it goes on. */
  readonly tail: Deferred.Deferred<Uint8Array>
  /** Where the piece in front wants the first bytes of this one, if it does. */
  readonly head: Deferred.Deferred<Uint8Array> | null
  /** Some of it is written. */
  begun: boolean
}

/** Ranges that are fetched into one room. A piece that lies behind the end of a cut file has none, and fails for that. */
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
  const alone = here(codec, job)
  const crew = (yield* (yield* PieceCrew).open(job, bytes)) ?? alone

  const sums = { bytes: 0, records: 0, copied: 0 }
  let last: PieceDone["last"] = null

  /** Rooms that are used again: the collector would let those of a large slice pile up to hundreds of MB. */
  const free: Array<Uint8Array> = []
  const takeRoom = () => free.pop() ?? new Uint8Array(headroom + longestRange + sharedBytes)
  const permits = yield* Semaphore.make(connections)
  const readAt = (offset: number, target: Uint8Array) =>
    target.length === 0 ? Effect.void : permits.withPermit(readInto(reader, offset, target))

  /** Fetches ranges into one room, those that follow each other as one window. */
  const bring = Effect.fnUntraced(function* (ranges: ReadonlyArray<ByteRange>) {
    const room = takeRoom()
    const windows: Array<Window> = []
    let at = headroom
    for (const { length, offset, spare } of ranges) {
      const before = windows.at(-1)
      if (before !== undefined && before.offset + before.length === offset) {
        windows[windows.length - 1] = { ...before, length: before.length + length, spare }
      } else windows.push({ room, at, offset, length, spare })
      at += length
    }
    yield* Effect.forEach(windows, (one) => readAt(one.offset, room.subarray(one.at, one.at + one.length)), {
      concurrency: "unbounded",
      discard: true
    })
    return windows
  })

  const damaged = ({ fault, reason }: PieceDamage) => new FileDamaged({ file, fault, reason })

  /** Writes what a turn brought, and takes its rooms back. */
  const put = Effect.fnUntraced(function* ({ output, rooms, scrap }: PieceTurn) {
    for (const piece of output) yield* write(piece)
    free.push(...rooms)
    // Given back at once: the collector would let such memory pile up.
    for (const { buffer } of scrap) if (buffer instanceof ArrayBuffer) buffer.transfer(0)
  })

  const finish = (done: PieceDone): Effect.Effect<void, FileDamaged> => {
    const [before, first] = [last, done.first]
    if (
      before !== null &&
      first !== null &&
      (first[0] < before[0] || (first[0] === before[0] && first[1] < before[1]))
    ) {
      const reason = `its records are not in order: one of reference ${first[0] + 1} at base ${first[1] + 1} comes too late`
      return new FileDamaged({ file, fault: "BadRecord", reason })
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
    lane: Lane,
    by: SliceCrew
  ): Effect.fn.Return<void, FileDamaged | ThreadLost | E | E2> {
    const { head, piece, tail } = lane
    const turn = lane.turn === null ? Effect.void : Deferred.await(lane.turn)
    const work = by.begin(piece.stretches)
    const batches = batchesOf(piece.ranges)
    /** Hands windows on until they are used; of a piece whose turn has come the output is written at once. */
    const use = Effect.fnUntraced(function* (windows: ReadonlyArray<Window>, isLast: boolean) {
      let done = yield* work.take(windows, isLast)
      while (done.turn._tag === "Needs") {
        const { length, offset, spare } = done.turn
        const more = yield* bring([{ offset, length, spare }])
        done = yield* work.take(more, false)
      }
      return done
    })
    for (const [i, batch] of batches.entries()) {
      const isLast = i === batches.length - 1
      let windows: ReadonlyArray<Window> = yield* bring(batch)
      const [begin] = windows
      if (i === 0 && head !== null && begin !== undefined) {
        const length = Math.min(sharedBytes, begin.length)
        yield* Deferred.succeed(head, begin.room.slice(begin.at, begin.at + length))
      }
      if (isLast && piece.goesOn) windows = withTail(windows, yield* Deferred.await(tail))
      // What a piece of many rooms makes is written as it comes, or it would fill the memory.
      if (batches.length > 1) yield* turn
      const made = yield* use(windows, isLast)
      yield* turn
      if (made.turn._tag === "Damaged") return yield* damaged(made.turn.damage)
      lane.begun = true
      yield* put(made)
      if (made.turn._tag === "Done") yield* finish(made.turn.done)
    }
  })

  let front: Lane | null = null
  const rest = pieces[Symbol.iterator]()
  // In one go: two lanes must not take pieces in another order than that of the file.
  const nextLane = Effect.sync((): Lane | null => {
    const { done, value: piece } = rest.next()
    if (done === true) return null
    const before = front
    front = {
      piece,
      turn: before?.written ?? null,
      written: Deferred.makeUnsafe<void>(),
      tail: Deferred.makeUnsafe<Uint8Array>(),
      head: before?.piece.goesOn === true ? before.tail : null,
      begun: false
    }
    return front
  })

  const lane = Effect.gen(function* () {
    while (true) {
      const next = yield* nextLane
      if (next === null) return
      yield* make(next, crew).pipe(
        // Its bytes went with the thread: they are fetched once more.
        Effect.catchTag("ThreadLost", (lost) => (next.begun ? Effect.die(lost) : make(next, alone))),
        Effect.catchTag("ThreadLost", Effect.die)
      )
      yield* Deferred.succeed(next.written, undefined)
    }
  })
  const lanes = Array.from({ length: connections + crew.width }, () => lane)
  yield* Effect.all(lanes, { concurrency: "unbounded", discard: true })
  return sums
})

/** The windows with bytes that follow the last of them in its room. */
const withTail = (windows: ReadonlyArray<Window>, tail: Uint8Array): ReadonlyArray<Window> =>
  windows.map((window, i) => {
    if (i < windows.length - 1) return window
    window.room.set(tail, window.at + window.length)
    return { ...window, length: window.length + tail.length, spare: Math.max(0, window.spare - tail.length) }
  })
