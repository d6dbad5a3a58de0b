/**
 * Regions of a remote BAM or VCF as a file of their own with a fresh index: both get their final names, or none does.
 *
 * ```
 * header and index -> which bytes -> part -> check -> SHA-256 -> final names
 * ```
 *
 * A slice that was stopped begins anew: its part is never used again, since no journal says how far it is.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { LocalIo, TransferError } from "../Errors.ts"
import { fromBytes } from "../genome/ByteReader.ts"
import { indexSuffixes } from "../genome/formats/FileNames.ts"
import type { SliceMaker } from "../genome/formats/SliceHeader.ts"
import { checkStructure } from "../genome/Structure.ts"
import { type SliceResult, type SliceSink, writeSlice } from "../genome/slice/Slice.ts"
import { unsafeIndexName } from "../selection/FileName.ts"
import * as ChecksumFile from "./ChecksumFile.ts"
import { commitSlice, discardSlice } from "./Commit.ts"
import { type Algorithm, ownAlgorithms } from "./Digests.ts"
import * as IndexesBeside from "./IndexesBeside.ts"
import { LinkPool } from "./LinkPool.ts"
import * as OpenPart from "./OpenPart.ts"
import { type PartFile, PartFiles, type PartPlace, placeOf, readerOfPart } from "./PartFiles.ts"
import {
  maker,
  otherRegions,
  type SliceEstimate,
  type SliceOutcome,
  type SliceRequest,
  type SliceState,
  type SliceTask
} from "./SliceRequest.ts"
import * as SliceSource from "./SliceSource.ts"
import { type Bare, bring, pickServices, type Standing, type TransferServices, tidy } from "./Transfer.ts"

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
        const services = pickServices(yield* Effect.context<TransferServices>())
        const program = { name: maker, version }
        return SliceTransfer.of({
          download: (request) => Effect.provideContext(download(program, request), services),
          estimate: (task) => Effect.provideContext(SliceSource.estimate(task), services),
          tidy: (directory, name) =>
            Effect.flatMap(placeOfSlice(directory, name), ({ identity, place }) =>
              tidy(place, discardSlice(place, identity))
            ).pipe(Effect.provideContext(services))
        })
      })
    )
}

/** What all attempts at one slice share. */
interface RunningSlice {
  readonly program: SliceMaker
  readonly request: SliceRequest
  readonly place: PartPlace
  readonly identity: string
  readonly source: SliceSource.SliceSource
}

/** The same for all that could be written under this name, so that only one run does. */
const placeOfSlice = Effect.fnUntraced(function* (directory: string, name: string) {
  const files = yield* PartFiles
  const identity = yield* files.fingerprint(JSON.stringify(["slice", name]))
  return { identity, place: yield* files.ours(placeOf(directory, name, identity)) }
})

type Result = Bare<SliceOutcome, SliceSource.SliceTraffic>

const download = Effect.fn("svc.transfer.downloadSlice")(function* (
  program: SliceMaker,
  request: SliceRequest
): Effect.fn.Return<SliceOutcome, TransferError, TransferServices> {
  const { checksums = null, data, directory, name, overwrite, progress } = request
  yield* Effect.annotateCurrentSpan({ "svc.file": name })
  const unsafe = unsafeIndexName(name)
  if (unsafe !== null) return yield* unsafe
  const { identity, place } = yield* placeOfSlice(directory, name)
  const source = yield* SliceSource.make(request)
  const slice: RunningSlice = { program, request, place, identity, source }
  const outcome = yield* bring({
    place,
    fileName: data.fileName,
    overwrite,
    progress,
    standing: standing(place, request),
    attempt: (_, state) => attemptSlice(slice, state),
    changed: (times) => `it changed ${times} times while regions were cut out of it`,
    discard: discardSlice(place, identity),
    vouch: Effect.forEach(
      checksums === null ? [] : [name, ...indexSuffixes.map((suffix) => `${name}.${suffix}`)],
      (each) => ChecksumFile.compare({ directory, name: each }, checksums ?? "sha256"),
      { discard: true }
    ),
    traffic: source.traffic
  })
  yield* Effect.annotateCurrentSpan({ "svc.bytes": outcome.fetched })
  return outcome
})

