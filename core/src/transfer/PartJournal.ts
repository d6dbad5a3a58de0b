/**
 * What is known of an unfinished file, so that a later run may go on with it: the JSON in `.<name>.<8 hex>.part.json`.
 *
 * It names the spans of bytes that are on the disk for good, each with the CRC-32 of its bytes as they came: by it the next
 * run proves the part before it goes on (docs/dev/adr/0024). The length of the part says nothing: it may have holes, and an end
 * that never reached the disk. A journal never holds a link.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Codec } from "../genome/bgzf/Codec.ts"
import * as ByteRanges from "./ByteRanges.ts"
import { algorithms } from "./Digests.ts"
import type { PartFile } from "./PartFiles.ts"

const Bytes = Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0)))

const Crc32 = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 0xffffffff })))

/** Bytes of the part that survive a power cut: the first, the one after the last, and the CRC-32 of what came for them. */
const Span = Schema.Tuple([Bytes, Bytes, Crc32])
export type Span = typeof Span.Type

const PartJournal = Schema.Struct({
  /** Journals of `svc.part/1` have no spans: what their parts hold cannot be proven. */
  schema: Schema.Literals(["svc.part/1", "svc.part/2"]),
  /** SHA-256 of what is downloaded, see `identityText` in PartFiles.ts. */
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

/** How many bytes of a part its journal in `text` can prove; the length of the part says nothing. */
export const provenBytes = (text: string): number =>
  Option.match(decodeJson(text), {
    onNone: () => 0,
    onSome: ({ spans }) => ByteRanges.count(rangesOf(spans))
  })

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

export type Crc32 = Codec["Service"]["crc32"]
type Readable = Pick<PartFile, "read">

/** No span goes across a multiple of this: a wrong byte costs 8 MiB at most, and a journal has one entry of 40 bytes for each 8 MiB. */
const spanLength = 8 * 1024 * 1024
const readLength = 1024 * 1024

/** The spans of a part that is being written. */
export interface SpanLog {
  /** Takes note of bytes that lie at `offset`: they go on with the span that ends there, or begin one. */
  readonly add: (offset: number, bytes: Uint8Array) => void
  /** In ascending order. */
  readonly all: () => ReadonlyArray<Span>
}

/** @param spans - those of an earlier run */
export const makeSpanLog = (crc32: Crc32, spans: ReadonlyArray<Span>): SpanLog => {
  // By number of the multiple, so that taking note of bytes costs the same in a large file.
  const cells = new Map<number, ReadonlyArray<Span>>()
  const cellOf = (offset: number) => Math.floor(offset / spanLength)
  for (const span of spans) cells.set(cellOf(span[0]), [...(cells.get(cellOf(span[0])) ?? []), span])
  return {
    add: (offset, bytes) => {
      const end = offset + bytes.length
      for (let at = offset; at < end; ) {
        const cell = cellOf(at)
        const from = at
        const to = Math.min(end, (cell + 1) * spanLength)
        const there = cells.get(cell) ?? []
        const before = there.find((span) => span[1] === from)
        const sum = crc32(bytes.subarray(from - offset, to - offset), before?.[2])
        const others = there.filter((span) => span !== before && (span[1] <= from || span[0] >= to))
        cells.set(cell, [...others, [before?.[0] ?? from, to, sum]])
        at = to
      }
    },
    all: () => [...cells.values()].flat().sort(([one], [other]) => one - other)
  }
}

/** The bytes that spans cover. */
export const rangesOf = (spans: ReadonlyArray<Span>): ByteRanges.ByteRanges =>
  spans.reduce<ByteRanges.ByteRanges>((ranges, [start, end]) => ByteRanges.add(ranges, start, end), [])

/** A buffer into which spans are read one after the other; one for each would fill the memory until they are collected. */
export const makeRoom = () => new Uint8Array(readLength)

/** Reads a span once: whether its bytes still are those that came. What the disk does not give back is fetched again. */
export const agrees = (
  part: Readable,
  crc32: Crc32,
  [start, end, expected]: Span,
  room: Uint8Array
): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    let sum = 0
    for (let at = start; at < end; at += room.length) {
      const length = Math.min(room.length, end - at)
      const bytes = yield* part.read(at, length, room)
      if (bytes.length < length) return false
      sum = crc32(bytes, sum)
    }
    return sum === expected
  }).pipe(Effect.orElseSucceed(() => false))
