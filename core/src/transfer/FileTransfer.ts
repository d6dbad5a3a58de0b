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
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import {
  type CannotCreate,
  type FileDamaged,
  FileDiffers,
  LinkProtocol,
  type LocalIo,
  type TransferError
} from "../Errors.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import { unsafeName } from "../selection/FileName.ts"
import { BlockPool } from "../verify/BlockPool.ts"
import {
  type AttemptStyle,
  attempt,
  type CommittedFile,
  type FileServices,
  makeShareLists,
  rejectPart,
  type Transfer
} from "./FileAttempt.ts"
import { type KeptFile, vouch } from "./KeptFile.ts"
import { LinkHost } from "./LinkHost.ts"
import * as LinkLease from "./LinkLease.ts"
import { defaultSettings, LinkPool, type TransferSettings } from "./LinkPool.ts"
import { PartClaim } from "./PartClaim.ts"
import { PartFiles, type PartPlace } from "./PartFiles.ts"
import * as PartJournal from "./PartJournal.ts"
import { Restart } from "./Restart.ts"
import type { TransferOutcome, TransferRequest } from "./TransferRequest.ts"

/** A remote file that changes more often than this while it is downloaded is given up. */
const mostChanges = 2
/** A host without ranges that cuts the file this often, each time no further than before, is given up. */
const mostFruitlessStarts = 8

/** Brings one file from a link host to its final name, whole, checked and resumable. */
export class FileTransfer extends Context.Service<
  FileTransfer,
  {
    readonly download: (request: TransferRequest) => Effect.Effect<TransferOutcome, TransferError>
    /** Compares the checksum beside a file that is kept, or puts one there; false when none may be (KeptFile.ts). */
    readonly vouch: (kept: KeptFile) => Effect.Effect<boolean, FileDamaged | FileDiffers | CannotCreate | LocalIo>
    /** Clears away what a killed run left beside a file that is whole; an unfinished part that may be resumed stays. */
    readonly tidy: (place: PartPlace) => Effect.Effect<void>
  }
>()("svc-steps/core/transfer/FileTransfer") {
  /** @internal Shares its `LinkPool` with the other transfers of the run. */
  static readonly layerNoDeps = Layer.effect(
    FileTransfer,
    Effect.gen(function* () {
      const host = yield* LinkHost
      const files = yield* PartFiles
      const claims = yield* PartClaim
      const codec = yield* Codec
      const blocks = yield* BlockPool
      const pool = yield* LinkPool
      const services = { host, files, claims, codec, blocks, pool, share: makeShareLists() }
      return FileTransfer.of({
        download: (request) => download(services, request),
        vouch: (kept) => vouchIn(services, kept),
        tidy: (place) => tidy(services, place)
      })
    })
  )
  /** @internal */
  static readonly layer = (settings: TransferSettings = defaultSettings) =>
    FileTransfer.layerNoDeps.pipe(Layer.provide(LinkPool.layer(settings)))
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
  const transfer: Transfer = { ...services, request, place, identity, lease, attempts }
  const traffic = Effect.gen(function* () {
    return { attempts: yield* Ref.get(attempts), renewals: yield* lease.renewals }
  })
  const result = yield* unlessExisting(transfer, Effect.scoped(transferClaimed(transfer))).pipe(
    Effect.tapError(() => Effect.flatMap(traffic, (sum) => request.progress({ _tag: "GivenUp", ...sum })))
  )
  if (result.action === "exists") {
    yield* services.claims.clear(place)
    yield* vouchIn(services, request)
  }
  const sum = yield* traffic
  yield* Effect.annotateCurrentSpan({ "svc.bytes": result.bytes, "svc.attempts": sum.attempts })
  return {
    ...result,
    ...sum,
    milliseconds: Number(((yield* Clock.monotonicTimeNanos) - begun) / 1_000_000n)
  }
})

const vouchIn = ({ blocks, codec, files }: FileServices, kept: KeptFile) =>
  vouch(files, kept).pipe(Effect.provideService(Codec, codec), Effect.provideService(BlockPool, blocks))

const tidy = ({ claims, files }: FileServices, place: PartPlace): Effect.Effect<void> =>
  Effect.gen(function* () {
    // Only with the claim: without it, the run that left these files may still be alive.
    yield* claims.claim(place)
    yield* files.settleExisting(place)
    if ((yield* files.readJournal(place)) === null) yield* files.discard(place)
  }).pipe(Effect.scoped, Effect.ignore)

/** Keeps a file of the listed size under the final name, unless it is to be replaced; runs `otherwise` when there is none. */
const unlessExisting = Effect.fnUntraced(function* <A, E>(
  { files, place, request }: Transfer,
  otherwise: Effect.Effect<A, E>
) {
  const bytes = yield* files.settleExisting(place)
  if (bytes === null || request.overwrite) return yield* otherwise
  const differs = FileDiffers.of(`${place.directory}/${place.name}`, bytes, request.size)
  if (differs !== null) return yield* differs
  return { action: "exists" as const, bytes, resumedFrom: 0, sha256: null, compared: [] }
})

const transferClaimed = Effect.fnUntraced(function* (transfer: Transfer) {
  yield* transfer.claims.claim(transfer.place)
  // Another run may have completed the file while this one waited for the claim.
  return yield* unlessExisting(
    transfer,
    Effect.map(untilCommitted(transfer), (done) => ({ action: "downloaded" as const, ...done }))
  )
})

/** Attempts until the file has its name. After a change, or where a host does not serve ranges, the next attempt begins anew. */
const untilCommitted = Effect.fnUntraced(function* (
  transfer: Transfer
): Effect.fn.Return<CommittedFile, TransferError> {
  const { request } = transfer
  const furthest = yield* Ref.make(0)
  let style: AttemptStyle = { inPieces: true, anew: false }
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
        return yield* rejectPart(transfer, "Changing", reason)
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
