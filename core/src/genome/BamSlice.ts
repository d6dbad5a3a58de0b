/** Slices of BAM files: exactly the records of `samtools view -b -M -L`, in file order, with a fresh index. */
import { Effect } from "effect"
import { FileDamaged, type UsageError } from "../Errors.ts"
import * as BaiIndex from "./BaiIndex.ts"
import { type BamHeader, encodeBamHeader, readBamHeader } from "./BamHeader.ts"
import * as Bgzf from "./Bgzf.ts"
import type { BinIndex } from "./BinIndex.ts"
import { Codec } from "./Codec.ts"
import { type FetchPlan, planFetches } from "./FetchPlan.ts"
import * as IndexBuilder from "./IndexBuilder.ts"
import { bam } from "./RecordFormat.ts"
import { formatRegions, type ReferenceRegions, resolveRegions } from "./Regions.ts"
import type { RegionText } from "./RegionText.ts"
import { compress, run, type SliceOptions, type SliceResult, type SliceSink, type SliceSource } from "./Slice.ts"
import { bamSliceText, regionsKey } from "./SliceHeader.ts"
import { planStretches } from "./SlicePlan.ts"
import type { Stretches } from "./Stretches.ts"
import { readIndex } from "./Structure.ts"

/** What a slice will read, known before any record is fetched. */
export interface BamSlicePlan {
  readonly header: BamHeader
  readonly regions: ReadonlyArray<ReferenceRegions>
  /** The regions as they will stand in the header of the slice. */
  readonly key: string
  readonly unmapped: boolean
  readonly stretches: Stretches
  readonly ranges: FetchPlan
}

export interface BamSliceRequest<E> {
  readonly source: SliceSource<E>
  /** May be empty when `unmapped` is set. */
  readonly wanted: ReadonlyArray<RegionText>
  /** Takes the reads without a position too. */
  readonly unmapped: boolean
}

/** BAI holds positions below 2^29. */
const largestBai = 2 ** 29

/** Levels of bins that hold a reference of `length` bases. */
const depthFor = (length: number): number => {
  let depth = BaiIndex.depth
  while (2 ** (BaiIndex.minShift + 3 * depth) < length) depth++
  return depth
}

const checkFits = (
  source: SliceSource<unknown>,
  header: BamHeader,
  index: BinIndex
): Effect.Effect<void, FileDamaged> =>
  index.references === header.references.length
    ? Effect.void
    : new FileDamaged({
        file: source.indexName,
        fault: "IndexMismatch",
        reason: `it is not the index of ${source.name}: it has ${index.references} references and the data has ${header.references.length}`
      })

/**
 * Reads header and index and decides what to fetch. Fails with `UsageError` for regions that the file cannot have, and
 * with `FileDamaged` for a header or index that is not sound.
 */
export const planBamSlice = Effect.fn("planBamSlice")(function* <E>({
  source,
  unmapped,
  wanted
}: BamSliceRequest<E>): Effect.fn.Return<BamSlicePlan, FileDamaged | UsageError | E, Codec> {
  const { crc32 } = yield* Codec
  const format = source.indexName.toLowerCase().endsWith(".csi") ? "CSI" : "BAI"
  const [header, { index }] = yield* Effect.all(
    [readBamHeader(source.name, source.reader), readIndex(source.indexName, source.index, format)],
    { concurrency: 2 }
  )
  yield* checkFits(source, header, index)
  const regions = yield* Effect.fromResult(resolveRegions(wanted, header.references))
  const dataEnd = source.reader.size - Bgzf.eofBlock.length
  const longest = header.references.reduce((most, { length }) => Math.max(most, length), 0)
  const stretches = planStretches(regions, index, {
    size: source.reader.size,
    copyWhole: longest <= largestBai,
    unplaced: unmapped ? { firstRecord: header.firstRecord, dataEnd } : null
  })
  const ranges = planFetches(stretches, source.reader.size)
  const key = regionsKey(formatRegions(regions, unmapped), crc32)
  return { header, regions, key, unmapped, stretches, ranges }
})

/**
 * Writes the slice of a plan to `sink` and gives its index. Fails with `FileDamaged` when the file is not what header and
 * index say; what was written then is of no use.
 */
export const writeBamSlice = Effect.fn("writeBamSlice")(function* <E, E2>(
  source: SliceSource<E>,
  plan: BamSlicePlan,
  sink: SliceSink<E2>,
  options: SliceOptions
): Effect.fn.Return<SliceResult, FileDamaged | E | E2, Codec> {
  const codec = yield* Codec
  const { references } = plan.header
  const longest = references.reduce((most, { length }) => Math.max(most, length), 0)
  const depth = depthFor(longest)
  const index = IndexBuilder.make(BaiIndex.minShift, depth)
  const text = bamSliceText(plan.header, options.program, plan.key)
  const written = yield* run({
    file: source.name,
    reader: source.reader,
    sink,
    format: bam(references.length),
    header: encodeBamHeader(text, references),
    regions: plan.regions,
    stretches: plan.stretches,
    ranges: plan.ranges,
    index,
    options
  })
  const csi = longest > largestBai
  return {
    ...written,
    fetched: plan.ranges.bytes,
    ranges: plan.ranges.length,
    index: csi ? compress(codec, index.csi(references.length), 6) : index.bai(references.length),
    indexSuffix: csi ? "csi" : "bai"
  }
})
