/**
 * Files at link hosts, whole or the slices of them, read in their order while they are checked, in place of being written to the disk: the
 * same ranges, links, versions and checks as those of a file that gets a name.
 *
 * Nothing can be taken back of what was read. So every block and record is checked before it passes, and of a file that turns out to be
 * damaged, or cannot be fetched to its end, the end-of-file block is missing: who reads on notices.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import { FileDamaged, type SourceError } from "../Errors.ts"
import { fromBytes } from "../genome/ByteReader.ts"
import * as Bgzf from "../genome/bgzf/Bgzf.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import { type DataType, kindOfName } from "../genome/formats/FileNames.ts"
import type { PlainHeader } from "../genome/formats/Format.ts"
import { openFormat } from "../genome/formats/Formats.ts"
import type { SliceMaker } from "../genome/formats/SliceHeader.ts"
import { checkStructure, largestIndex } from "../genome/Structure.ts"
import { makeSlice, recordsOf } from "../genome/slice/Slice.ts"
import { type Damage, type ProvenRun, provenRuns } from "../verify/WholeWalk.ts"
import { algorithmsFor, checksumDamage, Hashing, type StatedDigest } from "./Digests.ts"
import { LinkHost } from "./LinkHost.ts"
import * as LinkLease from "./LinkLease.ts"
import { LinkPool } from "./LinkPool.ts"
import * as RemoteRanges from "./RemoteRanges.ts"
import { maker, type SliceTask } from "./SliceRequest.ts"
import * as SliceSource from "./SliceSource.ts"

/** A file to read whole. */
export type WholeTask = Pick<SliceTask, "data" | "progress">

/** What is in an open file, whole or the slice of it; each of its streams is read once, and not both. */
export interface FileContent {
  /** The regions as the header of the slice names them; null for a whole file. */
  readonly regions: string | null
  /** The file, each part of it until the next is asked for. */
  readonly bytes: Stream.Stream<Uint8Array, SourceError>
  /** Null where records are not read, as those of indexes. */
  readonly records: Records | null
  /** What is not as it should be in the file, though it can be read. */
  readonly warnings: ReadonlyArray<string>
  /** What was asked for so far, and how many records of a slice were kept. */
  readonly soFar: Effect.Effect<SliceSource.SliceTraffic & { readonly records: number | null }>
}

/** What of a file its records are read from. */
export interface Records {
  /** The header of the file, inflated. */
  readonly header: () => Uint8Array
  /** The records, inflated, in parts that end anywhere; they belong to who reads them. Fails after the records before the failure. */
  readonly content: Stream.Stream<Uint8Array, SourceError>
}

/** Opens files at link hosts to be read in their order. */
export class FileStreams extends Context.Service<
  FileStreams,
  {
    /** Reads the header, and the index for a slice. */
    readonly open: (task: WholeTask | SliceTask) => Effect.Effect<FileContent, SourceError>
  }
>()("svc-steps/core/transfer/FileStreams") {
  /** @internal `version` of the maker, for the headers of slices. */
  static readonly layer = (version: string) =>
    Layer.effect(
      FileStreams,
      Effect.gen(function* () {
        const services = pickServices(yield* Effect.context<StreamServices>())
        const program = { name: maker, version }
        return FileStreams.of({
          open: (task) => Effect.provideContext("index" in task ? openSlice(program, task) : openWhole(task), services)
        })
      })
    )
}

type StreamServices = LinkHost | LinkPool | Codec | Hashing
const pickServices = Context.pick(LinkHost, LinkPool, Codec, Hashing)

const openSlice = Effect.fn("svc.transfer.openSlice")(function* (
  program: SliceMaker,
  task: SliceTask
): Effect.fn.Return<FileContent, SourceError, StreamServices> {
  const codec = yield* Codec
  const { fileName } = task.data
  const source = yield* SliceSource.make(task)
  const prepared = yield* Effect.mapError(SliceSource.prepare(source), RemoteRanges.withoutRestart(fileName))
  const { data, plan, start } = prepared
  const { connections } = (yield* LinkPool).settings
  const origin = yield* SliceSource.originOf(fileName, plan.key, data)
  const slice = yield* makeSlice(plan, { program: { ...program, origin }, connections })
  const checked = (bytes: Stream.Stream<Uint8Array, RemoteRanges.RemoteError, Codec>) =>
    Stream.fromEffectDrain(start).pipe(
      Stream.concat(Stream.provideService(bytes, Codec, codec)),
      Stream.mapError(RemoteRanges.withoutRestart(fileName))
    )
  return {
    regions: plan.key,
    bytes: checked(slice.bytes),
    records: { header: plan.header, content: checked(recordsOf(plan, { connections })) },
    warnings: plan.warnings,
    soFar: Effect.zipWith(source.traffic, slice.records, (traffic, records) => ({ ...traffic, records }))
  }
})

/** Ranges in which a whole file is fetched (bytes), a few at the same time; the first ones are small, so that its first records come soon. */
const chunk = 8 * 1024 * 1024
const firstChunk = 1024 * 1024

/**
 * Ranges that wait for whoever reads: 32 of them took 424 MB. Those of slices have an eighth of the bytes (`longestRange` in
 * FetchPlan.ts): as many wait as there are connections.
 */
const mostAhead = 8

