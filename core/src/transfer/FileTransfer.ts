/**
 * One file from a presigned link to its final name: whole and right, or not at all.
 *
 * ```
 * exists? -> claim -> resume or create the part -> ranges -> size -> structure -> checksums -> commit
 *                              ^                     |
 *                              +---- begin again ----+  the remote file changed, or the host ignores ranges
 * ```
 *
 * However it ends before the commit, part and journal are left for the next run, unless the bytes are known to be wrong.
 */
import { Clock, Context, Deferred, Effect, Exit, Fiber, Layer, Random, Ref } from "effect"
import { type CannotCreate, FileDamaged, LinkProtocol, type LocalIo, type TransferError } from "../Errors.ts"
import { Codec } from "../genome/Codec.ts"
import { type ChecksumKind, unsafeName } from "../selection/FileName.ts"
import { BlockPool } from "../verify/BlockPool.ts"
import * as ByteRanges from "./ByteRanges.ts"
import * as ChecksumFile from "./ChecksumFile.ts"
import { comparisonOf, wanted } from "./Digests.ts"
import { enoughSpace } from "./FreeSpace.ts"
import { LinkHost } from "./LinkHost.ts"
import * as LinkLease from "./LinkLease.ts"
import { defaultSettings, LinkPool, type TransferSettings } from "./LinkPool.ts"
import { checkAsked } from "./PartCheck.ts"
import { PartClaim } from "./PartClaim.ts"
import { PartFiles, type PartPlace } from "./PartFiles.ts"
import * as PartJournal from "./PartJournal.ts"
import * as PartProgress from "./PartProgress.ts"
import { provePart } from "./PartProof.ts"
import { type ByteSink, type FetchContext, fetchRange } from "./RangeFetch.ts"
import { Restart } from "./Restart.ts"
import type { PartReader, TransferOutcome, TransferRequest } from "./TransferRequest.ts"

/** A file is fetched in pieces of this size by several connections, when it has more than two of them. */
const piece = 32 * 1024 * 1024
/** So often the remote file may change under a download before it is given up. */
const mostChanges = 2
/** So often a host without ranges may cut the file before it got further than ever before. */
const mostFruitlessStarts = 8

/** Brings one file from a link host to its final name, whole, checked and resumable. */
export class FileTransfer extends Context.Service<
  FileTransfer,
  {
    readonly download: (request: TransferRequest) => Effect.Effect<TransferOutcome, TransferError>
    /** Puts the checksum of a file that is there beside it, unless one is; where no such file is, nothing happens. */
    readonly addChecksum: (
      directory: string,
      name: string,
      kind: ChecksumKind
    ) => Effect.Effect<void, CannotCreate | LocalIo>
    /** Clears away what a killed run left beside a file that is whole; an unfinished part that may be resumed stays. */
    readonly tidy: (place: PartPlace) => Effect.Effect<void>
  }
>()("svc-steps/core/transfer/FileTransfer") {
  /** Shares its `LinkPool` with the other transfers of the run. */
  static readonly layerNoDeps = Layer.effect(
    FileTransfer,
    Effect.gen(function* () {
      const host = yield* LinkHost
      const files = yield* PartFiles
      const claims = yield* PartClaim
      const codec = yield* Codec
      const blocks = yield* BlockPool
      const { permits, settings } = yield* LinkPool
      const services = { host, files, claims, codec, blocks, pool: permits, settings }
      return FileTransfer.of({
        download: (request) => download(services, request),
        addChecksum: (directory, name, kind) => ChecksumFile.complete(files, { directory, name }, kind),
        tidy: (place) => tidy(services, place)
      })
    })
  )
  static readonly layer = (settings: TransferSettings = defaultSettings) =>
    FileTransfer.layerNoDeps.pipe(Layer.provide(LinkPool.layer(settings)))
}

interface FileServices {
  readonly host: LinkHost["Service"]
  readonly files: PartFiles["Service"]
  readonly claims: PartClaim["Service"]
  readonly codec: Codec["Service"]
  readonly blocks: BlockPool["Service"]
  readonly pool: LinkPool["Service"]["permits"]
  readonly settings: TransferSettings
}

