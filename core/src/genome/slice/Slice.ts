/**
 * Slices: exactly the records of a file that overlap the wanted regions (as `samtools view -b -M -L` and `bcftools view -R`
 * have them), each once, in file order, with a fresh index.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { FileDamaged, type NotFound, type UsageError } from "../../Errors.ts"
import * as Bgzf from "../bgzf/Bgzf.ts"
import * as BgzfWriter from "../bgzf/BgzfWriter.ts"
import { Codec } from "../bgzf/Codec.ts"
import type { DataType, IndexSuffix } from "../formats/FileNames.ts"
import { recordFormat } from "../formats/RecordFormats.ts"
import { regionsKey, type SliceMaker } from "../formats/SliceHeader.ts"
import { gapsText, type IndexedFile, type IndexedSource, openIndexed, planIndexed } from "../IndexedFile.ts"
import * as IndexBuilder from "../index/IndexBuilder.ts"
import { unplacedOf } from "../index/IndexRules.ts"
import { Leads } from "../index/Tiling.ts"
import { formatRegions, type ReferenceRegions, resolveRegions, unlistedReferences } from "../regions/Regions.ts"
import type { RegionText } from "../regions/RegionText.ts"
import { blamedOnEnd, noEnd } from "../Structure.ts"
import { type ByteRange, type FetchPlan, planFetches } from "./FetchPlan.ts"
import { addToIndex } from "./SliceOutput.ts"
import * as SliceRun from "./SliceRun.ts"
import * as SliceScan from "./SliceScan.ts"
import type { Stretches } from "./StretchPlan.ts"

/** Where a slice goes: its bytes in order. They are overwritten when `write` is done. */
export interface SliceSink<E> {
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, E>
}

export interface SliceOptions {
  readonly program: SliceMaker
  /** Ranges fetched at the same time. */
  readonly connections: number
}

export interface SliceResult {
  /** Bytes written. */
  readonly bytes: number
  readonly records: number
  /** Bytes of blocks that passed as they were. */
  readonly copied: number
  /** The whole index file of the slice, and the suffix that belongs to it. */
  readonly index: Uint8Array
  readonly indexSuffix: IndexSuffix
  /** What is not as it should be in the file, though its records could be read. */
  readonly warnings: ReadonlyArray<string>
}

/** Of the blocks that cannot be copied: half the CPU of level 6, for 4 % more bytes at the edges of regions (bench/README.md). */
const deflateLevel = 4

/** A file, and what is wanted of it. */
export interface SliceWanted<E> {
  readonly source: IndexedSource<E>
  /** What its name says it is. */
  readonly type: DataType
  /** May be empty when `takeUnplaced` is set. */
  readonly wanted: ReadonlyArray<RegionText>
  /** Takes the unplaced reads too; formats that have none take none. */
  readonly takeUnplaced: boolean
}

/** What a slice will read, known before any record is fetched. */
export interface SlicePlan<E>
  extends Pick<IndexedFile<E>, "slicing" | "order" | "tabix" | "dataEnd" | "hasEnd" | "checkLastEnd" | "placeless"> {
  readonly source: IndexedSource<E>
  /** The header of the file, inflated. */
  readonly header: () => Uint8Array
  readonly regions: ReadonlyArray<ReferenceRegions>
  /** True when the unplaced reads are taken too. */
  readonly takeUnplaced: boolean
  /** Number of unplaced reads that the index counts (`n_no_coor`); null when it does not say. */
  readonly unplaced: number | null
  /** The regions as they will stand in the header of the slice. */
  readonly key: string
  /** What is not as it should be, though the slice can be made. */
  readonly warnings: ReadonlyArray<string>
  /** The stretches of the file that are read. */
  readonly stretches: Stretches
  readonly ranges: FetchPlan
  /** All that will be read: `ranges`, and what `checkLastEnd` looks at. */
  readonly reads: Iterable<Pick<ByteRange, "offset" | "length">>
}

/**
 * Reads header and index and decides what to fetch. Fails with `NotFound` for regions that the file does not have, with
 * `UsageError` for ambiguous ones, and with `FileDamaged` for a header or index that is not sound.
 */
