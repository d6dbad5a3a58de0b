/**
 * Cuts regions out of a remote BAM or VCF into a file of their own with a fresh index: both get their final names, or none does.
 *
 * ```
 * same slice there? -> claim -> header and index -> regions -> ranges -> part -> check -> SHA-256 -> commit both
 *                                      ^                                 |
 *                                      +----------- begin again ---------+  the remote file changed
 * ```
 *
 * A slice that was stopped begins anew: its part is never used again, since no journal says how far it is.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import { FileDamaged, type TransferError } from "../Errors.ts"
import { fromBytes } from "../genome/ByteReader.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import { indexSuffixes } from "../genome/formats/FileNames.ts"
import type { Program } from "../genome/formats/SliceHeader.ts"
import { checkStructure } from "../genome/Structure.ts"
import { PieceWorkers } from "../genome/slice/PieceWorkers.ts"
import type { SliceResult } from "../genome/slice/Slice.ts"
import { unsafeIndexName, unsafeName } from "../selection/FileName.ts"
import * as ChecksumFile from "./ChecksumFile.ts"
import { algorithmsFor } from "./Digests.ts"
import { enoughSpace } from "./FreeSpace.ts"
import { makeFreshPart } from "./FreshPart.ts"
import { gatheredWrites } from "./GatheredWrites.ts"
import { LinkHost } from "./LinkHost.ts"
import { LinkPool } from "./LinkPool.ts"
import { PartClaim } from "./PartClaim.ts"
import { type PartFile, PartFiles, type PartPlace, readerOfPart } from "./PartFiles.ts"
import * as PartJournal from "./PartJournal.ts"
import * as RemotePair from "./RemotePair.ts"
import type * as RemoteRanges from "./RemoteRanges.ts"
import { Restart } from "./Restart.ts"
import { originOf } from "./SliceOrigin.ts"
import * as SlicePair from "./SlicePair.ts"
import type { SliceEstimate, SliceOutcome, SliceRequest, SliceTask } from "./SliceRequest.ts"
import { maker, otherRegions, type SliceState } from "./SliceState.ts"

/** How often the remote file may change while it is sliced before the slice fails. */
const mostChanges = 2

/** Cuts regions out of remote BAM and VCF files, with a fresh index, and puts them under their final name when whole. */
export class SliceTransfer extends Context.Service<
  SliceTransfer,
  {
    readonly download: (request: SliceRequest) => Effect.Effect<SliceOutcome, TransferError>
    /** Reads header and index and says what the slice would fetch. */
    readonly estimate: (task: SliceTask) => Effect.Effect<SliceEstimate, TransferError>
    /** Clears away what a killed run left beside a slice that is whole. */
    readonly tidy: (directory: string, name: string) => Effect.Effect<void>
  }
>()("svc-steps/core/transfer/SliceTransfer") {
  /** @internal `version` of the maker, for the headers of slices. */
  static readonly layer = (version: string) =>
    Layer.effect(
      SliceTransfer,
      Effect.gen(function* () {
        const host = yield* LinkHost
        const files = yield* PartFiles
        const claims = yield* PartClaim
        const pool = yield* LinkPool
        const codec = yield* Codec
        const workers = yield* PieceWorkers
        const services = { host, files, claims, pool, program: { name: maker, version } }
        return SliceTransfer.of({
          download: (request) =>
            download(services, request).pipe(
              Effect.provideService(Codec, codec),
              Effect.provideService(PieceWorkers, workers)
            ),
          estimate: (task) => Effect.provideService(RemotePair.estimate(services, task), Codec, codec),
          tidy: (directory, name) => tidy(services, directory, name)
        })
      })
    )
}

interface SliceServices extends RemoteRanges.RemoteServices {
  readonly files: PartFiles["Service"]
  readonly claims: PartClaim["Service"]
  readonly program: Program
}

