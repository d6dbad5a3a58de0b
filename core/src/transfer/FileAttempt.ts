/**
 * One attempt at one version of a file: its part is opened, filled, compared with all that is known of it, and gets its
 * final name.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import { FileDamaged, type LocalIo } from "../Errors.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import { BlockPool } from "../verify/BlockPool.ts"
import * as ByteRanges from "./ByteRanges.ts"
import * as ChecksumFile from "./ChecksumFile.ts"
import { algorithmsFor, comparisonOf } from "./Digests.ts"
import { enoughSpace } from "./FreeSpace.ts"
import type { LinkHost } from "./LinkHost.ts"
import type { LinkLease } from "./LinkLease.ts"
import type { LinkPool } from "./LinkPool.ts"
import { checkAsked } from "./PartCheck.ts"
import type { PartClaim } from "./PartClaim.ts"
import { type PartFiles, type PartPlace, readerOfPart } from "./PartFiles.ts"
import * as PartProgress from "./PartProgress.ts"
import { provePart } from "./PartProof.ts"
import { openPart } from "./PartResume.ts"
import { rangesOf } from "./PartSpans.ts"
import { fetchMissing } from "./PieceFetch.ts"
import type { ByteSink } from "./ReplyBody.ts"
import type { PartReader, TransferRequest } from "./TransferRequest.ts"

/** What is needed to fetch files, and to prove them. */
export interface FileServices {
  readonly host: LinkHost["Service"]
  readonly files: PartFiles["Service"]
  readonly claims: PartClaim["Service"]
  readonly codec: Codec["Service"]
  readonly blocks: BlockPool["Service"]
  readonly pool: LinkPool["Service"]
  readonly share: ShareLists
}

/** Gives one list for all that are equal: what a file was compared with is kept for each file of a run, 0.7 MB of 10,000. */
export type ShareLists = (names: ReadonlyArray<string>) => ReadonlyArray<string>

export const makeShareLists = (): ShareLists => {
  const lists = new Map<string, ReadonlyArray<string>>()
  return (names) => {
    const list = lists.get(names.join()) ?? names
    lists.set(names.join(), list)
    return list
  }
}

/** What all attempts at one file share. */
export interface Transfer extends FileServices {
  readonly request: TransferRequest
  readonly place: PartPlace
  readonly identity: string
  readonly lease: LinkLease
  readonly attempts: Ref.Ref<number>
}

export interface AttemptStyle {
  /** Whether a large file may be fetched by several connections. */
  readonly inPieces: boolean
  /** Whether to ignore the part that an earlier run left. */
  readonly anew: boolean
}

/** A file under its final name: its size and how much of it an earlier run had brought, in bytes. */
export interface CommittedFile {
  readonly bytes: number
  readonly resumedFrom: number
  /** Hex. */
  readonly sha256: string
  readonly compared: ReadonlyArray<string>
}

/**
 * One version of the file, from what is there to the commit. Fails with `Restart` when it has to begin again.
 *
 * @param furthest - the most bytes that any attempt had
 */
export const attempt = Effect.fn("svc.transfer.attempt")(function* (
  transfer: Transfer,
  style: AttemptStyle,
  furthest: Ref.Ref<number>
) {
  const { files, place, request } = transfer
  const { part, journal } = yield* openPart(transfer, style.anew, ownDigests(request))
  const resumedFrom = ByteRanges.count(rangesOf(journal.spans))
  // What the part takes of the disk is there already, be it in the journal or not.
  yield* enoughSpace(files, place, (request.size ?? journal.size ?? 0) - part.allocated).pipe(
    Effect.tapError(() => (resumedFrom === 0 ? files.discard(place) : Effect.void))
  )
  const progress = yield* PartProgress.make(transfer, place, part, journal, ownDigests(request))
  yield* request.progress({ _tag: "Started", size: request.size, resumedFrom })
  const content = yield* contentProof(transfer, progress)
  yield* fetchInto(transfer, progress, style, furthest)
  const size = ByteRanges.count(yield* progress.ranges)
  const { compared, digests } = yield* compare(transfer, progress, size, content).pipe(
    Effect.catchTag("SvcFileDamaged", (error) => rejectPart(transfer, error.fault, error.reason))
  )
  yield* PartProgress.checkOwnership(files, place, journal)
  const { checksums = null } = request
  if (request.overwrite) yield* ChecksumFile.withdraw(files, place)
  yield* part.commit(size, request.overwrite)
  if (checksums !== null) yield* ChecksumFile.put(files, place, checksums, digests.get(checksums) ?? "")
  return { bytes: size, resumedFrom, sha256: digests.get("sha256") ?? "", compared }
})

