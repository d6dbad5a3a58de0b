/**
 * The bytes of a file for readers who do not follow links: fetched from the link host as they are read, with the link
 * renewed and the connection made anew at the same byte where that is needed.
 *
 * A link host must send a first byte in time. A reader keeps its connection to it until it has its bytes.
 */
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
import { LinkHost, type LinkRequest } from "../transfer/LinkHost.ts"
import * as LinkLease from "../transfer/LinkLease.ts"
import { LinkPool } from "../transfer/LinkPool.ts"
import { fetchRange } from "../transfer/RangeFetch.ts"
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
    /** Gives the bytes `[first, end)` of that version, the first of them within ten seconds of the link. */
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
/** How many of the last bytes sent are kept, to compare them when a host without entity tags is asked again. */
const overlap = 64 * 1024

const makeFileBytes = Effect.fnUntraced(function* () {
  const store = yield* LinkStore
  const host = yield* LinkHost
  const pool = yield* LinkPool

  const sendRange = Effect.fnUntraced(function* (
    file: ServedFile,
    known: SizedVersion | null,
    [first, end]: readonly [number, number],
    sink: ByteSink
  ): Effect.fn.Return<ObjectVersion | null, BytesError, Scope.Scope> {
    const watch = yield* VersionWatch.make
    const attempts = yield* Ref.make(0)
    const request = { fileName: file.fileName, size: known?.size ?? file.size, progress: () => Effect.void }
    /** A link that cannot be had ends the transfer through this, with errors that transfers do not know. */
    const noLink = yield* Deferred.make<never, StoreError | InArchive>()
    const start = yield* makeStartTimer(Deferred.fail(noLink, hostSilent))
    const timedHost = { ...host, get: (asked: LinkRequest) => Effect.andThen(start.runs, host.get(asked)) }
    const timedSink: ByteSink = {
      ...sink,
      write: (offset, bytes) => Effect.andThen(start.ends, sink.write(offset, bytes))
    }
    const fetching = Effect.gen(function* () {
      const { link, renewLink } = yield* store.lend(file)
      const renewed = Effect.andThen(start.stops, renewLink).pipe(
        Effect.catch((error) => Effect.andThen(Deferred.fail(noLink, error), Effect.never))
      )
      const { analysisId } = file
      const lease = yield* LinkLease.make({ ...request, analysisId, link, renewLink: renewed })
      if (known !== null) yield* watch.learn(known)
      yield* fetchRange({ request, lease, watch, sink: timedSink, attempts }, [first, end]).pipe(
        Effect.provideService(LinkHost, timedHost),
        Effect.provideService(LinkPool, pool)
      )
      return yield* watch.known
    })
    return yield* Effect.raceFirst(fetching, Deferred.await(noLink)).pipe(
      // The service lists it as there: it was asked for the link that was refused last.
      Effect.catchTag("SvcInArchive", ({ answer }) => new InArchive({ file, answer })),
      Effect.catchTag(
        "Restart",
        (error): Effect.Effect<never, FileChanged | LinkProtocol> =>
          error.cause === "Changed" ? new FileChanged({ reason: error.reason }) : noRanges(file.fileName, error)
      )
    )
  }, Effect.scoped)

  const probe = Effect.fn("svc.serving.probe")(function* (
    file: ServedFile
  ): Effect.fn.Return<SizedVersion, BytesError> {
    // No byte can be asked of an empty file.
    if (file.size === 0) return { ...unknownVersion, size: 0 }
    const ignored: ByteSink = { begin: 0, write: () => Effect.void, read: () => Effect.succeed(new Uint8Array(0)) }
    const version = yield* sendRange(file, null, [0, Math.min(probedBytes, file.size ?? probedBytes)], ignored)
    const size = version?.size ?? file.size
    if (size === null) return yield* new FileChanged({ reason: "nobody says how long the file is" })
    return { ...unknownVersion, ...version, size }
  })

  // Listed with another size, it is another file.
  const versions = yield* Cache.makeWith(probe, {
    capacity: mostVersions,
    timeToLive: (exit) => (Exit.isSuccess(exit) ? trusted : Duration.zero)
  })

  const send: FileBytes["Service"]["send"] = (file, version, { first, end }, take) => {
    if (end <= first) return Effect.void
    const tail = version.etag === null ? makeTail() : null
    const sink: ByteSink = {
      begin: first,
      write: (_offset, bytes) =>
        Effect.suspend(() => {
          tail?.add(bytes)
          return take(bytes)
        }),
      read: (offset, length) => Effect.sync(() => tail?.last(offset, length) ?? new Uint8Array(0))
    }
    return sendRange(file, version, [first, end], sink).pipe(Effect.tapError(() => Cache.invalidate(versions, file)))

    /** The last bytes that were sent, by their place in the file. */
    function makeTail() {
      let at = first
      let bytes = new Uint8Array(0)
      return {
        add: (more: Uint8Array) => {
          at += more.length
          const joined = new Uint8Array(Math.min(overlap, bytes.length + more.length))
          const fresh = more.subarray(Math.max(0, more.length - joined.length))
          joined.set(fresh, joined.length - fresh.length)
          const old = joined.length - fresh.length
          joined.set(bytes.subarray(bytes.length - old), 0)
          bytes = joined
        },
        last: (offset: number, length: number) => {
          const from = bytes.length - (at - offset)
          return bytes.slice(from, from + length)
        }
      }
    }
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

/** How long a reader waits for the first byte of the link host. Waiting for a connection, or for a link of the service, is no fault of the host. */
const firstByte = Duration.seconds(10)
const hostSilent = new ServiceAway({ reason: "the link host has not answered yet" })

/** @param late - what happens when the link host has been asked for `firstByte` and sent nothing */
const makeStartTimer = Effect.fnUntraced(function* (late: Effect.Effect<unknown>) {
  const timer = yield* FiberHandle.make()
  let begun = false
  return {
    runs: Effect.suspend(() =>
      begun ? Effect.void : FiberHandle.run(timer, Effect.delay(late, firstByte), { onlyIfMissing: true })
    ),
    stops: FiberHandle.clear(timer),
    ends: Effect.suspend(() => {
      if (begun) return Effect.void
      begun = true
      return FiberHandle.clear(timer)
    })
  }
})