/** What all attempts at one file share. */
interface Transfer extends FileServices {
  readonly request: TransferRequest
  readonly place: PartPlace
  readonly identity: string
  readonly lease: LinkLease.LinkLease
  readonly attempts: Ref.Ref<number>
  readonly wrongReplies: Ref.Ref<number>
}

/** What all requests for the file share, with how far it is. */
interface FileContext extends FetchContext {
  readonly progress: PartProgress.PartProgress
}

interface Committed {
  readonly bytes: number
  readonly resumedFrom: number
  readonly sha256: string
  readonly compared: ReadonlyArray<string>
}

const download = Effect.fn("svc.transfer.download")(function* (services: FileServices, request: TransferRequest) {
  const begun = yield* Clock.monotonicTimeNanos
  yield* Effect.annotateCurrentSpan({ "svc.analysis": request.analysisId, "svc.file": request.fileName })
  const unsafe = unsafeName(request.name)
  if (unsafe !== null) return yield* unsafe
  const identity = yield* services.files.fingerprint(PartJournal.identityText(request))
  const place = PartJournal.placeOf(request.directory, request.name, identity)
  const lease = yield* LinkLease.make(request)
  const attempts = yield* Ref.make(0)
  const wrongReplies = yield* Ref.make(0)
  const transfer: Transfer = { ...services, request, place, identity, lease, attempts, wrongReplies }
  const traffic = Effect.gen(function* () {
    return { attempts: yield* Ref.get(attempts), renewals: yield* lease.renewals }
  })
  const result = yield* unlessExisting(transfer, Effect.scoped(claimed(transfer))).pipe(
    Effect.tapError(() => Effect.flatMap(traffic, (sum) => request.progress({ _tag: "GivenUp", ...sum })))
  )
  if (result.action === "exists") {
    yield* services.claims.clear(place)
    if (request.checksums != null) yield* ChecksumFile.complete(services.files, place, request.checksums)
  }
  const sum = yield* traffic
  yield* Effect.annotateCurrentSpan({ "svc.bytes": result.bytes, "svc.attempts": sum.attempts })
  return {
    ...result,
    ...sum,
    milliseconds: Number(((yield* Clock.monotonicTimeNanos) - begun) / 1_000_000n)
  }
})

const tidy = ({ claims, files }: FileServices, place: PartPlace): Effect.Effect<void> =>
  Effect.gen(function* () {
    // Not without the claim: the run may be alive.
    yield* claims.claim(place)
    yield* files.existing(place)
    if ((yield* files.readJournal(place)) === null) yield* files.discard(place)
  }).pipe(Effect.scoped, Effect.ignore)

/** What a file that is there already, and stays, means for the request. */
const unlessExisting = Effect.fnUntraced(function* <A, E>(
  { files, place, request }: Transfer,
  otherwise: Effect.Effect<A, E>
) {
  const bytes = yield* files.existing(place)
  if (bytes === null || request.overwrite) return yield* otherwise
  return { action: "exists" as const, bytes, resumedFrom: 0, sha256: null, compared: [] }
})

const claimed = Effect.fnUntraced(function* (transfer: Transfer) {
  yield* transfer.claims.claim(transfer.place)
  // The run that had the claim before may have brought the file.
  return yield* unlessExisting(
    transfer,
    Effect.map(untilCommitted(transfer), (done) => ({ action: "downloaded" as const, ...done }))
  )
})

