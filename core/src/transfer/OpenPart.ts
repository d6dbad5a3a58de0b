/**
 * The unfinished file that one attempt writes to.
 *
 * It begins with what an earlier run left, as far as that still is what came, or empty. While it grows it is synced every
 * 64 MiB or ten seconds, and its journal says which of its bytes survive a power cut.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Ref from "effect/Ref"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { Busy, type CannotCreate, LocalIo } from "../Errors.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import { monotonicMillis } from "../telemetry/MonotonicTime.ts"
import * as ByteRanges from "./ByteRanges.ts"
import type { Algorithm, StatedDigest } from "./Digests.ts"
import { type PartFile, PartFiles, type PartPlace } from "./PartFiles.ts"
import * as PartJournal from "./PartJournal.ts"
import type { TransferRequest } from "./TransferRequest.ts"
import * as VersionWatch from "./VersionWatch.ts"

/** What came is durable after this many bytes or milliseconds at the latest, so a crash costs at most as much of a file. */
const mostUnsynced = { bytes: 64 * 1024 * 1024, millis: 10_000 }

type WantedDigests = (stated: ReadonlyArray<StatedDigest>) => ReadonlyArray<Algorithm>

export type ProgressError = LocalIo | CannotCreate | Busy

/** A part that is being filled, and what the link host stated of its file. */
export interface OpenPart extends VersionWatch.VersionWatch {
  readonly file: PartFile
  /** Bytes that an earlier run brought. */
  readonly resumedFrom: number
  /** Which bytes are there now. */
  readonly ranges: Effect.Effect<ByteRanges.ByteRanges>
  /** Writes bytes that came, and says how many there are now. */
  readonly write: (offset: number, bytes: Uint8Array) => Effect.Effect<number, LocalIo>
  /** Returns when the bytes before `end` are written. */
  readonly reached: (end: number) => Effect.Effect<void>
  /** Syncs the part and then the journal; on a full disk the journal of the last sync stays. */
  readonly keep: Effect.Effect<void, ProgressError>
  /** Never succeeds; fails when a sync in the background did. */
  readonly failed: Effect.Effect<never, ProgressError>
  /** Fails with `Busy` when another run has taken the part over. */
  readonly checkOwnership: Effect.Effect<void, ProgressError, PartFiles>
}

export interface PartContext {
  readonly place: PartPlace
  /** Of the remote file, see `identityText`. */
  readonly identity: string
  readonly request: Pick<TransferRequest, "size" | "progress">
}

/**
 * Opens the part of an earlier run, or an empty one where there is none that can be trusted; fails where the disk has no room
 * for the rest of the file.
 *
 * @param anew - whether to ignore what an earlier run left
 * @param algorithms - digests that are computed of the file, by what its link host stated
 */
export const open = Effect.fn("svc.transfer.openPart")(function* (
  context: PartContext,
  anew: boolean,
  algorithms: WantedDigests
) {
  const files = yield* PartFiles
  const { identity, place, request } = context
  const earlier = anew ? null : yield* resume(context, algorithms)
  const { file, journal } = earlier ?? (yield* create(place, identity, request.size))
  // What the part takes of the disk is there already, be it in the journal or not.
  yield* checkRoom(place, (request.size ?? journal.size ?? 0) - file.allocated).pipe(
    Effect.tapError(() => (journal.spans.length === 0 ? files.discard(place) : Effect.void))
  )
  return yield* fill(place, file, journal, algorithms)
})