export const planSlice = Effect.fn("svc.genome.planSlice")(function* <E>({
  source,
  type,
  takeUnplaced,
  wanted
}: SliceWanted<E>): Effect.fn.Return<SlicePlan<E>, FileDamaged | NotFound | UsageError | E, Codec> {
  const { crc32 } = yield* Codec
  const { name, reader } = source
  const opened = yield* openIndexed(source, type)
  // What that knows without reading is known before records are fetched.
  if (opened.lastEnd === null) yield* opened.checkLastEnd
  const { dataEnd, hasEnd, header, order, slicing, tabix } = opened
  const unlisted = slicing.namesAll ? [] : unlistedReferences(wanted, slicing.references)
  const references = [...slicing.references, ...unlisted.map((reference) => ({ name: reference, length: null }))]
  const regions = yield* Effect.fromResult(resolveRegions(wanted, references, name))
  const hasUnplaced = takeUnplaced && slicing.holdsUnplaced
  const { gaps, stretches } = yield* Effect.fromResult(planIndexed(opened, regions, hasUnplaced))
  if (gaps.length > 0) yield* Effect.logInfo(gapsText(opened, gaps))
  const ranges = planFetches(stretches, reader.size)
  return {
    source,
    ...{ slicing, order, tabix },
    header: header.bytes,
    regions,
    dataEnd,
    hasEnd,
    key: regionsKey(formatRegions(regions, hasUnplaced), crc32),
    warnings: [
      ...(unlisted.length === 0
        ? []
        : [`${name}: it has no ##contig lines and no record on ${unlisted.join(", ")}: the slice has none there`]),
      ...(hasEnd
        ? []
        : [`${name}: ${noEnd}: the slice has the wanted records of what is there, and more may be missing`])
    ],
    takeUnplaced: hasUnplaced,
    unplaced: unplacedOf(tabix.index),
    checkLastEnd: opened.checkLastEnd,
    placeless: opened.placeless,
    stretches,
    ranges,
    reads: {
      *[Symbol.iterator]() {
        yield* ranges
        if (opened.lastEnd !== null) yield* [opened.lastEnd]
      }
    }
  }
})

/** A slice that is made while its bytes are read. */
export interface Slice<E> {
  /**
   * Its bytes in order, each part of them until the next is asked for. They fail with `FileDamaged` when the file is not what header and
   * index say: what came before is sound, and has no end-of-file block.
   */
  readonly bytes: Stream.Stream<Uint8Array, FileDamaged | E, Codec>
  /** What it came to, when all bytes were read. */
  readonly result: Effect.Effect<SliceResult>
  /** Number of records so far. */
  readonly records: Effect.Effect<number>
}

/** The scan of a plan, and what comes of it range after range. */
const scanOf = <E>(
  plan: SlicePlan<E>,
  codec: Codec["Service"],
  { connections, level }: { readonly connections: number; readonly level: number | null }
) => {
  const { dataEnd, order, ranges, regions, slicing, source, stretches, tabix, takeUnplaced } = plan
  const names = slicing.references.map(({ name }) => name)
  // Those too that nothing in the file names.
  for (const { name, ref } of regions) names[ref] = name
  const scan = SliceScan.make({
    ...{ codec, takeUnplaced, stretches, order, dataEnd, limit: IndexBuilder.limit, names },
    leads: Leads.of(tabix.index, order, regions),
    format: recordFormat(slicing.records.format === "VCF" ? { ...slicing.records, names } : slicing.records),
    wanted: new Map(regions.map(({ bounds, ref }) => [ref, bounds])),
    form: level === null ? "content" : "blocks"
  })
  const parts = SliceRun.stream({ file: source.name, reader: source.reader, ranges, scan, connections, level })
  return { scan, parts }
}

/** `records`, and then what is known only at their end: that no block of the file is missing or too much. */
const proven = <E>(
  plan: SlicePlan<E>,
  scan: SliceScan.Scan,
  records: Stream.Stream<Uint8Array, FileDamaged | E, Codec>
): Stream.Stream<Uint8Array, FileDamaged | E, Codec> => {
  const { source, takeUnplaced, unplaced } = plan
  // After the last reference only their number shows that a block of unplaced reads is missing.
  const countUnplaced = Effect.gen(function* () {
    const found = scan.unplaced()
    if (!takeUnplaced || unplaced === null || found === unplaced) return
    if (found < unplaced && found + (yield* plan.placeless) === unplaced) return
    const reason = `its index does not fit: it counts ${unplaced} unplaced reads, and there are ${found}`
    return yield* new FileDamaged({ file: source.name, fault: "IndexMismatch", reason })
  })
  return Stream.unwrap(
    Effect.map(Effect.forkScoped(Effect.result(plan.checkLastEnd)), (checking) =>
      // Damage of a block or record comes first: its message names the place.
      Stream.concat(
        records,
        Stream.fromEffectDrain(
          Fiber.join(checking).pipe(
            Effect.flatMap((checked) => Effect.fromResult(checked)),
            Effect.andThen(countUnplaced)
          )
        )
      )
    )
  ).pipe(Stream.mapError((error) => (plan.hasEnd ? error : blamedOnEnd(source.name, error))))
}

