/**
 * The bytes of one version of a file, for readers who do not follow links: fetched from the link host as they are read, with the link
 * renewed and the connection made anew at the same byte where that is needed.
 */
import * as Bytes from "effect/Bytes"
import * as Cache from "effect/Cache"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberHandle from "effect/FiberHandle"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import type { LinkProtocol, TransferError } from "../Errors.ts"
import type { ByteReader } from "../genome/ByteReader.ts"
import type { ByteRange } from "../transfer/ByteRanges.ts"
import { LinkHost, type LinkRequest } from "../transfer/LinkHost.ts"
import * as LinkLease from "../transfer/LinkLease.ts"
import { LinkPool } from "../transfer/LinkPool.ts"
import { fetchRange, overlapLength } from "../transfer/RangeFetch.ts"
import { type ObjectVersion, probedBytes } from "../transfer/RangeReply.ts"
import { noRanges } from "../transfer/RemoteRanges.ts"
import type { ByteSink } from "../transfer/ReplyBody.ts"
import * as VersionWatch from "../transfer/VersionWatch.ts"
import { InArchive, LinkStore, type ServedFile, type StoreError } from "./LinkStore.ts"
import { ServiceAway } from "./Questions.ts"

export type BytesError = StoreError | InArchive | TransferError | FileChanged

/** The file is another one by now; what was read of it cannot be continued. */
export class FileChanged extends Data.TaggedError("FileChanged")<{ readonly reason: string }> {}

/** A file of which size and version are known. */
export interface SizedVersion extends ObjectVersion {
  readonly size: number
}

/** A version of which nothing is known yet. */
export const unknownVersion = { etag: null, lastModified: null, digests: [] } as const

/** Takes bytes in order, at its own pace: ends when they are taken. They are overwritten after that, so a slow reader slows the link host. */
export type ByteTaker = (bytes: Uint8Array) => Effect.Effect<void>

export class FileBytes extends Context.Service<
  FileBytes,
  {
    /** Size, tag and time of last modification as the link host states them. */
    readonly version: (file: ServedFile) => Effect.Effect<SizedVersion, BytesError>
    /** Gives the bytes `[first, end)` of that version; fails where the link host is silent for ten seconds before the first of them. */
    readonly send: (
      file: ServedFile,
      version: SizedVersion,
      part: { readonly first: number; readonly end: number },
      take: ByteTaker
    ) => Effect.Effect<void, BytesError>
    /** Random access to that version. */
    readonly reader: (file: ServedFile, version: SizedVersion) => ByteReader<BytesError>
  }
>()("svc-steps/core/serving/FileBytes") {
  static readonly layer: Layer.Layer<FileBytes, never, LinkStore | LinkHost | LinkPool> = Layer.effect(
    FileBytes,
    Effect.suspend(() => makeFileBytes())
  )
}

/** How long a version that was learned is believed. */
const trusted = Duration.minutes(1)
/** Of how many files versions are remembered. */
const mostVersions = 4000