/** Begins again where that can help, and knows when it cannot. */
const untilCommitted = Effect.fnUntraced(function* (transfer: Transfer): Effect.fn.Return<Committed, TransferError> {
  const { request } = transfer
  const furthest = yield* Ref.make(0)
  let style: Style = { inPieces: true, anew: false }
  let changes = 0
  let fruitless = 0
  while (true) {
    const before = yield* Ref.get(furthest)
    const outcome = yield* attempt(transfer, style, furthest).pipe(
      Effect.scoped,
      Effect.catchTag("Restart", Effect.succeed)
    )
    if (!(outcome instanceof Restart)) return outcome
    yield* request.progress({ _tag: "Restarting", reason: outcome.reason })
    if (outcome.cause === "Changed") {
      changes++
      if (changes > mostChanges) {
        const reason = `it changed ${changes} times while it was downloaded: ${outcome.reason}`
        return yield* damaged(transfer, "Changing", reason)
      }
      // Some stores give each part an entity tag of its own, which looks like a change: then ask for the whole.
      style = { inPieces: style.inPieces && changes < mostChanges, anew: true }
    } else {
      const further = (yield* Ref.get(furthest)) > before
      fruitless = style.inPieces || further ? 0 : fruitless + 1
      if (fruitless > mostFruitlessStarts) {
        return yield* new LinkProtocol({ file: request.fileName, host: "the link host", reason: outcome.reason })
      }
      style = { inPieces: false, anew: true }
    }
  }
})

interface Style {
  /** By several connections where the size invites it. */
  readonly inPieces: boolean
  /** Without what is there from before. */
  readonly anew: boolean
}

/** One version of the file: from what is there to the commit. */
const attempt = Effect.fn("svc.transfer.attempt")(function* (
  transfer: Transfer,
  style: Style,
  furthest: Ref.Ref<number>
) {
  const { files, place, request, lease, host, pool, settings, attempts, wrongReplies } = transfer
  const { part, journal } = yield* openPart(transfer, style.anew)
  const resumedFrom = ByteRanges.count(journal.durable)
  // What the part takes of the disk is there already, be it in the journal or not.
  yield* enoughSpace(files, place, (request.size ?? journal.size ?? 0) - part.allocated).pipe(
    Effect.tapError(() => (resumedFrom === 0 ? files.discard(place) : Effect.void))
  )
  const own = wanted([], ["sha256", ...(request.checksums == null ? [] : [request.checksums])])
  const progress = yield* PartProgress.make(files, place, part, journal, own)
  yield* request.progress({ _tag: "Started", size: request.size, resumedFrom })
  const sink: ByteSink = {
    begin: 0,
    read: part.read,
    write: Effect.fnUntraced(function* (offset, bytes) {
      yield* part.write(offset, bytes)
      const done = yield* progress.written(offset, offset + bytes.length)
      yield* request.progress({ _tag: "Bytes", done, size: request.size })
    })
  }
  const shared = { request, host, lease, pool, timeouts: settings, attempts, wrongReplies }
  const context: FileContext = { ...shared, watch: progress, progress, sink }
  const proof = (reader: PartReader) =>
    provePart(files, request, reader).pipe(
      Effect.provideService(Codec, transfer.codec),
      Effect.provideService(BlockPool, transfer.blocks)
    )
  const { size: listed } = request
  const arriving = (offset: number, length: number) =>
    Effect.andThen(progress.reached(Math.min(listed ?? 0, offset + length)), part.read(offset, length))
  // Beside the download, which it does not hold up; where no size is known it comes after.
  const proving =
    request.check === "full" && listed !== null
      ? yield* Effect.forkScoped(proof({ size: listed, read: arriving }))
      : null
  yield* fetchMissing(context, style.inPieces ? settings.connections : 1).pipe(
    Effect.raceFirst(progress.failed),
    Effect.onExit((exit) =>
      Effect.gen(function* () {
        const bytes = ByteRanges.count(yield* progress.ranges)
        yield* Ref.update(furthest, (most) => Math.max(most, bytes))
        if (Exit.isSuccess(exit)) return
        // Nothing is worth keeping of a file that has not begun; everything else is the next run's start.
        yield* Effect.ignore(bytes === 0 ? files.discard(place) : progress.keep)
      })
    ),
    Effect.catchTag("FileDamaged", (error) => damaged(transfer, error.fault, error.reason))
  )
  const size = ByteRanges.count(yield* progress.ranges)
  const known = yield* progress.known
  const proven = Effect.gen(function* () {
    const knows = yield* checkAsked(files, request, { size, read: part.read }).pipe(
      Effect.provideService(Codec, transfer.codec)
    )
    if (request.check !== "full") return knows ? ["structure"] : []
    const whole = yield* proving === null ? proof({ size, read: part.read }) : Fiber.join(proving)
    return [...(knows ? ["structure"] : []), ...(whole ? ["content"] : [])]
  })
  const passed = yield* Effect.catchTag(proven, "FileDamaged", (error) => damaged(transfer, error.fault, error.reason))
  const told = known?.digests ?? []
  const digests = yield* part.digests(size, wanted(told, own))
  const unlike = told.find(({ algorithm, hex }) => digests.get(algorithm) !== hex)
  if (unlike !== undefined) {
    const { algorithm, field, hex } = unlike
    const reason = `its ${algorithm} is ${digests.get(algorithm)}, but ${field} of the link host says ${hex}`
    return yield* damaged(transfer, "Checksum", reason)
  }
  yield* PartProgress.stillOurs(files, place, journal)
  const { checksums = null } = request
  if (checksums !== null && request.overwrite) yield* ChecksumFile.withdraw(files, place, checksums)
  yield* part.commit(size, request.overwrite)
  if (checksums !== null) yield* ChecksumFile.put(files, place, checksums, digests.get(checksums) ?? "")
  const compared = [...((known?.size ?? request.size) === null ? [] : ["size"]), ...passed, ...told.map(comparisonOf)]
  return { bytes: size, resumedFrom, sha256: digests.get("sha256") ?? "", compared }
})

