/** A data file with the index that leads to its regions. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { FileDamaged } from "../Errors.ts"
import { humanSize } from "../text/Quantity.ts"
import type { ByteReader } from "./ByteReader.ts"
import { eofBlock, maxBlock } from "./bgzf/Bgzf.ts"
import type { Codec } from "./bgzf/Codec.ts"
import * as VirtualOffset from "./bgzf/VirtualOffset.ts"
import type { DataType } from "./formats/FileNames.ts"
import type { PlainHeader, ReferenceAt, Slicing } from "./formats/Format.ts"
import { openFormat } from "./formats/Formats.ts"
import { addressable } from "./index/IndexRules.ts"
import type { TabixIndex } from "./index/TabixIndex.ts"
import { bytesOf, type FileOrder, fileOrder, type Gap, gapsOf } from "./index/Tiling.ts"
import type { ReferenceRegions } from "./regions/Regions.ts"
import {
  blamedOnEnd,
  checkLastEnd,
  countPlaceless,
  type DataFile,
  hasEnd,
  lastEndRange,
  mismatch,
  readIndex
} from "./Structure.ts"
import { type Planned, planStretches } from "./slice/StretchPlan.ts"

export interface IndexedSource<E> extends DataFile<E> {
  readonly index: { readonly name: string; readonly reader: ByteReader<E> }
}

/** A file whose header and index were read. */
export interface IndexedFile<E> {
  readonly name: string
  readonly header: PlainHeader
  readonly indexName: string
  readonly tabix: TabixIndex
  /** How regions are cut out of it. */
  readonly slicing: Slicing
  /** What its records say where the index leads. */
  readonly records: ReferenceAt
  readonly order: FileOrder
  /** Where the data of the file ends (bytes), and whether the end-of-file block follows. */
  readonly dataEnd: number
  readonly hasEnd: boolean
  /** Fails where the data and the index do not end together: a block of the file is then missing or too much. */
  readonly checkLastEnd: Effect.Effect<void, FileDamaged | E, Codec>
  /** Number of the reads that have a reference and no position and are not in the index: htsjdk counts them among the unplaced ones. */
  readonly placeless: Effect.Effect<number, FileDamaged | E, Codec>
  /** What that reads; null for nothing. */
  readonly lastEnd: ReturnType<typeof lastEndRange>
}

/** Reads the header of `source` and its index. Fails with `FileDamaged` for a format that cannot be cut, and for an index of another file. */
export const openIndexed = Effect.fn("svc.genome.openIndexed")(function* <E>(
  source: IndexedSource<E>,
  type: DataType
): Effect.fn.Return<IndexedFile<E>, FileDamaged | E, Codec> {
  const { index, name, reader } = source
  const [file, read, ended] = yield* Effect.all(
    [openFormat(name, reader, type), Effect.result(readIndex(index.name, index.reader)), hasEnd(reader)],
    { concurrency: 3 }
  )
  const tabix = yield* Effect.fromResult(read)
  const asOwn = <A>(result: Result.Result<A, string>) =>
    Effect.fromResult(Result.mapError(result, (reason) => mismatch(index.name, name, reason)))
  const slicing = yield* asOwn(file.slicing(tabix))
  const records = yield* asOwn(file.referenceAt(tabix))
  const order = fileOrder(tabix.index)
  return {
    ...{ name, header: file.header, indexName: index.name, tabix, slicing, records, order, hasEnd: ended },
    placeless: Effect.suspend(() => {
      const gaps = [...gapsOf(tabix.index, order, slicing.firstRecord, () => false)]
      const last = order.extents.at(-1)?.end ?? slicing.firstRecord
      return countPlaceless(index.name, [...gaps.map(({ begin }) => begin), last], source, records)
    }),
    dataEnd: reader.size - (ended ? eofBlock.length : 0),
    lastEnd: lastEndRange(tabix.index, reader.size, records),
    checkLastEnd: Effect.mapError(checkLastEnd(index.name, tabix.index, source, records), (error) =>
      ended ? error : blamedOnEnd(name, error)
    )
  }
})

/** What tells where wanted records lie in a file. */
export type Led = Pick<IndexedFile<never>, "name" | "indexName" | "order" | "dataEnd"> & {
  readonly tabix: Pick<TabixIndex, "index">
  readonly slicing: Pick<Slicing, "firstRecord">
}

/** What has to be read for regions; fails where they begin behind the last bin. `hasUnplaced`: the unplaced reads are wanted too. */
export const planIndexed = (
  { dataEnd, indexName, order, slicing: { firstRecord }, tabix: { index } }: Led,
  regions: ReadonlyArray<ReferenceRegions>,
  hasUnplaced: boolean
): Result.Result<Planned, FileDamaged> => {
  const bases = addressable(index)
  const beyond = regions.find(({ bounds }) => (bounds[bounds.length - 2] ?? 0) >= bases)
  if (beyond !== undefined) {
    const reason = `a ${index.format} cannot lead to what ${beyond.name} has behind base ${bases}: make a CSI (samtools index -c, bcftools index -c)`
    return Result.fail(new FileDamaged({ file: indexName, fault: "IndexMismatch", reason }))
  }
  return Result.succeed(planStretches(regions, index, { order, firstRecord, unplacedTo: hasUnplaced ? dataEnd : null }))
}

/** What an index surely lacks, as a phrase with it as subject; null for nothing. What may be two names of one place is no lack. */
export const lackOf = ({
  name,
  order,
  slicing,
  tabix
}: Pick<IndexedFile<never>, "name" | "order" | "slicing" | "tabix">): string | null => {
  for (const { after, before, begin, end } of gapsOf(tabix.index, order, slicing.firstRecord)) {
    const [from, to] = [VirtualOffset.block(begin), VirtualOffset.block(end)]
    if (VirtualOffset.within(end) === 0 && to - from <= maxBlock) continue
    const nameOf = (ref: number) => slicing.references[ref]?.name ?? ""
    const where = before === null ? "" : `${nameOf(before.ref)}:${before.position + 1} and `
    return `it leads to nothing of ${name} from byte ${from} to ${to}, between ${where}${nameOf(after)}: index the file anew`
  }
  return null
}

/** What an index lacks, for the log. */
export const gapsText = ({ indexName, name }: Led, gaps: ReadonlyArray<Gap>): string => {
  const [first, ...others] = gaps
  const place = first === undefined ? 0 : VirtualOffset.block(first.begin)
  const more = others.length === 0 ? "" : `, and in ${others.length} more places`
  return `${indexName}: it does not lead to all of ${name}: ${humanSize(bytesOf(gaps))} from byte ${place} on${more}, which are read as well, record by record. Index the file anew`
}