const openWhole = Effect.fn("svc.transfer.openWhole")(function* ({
  data,
  progress
}: WholeTask): Effect.fn.Return<FileContent, SourceError, StreamServices> {
  const { fileName } = data
  const file = { ...data, progress }
  const lease = yield* LinkLease.make(file)
  const [attempts, fetched] = [yield* Ref.make(0), yield* Ref.make(0)]
  const failed = RemoteRanges.withoutRestart(fileName)
  const opened = RemoteRanges.open({ file, lease, attempts, fetched }, RemoteRanges.headOfData, chunk)
  const reader = yield* Effect.mapError(opened, failed)
  const soFar = Effect.all({
    attempts: Ref.get(attempts),
    fetched: Ref.get(fetched),
    renewals: lease.renewals,
    records: Effect.succeed(null)
  })
  const common = { regions: null, warnings: [], soFar }
  const stated = (yield* reader.version)?.digests ?? []
  const check = digestCheck(yield* Hashing, fileName, stated)
  const kind = kindOfName(fileName)
  if (kind !== null && kind.index === null) {
    return {
      ...common,
      ...(yield* Effect.mapError(wholeData(fileName, kind.type, reader, check, progress), failed))
    }
  }
  const index = Effect.provideService(wholeIndex(fileName, reader, check), Codec, yield* Codec)
  return { ...common, bytes: Stream.fromEffect(Effect.mapError(index, failed)), records: null }
})

/** Compares bytes that pass, from the first to the last, with what the link host stated when the file was opened. */
interface DigestCheck {
  readonly pass: (bytes: Uint8Array) => void
  readonly finish: Effect.Effect<void, FileDamaged>
}

/** Begins anew with each reading. */
const digestCheck = (
  hashing: Hashing["Service"],
  file: string,
  stated: ReadonlyArray<StatedDigest>
): Effect.Effect<DigestCheck> =>
  Effect.sync(() => {
    const running = algorithmsFor(stated, { triesTags: false }).map(
      (algorithm) => [algorithm, hashing.begin(algorithm)] as const
    )
    return {
      pass: (bytes) => {
        for (const [, digest] of running) digest.update(bytes)
      },
      finish: Effect.suspend(() => {
        const digests = new Map(running.map(([algorithm, digest]) => [algorithm, digest.digest("hex")]))
        const damage = checksumDamage(file, stated, digests)
        return damage === null ? Effect.void : Effect.fail(damage)
      })
    }
  })

/** An index, which is read whole, as it is judged whole. */
const wholeIndex = Effect.fnUntraced(function* (
  fileName: string,
  reader: RemoteRanges.RemoteRanges,
  check: Effect.Effect<DigestCheck>
) {
  if (reader.size > largestIndex) {
    const reason = `it has ${reader.size} bytes, more than any index`
    return yield* new FileDamaged({ file: fileName, fault: "BadIndex", reason })
  }
  const bytes = yield* reader.read(0, reader.size)
  yield* checkStructure(fileName, fromBytes(bytes))
  const digests = yield* check
  digests.pass(bytes)
  yield* digests.finish
  return bytes
})

/** A data file: block after block, each with its records checked. */
const wholeData = Effect.fnUntraced(function* (
  fileName: string,
  type: DataType,
  reader: RemoteRanges.RemoteRanges,
  check: Effect.Effect<DigestCheck>,
  progress: WholeTask["progress"]
): Effect.fn.Return<Pick<FileContent, "bytes" | "records">, RemoteRanges.RemoteError, LinkPool | Codec> {
  const codec = yield* Codec
  const { connections } = (yield* LinkPool).settings
  const { size } = reader
  const { header, records } = yield* openFormat(fileName, reader, type)
  const pace = { chunk, first: firstChunk, ahead: Math.min(connections, mostAhead) }
  const proven = Effect.map(check, (digests) =>
    provenRuns(fileName, reader, records([]), pace).pipe(
      Stream.tap(({ end, raw }) => {
        digests.pass(raw)
        return progress({ _tag: "Bytes", done: end, size })
      }),
      Stream.concat(Stream.fromEffectDrain(digests.finish))
    )
  )
  const runs = Stream.unwrap(proven).pipe(
    Stream.provideService(Codec, codec),
    Stream.mapError((error: Damage | FileDamaged | RemoteRanges.RemoteError) =>
      RemoteRanges.withoutRestart(fileName)(error._tag === "Damage" ? error.error : error)
    )
  )
  const checked = Stream.concat(Stream.fromEffectDrain(progress({ _tag: "Started", size, resumedFrom: 0 })), runs)
  return {
    bytes: Stream.concat(
      Stream.map(checked, (run) => withoutEnd(run, size)),
      // It is there: a file without it fails before, and so does one of another digest.
      Stream.succeed(Bgzf.eofBlock)
    ),
    records: { header: header.bytes, content: recordsIn(checked, header) }
  }
})

/** The blocks of a run before the end-of-file block, which follows when all is proven. */
const withoutEnd = ({ end, raw }: ProvenRun, size: number): Uint8Array =>
  raw.subarray(0, raw.length - Math.max(0, end - (size - Bgzf.eofBlock.length)))

/** The content of blocks after the header. */
const recordsIn = <E>(runs: Stream.Stream<ProvenRun, E>, { size }: PlainHeader): Stream.Stream<Uint8Array, E> =>
  Stream.mapAccum(
    runs,
    () => size,
    (header, { content }) => {
      const skipped = Math.min(header, content.length)
      // The bytes of a run are used again.
      return [header - skipped, skipped === content.length ? [] : [content.slice(skipped)]]
    }
  )
