/**
 * Hostile bytes: `node test/genome/fuzz.ts [inputs] [seed]`, by default 50,000. Each input is a small BAM, VCF or index with
 * flipped, overwritten, cut, repeated or inflated parts; mutations are made below the compression too, so that they reach
 * the parsers. Structure check, walk and slice must end with a typed error or a sound result, each within a second and all
 * within 256 MB above the start.
 */
import { Effect, Result } from "effect"
import { encodeBamHeader } from "../../core/src/genome/BamHeader.ts"
import { encodeRecord } from "../../core/src/genome/BamRecord.ts"
import { planBamSlice, writeBamSlice } from "../../core/src/genome/BamSlice.ts"
import { fromBytes } from "../../core/src/genome/ByteReader.ts"
import { Codec } from "../../core/src/genome/Codec.ts"
import * as IndexBuilder from "../../core/src/genome/IndexBuilder.ts"
import { parseRange } from "../../core/src/genome/RegionText.ts"
import { checkStructure } from "../../core/src/genome/Structure.ts"
import { planVcfSlice, writeVcfSlice } from "../../core/src/genome/VcfSlice.ts"
import { walkBlocks } from "../../core/src/genome/WalkBlocks.ts"
import * as ZlibCodec from "../../platform/ZlibCodec.ts"
import * as Dice from "../../sandbox/samples/Dice.ts"
import { bamFile, bgzf, concat, read, references, text } from "./Fixtures.ts"

const inputs = Number(process.argv[2] ?? 50_000)
const dice = Dice.make(Number(process.argv[3] ?? 1))

const extremes = [0, 1, 0x7f, 0x80, 0xff] as const

/** One to four mutations of a copy. */
const mutate = (original: Uint8Array): Uint8Array => {
  let bytes = new Uint8Array(original)
  for (let left = dice.between(1, 5); left > 0 && bytes.length > 8; left--) {
    const at = dice.between(0, bytes.length)
    const kind = dice.next()
    if (kind < 0.3) bytes[at] = (bytes[at] ?? 0) ^ (1 << dice.between(0, 8))
    else if (kind < 0.5) bytes.fill(dice.pick(extremes), at, at + dice.pick([1, 2, 4, 8]))
    else if (kind < 0.7)
      new DataView(bytes.buffer).setUint32(
        Math.min(at, bytes.length - 4),
        dice.pick([2 ** 31 - 1, 2 ** 32 - 1, 2 ** 24, 65_536, 5]),
        true
      )
    else if (kind < 0.8) bytes = new Uint8Array(bytes.subarray(0, at))
    else if (kind < 0.9)
      bytes = new Uint8Array(concat(bytes.subarray(0, at), bytes.subarray(dice.between(0, bytes.length))))
    else bytes.copyWithin(at, dice.between(0, bytes.length))
  }
  return bytes
}

const nothing = { write: () => Effect.void }
const options = { program: { name: "fuzz", version: "0" }, level: 1 }
const everything = Result.getOrThrow(parseRange("chr1:100-9000 chr3"))

const program = Effect.gen(function* () {
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
  const inflatedTbi = builder.tbi(["chr1"])
  const inflatedCsi = builder.vcfCsi(["chr1"])

  const sliceBam = Effect.fnUntraced(function* (data: Uint8Array, index: Uint8Array) {
    const source = { name: "x.bam", reader: fromBytes(data), indexName: "x.bam.bai", index: fromBytes(index) }
    const plan = yield* planBamSlice({ source, wanted: everything, unmapped: true })
    yield* writeBamSlice(source, plan, nothing, options)
  })
  const sliceVcf = Effect.fnUntraced(function* (data: Uint8Array, index: Uint8Array, suffix: string) {
    const source = {
      name: "x.vcf.gz",
      reader: fromBytes(data),
      indexName: `x.vcf.gz.${suffix}`,
      index: fromBytes(index)
    }
    const plan = yield* planVcfSlice({ source, wanted: everything })
    yield* writeVcfSlice(source, plan, nothing, options)
  })
  const compressed = (inflated: Uint8Array) =>
    dice.chance(0.7) ? bgzf(codec, mutate(inflated)) : mutate(bgzf(codec, inflated))
  const vcf = bgzf(codec, inflatedVcf)
  const kinds = [
    () => {
      const bytes = mutate(bam)
      return Effect.all(
        [checkStructure("x.bam", fromBytes(bytes)), walkBlocks("x.bam", fromBytes(bytes)), sliceBam(bytes, bai)].map(
          Effect.result
        )
      )
    },
    () => {
      const bytes = bgzf(codec, mutate(inflatedBam))
      return Effect.all([checkStructure("x.bam", fromBytes(bytes)), sliceBam(bytes, bai)].map(Effect.result))
    },
    () => {
      const bytes = mutate(bai)
      const data = { name: "x.bam", reader: fromBytes(bam) }
      return Effect.all([checkStructure("x.bam.bai", fromBytes(bytes), data), sliceBam(bam, bytes)].map(Effect.result))
    },
    () => {
      const bytes = compressed(inflatedVcf)
      return Effect.all(
        [checkStructure("x.vcf.gz", fromBytes(bytes)), sliceVcf(bytes, bgzf(codec, inflatedTbi), "tbi")].map(
          Effect.result
        )
      )
    },
    () => {
      const [suffix, inflated] = dice.chance(0.5) ? (["tbi", inflatedTbi] as const) : (["csi", inflatedCsi] as const)
      const bytes = compressed(inflated)
      const data = { name: "x.vcf.gz", reader: fromBytes(vcf) }
      return Effect.all(
        [checkStructure(`x.vcf.gz.${suffix}`, fromBytes(bytes), data), sliceVcf(vcf, bytes, suffix)].map(Effect.result)
      )
    }
  ] as const

  const before = process.memoryUsage().rss
  let refused = 0
  let slowest = 0
  let highest = 0
  for (let i = 0; i < inputs; i++) {
    const started = process.hrtime.bigint()
    const results = yield* dice.pick(kinds)()
    const milliseconds = Number(process.hrtime.bigint() - started) / 1e6
    slowest = Math.max(slowest, milliseconds)
    if (i % 100 === 0) highest = Math.max(highest, process.memoryUsage().rss - before)
    for (const result of results) {
      if (Result.isSuccess(result)) continue
      refused++
      if (result.failure._tag !== "FileDamaged" && result.failure._tag !== "UsageError")
        return yield* Effect.die(result.failure)
    }
    if (milliseconds > 1_000 || highest > 2 ** 28) {
      return yield* Effect.die(
        new Error(`input ${i}: ${milliseconds.toFixed(0)} ms, ${Math.round(highest / 2 ** 20)} MB`)
      )
    }
  }
  return `${inputs} inputs, ${refused} refusals, slowest ${slowest.toFixed(0)} ms, ${Math.round(highest / 2 ** 20)} MB more\n`
})

process.stdout.write(await Effect.runPromise(program.pipe(Effect.provide(ZlibCodec.layer))))
