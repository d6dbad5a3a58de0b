/**
 * A whole file from a presigned link to its final name.
 *
 * ```
 * resume or create the part -> fetch what is missing -> size, structure, checksums -> final name
 * ```
 *
 * However it ends before that, part and journal are left for the next run, unless the bytes are known to be wrong.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import {
  type Busy,
  type CannotCreate,
  FileDamaged,
  FileDiffers,
  LinkProtocol,
  type LocalIo,
  type TransferError,
  type UnsafeName
} from "../Errors.ts"
import * as ByteRanges from "./ByteRanges.ts"
import { type KeptFile, vouch } from "./ChecksumFile.ts"
import { commit, type Indexed, type PutIndex, putMissingIndex } from "./Commit.ts"
import { algorithmsFor, ownAlgorithms, type StatedDigest } from "./Digests.ts"
import { type ContentProof, compare, proveOnArrival } from "./FileCheck.ts"
import * as IndexesBeside from "./IndexesBeside.ts"
import * as LinkLease from "./LinkLease.ts"
import { LinkPool } from "./LinkPool.ts"
import * as OpenPart from "./OpenPart.ts"
import { identityText, PartFiles, type PartPlace, placeOf } from "./PartFiles.ts"
import { type FetchContext, fetchRange } from "./RangeFetch.ts"
import type { ByteSink } from "./ReplyBody.ts"
import { type Bare, bring, pickServices, type Traffic, type TransferServices, type Turn, tidy } from "./Transfer.ts"
import type { TransferOutcome, TransferRequest } from "./TransferRequest.ts"
import { Restart } from "./VersionWatch.ts"

/** Brings one file from a link host to its final name, whole, checked and resumable. */
export class FileTransfer extends Context.Service<
  FileTransfer,
  {
    readonly download: (request: TransferRequest) => Effect.Effect<TransferOutcome, TransferError>
    /** Compares the checksum beside a file that is kept, or puts one there; false when none may be written (ChecksumFile.ts). */
    readonly vouch: (kept: KeptFile) => Effect.Effect<boolean, FileDamaged | FileDiffers | CannotCreate | LocalIo>
    /** Makes the index of a file that is there; null where one lies beside it (Commit.ts). */
    readonly index: (
      file: Indexed
    ) => Effect.Effect<PutIndex | null, FileDamaged | Busy | UnsafeName | CannotCreate | LocalIo>
    /** Clears away what a killed run left beside a file that is whole; an unfinished part that may be resumed stays. */
    readonly tidy: (place: PartPlace) => Effect.Effect<void>
  }
>()("svc-steps/core/transfer/FileTransfer") {
  /** @internal Shares its `LinkPool` with the other transfers of the run. */
  static readonly layer = Layer.effect(
    FileTransfer,
    Effect.gen(function* () {
      const services = pickServices(yield* Effect.context<TransferServices>())
      return FileTransfer.of({
        download: (request) => Effect.provideContext(download(request), services),
        vouch: (kept) => Effect.provideContext(vouch(kept), services),
        index: (file) => Effect.provideContext(putMissingIndex(file), services),
        tidy: (place) => Effect.provideContext(tidy(place, removeLeft(place)), services)
      })
    })
  )
}

const removeLeft = Effect.fnUntraced(function* (place: PartPlace) {
  const files = yield* PartFiles
  yield* files.settleExisting(place)
  if ((yield* files.readJournal(place)) === null) yield* files.discard(place)
})

/** One file to bring, and what all attempts at it have in common. */
interface WholeFile {
  readonly request: TransferRequest
  readonly place: PartPlace
  readonly identity: string
  readonly lease: LinkLease.LinkLease
  /** Requests sent. */
  readonly attempts: Ref.Ref<number>
  /** The most bytes that any attempt had. */
  readonly furthest: Ref.Ref<number>
}

type Result = Bare<TransferOutcome, Traffic>