/** The part of an earlier run with its journal, or an empty one; either way the journal names this run as the writer. */
const openPart = Effect.fnUntraced(function* ({ files, place, identity, request }: Transfer, anew: boolean) {
  const random = yield* Effect.map(Random.next, (number) => number.toString(16).slice(2, 14))
  const writer = (yield* files.fingerprint(`${identity} ${random}`)).slice(0, 16)
  const text = anew ? null : yield* files.readJournal(place)
  const earlier = text === null ? null : PartJournal.decode(text, identity)
  const kept = earlier === null ? null : yield* files.reopen(place)
  if (earlier !== null && kept !== null && (earlier.durable.at(-1)?.[1] ?? 0) <= kept.length) {
    const journal = new PartJournal.PartJournal({ ...earlier, writer })
    yield* files.writeJournal(place, PartJournal.encode(journal))
    return { part: kept, journal }
  }
  const part = yield* files.create(place)
  const journal = PartJournal.start(identity, writer, request.size)
  yield* files.writeJournal(place, PartJournal.encode(journal))
  return { part, journal }
})

/**
 * Fetches what is missing. A large file goes in pieces over several connections, but only when a strong entity tag
 * vouches that all pieces are of one version; all else is fetched in order by one.
 */
const fetchMissing = Effect.fnUntraced(function* (context: FileContext, connections: number) {
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
    const gaps = ByteRanges.missing(ByteRanges.add(present, first[0], first[1]), version.size, piece)
    yield* Effect.forEach(gaps, (gap) => fetchRange(context, gap), { concurrency: connections, discard: true })
  })
  yield* Effect.all([fetchRange(context, first), others], { concurrency: 2, discard: true })
  yield* inOrder(context)
})

/** Fetches the gaps one after the other, the last of them to the end of the file; an empty file is asked for as well. */
const inOrder = Effect.fnUntraced(function* (context: FileContext) {
  const { progress, request } = context
  const size = (yield* progress.known)?.size ?? request.size
  const present = yield* progress.ranges
  const gaps = size === null ? [] : ByteRanges.missing(present, size, size)
  yield* Effect.forEach(gaps, (gap) => fetchRange(context, gap), { discard: true })
  if (size === null) yield* fetchRange(context, [ByteRanges.prefix(present), null])
  if (size === 0) yield* fetchRange(context, [0, 0])
})

/** The bytes are wrong for good: they are not kept. */
const damaged = Effect.fnUntraced(function* (
  { files, place, request }: Transfer,
  fault: FileDamaged["fault"],
  reason: string
) {
  yield* files.discard(place)
  return yield* new FileDamaged({ file: request.fileName, fault, reason })
})