/** What all attempts at one slice share. */
interface Transfer extends SliceServices {
  readonly request: SliceRequest
  readonly place: PartPlace
  readonly identity: string
  readonly traffic: Ref.Ref<RemotePair.Traffic>
}

const download = Effect.fn("svc.transfer.downloadSlice")(function* (
  services: SliceServices,
  request: SliceRequest
): Effect.fn.Return<SliceOutcome, TransferError, Codec> {
  const begun = yield* Clock.monotonicTimeNanos
  yield* Effect.annotateCurrentSpan({ "svc.file": request.name })
  const unsafe = unsafeName(request.name) ?? unsafeIndexName(request.name)
  if (unsafe !== null) return yield* unsafe
  const { identity, place } = yield* placeOf(services, request.directory, request.name)
  const traffic = yield* Ref.make(RemotePair.noTraffic)
  const transfer: Transfer = { ...services, request, place, identity, traffic }
  const claimed = Effect.scoped(
    // Another run may have completed the slice while this one waited for the claim.
    Effect.andThen(
      transfer.claims.claim(place),
      unlessSame(request, (state) => untilCommitted(transfer, state))
    )
  )
  // What is to be replaced in any case is not read before the claim.
  const result = yield* (request.overwrite ? claimed : unlessSame(request, () => claimed)).pipe(
    Effect.tapError(() =>
      Effect.flatMap(Ref.get(traffic), ({ attempts, renewals }) =>
        request.progress({ _tag: "GivenUp", attempts, renewals })
      )
    )
  )
  if (result.action === "exists" && request.checksums != null) {
    for (const name of [request.name, ...indexSuffixes.map((suffix) => `${request.name}.${suffix}`)]) {
      yield* ChecksumFile.compare(services.files, { directory: request.directory, name }, request.checksums)
    }
  }
  const sum = yield* Ref.get(traffic)
  yield* Effect.annotateCurrentSpan({ "svc.bytes": sum.fetched, "svc.attempts": sum.attempts })
  return {
    ...result,
    ...sum,
    milliseconds: Number(((yield* Clock.monotonicTimeNanos) - begun) / 1_000_000n)
  }
})

/** The same for all that could be written under this name, so that only one run does. */
const placeOf = Effect.fnUntraced(function* ({ files }: SliceServices, directory: string, name: string) {
  const identity = yield* files.fingerprint(JSON.stringify(["slice", name]))
  return { identity, place: PartJournal.placeOf(directory, name, identity) }
})

const tidy = (services: SliceServices, directory: string, name: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { claims, files } = services
    const { identity, place } = yield* placeOf(services, directory, name)
    // Only with the claim: without it, the run that left these files may still be alive.
    yield* claims.claim(place)
    yield* SlicePair.discard(files, place, identity)
  }).pipe(Effect.scoped, Effect.ignore)

type Result = Omit<SliceOutcome, keyof RemotePair.Traffic | "milliseconds">

/** Keeps the same slice under the final name unless it is to be replaced, refuses any other file there, or runs `otherwise`. */
const unlessSame = Effect.fnUntraced(function* <E, R>(
  { existing, overwrite }: SliceRequest,
  otherwise: (state: SliceState) => Effect.Effect<Result, E, R>
) {
  const state = yield* existing
  if (overwrite) return yield* otherwise(state)
  if (state._tag === "Other") return yield* state.error
  if (state._tag !== "Same") return yield* otherwise(state)
  const { bytes, regions } = state
  const same: Result = { action: "exists", bytes, regions, sha256: null, records: null, index: null, warnings: [] }
  return same
})