/** Digests that are computed of every file, whatever its link host states. */
const ownDigests = ({ checksums }: TransferRequest) =>
  algorithmsFor([], ["sha256", ...(checksums == null ? [] : [checksums])])

/** Fetches what the part does not have, and keeps what came when that fails. */
const fetchInto = Effect.fnUntraced(function* (
  transfer: Transfer,
  progress: PartProgress.PartProgress,
  { inPieces }: AttemptStyle,
  furthest: Ref.Ref<number>
) {
  const { files, place, pool, request } = transfer
  const { part } = progress
  const sink: ByteSink = {
    begin: 0,
    read: part.read,
    write: Effect.fnUntraced(function* (offset, bytes) {
      yield* part.write(offset, bytes)
      const done = yield* progress.written(offset, bytes)
      yield* request.progress({ _tag: "Bytes", done, size: request.size })
    })
  }
  const context = { ...transfer, watch: progress, progress, sink }
  yield* fetchMissing(context, inPieces ? pool.settings.connections : 1).pipe(
    Effect.raceFirst(progress.failed),
    Effect.onExit((exit) =>
      Effect.gen(function* () {
        const bytes = ByteRanges.count(yield* progress.ranges)
        yield* Ref.update(furthest, (most) => Math.max(most, bytes))
        if (Exit.isSuccess(exit)) return
        // Nothing is worth keeping of a file that has not begun; everything else is the next run's start.
        yield* Effect.ignore(bytes === 0 ? files.discard(place) : progress.keep)
      })
    ),
    Effect.catchTag("SvcFileDamaged", (error) => rejectPart(transfer, error.fault, error.reason))
  )
})

/**
 * Begins to read blocks and records while they arrive, on other threads, for `--check full`; what is given back waits for
 * the verdict. A file of unknown size is read when it is complete.
 */
const contentProof = Effect.fnUntraced(function* (
  { blocks, codec, files, request }: Transfer,
  { part, reached }: PartProgress.PartProgress
): Effect.fn.Return<ContentProof, never, Scope.Scope> {
  if (request.check !== "full") return () => Effect.succeed(false)
  const prove = (reader: PartReader) =>
    provePart(files, request, reader).pipe(
      Effect.provideService(Codec, codec),
      Effect.provideService(BlockPool, blocks)
    )
  const { size } = request
  if (size === null) return prove
  const read: PartReader["read"] = (offset, length) =>
    Effect.andThen(reached(Math.min(size, offset + length)), part.read(offset, length))
  const proving = yield* Effect.forkScoped(prove({ size, read }))
  return () => Fiber.join(proving)
})

/** Whether the content of the complete part was read and found good; false for a file whose kind is not known. */
type ContentProof = (part: PartReader) => Effect.Effect<boolean, FileDamaged | LocalIo>

/** Compares the complete part of `size` bytes with everything that is known of the file; `FileDamaged` when it differs. */
const compare = Effect.fnUntraced(function* (
  { codec, files, request, share }: Transfer,
  { known, part }: PartProgress.PartProgress,
  size: number,
  content: ContentProof
) {
  const reader = readerOfPart(part, size)
  const structure = yield* Effect.provideService(checkAsked(files, request, reader), Codec, codec)
  const proven = yield* content(reader)
  const version = yield* known
  const stated = version?.digests ?? []
  const digests = yield* part.digests(size, algorithmsFor(stated, ownDigests(request)))
  const unlike = stated.find(({ algorithm, hex }) => digests.get(algorithm) !== hex)
  if (unlike !== undefined) {
    const { algorithm, field, hex } = unlike
    const reason = `its ${algorithm} is ${digests.get(algorithm)}, but ${field} of the link host says ${hex}`
    return yield* new FileDamaged({ file: request.fileName, fault: "Checksum", reason })
  }
  const own = [(version?.size ?? request.size) !== null && "size", structure && "structure", proven && "content"]
  const compared = share(own.filter((name) => name !== false).concat(stated.map(comparisonOf)))
  return { compared, digests }
})

/** Removes the part, whose bytes are known to be wrong, and fails with `FileDamaged`. */
export const rejectPart = Effect.fnUntraced(function* (
  { files, place, request }: Transfer,
  fault: FileDamaged["fault"],
  reason: string
) {
  yield* files.discard(place)
  return yield* new FileDamaged({ file: request.fileName, fault, reason })
})
