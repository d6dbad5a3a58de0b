/** What a slice is made of: a data file and its index at a link host, read by ranges, and what of them has to be read. */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import { NotFound, type SourceError } from "../Errors.ts"
import type { Codec } from "../genome/bgzf/Codec.ts"
import { regionsOfKey, type SliceMaker } from "../genome/formats/SliceHeader.ts"
import type { IndexedSource } from "../genome/IndexedFile.ts"
import * as Slice from "../genome/slice/Slice.ts"
import { printable } from "../text/Printable.ts"
import { isTried } from "./Digests.ts"
import type { LinkHost } from "./LinkHost.ts"
import * as LinkLease from "./LinkLease.ts"
import type { LinkPool } from "./LinkPool.ts"
import * as RemoteRanges from "./RemoteRanges.ts"
import { maker, type SliceEstimate, type SliceTask } from "./SliceRequest.ts"
import type { Traffic } from "./Transfer.ts"

/**
 * Plans the slice of `source`, a remote file or one on the disk. Regions that the file does not have (an unknown reference, a
 * start beyond the end of one) are `NotFound`; so are ambiguous ones, since it is the names of this file that make them so.
 */
export const planRegions = (
  source: IndexedSource<RemoteRanges.RemoteError>,
  { kind, unmapped, wanted }: Pick<SliceTask, "kind" | "unmapped" | "wanted">
): Effect.Effect<Slice.SlicePlan<RemoteRanges.RemoteError>, RemoteRanges.RemoteError, Codec> =>
  Effect.catchTag(
    Slice.planSlice({ source, type: kind, wanted, takeUnplaced: unmapped }),
    "SvcUsageError",
    ({ message }) => new NotFound({ what: `regions in ${source.name}`, detail: message })
  )

/** A remote file and its index with their links, and what was asked for them, whether that succeeded or not. */
export interface SliceSource {
  readonly task: SliceTask
  readonly data: RemoteRanges.RemoteFile
  readonly index: RemoteRanges.RemoteFile
  readonly traffic: Effect.Effect<SliceTraffic>
}

export interface SliceTraffic extends Traffic {
  /** Bytes that came from link hosts. */
  readonly fetched: number
}

/** Nothing is asked of a link host before one of them is opened. */
export const make = Effect.fnUntraced(function* (task: SliceTask): Effect.fn.Return<SliceSource> {
  const attempts = yield* Ref.make(0)
  const fetched = yield* Ref.make(0)
  const remote = Effect.fnUntraced(function* (file: SliceTask["data"]) {
    const linked = { ...file, progress: task.progress }
    return { file: linked, lease: yield* LinkLease.make(linked), attempts, fetched }
  })
  const data = yield* remote(task.data)
  const index = yield* remote(task.index)
  const renewals = Effect.zipWith(data.lease.renewals, index.lease.renewals, (one, other) => one + other)
  return {
    task,
    data,
    index,
    traffic: Effect.all({ attempts: Ref.get(attempts), fetched: Ref.get(fetched), renewals })
  }
})

/** Open files, the slice of them, and what it costs. */
export interface PreparedSlice {
  readonly data: RemoteRanges.RemoteRanges
  readonly plan: Slice.SlicePlan<RemoteRanges.RemoteError>
  /** Bytes of the data file that are fetched for it, header included. */
  readonly bytes: number
  /** Begins to tell the progress of the task. */
  readonly start: Effect.Effect<void>
}

/** Opens one version of the files and plans the slice of them. */
export const prepare = Effect.fn("svc.transfer.prepareSlice")(function* (
  source: SliceSource
): Effect.fn.Return<PreparedSlice, RemoteRanges.RemoteError, LinkHost | LinkPool | Codec> {
  const { task } = source
  const opened = [
    RemoteRanges.open(source.data, RemoteRanges.headOfData),
    RemoteRanges.open(source.index, RemoteRanges.headOfIndex)
  ] as const
  const [data, index] = yield* Effect.all(opened, { concurrency: 2 })
  // Null while header and index are read: the size is not known yet.
  const size = yield* Ref.make<number | null>(null)
  const tell = Effect.gen(function* () {
    const all = yield* Ref.get(size)
    // Bytes that came twice count once.
    if (all !== null) yield* task.progress({ _tag: "Bytes", done: Math.min(yield* data.fetched, all), size: all })
  })
  const reader = {
    size: data.size,
    read: (offset: number, length: number) => Effect.tap(data.read(offset, length), tell),
    readInto: (offset: number, target: Uint8Array) => Effect.andThen(data.readInto(offset, target), tell)
  }
  const plan = yield* planRegions(
    { name: task.data.fileName, reader, index: { name: task.index.fileName, reader: index } },
    task
  )
  let bytes = yield* data.fetched
  for (const { length, offset } of plan.reads) bytes += data.cost(offset, length)
  const start = Effect.gen(function* () {
    yield* Ref.set(size, bytes)
    yield* task.progress({ _tag: "Started", size: bytes, resumedFrom: 0 })
    yield* tell
  })
  return { data, plan, bytes, start }
})

/** Reads header and index, and says what a slice would fetch beside them. */
export const estimate = Effect.fn("svc.transfer.estimateSlice")(function* (
  task: SliceTask
): Effect.fn.Return<SliceEstimate, SourceError, LinkHost | LinkPool | Codec> {
  const source = yield* make(task)
  const { data, plan } = yield* Effect.mapError(prepare(source), RemoteRanges.withoutRestart(task.data.fileName))
  yield* Effect.forEach(plan.warnings, (warning) => Effect.logWarning(warning), { discard: true })
  const costs = Array.from(plan.reads, ({ length, offset }) => data.cost(offset, length))
  const { attempts, fetched } = yield* source.traffic
  return {
    bytes: costs.reduce((sum, cost) => sum + cost, fetched),
    requests: attempts + costs.filter((cost) => cost > 0).length,
    regions: plan.key
  }
})

/**
 * What the header of a slice says of its making: the command, and the remote file with what tells its version. A link never
 * stands here.
 *
 * @param regions - as the header names them
 */
export const originOf = Effect.fnUntraced(function* (
  fileName: string,
  regions: string,
  { size, version }: RemoteRanges.RemoteRanges
): Effect.fn.Return<NonNullable<SliceMaker["origin"]>> {
  const { digests = [], etag = null } = (yield* version) ?? {}
  const identity = [
    `${size} bytes`,
    ...(etag === null ? [] : [`ETag ${etag}`]),
    ...digests.filter((one) => !isTried(one)).map(({ algorithm, field, hex }) => `${algorithm} ${hex} (${field})`)
  ]
  return {
    command: printable(`${maker} ${optionsOf(regions)}`),
    source: printable([fileName, ...identity].join(", "))
  }
})

const optionsOf = (regions: string): string => {
  const words = regionsOfKey(regions)
  // A list that long came from a BED file.
  if (words === null) return `--bed (${regions})`
  const named = words.filter((word) => word !== "*").join(" ")
  return [...(named === "" ? [] : [`--range '${named}'`]), ...(words.includes("*") ? ["--unmapped"] : [])].join(" ")
}
