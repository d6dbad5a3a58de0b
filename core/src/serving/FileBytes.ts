/**
 * The bytes of a file for readers who do not follow links: fetched from the link host as they are read, with the link
 * renewed and the connection made anew at the same byte where that is needed.
 *
 * A link host must send a first byte in time. Connections to it are few and take memory, so a reader that takes nothing does not keep
 * one: not for long, and hardly at all while others wait for one.
 */
import * as Cache from "effect/Cache"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Schedule from "effect/Schedule"
import type { LinkProtocol, TransferError } from "../Errors.ts"
import type { ByteReader } from "../genome/ByteReader.ts"
import { monotonicMillis } from "../telemetry/MonotonicTime.ts"
import { LinkHost } from "../transfer/LinkHost.ts"
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

/** Takes bytes in order, at its own pace. */
export interface ByteTaker {
  /**
   * Ends when the bytes are taken; they are overwritten after that, so a slow reader slows the link host. When it is interrupted,
   * because its connection is given away, they stay what they are and are taken all the same.
   */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void>
  /** Ends when everything that was written is taken. */
  readonly rest: Effect.Effect<void>
}

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
      taker: ByteTaker
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
  const idleReaders = makeIdleReaders(pool.settings.connections)

  const sendRange = Effect.fnUntraced(function* (
    file: ServedFile,
    known: SizedVersion | null,
    [first, end]: readonly [number, number],
    sink: ByteSink,
    start: StartWatch
  ): Effect.fn.Return<ObjectVersion | null, BytesError> {
    const watch = yield* VersionWatch.make
    const attempts = yield* Ref.make(0)
    const request = { fileName: file.fileName, size: known?.size ?? file.size, progress: () => Effect.void }
    /** A link that cannot be had ends the transfer through this, with errors that transfers do not know. */
    const noLink = yield* Deferred.make<never, StoreError | InArchive>()
    const fetching = Effect.gen(function* () {
      const { link, linkAskedAt, renewLink } = yield* start.excluding(store.lend(file))
      const renewed = Effect.catch(start.excluding(renewLink), (error) =>
        Effect.andThen(Deferred.fail(noLink, error), Effect.never)
      )
      const { analysisId } = file
      const lease = yield* LinkLease.make({ ...request, analysisId, link, linkAskedAt, renewLink: renewed })
      if (known !== null) yield* watch.learn(known)
      yield* fetchRange({ request, host, lease, watch, sink, pool, attempts }, [first, end])
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
  })

  /** Fails with `ServiceAway` when `work` has not reported its first byte in time. After that byte there is no limit. */
  const limitStart = <A, E>(work: (watch: StartWatch) => Effect.Effect<A, E>) =>
    Effect.gen(function* () {
      const watch = yield* makeStartWatch
      return yield* Effect.raceFirst(work(watch), watch.late)
    })

  const probe = Effect.fn("svc.serving.probe")(function* (
    file: ServedFile
  ): Effect.fn.Return<SizedVersion, BytesError> {
    // No byte can be asked of an empty file.
    if (file.size === 0) return { ...unknownVersion, size: 0 }
    const ignored: ByteSink = { begin: 0, write: () => Effect.void, read: () => Effect.succeed(new Uint8Array(0)) }
    const found = yield* limitStart((watch) =>
      idleReaders.lend(
        sendRange(file, null, [0, Math.min(probedBytes, file.size ?? probedBytes)], ignored, watch),
        () => null
      )
    )
    const version = found === "idle" ? null : found
    const size = version?.size ?? file.size
    if (size === null) return yield* new FileChanged({ reason: "nobody says how long the file is" })
    return { ...unknownVersion, ...version, size }
  })

  // Listed with another size, it is another file.
  const versions = yield* Cache.makeWith(probe, {
    capacity: mostVersions,
    timeToLive: (exit) => (Exit.isSuccess(exit) ? trusted : Duration.zero)
  })

  const send: FileBytes["Service"]["send"] = (file, version, { first, end }, taker) => {
    if (end <= first) return Effect.void
    const tail = version.etag === null ? makeTail() : null
    const sending = Effect.fnUntraced(function* (watch: StartWatch) {
      let at = first
      let waitingSince: number | null = null
      const sink: ByteSink = {
        begin: first,
        write: Effect.fnUntraced(function* (offset, bytes) {
          yield* watch.started
          waitingSince = yield* monotonicMillis
          yield* Effect.suspend(() => {
            tail?.add(bytes)
            at = offset + bytes.length
            return taker.write(bytes)
          })
          waitingSince = null
        }),
        read: (offset, length) => Effect.sync(() => tail?.last(offset, length) ?? new Uint8Array(0))
      }
      while (at < end) {
        const sent = sendRange(file, version, [at, end], sink, watch)
        if ((yield* idleReaders.lend(sent, () => waitingSince)) !== "idle") return
        yield* taker.rest
        waitingSince = null
      }
    })
    return limitStart(sending).pipe(Effect.tapError(() => Cache.invalidate(versions, file)))

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
        yield* send(
          file,
          version,
          { first: offset, end },
          {
            write: (more) =>
              Effect.sync(() => {
                bytes.set(more, at)
                at += more.length
              }),
            rest: Effect.void
          }
        )
        return bytes
      })
    })
  })
})