const makeFileBytes = Effect.fnUntraced(function* () {
  const store = yield* LinkStore
  const host = yield* LinkHost
  const pool = yield* LinkPool

  /** Fetches `range` into `sink`, and gives what is known of the version by then. */
  const fetchInto = Effect.fnUntraced(function* (
    sink: ByteSink,
    file: ServedFile,
    known: SizedVersion | null,
    range: ByteRange
  ): Effect.fn.Return<ObjectVersion | null, BytesError, Scope.Scope> {
    const { analysisId, fileName } = file
    const request = { fileName, size: known?.size ?? file.size, progress: () => Effect.void }
    const watch = yield* VersionWatch.make
    const attempts = yield* Ref.make(0)
    /** Ends a transfer with what transfers do not know: there is no link, or the link host is silent. */
    const ended = yield* Deferred.make<never, StoreError | InArchive>()
    const start = yield* makeStartLimit(Deferred.fail(ended, hostSilent))
    const fetching = Effect.gen(function* () {
      const { link, renewLink } = yield* store.lend(file)
      const renewed = Effect.andThen(start.linkAsked, renewLink).pipe(
        Effect.catch((error) => Effect.andThen(Deferred.fail(ended, error), Effect.never))
      )
      const lease = yield* LinkLease.make({ ...request, analysisId, link, renewLink: renewed })
      if (known !== null) yield* watch.learn(known)
      const write: ByteSink["write"] = (offset, bytes) => Effect.andThen(start.byteCame, sink.write(offset, bytes))
      const get = (asked: LinkRequest) => Effect.andThen(start.hostAsked, host.get(asked))
      yield* fetchRange({ request, lease, watch, sink: { ...sink, write }, attempts }, range).pipe(
        Effect.provideService(LinkHost, { ...host, get }),
        Effect.provideService(LinkPool, pool)
      )
      return yield* watch.known
    })
    return yield* Effect.raceFirst(fetching, Deferred.await(ended)).pipe(
      // So says the link host: the service has just given a link of it.
      Effect.catchTag("SvcInArchive", ({ answer }) => new InArchive({ file, answer })),
      Effect.catchTag(
        "Restart",
        (error): Effect.Effect<never, FileChanged | LinkProtocol> =>
          error.cause === "Changed" ? new FileChanged({ reason: error.reason }) : noRanges(fileName, error)
      )
    )
  }, Effect.scoped)

  const probe = Effect.fn("svc.serving.probe")(function* (
    file: ServedFile
  ): Effect.fn.Return<SizedVersion, BytesError> {
    // No byte can be asked of an empty file.
    if (file.size === 0) return { ...unknownVersion, size: 0 }
    const ignored: ByteSink = { begin: 0, write: () => Effect.void, read: () => Effect.succeed(new Uint8Array(0)) }
    const version = yield* fetchInto(ignored, file, null, [0, Math.min(probedBytes, file.size ?? probedBytes)])
    const size = version?.size ?? file.size
    if (size === null) return yield* new FileChanged({ reason: "nobody says how long the file is" })
    return { ...unknownVersion, ...version, size }
  })

  // By all that is listed of a file: with another size it is another one.
  const versions = yield* Cache.makeWith(probe, {
    capacity: mostVersions,
    timeToLive: (exit) => (Exit.isSuccess(exit) ? trusted : Duration.zero)
  })

  const send: FileBytes["Service"]["send"] = (file, version, { first, end }, take) => {
    if (end <= first) return Effect.void
    const tail = version.etag === null ? makeTail(first) : null
    const sink: ByteSink = {
      begin: first,
      write: (_offset, bytes) =>
        Effect.andThen(
          Effect.sync(() => tail?.add(bytes)),
          take(bytes)
        ),
      read: (offset, length) => Effect.sync(() => tail?.read(offset, length) ?? new Uint8Array(0))
    }
    return fetchInto(sink, file, version, [first, end]).pipe(Effect.tapError(() => Cache.invalidate(versions, file)))
  }

  return FileBytes.of({
    version: (file) => Cache.get(versions, file),
    send,
    reader: (file, version) => ({
      size: version.size,
      read: Effect.fnUntraced(function* (offset, length) {
        const end = Math.min(version.size, offset + length)
        const bytes = new Uint8Array(Math.max(0, end - offset))
        let at = 0
        yield* send(file, version, { first: offset, end }, (more) =>
          Effect.sync(() => {
            bytes.set(more, at)
            at += more.length
          })
        )
        return bytes
      })
    })
  })
})

/** How long a link host may take to send its first byte. Waiting for a connection, or for a link of the service, is no fault of it. */
const longestStart = Duration.seconds(10)
const hostSilent = new ServiceAway({ reason: "the link host has not answered yet" })

/** @param late - what happens when the link host has been asked for `longestStart` and sent nothing */
const makeStartLimit = Effect.fnUntraced(function* (late: Effect.Effect<unknown>) {
  const timer = yield* FiberHandle.make()
  let hasStarted = false
  return {
    hostAsked: Effect.suspend(() =>
      hasStarted ? Effect.void : FiberHandle.run(timer, Effect.delay(late, longestStart), { onlyIfMissing: true })
    ),
    linkAsked: FiberHandle.clear(timer),
    byteCame: Effect.suspend(() => {
      if (hasStarted) return Effect.void
      hasStarted = true
      return FiberHandle.clear(timer)
    })
  }
})

/** The last bytes that were sent of those from `first` on: so many as are compared when the link host is asked again. */
const makeTail = (first: number) => {
  let bytes = new Uint8Array(0)
  let end = first
  return {
    add: (more: Uint8Array) => {
      bytes = Bytes.concat([bytes, more]).subarray(-overlapLength)
      end += more.length
    },
    read: (offset: number, length: number) => {
      const from = bytes.length - (end - offset)
      return bytes.slice(from, from + length)
    }
  }
}
