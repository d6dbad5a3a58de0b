/**
 * Slices: exactly the records of a file that overlap the wanted regions (as `samtools view -b -M -L` and `bcftools view -R`
 * have them), each once, in file order, with a fresh index.
 */
import { Effect, type Scope } from "effect"
import { FileDamaged, type UsageError } from "../Errors.ts"
import * as Bgzf from "./Bgzf.ts"
import * as BgzfWriter from "./BgzfWriter.ts"
import { BlockThread } from "./BlockBoard.ts"
import type { ByteReader } from "./ByteReader.ts"
import { Codec } from "./Codec.ts"
import { fetchRanges } from "./FetchedRange.ts"
import { type FetchPlan, planFetches } from "./FetchPlan.ts"
import { type DataType, type IndexSuffix, indexesOf } from "./formats/FileNames.ts"
import { isCompressed, type Slicing } from "./formats/Format.ts"
import { open } from "./formats/Formats.ts"
import * as IndexBuilder from "./IndexBuilder.ts"
import * as Lookahead from "./Lookahead.ts"
import { formatRegions, type ReferenceRegions, resolveRegions } from "./Regions.ts"
import type { RegionText } from "./RegionText.ts"
import { type Program, regionsKey } from "./SliceHeader.ts"
import { planStretches } from "./SlicePlan.ts"
import * as SliceScan from "./SliceScan.ts"
import type { Stretches } from "./Stretches.ts"
import { readIndex } from "./Structure.ts"

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
  readonly indexSuffix: IndexSuffix
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

/** A file, and what is wanted of it. */
export interface SliceWanted<E> {
  readonly source: SliceSource<E>
  /** What its name says it is. */
  readonly type: DataType
  /** May be empty when `unmapped` is set. */
  readonly wanted: ReadonlyArray<RegionText>
  /** Takes the reads without a position too; formats without such reads take none. */
  readonly unmapped: boolean
}

/** What a slice will read, known before any record is fetched. */
export interface SlicePlan<E> {
  readonly source: SliceSource<E>
  readonly slicing: Slicing
  readonly regions: ReadonlyArray<ReferenceRegions>
  /** The regions as they will stand in the header of the slice. */
  readonly key: string
  readonly stretches: Stretches
  readonly ranges: FetchPlan
}

/**
 * Reads header and index and decides what to fetch. Fails with `UsageError` for regions that the file cannot have, and
 * with `FileDamaged` for a header or index that is not sound, or a format that cannot be cut.
 */
export const planSlice = Effect.fn("svc.genome.planSlice")(function* <E>({
  source,
  type,
  unmapped,
  wanted
}: SliceWanted<E>): Effect.fn.Return<SlicePlan<E>, FileDamaged | UsageError | E, Codec> {
  const { crc32 } = yield* Codec
  const { indexName, name, reader } = source
  const [file, index] = yield* Effect.all(
    [open(name, reader, type), Effect.result(readIndex(indexName, source.index, indexSuffixOf(indexName, type)))],
    { concurrency: 2 }
  )
  if (file.slicing === null) {
    const reason = `it is ${file.format.name}, of which no regions can be cut out: download it whole`
    return yield* new FileDamaged({ file: name, fault: "BadHeader", reason })
  }
  const tabix = yield* Effect.fromResult(index)
  const slicing = yield* Effect.fromResult(file.slicing(tabix)).pipe(
    Effect.mapError(
      (reason) =>
        new FileDamaged({
          file: indexName,
          fault: "IndexMismatch",
          reason: `it is not the index of ${name}: ${reason}`
        })
    )
  )
  const regions = yield* Effect.fromResult(resolveRegions(wanted, slicing.references))
  const { firstRecord } = slicing
  const dataEnd = reader.size - Bgzf.eofBlock.length
  const stretches = planStretches(regions, tabix.index, {
    size: reader.size,
    copyWhole: firstRecord !== null && slicing.indexSuffix === "bai",
    unplaced: unmapped && firstRecord !== null ? { firstRecord, dataEnd } : null
  })
  return {
    source,
    slicing,
    regions,
    key: regionsKey(formatRegions(regions, unmapped && firstRecord !== null), crc32),
    stretches,
    ranges: planFetches(stretches, reader.size)
  }
})

/**
 * Writes the slice of a plan to `sink` and gives its index. Fails with `FileDamaged` when the file is not what header and
 * index say; what was written then is of no use.
 */
export const writeSlice = Effect.fn("svc.genome.writeSlice")(function* <E, E2>(
  plan: SlicePlan<E>,
  sink: SliceSink<E2>,
  options: SliceOptions
): Effect.fn.Return<SliceResult, FileDamaged | E | E2, Codec> {
  const codec = yield* Codec
  const { ranges, slicing } = plan
  const builder = IndexBuilder.make(slicing.minShift, slicing.depth)
  const written = yield* run(plan, sink, builder, options)
  const index = slicing.index(builder)
  return {
    ...written,
    fetched: ranges.bytes,
    ranges: ranges.length,
    index: isCompressed(slicing.indexSuffix) ? compress(codec, index, 6) : index,
    indexSuffix: slicing.indexSuffix
  }
})

/** What kind of index a name means; one that does not say is of the usual kind. */
const indexSuffixOf = (name: string, type: DataType): IndexSuffix => {
  const [usual = "csi", ...others] = indexesOf(type)
  return others.find((suffix) => name.toLowerCase().endsWith(`.${suffix}`)) ?? usual
}

/**
 * Fetches the ranges, several at a time and handed on in order, scans them and writes header, records and end-of-file
 * block. At most `connections` ranges and two more are in memory.
 */
const run = Effect.fnUntraced(function* <E, E2>(
  { key, ranges, regions, slicing, source, stretches }: SlicePlan<E>,
  sink: SliceSink<E2>,
  index: IndexBuilder.IndexBuilder,
  options: SliceOptions
): Effect.fn.Return<
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
  writer.write(slicing.header(options.program, key))
  writer.flush()
  const scan = SliceScan.make({
    file: source.name,
    size: source.reader.size,
    codec,
    lookahead,
    format: slicing.records,
    stretches,
    regions,
    writer,
    index
  })
  yield* fetchRanges(source.reader, ranges, options.connections ?? defaultConnections, {
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