const download = Effect.fn("svc.transfer.download")(function* (request: TransferRequest) {
  const files = yield* PartFiles
  const { analysisId, directory, fileName, makesIndex = false, name, overwrite, progress, size } = request
  yield* Effect.annotateCurrentSpan({ "svc.analysis": analysisId, "svc.file": fileName })
  const identity = yield* files.fingerprint(identityText(request))
  const place = yield* files.ours(placeOf(directory, name, identity))
  const lease = yield* LinkLease.make(request)
  const attempts = yield* Ref.make(0)
  const file: WholeFile = { request, place, identity, lease, attempts, furthest: yield* Ref.make(0) }
  const outcome = yield* bring({
    place,
    fileName,
    overwrite,
    progress,
    standing: Effect.gen(function* () {
      const bytes = yield* files.settleExisting(place)
      if (bytes === null || overwrite) {
        if (makesIndex) yield* IndexesBeside.plainNames(place)
        return { _tag: "Wanted" as const, found: null }
      }
      const differs = FileDiffers.of(`${place.directory}/${place.name}`, bytes, size)
      if (differs !== null) return yield* differs
      const outcome: Result = { action: "exists", bytes, resumedFrom: 0, sha256: null, provenBy: null }
      return { _tag: "Kept" as const, outcome }
    }),
    attempt: yield* makeAttempts(file),
    changed: (times) => `it changed ${times} times while it was downloaded`,
    discard: files.discard(place),
    vouch: vouch(request),
    traffic: Effect.all({ attempts: Ref.get(attempts), renewals: lease.renewals })
  })
  yield* Effect.annotateCurrentSpan({ "svc.bytes": outcome.bytes })
  return outcome
})

/** A link host without ranges that cuts the file this often, each time no further than before, is given up. */
const mostFruitlessStarts = 8

/** Attempts at the file. A link host that turns out to serve no ranges is asked for the whole, from its first byte. */
const makeAttempts = Effect.fnUntraced(function* (file: WholeFile) {
  const { furthest, request } = file
  const servesRanges = yield* Ref.make(true)
  const fruitless = yield* Ref.make(0)
  return Effect.fnUntraced(function* (turn: Turn): Effect.fn.Return<Result, TransferError | Restart, TransferServices> {
    while (true) {
      const before = yield* Ref.get(furthest)
      const ranges = yield* Ref.get(servesRanges)
      // Some stores give each part an entity tag of its own, which looks like a change: the last attempt asks for the whole.
      const inSegments = ranges && !turn.last
      const outcome = yield* attempt(file, inSegments, turn.anew || !ranges).pipe(
        Effect.catchTag("Restart", (restart) =>
          restart.cause === "Changed" ? Effect.fail(restart) : Effect.succeed(restart)
        )
      )
      if (!(outcome instanceof Restart)) return outcome
      yield* request.progress({ _tag: "Restarting", reason: outcome.reason })
      const further = (yield* Ref.get(furthest)) > before
      if (
        (yield* Ref.updateAndGet(fruitless, (count) => (inSegments || further ? 0 : count + 1))) > mostFruitlessStarts
      ) {
        return yield* new LinkProtocol({ file: request.fileName, host: "the link host", reason: outcome.reason })
      }
      yield* Ref.set(servesRanges, false)
    }
  })
})

/** One version of the file, from what is there to its final name. Fails with `Restart` when it has to begin again. */
const attempt = Effect.fn("svc.transfer.attempt")(function* (file: WholeFile, inSegments: boolean, anew: boolean) {
  const files = yield* PartFiles
  const { place, request } = file
  const { checksums = null, makesIndex = false, overwrite, size } = request
  const algorithms = (stated: ReadonlyArray<StatedDigest>) =>
    algorithmsFor(stated, { own: ownAlgorithms(checksums), triesTags: (request.check ?? "content") === "content" })
  const reject = (damage: FileDamaged) => {
    return Effect.andThen(files.discard(place), new FileDamaged({ ...damage, file: request.fileName }))
  }
  const part = yield* OpenPart.open(file, anew, algorithms)
  yield* request.progress({ _tag: "Started", size, resumedFrom: part.resumedFrom })
  const content = yield* proveOnArrival(request, part)
  const { bytes, digests, provenBy } = yield* Effect.gen(function* () {
    // What is refused in the end is refused before anything is fetched.
    yield* part.file.checkName(overwrite)
    yield* fetchInto(file, part, content, inSegments)
    const bytes = ByteRanges.count(yield* part.ranges)
    return { bytes, ...(yield* compare(request, part, bytes, content, algorithms)) }
  }).pipe(
    Effect.onExit((exit) => keepWhatCame(file, part, exit)),
    Effect.catchTag("SvcFileDamaged", reject)
  )
  const checksum = checksums === null ? null : { kind: checksums, hex: digests.get(checksums) ?? "" }
  yield* commit({ ...part, place, bytes, replaces: overwrite, makesIndex, checksum })
  return {
    action: "downloaded" as const,
    bytes,
    resumedFrom: part.resumedFrom,
    sha256: digests.get("sha256") ?? "",
    provenBy
  }
}, Effect.scoped)