/** Watches that a link host sends a first byte in time. */
interface StartWatch {
  /** The first byte is there; after that there is no limit. */
  readonly started: Effect.Effect<void>
  /** Waiting for the service is no fault of the link host: the store of links has a limit of its own. */
  readonly excluding: <A, E>(link: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Fails when the first byte is late; never succeeds. */
  readonly late: Effect.Effect<never, ServiceAway>
}

/** How long a reader waits for the first byte of the link host, in ms. */
const firstByte = Duration.toMillis("10 seconds")
/** How often it is looked at, in ms. When the process itself was busy for longer than twice that, this was no fault of the host. */
const startLook = 500

const makeStartWatch: Effect.Effect<StartWatch> = Effect.gen(function* () {
  const started = yield* Deferred.make<void>()
  const atHost = yield* Latch.make(true)
  let since = yield* monotonicMillis
  let before = 0
  const look = Effect.gen(function* () {
    yield* atHost.await
    const now = yield* monotonicMillis
    before += Math.min(now - since, 2 * startLook)
    since = now
    if (before >= firstByte) return yield* new ServiceAway({ reason: "the link host has not answered yet" })
    yield* Effect.sleep(Math.ceil(Math.min(startLook, firstByte - before)))
  })
  return {
    started: Effect.asVoid(Deferred.succeed(started, undefined)),
    excluding: (link) =>
      Effect.acquireUseRelease(
        Effect.gen(function* () {
          before += Math.min((yield* monotonicMillis) - since, 2 * startLook)
          yield* atHost.close
        }),
        () => link,
        () =>
          Effect.gen(function* () {
            since = yield* monotonicMillis
            yield* atHost.open
          })
      ),
    late: Effect.raceFirst(Deferred.await(started), Effect.forever(look)).pipe(Effect.andThen(Effect.never))
  }
})

/** Takes connections from readers that take nothing. */
interface IdleReaders {
  /**
   * Runs work that holds a connection; interrupts it, and gives `idle`, when its reader must give the connection away.
   *
   * @param waitingSince - when the reader was given bytes that it has not taken (monotonic ms); null when there are none
   */
  readonly lend: <A, E>(work: Effect.Effect<A, E>, waitingSince: () => number | null) => Effect.Effect<A | "idle", E>
}

/** Tools pause for seconds while they work on what they read. */
const longestPause = Duration.toMillis("29 seconds")
/** A reader that has taken nothing for this long gives its connection to one who waits. */
const shortestPause = Duration.toMillis("1 second")
/** How often it is looked at. */
const idleLook = Schedule.spaced("1 second")

/** @param connections - so many there are at a time */
const makeIdleReaders = (connections: number): IdleReaders => {
  let wanted = 0
  return {
    lend: (work, waitingSince) =>
      Effect.suspend(() => {
        let counted = true
        wanted++
        const leave = () => {
          if (counted) wanted--
          counted = false
        }
        const mustLeave = Effect.map(monotonicMillis, (now) => {
          const pause = now - (waitingSince() ?? now)
          const must = pause >= longestPause || (pause >= shortestPause && wanted > connections)
          // At once, so that no more readers leave than there are others who wait.
          if (must) leave()
          return must
        })
        const idle = Effect.as(Effect.repeat(mustLeave, { schedule: idleLook, until: (must) => must }), "idle" as const)
        return Effect.raceFirst(work, idle).pipe(Effect.ensuring(Effect.sync(leave)))
      })
  }
}