/** Reads what an earlier run left once, span by span. Null when nothing of it can be used. */
const resume = Effect.fnUntraced(function* ({ identity, place, request }: PartContext, wanted: WantedDigests) {
  const files = yield* PartFiles
  const text = yield* files.readJournal(place)
  const found = text === null ? null : PartJournal.decode(text, identity)
  const isOther = found?.size != null && request.size !== null && found.size !== request.size
  if (found === null || isOther) return null
  if (found.schema === "svc.part/1") {
    const reason = "an earlier version of this program left its unfinished file, without checksums of what is there"
    yield* request.progress({ _tag: "Restarting", reason })
  }
  const file = found.spans.length === 0 ? null : yield* files.reopen(place)
  if (file === null) return null
  const journal = { ...found, writer: yield* makeWriter(identity) }
  yield* files.writeJournal(place, PartJournal.encode(journal))
  const { lost, proven } = yield* prove(file, (yield* Codec).crc32, journal, wanted(journal.digests ?? []))
  if (lost.length > 0) yield* request.progress(refetching(lost))
  return proven.length === 0 ? null : { file, journal: { ...journal, spans: proven } }
})

/** Reads each span once; the digests of the file follow close behind, so that they find it in memory. */
const prove = Effect.fnUntraced(function* (
  file: PartFile,
  crc32: PartJournal.Crc32,
  { spans }: PartJournal.PartJournal,
  algorithms: ReadonlyArray<Algorithm>
) {
  const room = PartJournal.makeRoom()
  const proven: Array<PartJournal.Span> = []
  let there: ByteRanges.ByteRanges = []
  let lost: ByteRanges.ByteRanges = []
  for (const span of spans) {
    const [start, end] = span
    if (yield* PartJournal.agrees(file, crc32, span, room)) {
      proven.push(span)
      there = ByteRanges.add(there, start, end)
      yield* file.finalUpTo(ByteRanges.prefix(there), algorithms)
    } else lost = ByteRanges.add(lost, start, end)
  }
  return { proven, lost }
})

const refetching = (lost: ByteRanges.ByteRanges) => {
  const places = lost.slice(0, 3).map(([start, end]) => `${start}-${end - 1}`)
  const more = lost.length > places.length ? ` and ${lost.length - places.length} other places` : ""
  const reason = `bytes ${places.join(", ")}${more} of the unfinished file are not those that came`
  return { _tag: "Refetching" as const, bytes: ByteRanges.count(lost), reason }
}

/** A name for this run, that no other run has: 16 hex digits. */
const makeWriter = Effect.fnUntraced(function* (identity: string) {
  const files = yield* PartFiles
  const random = yield* Effect.map(Random.next, (number) => number.toString(16).slice(2, 14))
  return (yield* files.fingerprint(`${identity} ${random}`)).slice(0, 16)
})

/**
 * Makes an empty part and its journal in place of whatever was there. An interruption leaves neither, for nobody could go on
 * with a part alone.
 *
 * @param size - of the file in bytes, null when it is not known
 */
export const create = Effect.fnUntraced(function* (place: PartPlace, identity: string, size: number | null) {
  const files = yield* PartFiles
  const journal = PartJournal.start(identity, yield* makeWriter(identity), size)
  const discard = Effect.ignore(files.discard(place))
  const file = yield* Effect.onInterrupt(files.create(place), () => discard)
  yield* Effect.onError(files.writeJournal(place, PartJournal.encode(journal)), () => discard)
  return { file, journal }
})

/**
 * Fails with `LocalIo` `ENOSPC` when the disk is known to have less than `needed` bytes free (fault K2).
 *
 * @param about - whether `needed` is an estimate, for the message
 */
export const checkRoom = Effect.fnUntraced(function* (place: PartPlace, needed: number, about = false) {
  const free = yield* (yield* PartFiles).free(place)
  if (free === null || needed <= free) return
  const operation = `write ${about ? "about " : ""}${needed} bytes (${free} are free) to`
  return yield* new LocalIo({ path: `${place.directory}/${place.name}`, operation, errno: "ENOSPC" })
})

/**
 * Fails with `Busy` when the journal names another run as the writer. Network file systems may grant the same lock twice, so a
 * run looks before it relies on what it wrote.
 */
export const checkOwnership = Effect.fnUntraced(function* (place: PartPlace, journal: PartJournal.PartJournal) {
  const text = yield* (yield* PartFiles).readJournal(place)
  const writer = text === null ? null : PartJournal.writerOf(text, journal.identity)
  if (writer !== null && writer !== journal.writer) {
    return yield* new Busy({ file: place.name, owner: "it took the part file over" })
  }
})