/** Keeps what came when its fetching or its check fails or is interrupted. */
const keepWhatCame = Effect.fnUntraced(function* (
  { furthest, place }: WholeFile,
  part: OpenPart.OpenPart,
  exit: Exit.Exit<unknown, unknown>
) {
  const files = yield* PartFiles
  const bytes = ByteRanges.count(yield* part.ranges)
  yield* Ref.update(furthest, (most) => Math.max(most, bytes))
  if (Exit.isSuccess(exit)) return
  // Nothing is worth keeping of a file that has not begun; everything else is the next run's start.
  yield* Effect.ignore(bytes === 0 ? files.discard(place) : part.keep)
})

/** Fetches what the part does not have. Bytes are written and proven at the same time. */
const fetchInto = Effect.fnUntraced(function* (
  file: WholeFile,
  part: OpenPart.OpenPart,
  content: Pick<ContentProof, "take">,
  inSegments: boolean
) {
  const { request } = file
  const { connections } = (yield* LinkPool).settings
  const sink: ByteSink = {
    begin: 0,
    read: part.file.read,
    write: Effect.fnUntraced(function* (offset, bytes) {
      const [done] = yield* Effect.all([part.write(offset, bytes), content.take?.(offset, bytes) ?? Effect.void], {
        concurrency: 2
      })
      yield* request.progress({ _tag: "Bytes", done, size: request.size })
    })
  }
  yield* fetchMissing({ ...file, watch: part, sink }, part, inSegments ? connections : 1).pipe(
    Effect.raceFirst(part.failed)
  )
})

/** A file is fetched in segments of this size, over several connections, when it has more than two of them. */
const segment = 32 * 1024 * 1024
/**
 * The last 64 to 96 MiB of it go in segments of this size: all connections stay busy to the end, and the hash, which follows
 * the bytes in order, has little left after the last byte.
 */
const lastSegment = 8 * 1024 * 1024

/**
 * Fetches what is missing. A large file goes in segments over several connections, but only when a strong entity tag
 * vouches that all of them are of one version; all else is fetched in order by one.
 */
const fetchMissing = Effect.fnUntraced(function* (
  context: FetchContext,
  { known, ranges, version }: OpenPart.OpenPart,
  connections: number
) {
  const inOrder = Effect.gen(function* () {
    const size = (yield* known)?.size ?? context.request.size
    const there = yield* ranges
    const gaps = size === null ? [] : ByteRanges.missing(there, size, size)
    yield* Effect.forEach(gaps, (gap) => fetchRange(context, gap), { discard: true })
    if (size === null) yield* fetchRange(context, [ByteRanges.prefix(there), null])
    // An empty file is asked for as well.
    if (size === 0) yield* fetchRange(context, [0, 0])
  })
  const size = (yield* known)?.size ?? context.request.size
  if (connections === 1 || (size !== null && size <= 2 * segment)) return yield* inOrder
  const there = yield* ranges
  const first = ByteRanges.missing(there, size ?? segment, segment)[0]
  if (first === undefined) return yield* inOrder
  const others = Effect.gen(function* () {
    const { etag, size } = yield* Deferred.await(version)
    if (etag === null || size === null) return
    const gaps = segmentsOf(ByteRanges.add(there, first[0], first[1]), size)
    yield* Effect.forEach(gaps, (gap) => fetchRange(context, gap), { concurrency: connections, discard: true })
  })
  yield* Effect.all([fetchRange(context, first), others], { concurrency: 2, discard: true })
  yield* inOrder
})

/** What is missing below `size`, in segments. */
const segmentsOf = (there: ByteRanges.ByteRanges, size: number): ByteRanges.ByteRanges => {
  const tail = Math.max(0, Math.floor(size / segment) - 2) * segment
  return [
    ...ByteRanges.missing(there, tail, segment),
    ...ByteRanges.missing(ByteRanges.add(there, 0, tail), size, lastSegment)
  ]
}