/** Keeps the same slice under the final name unless it is to be replaced, and refuses any other file there. */
const standing = Effect.fnUntraced(function* (
  place: PartPlace,
  { existing, overwrite }: SliceRequest
): Effect.fn.Return<Standing<Result, SliceState>, TransferError, PartFiles> {
  const found = yield* existing
  if (found._tag === "Other" && !overwrite) return yield* found.error
  if (found._tag !== "Same" || overwrite) {
    yield* IndexesBeside.plainNames(place)
    return { _tag: "Wanted", found }
  }
  const { bytes, regions } = found
  const index = { ...found.index, sha256: null }
  const outcome: Result = { action: "exists", bytes, regions, sha256: null, records: null, index, warnings: [] }
  return { _tag: "Kept", outcome }
})

/** One version of the remote files: from their heads to the final names. */
const attemptSlice = Effect.fn("svc.transfer.attemptSlice")(function* (slice: RunningSlice, state: SliceState) {
  const { identity, place, program, request, source } = slice
  const { connections } = (yield* LinkPool).settings
  const { checksums: kind = null, data, overwrite, progress } = request
  const { bytes: all, data: remote, plan, start } = yield* SliceSource.prepare(source)
  if (!overwrite && state._tag === "Incomplete" && state.regions !== plan.key) {
    return yield* otherRegions(`${place.directory}/${place.name}`, state.regions)
  }
  // A slice is about as large as what is fetched for it.
  yield* OpenPart.checkRoom(place, plan.ranges.bytes, true)
  yield* start
  const { file, journal } = yield* OpenPart.create(place, identity, null)
  const replaces = state._tag !== "Absent"
  return yield* Effect.gen(function* () {
    // What is refused in the end is refused before anything is fetched.
    yield* file.checkName(replaces)
    const algorithms = ownAlgorithms(kind)
    const { flush, sink } = gatheredWrites(file, algorithms)
    const origin = yield* SliceSource.originOf(data.fileName, plan.key, remote)
    const result = yield* writeSlice(plan, sink, { program: { ...program, origin }, connections })
    yield* flush
    yield* progress({ _tag: "Bytes", done: all, size: all })
    yield* checkWritten(file, place, result)
    const digests = yield* file.digests(result.bytes, algorithms)
    const { bytes, index, indexSuffix: suffix, records, warnings } = result
    const checkOwnership = OpenPart.checkOwnership(place, journal)
    const checksum = kind === null ? null : { kind, hex: digests.get(kind) ?? "" }
    const written = yield* commitSlice(
      { place, file, bytes, checkOwnership, replaces, checksum },
      { identity, suffix, bytes: index }
    )
    yield* Effect.forEach(warnings, (warning) => Effect.logWarning(warning), { discard: true })
    const sha256 = digests.get("sha256") ?? ""
    return { action: "downloaded" as const, bytes, sha256, regions: plan.key, records, index: written, warnings }
  }).pipe(Effect.onError(() => Effect.ignore(discardSlice(place, identity))))
}, Effect.scoped)

/** Checks the written slice like a downloaded file before it gets its final name. */
const checkWritten = Effect.fnUntraced(function* (file: PartFile, { name }: PartPlace, result: SliceResult) {
  const reader = readerOfPart(file, result.bytes)
  yield* checkStructure(name, reader)
  yield* checkStructure(`${name}.${result.indexSuffix}`, fromBytes(result.index), { name, reader })
})

/** Small writes are gathered up to this many bytes: most blocks of a slice are a few KiB, and each write costs a call. */
const gatheredLength = 1024 * 1024
/** Bytes from this length on are worth a write of their own, and are not copied. */
const largeLength = 256 * 1024

/** Writes to the end of `file`, many small writes as few large ones; the last of them only with `flush`. */
const gatheredWrites = (file: PartFile, algorithms: ReadonlyArray<Algorithm>) => {
  const gathered = new Uint8Array(gatheredLength)
  let length = 0
  let at = 0
  const append = (bytes: Uint8Array) =>
    Effect.suspend(() => {
      const offset = at
      at += bytes.length
      return Effect.andThen(file.write(offset, bytes), file.finalUpTo(at, algorithms))
    })
  const flush = Effect.suspend(() => {
    const bytes = gathered.subarray(0, length)
    length = 0
    return bytes.length === 0 ? Effect.void : append(bytes)
  })
  const gather = (bytes: Uint8Array) =>
    Effect.sync(() => {
      gathered.set(bytes, length)
      length += bytes.length
    })
  const sink: SliceSink<LocalIo> = {
    write: (bytes) =>
      Effect.suspend(() => {
        const large = bytes.length >= largeLength
        if (!large && length + bytes.length <= gatheredLength) return gather(bytes)
        return Effect.andThen(flush, large ? append(bytes) : gather(bytes))
      })
  }
  return { sink, flush }
}
