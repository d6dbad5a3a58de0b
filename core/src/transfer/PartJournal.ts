/**
 * What a part file knows about itself, so that a later run may go on with it: `.<name>.<8 hex>.part.json`.
 *
 * It never holds a link. Progress is what it says, not the length of the part file: a part may have holes and tails
 * that never reached the disk.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { algorithms } from "./Digests.ts"
import type { PartPlace } from "./PartFiles.ts"

const Bytes = Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0)))

const Crc32 = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 0xffffffff })))

/** Bytes of the part that survive a power cut: the first, the one after the last, and the CRC-32 of what came for them. */
const Span = Schema.Tuple([Bytes, Bytes, Crc32])
export type Span = typeof Span.Type

const PartJournal = Schema.Struct({
  /** Journals of `svc.part/1` have no spans: what their parts hold cannot be proven. */
  schema: Schema.Literals(["svc.part/1", "svc.part/2"]),
  /** SHA-256 of what is downloaded, see `identityText`. */
  identity: Schema.String,
  /** The run that writes the part; another value than one's own means that another run took it over. */
  writer: Schema.String,
  /** Size in bytes, null until a reply states it. */
  size: Schema.NullOr(Bytes),
  etag: Schema.NullOr(Schema.String),
  lastModified: Schema.NullOr(Schema.String),
  /** The checksums that link hosts stated. */
  digests: Schema.optionalKey(
    Schema.Array(Schema.Struct({ algorithm: Schema.Literals(algorithms), field: Schema.String, hex: Schema.String }))
  ),
  /** In ascending order. */
  spans: Schema.Array(Span).pipe(Schema.withDecodingDefaultKey(Effect.succeed([])))
})
export type PartJournal = typeof PartJournal.Type

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(PartJournal))

/** It is JSON as it is. The schema would look at each span again for every 64 MiB: half a minute of CPU for 100 GB. */
export const encode = (journal: PartJournal): string => JSON.stringify(journal)

/** The journal in `text` when it is whole and of this file; anything else is no journal. */
export const decode = (text: string, identity: string): PartJournal | null => {
  const journal = Option.getOrNull(decodeJson(text))
  if (journal === null || journal.identity !== identity) return null
  const size = journal.size ?? Number.MAX_SAFE_INTEGER
  const possible = journal.spans.every(
    ([start, end], i) => start < end && end <= size && start >= (journal.spans[i - 1]?.[1] ?? 0)
  )
  return possible ? journal : null
}

const decodeWriter = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ identity: Schema.String, writer: Schema.String }))
)

/** The run that writes the part of this file, as the journal in `text` says, whatever else is in it; null when it says nothing. */
export const writerOf = (text: string, identity: string): string | null => {
  const found = Option.getOrNull(decodeWriter(text))
  return found?.identity === identity ? found.writer : null
}

/** A journal without progress. */
export const start = (identity: string, writer: string, size: number | null): PartJournal => ({
  schema: "svc.part/2",
  identity,
  writer,
  size,
  etag: null,
  lastModified: null,
  spans: []
})

/**
 * The text whose SHA-256 is the identity of a remote file. Its size is no part of it: the part of a version that the service
 * has replaced since would have a name of its own, and nothing would ever clear it away.
 */
export const identityText = (file: {
  readonly target: string
  readonly analysisId: string
  readonly fileName: string
}): string => JSON.stringify([file.target, file.analysisId, file.fileName])

/** File names take at most this many bytes on the usual file systems. */
const longestName = 255
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Bytes for what is appended to the name of a part: `.json.new`, `.lock` and the marks of a waiting lock. */
const suffixRoom = 48

/** A name cut so that what is appended to it still fits. */
const stemOf = (name: string): string => {
  const room = longestName - ".".length - ".12345678.part".length - suffixRoom
  // A cut inside a letter decodes to U+FFFD, which is dropped again.
  return decoder.decode(encoder.encode(name).subarray(0, room)).replace(/\ufffd+$/, "")
}

const placeWith = (directory: string, name: string, mark: string): PartPlace => {
  const part = `.${stemOf(name)}.${mark}.part`
  return { directory, name, part, journal: `${part}.json`, lock: `${part}.lock` }
}

/** The hidden names beside `name`; a long name is shortened, the identity keeps it apart. */
export const placeOf = (directory: string, name: string, identity: string): PartPlace =>
  placeWith(directory, name, identity.slice(0, 8))

/** What earlier runs left beside `name`, out of the names in its directory. */
export const leftBeside = (directory: string, name: string, names: ReadonlyArray<string>): ReadonlyArray<PartPlace> => {
  const stem = `.${stemOf(name)}.`
  const marks = names.flatMap((other) =>
    other.startsWith(stem) ? (/^([0-9a-f]{8})\.part(?:$|\.)/.exec(other.slice(stem.length))?.[1] ?? []) : []
  )
  return [...new Set(marks)].map((mark) => placeWith(directory, name, mark))
}
