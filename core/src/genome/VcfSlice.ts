/**
 * Slices of VCF.gz files: one file for all regions with the lines of `bcftools view -R`, each once, in file order, with a
 * fresh index. A line belongs to a region when POS to INFO/END, or else REF, overlaps it.
 */
import { Effect } from "effect"
import { FileDamaged, type UsageError } from "../Errors.ts"
import * as BaiIndex from "./BaiIndex.ts"
import { Codec } from "./Codec.ts"
import { type FetchPlan, planFetches } from "./FetchPlan.ts"
import * as IndexBuilder from "./IndexBuilder.ts"
import { vcf } from "./RecordFormat.ts"
import { formatRegions, type KnownReference, type ReferenceRegions, resolveRegions } from "./Regions.ts"
import type { RegionText } from "./RegionText.ts"
import { compress, run, type SliceOptions, type SliceResult, type SliceSink, type SliceSource } from "./Slice.ts"
import { regionsKey, vcfSliceText } from "./SliceHeader.ts"
import { planStretches } from "./SlicePlan.ts"
import type { Stretches } from "./Stretches.ts"
import { readIndex } from "./Structure.ts"
import { readVcfHeader, type VcfHeader } from "./VcfHeader.ts"

/** What a slice will read, known before any line is fetched. */
export interface VcfSlicePlan {
  readonly header: VcfHeader
  readonly regions: ReadonlyArray<ReferenceRegions>
  /** The regions as they will stand in the header of the slice. */
  readonly key: string
  readonly stretches: Stretches
  readonly ranges: FetchPlan
  /** Names of the references in the order of the index. */
  readonly names: ReadonlyArray<string>
  /** Bins of the index to write. */
  readonly minShift: number
  readonly depth: number
}

export interface VcfSliceRequest<E> {
  readonly source: SliceSource<E>
  readonly wanted: ReadonlyArray<RegionText>
}

/** The references of the index, then those that only the header names: nothing is there, but they may be asked for. */
const knownReferences = (names: ReadonlyArray<string>, header: VcfHeader): ReadonlyArray<KnownReference> => {
  const lengths = new Map(header.contigs.map(({ length, name }) => [name, length]))
  const indexed = new Set(names)
  return [
    ...names.map((name) => ({ name, length: lengths.get(name) ?? null })),
    ...header.contigs.filter(({ name }) => !indexed.has(name))
  ]
}

/** TBI holds positions below 2^29. */
const largestTbi = 2 ** 29

/**
 * Reads header and index and decides what to fetch. Fails with `UsageError` for regions that the file cannot have, and
 * with `FileDamaged` for a header or index that is not sound.
 */
export const planVcfSlice = Effect.fn("planVcfSlice")(function* <E>({
  source,
  wanted
}: VcfSliceRequest<E>): Effect.fn.Return<VcfSlicePlan, FileDamaged | UsageError | E, Codec> {
  const { crc32 } = yield* Codec
  const format = source.indexName.toLowerCase().endsWith(".csi") ? "CSI" : "TBI"
  const [header, { columns, index }] = yield* Effect.all(
    [readVcfHeader(source.name, source.reader), readIndex(source.indexName, source.index, format)],
    { concurrency: 2 }
  )
  if (columns === null) {
    const reason = `it is not the index of ${source.name}: it is an index of a BAM file`
    return yield* new FileDamaged({ file: source.indexName, fault: "IndexMismatch", reason })
  }
  const known = knownReferences(columns.names, header)
  const regions = yield* Effect.fromResult(resolveRegions(wanted, known))
  const stretches = planStretches(regions, index, {
    size: source.reader.size,
    copyWhole: false,
    unplaced: null
  })
  const ranges = planFetches(stretches, source.reader.size)
  const small = format === "TBI" || known.every(({ length }) => length !== null && length <= largestTbi)
  return {
    header,
    regions,
    key: regionsKey(formatRegions(regions, false), crc32),
    stretches,
    ranges,
    names: columns.names,
    minShift: small ? BaiIndex.minShift : index.minShift,
    depth: small ? BaiIndex.depth : index.depth
  }
})

/**
 * Writes the slice of a plan to `sink` and gives its index. Fails with `FileDamaged` when the file is not what header and
 * index say; what was written then is of no use.
 */
export const writeVcfSlice = Effect.fn("writeVcfSlice")(function* <E, E2>(
  source: SliceSource<E>,
  plan: VcfSlicePlan,
  sink: SliceSink<E2>,
  options: SliceOptions
): Effect.fn.Return<SliceResult, FileDamaged | E | E2, Codec> {
  const codec = yield* Codec
  const index = IndexBuilder.make(plan.minShift, plan.depth)
  const written = yield* run({
    file: source.name,
    reader: source.reader,
    sink,
    format: vcf(plan.names),
    header: vcfSliceText(plan.header.text, options.program, plan.key),
    regions: plan.regions,
    stretches: plan.stretches,
    ranges: plan.ranges,
    index,
    options
  })
  const tbi = plan.minShift === BaiIndex.minShift && plan.depth === BaiIndex.depth
  return {
    ...written,
    fetched: plan.ranges.bytes,
    ranges: plan.ranges.length,
    index: compress(codec, tbi ? index.tbi(plan.names) : index.vcfCsi(plan.names), 6),
    indexSuffix: tbi ? "tbi" : "csi"
  }
})
