/**
 * The restoration file as it is found: it says where other files are written, so a link, a pipe, or what others may
 * write to is refused before it is read.
 */
import { isUtf8 } from "node:buffer"
import { type BigIntStats, constants } from "node:fs"
import { lstat, open, realpath } from "node:fs/promises"
import { resolve } from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { empty, parse, type TrackingDocument } from "../../core/src/archive/TrackingDocument.ts"
import { type Errno, io, tolerate } from "../Errno.ts"

/** Bytes; a hundred thousand entries are about half of it. */
const largest = 128 * 1024 * 1024

/** The file must not be used. */
export class Refused extends Data.TaggedError("Refused")<{ readonly reason: string }> {}

/** What was found at the path. */
export interface Found {
  /** The path with all symbolic links resolved. */
  readonly path: string
  /** Null when there is no file. */
  readonly content: { readonly stats: BigIntStats; readonly bytes: Buffer } | null
}

/** What the file says; an empty document where none is. */
export const documentOf = (content: Found["content"]): Effect.Effect<TrackingDocument, Refused> =>
  content === null
    ? Effect.succeed(empty)
    : !isUtf8(content.bytes)
      ? Effect.fail(new Refused({ reason: "it is not text in UTF-8" }))
      : Effect.fromResult(Result.mapError(parse(content.bytes.toString("utf8")), (reason) => new Refused({ reason })))

/** Looks at the file without waiting for anything: a pipe or device in its place is not even opened. */
export const find = Effect.fnUntraced(function* (given: string): Effect.fn.Return<Found, Errno | Refused> {
  const seen = yield* io(() => lstat(given, { bigint: true })).pipe(tolerate("ENOENT"))
  if (seen === null) return { path: resolve(given), content: null }
  if (seen.isSymbolicLink() && !isTrusted(seen)) {
    return yield* new Refused({ reason: "it is a symbolic link of another user" })
  }
  const path = yield* io(() => realpath(given)).pipe(tolerate("ENOENT", "ELOOP"))
  if (path === null) return yield* new Refused({ reason: "it is a symbolic link that leads nowhere" })
  const stats = yield* io(() => lstat(path, { bigint: true }))
  const reason = reasonAgainst(stats)
  if (reason !== null) return yield* new Refused({ reason })
  const bytes = yield* io(async () => {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      return sameVersion(await handle.stat({ bigint: true }), stats) ? await handle.readFile() : null
    } finally {
      await handle.close()
    }
  })
  // Replaced between the two looks: the next look sees the new one.
  return bytes === null ? yield* find(given) : { path, content: { stats, bytes } }
})

const ownUser = process.geteuid?.()

/** The file says where other files are written, so nobody else may have written it. */
const isTrusted = ({ uid }: BigIntStats) => ownUser === undefined || uid === BigInt(ownUser) || uid === 0n

const reasonAgainst = (stats: BigIntStats): string | null => {
  if (stats.isDirectory()) return "it is a folder"
  if (!stats.isFile()) return "it is a device, pipe or socket and no file"
  if (!isTrusted(stats)) return "it belongs to another user, who could decide where downloads are written"
  if ((stats.mode & 0o022n) !== 0n) {
    return "other users may write to it and so decide where downloads are written (chmod go-w helps)"
  }
  return stats.size > BigInt(largest) ? `it is larger than ${largest} bytes` : null
}

export const sameVersion = (a: BigIntStats, b: BigIntStats) =>
  a.ino === b.ino && a.dev === b.dev && a.size === b.size && a.mtimeNs === b.mtimeNs
