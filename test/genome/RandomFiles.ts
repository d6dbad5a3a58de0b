/** Random healthy files with their indexes: blocks that end with a record or inside one, records that spread out or pile up. */

import { Effect } from "effect"
import * as Bgzf from "../../core/src/genome/bgzf/Bgzf.ts"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import type { DataType, IndexSuffix } from "../../core/src/genome/formats/FileNames.ts"
import { vcfColumns } from "../../core/src/genome/formats/Vcf.ts"
import * as IndexBuilder from "../../core/src/genome/index/IndexBuilder.ts"
import type { SeededRandom } from "../../sandbox/samples/SeededRandom.ts"
import { bamFile, bgzf, concat, read, text } from "./Fixtures.ts"

export interface IndexedFile {
  readonly type: DataType
  readonly suffix: IndexSuffix
  readonly data: Uint8Array
  readonly index: Uint8Array
}

/** Sorted 0-based starts of records: spread evenly, at random, or fifty at one base. */
const positionsOf = (random: SeededRandom, count: number): ReadonlyArray<number> => {
  const step = random.pick([5, 40, 300])
  const pile = random.pick([1, 1, 1, 50])
  const even = Array.from({ length: count }, (_, i) => Math.floor(i / pile) * step * pile)
  return random.chance(0.5) ? even : even.map((one) => one + random.between(0, step)).sort((a, b) => a - b)
}

const randomRead = (random: SeededRandom, ref: number, position: number, i: number, noise: ReadonlyArray<number>) => {
  const name = random.chance(0.5) ? `r${ref}_${i}` : `read_${ref}_${"x".repeat(random.between(0, 9))}_${i}`
  const kind = random.next()
  const skip = [random.between(100, 60_000), "N"] as const
  const plain =
    kind < 0.05
      ? read(name, ref, position, [])
      : kind < 0.09
        ? { ...read(name, ref, position, [[20, "M"], skip, [30, "M"]]), standIn: kind < 0.07 }
        : read(name, ref, position)
  const from = random.between(0, Math.max(1, noise.length - plain.bases.length))
  return noise.length === 0 ? plain : { ...plain, qualities: noise.slice(from, from + plain.bases.length) }
}

const randomBam = Effect.fnUntraced(function* (random: SeededRandom, count: number) {
  const noise = Array.from({ length: random.pick([0, 4_000]) }, () => random.between(2, 42))
  const reads = [0, 1, 2].flatMap((ref) =>
    positionsOf(random, ref === 1 ? random.between(0, 30) : Math.floor(count / 2)).map((position, i) =>
      randomRead(random, ref, position, i, noise)
    )
  )
  const unplaced = random.chance(0.5) ? random.between(0, 300) : 0
  const { bai, bam, csi } = bamFile(
    yield* Codec,
    [...reads, ...Array.from({ length: unplaced }, (_, i) => read(`u${i}`, -1, -1, []))],
    { blockBytes: random.pick([700, 3_000, 3_000, 20_000]), wholeRecords: random.chance(0.7) }
  )
  const usual = random.chance(0.7)
  return { type: "bam", suffix: usual ? "bai" : "csi", data: bam, index: usual ? bai : csi } satisfies IndexedFile
})

const randomLine = (random: SeededRandom, name: string, start: number) => {
  const end = random.chance(0.02) ? start + random.between(2, 60_000) : start + 1
  const [alternative, info] =
    end === start + 1
      ? ["C", `DP=${random.between(0, 10 ** random.between(1, 6))}`]
      : ["<DEL>", random.chance(0.5) ? `END=${end}` : `SVLEN=${end - start - 1}`]
  return { start, end, bytes: text(`${name}\t${start + 1}\t.\tA\t${alternative}\t.\t.\t${info}\n`) }
}

/** A VCF with so many bytes of text in a block; with `cutsLines`, blocks end inside of lines. */
export const vcfFile = Effect.fnUntraced(function* (
  random: SeededRandom,
  count: number,
  limit: number,
  cutsLines: boolean
) {
  const codec = yield* Codec
  const contigs = [1, 2, 3].map((n) => `##contig=<ID=chr${n},length=1000000>\n`).join("")
  const blocks = [
    Bgzf.deflateBlock(codec, text(`##fileformat=VCFv4.2\n${contigs}#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n`), 1)
  ]
  const builder = IndexBuilder.make(14, 5)
  const names = ["chr1", "chr3"]
  let offset = blocks[0]?.length ?? 0
  let open: Array<Uint8Array> = []
  let used = 0
  const flush = () => {
    if (used === 0) return
    const block = Bgzf.deflateBlock(codec, concat(...open), 1)
    blocks.push(block)
    offset += block.length
    open = []
    used = 0
  }
  for (const [ref, name] of names.entries()) {
    for (const position of positionsOf(random, Math.floor(count / 2))) {
      const { bytes, end, start } = randomLine(random, name, position)
      if (!cutsLines && used + bytes.length > limit) flush()
      builder.add(ref, start, end, true, offset, used)
      for (let at = 0; at < bytes.length; ) {
        const part = bytes.subarray(at, at + limit - used)
        open.push(part)
        used += part.length
        at += part.length
        if (used >= limit) flush()
      }
    }
  }
  flush()
  builder.close(offset, 0)
  const usual = random.chance(0.7)
  return {
    ...{ type: "vcf.gz", suffix: usual ? "tbi" : "csi" },
    data: concat(...blocks, Bgzf.eofBlock),
    index: bgzf(codec, usual ? builder.tbi(vcfColumns(names)) : builder.csi(vcfColumns(names)))
  } satisfies IndexedFile
})

/** A BAM or VCF of about `count` records on chr1 and chr3. */
export const randomFile = (random: SeededRandom, count: number): Effect.Effect<IndexedFile, never, Codec> =>
  random.chance(0.6)
    ? randomBam(random, count)
    : vcfFile(random, count, random.pick([700, 3_000, 20_000]), random.chance(0.5))

/** One to five regions, each a whole reference or a part of it. */
export const randomRange = (random: SeededRandom): string =>
  Array.from({ length: random.pick([1, 1, 2, 5]) }, () => {
    const name = random.pick(["chr1", "chr3"])
    const from = random.between(1, random.pick([2_000, 20_000, 70_000]))
    return random.chance(0.2) ? name : `${name}:${from}-${from + random.pick([0, 100, 5_000, 30_000])}`
  }).join(" ")
