/**
 * How far a part has come: what is written, what of it survives a power cut, and the journal that says so.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { Busy, type CannotCreate, type LocalIo } from "../Errors.ts"
import type { Codec } from "../genome/bgzf/Codec.ts"
import * as ByteRanges from "./ByteRanges.ts"
import { type Algorithm, algorithmsFor } from "./Digests.ts"
import type { PartFile, PartFiles, PartPlace } from "./PartFiles.ts"
import * as PartJournal from "./PartJournal.ts"
import * as PartSpans from "./PartSpans.ts"
import * as VersionWatch from "./VersionWatch.ts"

export type ProgressError = LocalIo | CannotCreate | Busy

export interface PartProgress extends VersionWatch.VersionWatch {
  readonly part: PartFile
  readonly ranges: Effect.Effect<ByteRanges.ByteRanges>
  /** Takes note of bytes that `part.write` has taken, and says how many there are now. */
  readonly written: (offset: number, bytes: Uint8Array) => Effect.Effect<number>
  /** Syncs the part and then the journal; on a full disk the end of the part is given up for the space that the journal needs. */
  readonly keep: Effect.Effect<void, ProgressError>
  /** Returns when the bytes before `end` are written. */
  readonly reached: (end: number) => Effect.Effect<void>
  /** Never succeeds; fails when a flush in the background did. */
  readonly failed: Effect.Effect<never, ProgressError>
}

/** The journal is written after this many bytes, so a crash costs at most as much of a file. */
const flushInterval = 64 * 1024 * 1024

const fullDisk: ReadonlyArray<string> = ["ENOSPC", "EDQUOT"]

/** A journal takes a few KiB; but blocks can be large, and other files of the run may take what is freed. */
const givenUp = [64 * 1024, 1024 * 1024, 16 * 1024 * 1024]

export const make = Effect.fnUntraced(function* (
  { codec, files }: { readonly codec: Codec["Service"]; readonly files: PartFiles["Service"] },
  place: PartPlace,
  part: PartFile,
  journal: PartJournal.PartJournal,
  /** Digests that are computed whether a link host states them or not. */
  own: ReadonlyArray<Algorithm>
): Effect.fn.Return<PartProgress, never, Scope.Scope> {
  const scope = yield* Scope.Scope
  const spans = PartSpans.make(codec.crc32, journal.spans)
  const ranges = yield* Ref.make<ByteRanges.ByteRanges>(PartSpans.rangesOf(journal.spans))
  const unsynced = yield* Ref.make(0)
  const watch = yield* VersionWatch.make
  const broken = yield* Deferred.make<never, ProgressError>()
  const flushing = yield* Semaphore.make(1)
  const syncFailure = yield* Ref.make<LocalIo | null>(null)

  /**
   * Makes everything written so far durable in the part. After one failure it fails for good: Linux reports lost bytes to one
   * sync only, and the next succeeds without them.
   */
  const synced = Effect.gen(function* () {
    const failure = yield* Ref.get(syncFailure)
    if (failure !== null) return yield* failure
    const snapshot = spans.all()
    yield* Ref.set(unsynced, 0)
    yield* Effect.tapError(part.sync, (error) => Ref.set(syncFailure, error))
    yield* checkOwnership(files, place, journal)
    return snapshot
  })
  const record = Effect.fnUntraced(function* (spans: ReadonlyArray<PartJournal.Span>) {
    const stated = yield* watch.known
    const [size, etag, lastModified] = [
      stated?.size ?? journal.size,
      stated?.etag ?? null,
      stated?.lastModified ?? null
    ]
    const digests = stated?.digests ?? []
    const next = { ...journal, size, etag, lastModified, digests, spans }
    yield* files.writeJournal(place, PartJournal.encode(next))
  })
  const save = Effect.flatMap(synced, record)
  const recordGivingUp = (
    durable: ReadonlyArray<PartJournal.Span>,
    [bytes, ...more]: ReadonlyArray<number>
  ): Effect.Effect<void, ProgressError> =>
    Effect.catchTag(record(durable), "SvcLocalIo", (error) => {
      const end = durable.at(-1)?.[1] ?? 0
      if (!fullDisk.includes(error.errno) || bytes === undefined || end <= bytes) return error
      return Effect.gen(function* () {
        const left = yield* PartSpans.below(part, codec.crc32, durable, end - bytes)
        yield* part.cut(end - bytes)
        yield* recordGivingUp(left, more)
      })
    })
  const keep = flushing.withPermit(Effect.flatMap(synced, (durable) => recordGivingUp(durable, givenUp)))
  // In the background, so that the disk and the network work at the same time; a slow disk is not asked twice.
  const flushLater = flushing
    .withPermitsIfAvailable(1)(save)
    .pipe(
      Effect.catch((error) => Deferred.fail(broken, error)),
      Effect.forkIn(scope)
    )

  const waiting = yield* Ref.make<ReadonlyArray<{ readonly end: number; readonly gate: Deferred.Deferred<void> }>>([])
  const wake = (prefix: number) =>
    Effect.gen(function* () {
      const ready = yield* Ref.modify(waiting, (all) => {
        const late = all.filter(({ end }) => end > prefix)
        return [late.length === all.length ? [] : all.filter(({ end }) => end <= prefix), late]
      })
      for (const { gate } of ready) yield* Deferred.succeed(gate, undefined)
    })
  const waitForPrefix = Effect.fnUntraced(function* (end: number) {
    const prefix = Effect.map(Ref.get(ranges), ByteRanges.prefix)
    if ((yield* prefix) >= end) return
    const gate = yield* Deferred.make<void>()
    yield* Ref.update(waiting, (all) => [...all, { end, gate }])
    // The bytes may have been written in the meantime.
    yield* wake(yield* prefix)
    yield* Deferred.await(gate)
  })

  const addWritten = Effect.fnUntraced(function* (start: number, bytes: Uint8Array) {
    const end = start + bytes.length
    spans.add(start, bytes)
    const now = yield* Ref.updateAndGet(ranges, (old) => ByteRanges.add(old, start, end))
    yield* wake(ByteRanges.prefix(now))
    yield* part.finalUpTo(ByteRanges.prefix(now), algorithmsFor((yield* watch.known)?.digests ?? [], own))
    const waiting = yield* Ref.updateAndGet(unsynced, (bytes) => bytes + end - start)
    if (waiting >= flushInterval) yield* flushLater
    return ByteRanges.count(now)
  })

  const { digests = [], etag, lastModified, size } = journal
  if (etag !== null || lastModified !== null || digests.length > 0)
    yield* Effect.ignore(watch.learn({ size, etag, lastModified, digests }))
  return {
    ...watch,
    part,
    ranges: Ref.get(ranges),
    written: addWritten,
    keep,
    reached: waitForPrefix,
    failed: Deferred.await(broken)
  }
})

/**
 * Locks are not always reliable (network file systems may grant one twice), so a run checks that the journal is still its own
 * before it relies on it.
 */
export const checkOwnership = Effect.fnUntraced(function* (
  files: PartFiles["Service"],
  place: PartPlace,
  journal: PartJournal.PartJournal
) {
  const text = yield* files.readJournal(place)
  const writer = text === null ? null : PartJournal.writerOf(text, journal.identity)
  if (writer !== null && writer !== journal.writer) {
    return yield* new Busy({ file: place.name, owner: "it took the part file over" })
  }
})
