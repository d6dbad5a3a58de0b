/** Small BAMs, VCFs and indexes; mutations are made below the compression too, so that they reach the parsers. */
import { Effect, Exit, Result } from "effect"
import { encodeBamHeader, readBamHeader } from "../../core/src/genome/BamHeader.ts"
import { encodeRecord } from "../../core/src/genome/BamRecord.ts"
import { planBamSlice, writeBamSlice } from "../../core/src/genome/BamSlice.ts"
import { fromBytes } from "../../core/src/genome/ByteReader.ts"
import { Codec } from "../../core/src/genome/Codec.ts"
import * as IndexBuilder from "../../core/src/genome/IndexBuilder.ts"
import { parseRange } from "../../core/src/genome/RegionText.ts"
import { checkStructure } from "../../core/src/genome/Structure.ts"
import { planVcfSlice, writeVcfSlice } from "../../core/src/genome/VcfSlice.ts"
import { bamRecords } from "../../core/src/verify/BamContent.ts"
import * as ZlibCodec from "../../platform/ZlibCodec.ts"
import type { Dice } from "../../sandbox/samples/Dice.ts"
import { bamFile, bgzf, concat, read, references, text } from "../genome/Fixtures.ts"
import { walk } from "../genome/Walk.ts"
import { mutate, type Outcome, type Target } from "./Mutation.ts"

const nothing = { write: () => Effect.void }
const options = { program: { name: "fuzz", version: "0" }, level: 1 }
const everything = Result.getOrThrow(parseRange("chr1:100-9000 chr3"))

type Reading = Effect.Effect<unknown, { readonly _tag: string }, Codec>

/** Structure check, walk and slice all look at it. */
const looked = (readings: ReadonlyArray<Reading>): Outcome => {
  const exit = Effect.runSyncExit(Effect.provide(Effect.all(readings.map(Effect.result)), ZlibCodec.layer))
  if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
  return exit.value.flatMap((result) => (Result.isFailure(result) ? [result.failure._tag] : []))
}

const makeTargets = Effect.gen(function* () {
  const codec = yield* Codec
  const reads = Array.from({ length: 60 }, (_, i) => read(`r${i}`, i < 40 ? 0 : 2, (i % 40) * 300))
  const { bai, bam } = bamFile(codec, reads, { blockBytes: 900 })
  const inflatedBam = concat(encodeBamHeader(text("@HD\tVN:1.6\n"), references), ...reads.map(encodeRecord))
  const lines = Array.from({ length: 80 }, (_, i) => `chr1\t${100 + i * 90}\t.\tA\tC\t.\t.\tEND=${150 + i * 90}\n`)
  const inflatedVcf = text(
    `##fileformat=VCFv4.2\n##contig=<ID=chr3>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n${lines.join("")}`
  )
  const builder = IndexBuilder.make(14, 5)
  for (const [i] of lines.entries()) builder.add(0, 100 + i * 90, 150 + i * 90, true, 0, 100 + i * 20)
  builder.close(0, 3_000)
  const [inflatedTbi, inflatedCsi] = [builder.tbi(["chr1"]), builder.vcfCsi(["chr1"])]
  const vcf = bgzf(codec, inflatedVcf)

  const sliceBam = Effect.fnUntraced(function* (data: Uint8Array, index: Uint8Array) {
    const source = { name: "x.bam", reader: fromBytes(data), indexName: "x.bam.bai", index: fromBytes(index) }
    const plan = yield* planBamSlice({ source, wanted: everything, unmapped: true })
    yield* writeBamSlice(source, plan, nothing, options)
  })
  const sliceVcf = Effect.fnUntraced(function* (data: Uint8Array, index: Uint8Array, suffix: string) {
    const name = `x.vcf.gz.${suffix}`
    const source = { name: "x.vcf.gz", reader: fromBytes(data), indexName: name, index: fromBytes(index) }
    const plan = yield* planVcfSlice({ source, wanted: everything })
    yield* writeVcfSlice(source, plan, nothing, options)
  })
  const compressed = (inflated: Uint8Array) => (dice: Dice) =>
    dice.chance(0.7) ? bgzf(codec, mutate(inflated, dice)) : mutate(bgzf(codec, inflated), dice)
  const target = (
    name: string,
    make: Target["make"],
    readings: (bytes: Uint8Array) => ReadonlyArray<Reading>
  ): Target => ({
    ...{ name, make, refusals: ["FileDamaged", "UsageError"] },
    read: (bytes) => looked(readings(bytes))
  })
  const bamReadings = (bytes: Uint8Array) => [
    checkStructure("x.bam", fromBytes(bytes)),
    walk("x.bam", fromBytes(bytes)),
    Effect.flatMap(readBamHeader("x.bam", fromBytes(bytes)), (header) =>
      walk("x.bam", fromBytes(bytes), bamRecords(header))
    ),
    sliceBam(bytes, bai)
  ]
  const vcfIndex = (suffix: string, inflated: Uint8Array) =>
    target(suffix, compressed(inflated), (bytes) => [
      checkStructure(`x.vcf.gz.${suffix}`, fromBytes(bytes), { name: "x.vcf.gz", reader: fromBytes(vcf) }),
      sliceVcf(vcf, bytes, suffix)
    ])
  return [
    target("bgzf", (dice) => mutate(bam, dice), bamReadings),
    target("bam", (dice) => bgzf(codec, mutate(inflatedBam, dice)), bamReadings),
    target(
      "bai",
      (dice) => mutate(bai, dice),
      (bytes) => [
        checkStructure("x.bam.bai", fromBytes(bytes), { name: "x.bam", reader: fromBytes(bam) }),
        sliceBam(bam, bytes)
      ]
    ),
    target("vcf", compressed(inflatedVcf), (bytes) => [
      checkStructure("x.vcf.gz", fromBytes(bytes)),
      sliceVcf(bytes, bgzf(codec, inflatedTbi), "tbi")
    ]),
    vcfIndex("tbi", inflatedTbi),
    vcfIndex("csi", inflatedCsi)
  ] as const
})

export const genomeTargets: ReadonlyArray<Target> = Effect.runSync(Effect.provide(makeTargets, ZlibCodec.layer))
