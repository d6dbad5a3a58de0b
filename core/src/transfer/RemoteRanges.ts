/**
 * Random access to a remote file through its link: exact ranges, all of one version of the file.
 *
 * The first reply states size and entity tag; every later one must state the same, so that bytes of two versions never
 * meet. A host that answers with the whole file is refused, since a slice would then fetch it again and
 * again. Faults H1-H5, L1, L2, N5-N13.
 */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import { FileDamaged, LinkProtocol, type SourceError } from "../Errors.ts"
import type { ByteReader } from "../genome/ByteReader.ts"
import { LinkHost } from "./LinkHost.ts"
import type { LinkedFile, LinkLease } from "./LinkLease.ts"
import { LinkPool } from "./LinkPool.ts"
import { fetchRange } from "./RangeFetch.ts"
import type { ObjectVersion } from "./RangeReply.ts"
import type { ByteSink } from "./ReplyBody.ts"
import type { Restart } from "./VersionWatch.ts"
import * as VersionWatch from "./VersionWatch.ts"

/** How reading a remote file can fail; `Restart`: the file has changed since it was opened. */
export type RemoteError = SourceError | Restart

export interface RemoteRanges extends Required<ByteReader<RemoteError>> {
  /** Bytes that reading this would fetch. */
  readonly cost: (offset: number, length: number) => number
  /** Bytes that were fetched since it was opened. */
  readonly fetched: Effect.Effect<number>
  /** What the link host stated of the file. */
  readonly version: Effect.Effect<ObjectVersion | null>
}

/** A file at a link host, and where is counted what is asked of it. */
export interface RemoteFile {
  readonly file: LinkedFile
  readonly lease: LinkLease
  /** Requests sent. */
  readonly attempts: Ref.Ref<number>
  /** Bytes that came. */
  readonly fetched: Ref.Ref<number>
}

/** Bytes of the first request, which are kept: they hold the header of most data files. */
export const headOfData = 64 * 1024
/** The whole of most indexes. */
export const headOfIndex = 1024 * 1024
/** Longer reads become several requests at the same time, where the caller says no other length. */
const longestRequest = 1024 * 1024

/** Opens a file by reading its head of `headLength` bytes. Requests share the pool; reads at the same time use several connections. */
export const open = Effect.fn("svc.transfer.openRemote")(function* (
  { attempts, fetched: total, file, lease }: RemoteFile,
  headLength: number,
  longest = longestRequest
): Effect.fn.Return<RemoteRanges, RemoteError, LinkHost | LinkPool> {
  const host = yield* LinkHost
  const pool = yield* LinkPool
  const watch = yield* VersionWatch.make
  const fetched = yield* Ref.make(0)

  const bring = Effect.fnUntraced(function* (start: number, bytes: Uint8Array): Effect.fn.Return<void, RemoteError> {
    const end = start + bytes.length
    const sink: ByteSink = {
      begin: start,
      write: (offset, batch) =>
        Effect.suspend(() => {
          bytes.set(batch, offset - start)
          const add = (sum: number) => sum + batch.length
          return Effect.andThen(Ref.update(fetched, add), Ref.update(total, add))
        }),
      read: (offset, length) => Effect.sync(() => bytes.subarray(offset - start, offset - start + length))
    }
    const context = { request: file, lease, watch, sink, attempts }
    yield* fetchRange(context, [start, end]).pipe(
      Effect.provideService(LinkHost, host),
      Effect.provideService(LinkPool, pool),
      Effect.catchTag(
        "Restart",
        (error): Effect.Effect<never, RemoteError> =>
          error.cause === "Changed" ? error : noRanges(file.fileName, error)
      )
    )
  })

  const asked = Math.min(file.size ?? headLength, headLength)
  const head = new Uint8Array(asked)
  yield* bring(0, head)
  const size = (yield* watch.known)?.size ?? file.size
  if (size === null) {
    const reason = "does not say how long the file is, and neither does the service"
    return yield* new LinkProtocol({ file: file.fileName, host: "the link host", reason })
  }
  if (size === 0) return yield* new FileDamaged({ file: file.fileName, fault: "Size", reason: "it is empty" })
  const kept = Math.min(asked, size)

  const cost = (offset: number, length: number) => Math.max(0, Math.min(size, offset + length) - Math.max(offset, kept))

  const readInto = Effect.fnUntraced(function* (
    offset: number,
    target: Uint8Array
  ): Effect.fn.Return<void, RemoteError> {
    const end = offset + target.length
    const begin = Math.max(offset, Math.min(kept, end))
    target.set(head.subarray(offset, begin))
    const starts = Array.from({ length: Math.ceil((end - begin) / longest) }, (_, i) => begin + i * longest)
    yield* Effect.forEach(
      starts,
      (start) => bring(start, target.subarray(start - offset, Math.min(end, start + longest) - offset)),
      { concurrency: pool.settings.connections, discard: true }
    )
  })

  const read = Effect.fnUntraced(function* (offset: number, length: number): Effect.fn.Return<Uint8Array, RemoteError> {
    const end = Math.min(size, offset + length)
    if (end <= offset) return new Uint8Array(0)
    if (end <= kept) return head.subarray(offset, end)
    const bytes = new Uint8Array(end - offset)
    yield* readInto(offset, bytes)
    return bytes
  })

  return {
    size,
    read,
    readInto,
    cost,
    fetched: Ref.get(fetched),
    version: watch.known
  }
})

/** For who cannot begin again: a file that changed while it was read has no content. */
export const withoutRestart =
  (file: string) =>
  (error: RemoteError): SourceError =>
    error._tag === "Restart" ? new FileDamaged({ file, fault: "Changing", reason: error.reason }) : error

/** For who cannot do without ranges. */
export const noRanges = (file: string, { reason }: Restart) =>
  new LinkProtocol({ file, host: "the link host", reason: `cannot serve single regions: ${reason}` })