/** The part while bytes come: which there are, and the journal that says what of them is durable. */
const fill = Effect.fnUntraced(function* (
  place: PartPlace,
  file: PartFile,
  journal: PartJournal.PartJournal,
  algorithms: WantedDigests
): Effect.fn.Return<OpenPart, never, PartFiles | Codec | Scope.Scope> {
  const files = yield* PartFiles
  const scope = yield* Scope.Scope
  const checkOwner = Effect.provideService(checkOwnership(place, journal), PartFiles, files)
  const log = PartJournal.makeSpanLog((yield* Codec).crc32, journal.spans)
  const earlier = PartJournal.rangesOf(journal.spans)
  const ranges = yield* SubscriptionRef.make(earlier)
  const unsynced = yield* Ref.make(0)
  const syncedAt = yield* Effect.flatMap(monotonicMillis, Ref.make)
  const watch = yield* VersionWatch.make
  const broken = yield* Deferred.make<never, ProgressError>()
  const syncing = yield* Semaphore.make(1)
  const syncFailure = yield* Ref.make<LocalIo | null>(null)

  /**
   * Makes everything written so far durable in the part. After one failure it fails for good: Linux reports lost bytes to one
   * sync only, and the next succeeds without them.
   */
  const synced = Effect.gen(function* () {
    const failure = yield* Ref.get(syncFailure)
    if (failure !== null) return yield* failure
    const spans = log.all()
    yield* Ref.set(unsynced, 0)
    yield* Ref.set(syncedAt, yield* monotonicMillis)
    yield* Effect.tapError(file.sync, (error) => Ref.set(syncFailure, error))
    yield* checkOwner
    return spans
  })
  const record = Effect.fnUntraced(function* (spans: ReadonlyArray<PartJournal.Span>) {
    const { digests = [], etag = null, lastModified = null, size = null } = (yield* watch.known) ?? {}
    const next = { ...journal, size: size ?? journal.size, etag, lastModified, digests, spans }
    yield* files.writeJournal(place, PartJournal.encode(next))
  })
  // In the background, so that the disk and the network work at the same time; a slow disk is not asked twice.
  const keepLater = Effect.flatMap(synced, record).pipe(
    syncing.withPermitsIfAvailable(1),
    Effect.catch((error) => Deferred.fail(broken, error)),
    Effect.forkIn(scope)
  )

  const reached = (end: number) =>
    SubscriptionRef.changes(ranges).pipe(
      Stream.takeUntil((now) => ByteRanges.prefix(now) >= end),
      Stream.runDrain
    )

  const write = Effect.fnUntraced(function* (offset: number, bytes: Uint8Array) {
    yield* file.write(offset, bytes)
    log.add(offset, bytes)
    const now = yield* SubscriptionRef.updateAndGet(ranges, (old) => ByteRanges.add(old, offset, offset + bytes.length))
    yield* file.finalUpTo(ByteRanges.prefix(now), algorithms((yield* watch.known)?.digests ?? []))
    const more = yield* Ref.updateAndGet(unsynced, (sum) => sum + bytes.length)
    const age = (yield* monotonicMillis) - (yield* Ref.get(syncedAt))
    if (more >= mostUnsynced.bytes || age >= mostUnsynced.millis) yield* keepLater
    return ByteRanges.count(now)
  })

  const { digests = [], etag, lastModified, size } = journal
  if (etag !== null || lastModified !== null || digests.length > 0)
    yield* Effect.ignore(watch.learn({ size, etag, lastModified, digests }))
  return {
    ...watch,
    file,
    resumedFrom: ByteRanges.count(earlier),
    ranges: SubscriptionRef.get(ranges),
    write,
    reached,
    keep: syncing.withPermit(Effect.flatMap(synced, record)),
    failed: Deferred.await(broken),
    checkOwnership: checkOwner
  }
})
