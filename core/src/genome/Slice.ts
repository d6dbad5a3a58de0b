/** What BAM and VCF slices have in common: where they read from, where they write to, and the run from one to the other. */
import { Effect, type Scope } from "effect"
import type { FileDamaged } from "../Errors.ts"
import * as BgzfWriter from "./BgzfWriter.ts"
import { BlockThread } from "./BlockBoard.ts"
import type { ByteReader } from "./ByteReader.ts"
import { Codec } from "./Codec.ts"
import { fetchRanges } from "./FetchedRange.ts"
import type { FetchPlan } from "./FetchPlan.ts"
import type * as IndexBuilder from "./IndexBuilder.ts"
import * as Lookahead from "./Lookahead.ts"
import type { RecordFormat } from "./RecordFormat.ts"
import type { ReferenceRegions } from "./Regions.ts"
import type { Program } from "./SliceHeader.ts"
import * as SliceScan from "./SliceScan.ts"
import type { Stretches } from "./Stretches.ts"

/** A file and the index beside it. */
export interface SliceSource<E> {
  readonly name: string
  readonly reader: ByteReader<E>
  readonly indexName: string
  readonly index: ByteReader<E>
}

/** Where a slice goes: pieces in order. Their bytes are overwritten when `write` is done. */
export interface SliceSink<E> {
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, E>
}

export interface SliceOptions {
  readonly program: Program
  /** Deflate level of the blocks that cannot be copied, 0-9. */
  readonly level?: number
  /** Ranges fetched at the same time. */
  readonly connections?: number
}

export interface SliceResult {
  /** Bytes written. */
  readonly bytes: number
  readonly records: number
  /** Bytes that were fetched for records, and in how many ranges. */
  readonly fetched: number
  readonly ranges: number
  /** Bytes of blocks that passed as they were. */
  readonly copied: number
  /** The whole index file of the slice, and the suffix that belongs to it. */
  readonly index: Uint8Array
  readonly indexSuffix: "bai" | "csi" | "tbi"
}

/** Half the CPU of level 6, for 4 % more bytes in the blocks at the edges of regions (bench/README.md). */
const defaultLevel = 4
const defaultConnections = 8

/** Collects emitted blocks and hands them on as few pieces: neighbours in one buffer are one piece again. */
const outbox = () => {
  let pieces: Array<Uint8Array> = []
  let bytes = 0
  return {
    emit: (piece: Uint8Array) => {
      bytes += piece.length
      const last = pieces[pieces.length - 1]
      if (last !== undefined && last.buffer === piece.buffer && last.byteOffset + last.length === piece.byteOffset) {
        pieces[pieces.length - 1] = new Uint8Array(last.buffer, last.byteOffset, last.length + piece.length)
      } else pieces.push(piece)
    },
    take: (): ReadonlyArray<Uint8Array> => {
      const taken = pieces
      pieces = []
      return taken
    },
    bytes: () => bytes
  }
}

/** A BGZF file of `content`, such as a CSI or TBI. */
export const compress = (codec: Codec["Service"], content: Uint8Array, level: number): Uint8Array => {
  const box = outbox()
  const writer = BgzfWriter.make(codec, level, box.emit)
  writer.write(content)
  writer.finish()
  const bytes = new Uint8Array(box.bytes())
  let at = 0
  for (const piece of box.take()) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}

export interface RunOptions<E, E2> {
  readonly file: string
  readonly reader: ByteReader<E>
  readonly sink: SliceSink<E2>
  readonly format: RecordFormat
  readonly header: Uint8Array
  readonly regions: ReadonlyArray<ReferenceRegions>
  readonly stretches: Stretches
  readonly ranges: FetchPlan
  readonly index: IndexBuilder.IndexBuilder
  readonly options: SliceOptions
}

/**
 * Fetches the ranges, several at a time and handed on in order, scans them and writes header, records and end-of-file
 * block. At most `connections` ranges and two more are in memory.
 */
export const run = Effect.fnUntraced(function* <E, E2>({
  file,
  format,
  header,
  index,
  options,
  ranges,
  reader,
  regions,
  sink,
  stretches
}: RunOptions<E, E2>): Effect.fn.Return<
  { readonly bytes: number; readonly records: number; readonly copied: number },
  FileDamaged | E | E2,
  Codec | Scope.Scope
> {
  const codec = yield* Codec
  const { board } = yield* BlockThread
  const lookahead = Lookahead.make(yield* board, stretches)
  const box = outbox()
  const writer = BgzfWriter.make(codec, options.level ?? defaultLevel, box.emit)
  const drain = Effect.suspend(() => Effect.forEach(box.take(), (piece) => sink.write(piece), { discard: true }))
  writer.write(header)
  writer.flush()
  const scan = SliceScan.make({ file, size: reader.size, codec, lookahead, format, stretches, regions, writer, index })
  yield* fetchRanges(reader, ranges, options.connections ?? defaultConnections, {
    arrived: lookahead.arrived,
    use: Effect.fnUntraced(function* (fetched) {
      yield* Effect.fromResult(scan.push(fetched))
      yield* drain
      return scan.missingFrom()
    })
  })
  yield* Effect.fromResult(scan.end())
  writer.finish()
  yield* drain
  return { bytes: box.bytes(), records: scan.records(), copied: scan.copied() }
}, Effect.scoped)