/** Begins again when the remote file changed, at most `mostChanges` times. */
const untilCommitted = Effect.fnUntraced(function* (
  transfer: Transfer,
  state: SliceState
): Effect.fn.Return<Result, TransferError, Codec> {
  const { request } = transfer
  let changes = 0
  while (true) {
    const outcome = yield* attempt(transfer, state).pipe(Effect.scoped, Effect.catchTag("Restart", Effect.succeed))
    if (!(outcome instanceof Restart)) return outcome
    yield* request.progress({ _tag: "Restarting", reason: outcome.reason })
    changes++
    if (changes > mostChanges) {
      const reason = `it changed ${changes} times while regions were cut out of it: ${outcome.reason}`
      return yield* new FileDamaged({ file: request.data.fileName, fault: "Changing", reason })
    }
  }
})

/** One version of the remote files: from their heads to the commit. */
const attempt = Effect.fn("svc.transfer.attemptSlice")(function* (
  transfer: Transfer,
  state: SliceState
): Effect.fn.Return<Result, RemoteRanges.RemoteError, Codec | Scope.Scope> {
  const { files, identity, place, program, pool, request, traffic } = transfer
  const remote = yield* RemotePair.open(transfer, request)
  return yield* Effect.gen(function* () {
    // Null while header and index are read: the size is not known yet.
    const size = yield* Ref.make<number | null>(null)
    const tell = Effect.gen(function* () {
      const all = yield* Ref.get(size)
      if (all === null) return
      // Bytes that came twice count once.
      yield* request.progress({ _tag: "Bytes", done: Math.min(yield* remote.data.fetched, all), size: all })
    })
    const cut = yield* RemotePair.cutOf(remote, request, tell)
    if (!request.overwrite && state._tag === "Incomplete" && state.regions !== cut.regions) {
      return yield* otherRegions(`${place.directory}/${place.name}`, state.regions)
    }
    // A slice is about as large as what is fetched for it.
    yield* enoughSpace(files, place, cut.ranges.bytes, true)
    let all = yield* remote.data.fetched
    for (const { length, offset } of cut.reads) all += remote.data.cost(offset, length)
    yield* Ref.set(size, all)
    yield* request.progress({ _tag: "Started", size: all, resumedFrom: 0 })
    yield* tell
    const { part, journal } = yield* makeFreshPart(files, place, identity, null)
    return yield* Effect.gen(function* () {
      const { checksums: kind = null } = request
      const algorithms = algorithmsFor([], ["sha256", ...(kind === null ? [] : [kind])])
      const { flush, sink } = gatheredWrites(part, algorithms)
      const origin = originOf(request.data.fileName, cut.regions, remote.data.size, yield* remote.data.version)
      const result = yield* cut.write(sink, {
        program: { ...program, origin },
        connections: pool.settings.connections
      })
      yield* flush
      yield* request.progress({ _tag: "Bytes", done: all, size: all })
      yield* checkWritten(part, place, result)
      const digests = yield* part.digests(result.bytes, algorithms)
      const replaces = state._tag !== "Absent"
      const checksums = kind === null ? null : { kind, hex: digests.get(kind) ?? "" }
      const index = yield* SlicePair.commit(files, { place, identity, part, journal, result, replaces, checksums })
      const sha256 = digests.get("sha256") ?? ""
      const { bytes, records, warnings } = result
      yield* Effect.forEach(warnings, (warning) => Effect.logWarning(warning), { discard: true })
      return { action: "downloaded" as const, bytes, sha256, regions: cut.regions, records, index, warnings }
    }).pipe(Effect.onError(() => Effect.ignore(SlicePair.discard(files, place, identity))))
  }).pipe(
    Effect.ensuring(
      Effect.flatMap(RemotePair.trafficOf(remote), (sum) =>
        Ref.update(traffic, (old) => RemotePair.addTraffic(old, sum))
      )
    )
  )
})

/** Checks the written slice like a downloaded file before it gets its final name. */
const checkWritten = Effect.fnUntraced(function* (part: PartFile, { name }: PartPlace, result: SliceResult) {
  const reader = readerOfPart(part, result.bytes)
  yield* checkStructure(name, reader)
  yield* checkStructure(`${name}.${result.indexSuffix}`, fromBytes(result.index), { name, reader })
})