/** Makes the slice of a plan. */
export const makeSlice = Effect.fnUntraced(function* <E>(
  plan: SlicePlan<E>,
  options: SliceOptions
): Effect.fn.Return<Slice<E>, never, Codec> {
  const codec = yield* Codec
  const { slicing } = plan
  const builder = IndexBuilder.make()
  const { parts, scan } = scanOf(plan, codec, { ...options, level: deflateLevel })
  const header: Array<Uint8Array> = []
  const writer = BgzfWriter.make(codec, deflateLevel, (block) => header.push(block))
  writer.write(slicing.header(options.program, plan.key))
  writer.flush()
  let offset = writer.block()

  const records = Stream.flatMap(parts, ({ blocks, giveBack }) => {
    const joined: Array<Uint8Array> = []
    for (const { block, bytes } of blocks) {
      addToIndex(block, builder, offset)
      offset += bytes.length
      appendTo(joined, bytes)
    }
    return Stream.concat(Stream.fromArray(joined), Stream.fromEffectDrain(Effect.sync(giveBack)))
  })
  const end = Effect.sync(() => {
    builder.close(offset, 0)
    offset += Bgzf.eofBlock.length
    return Bgzf.eofBlock
  })
  const bytes = Stream.concat(
    proven(plan, scan, Stream.concat(Stream.fromArray(header), records)),
    Stream.fromEffect(end)
  )
  const result = Effect.sync((): SliceResult => {
    const index = builder.fitting(codec, slicing.indexed, slicing.longest)
    return {
      bytes: offset,
      records: scan.records(),
      copied: scan.output.copied(),
      index: index.bytes,
      indexSuffix: index.suffix,
      warnings: plan.warnings
    }
  })
  return { bytes, result, records: Effect.sync(scan.records) }
})

/**
 * The records of a plan, inflated and without a header, in parts that end anywhere; the bytes belong to who reads them. Fails as the bytes of
 * the slice do, after the records before that.
 */
export const recordsOf = <E>(
  plan: SlicePlan<E>,
  options: Pick<SliceOptions, "connections">
): Stream.Stream<Uint8Array, FileDamaged | E, Codec> =>
  Stream.unwrap(
    Effect.map(Codec, (codec) => {
      const { parts, scan } = scanOf(plan, codec, { ...options, level: null })
      const records = Stream.flatMap(parts, ({ blocks, giveBack }) => {
        giveBack()
        return Stream.fromIterable(blocks.map(({ bytes }) => bytes))
      })
      return proven(plan, scan, records)
    })
  )

/** Appends bytes; those that lie behind the last ones in memory become one with them. */
const appendTo = (joined: Array<Uint8Array>, bytes: Uint8Array): void => {
  const last = joined.at(-1)
  if (last !== undefined && last.buffer === bytes.buffer && last.byteOffset + last.length === bytes.byteOffset) {
    joined[joined.length - 1] = new Uint8Array(last.buffer, last.byteOffset, last.length + bytes.length)
  } else joined.push(bytes)
}

/**
 * Writes the slice of a plan to `sink` and gives its index. Fails with `FileDamaged` when the file is not what header and
 * index say; what was written then is of no use.
 */
export const writeSlice = Effect.fn("svc.genome.writeSlice")(function* <E, E2>(
  plan: SlicePlan<E>,
  sink: SliceSink<E2>,
  options: SliceOptions
): Effect.fn.Return<SliceResult, FileDamaged | E | E2, Codec> {
  const { bytes, result } = yield* makeSlice(plan, options)
  yield* Stream.runForEach(bytes, (part) => sink.write(part))
  return yield* result
})
