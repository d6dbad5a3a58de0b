/** Small, valid, deterministic BAM and VCF files with their indexes, for a sandbox without `--data`. */

// By its default export: Node 18 has no `crc32` to import, and would fail before `platform/Runtime.ts` can say what it needs.
import zlib from "node:zlib"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as BgzfWriter from "../../core/src/genome/bgzf/BgzfWriter.ts"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import { encodeBamHeader } from "../../core/src/genome/formats/BamHeader.ts"
import * as BamRecord from "../../core/src/genome/formats/BamRecord.ts"
import { vcfColumns } from "../../core/src/genome/formats/Vcf.ts"
import * as IndexBuilder from "../../core/src/genome/index/IndexBuilder.ts"
import { chromosomes } from "./Genome.ts"
import { readsOf } from "./Reads.ts"
import * as SeededRandom from "./SeededRandom.ts"
import { type Variant, variantsOf, vcfHeader, vcfLine } from "./Variants.ts"

export interface SampleFile {
  readonly name: string
  /** Made, with those of its partner, when they are first asked for: three samples take a second of CPU, and most runs look at one. */
  readonly bytes: () => Uint8Array
}

type Made = readonly [data: Uint8Array, index: Uint8Array]

const lazily = (data: string, index: string, make: () => Made): ReadonlyArray<SampleFile> => {
  let made: Made | null = null
  const both = () => (made ??= make())
  return [
    { name: data, bytes: () => both()[0] },
    { name: index, bytes: () => both()[1] }
  ]
}

export const sampleNames = ["S1", "S2", "S3"] as const

const encoder = new TextEncoder()
const level = 6

/** Collects what a writer emits. */
const collect = (codec: Codec["Service"]) => {
  const blocks: Array<Uint8Array> = []
  const writer = BgzfWriter.make(codec, level, (block) => blocks.push(block))
  const done = () => {
    writer.finish()
    const bytes = new Uint8Array(blocks.reduce((sum, block) => sum + block.length, 0))
    let at = 0
    for (const block of blocks) {
      bytes.set(block, at)
      at += block.length
    }
    return bytes
  }
  return { writer, done }
}

const compress = (codec: Codec["Service"], content: Uint8Array): Uint8Array => {
  const { done, writer } = collect(codec)
  writer.write(content)
  return done()
}

const samHeader = (sample: string): string =>
  [
    "@HD\tVN:1.6\tSO:coordinate",
    ...chromosomes.map(([name, length]) => `@SQ\tSN:${name}\tLN:${length}\tAS:GRCh38`),
    `@RG\tID:${sample}.1\tSM:${sample}\tLB:${sample}\tPL:ILLUMINA\tPU:HVKGWDSX3.1`,
    "@PG\tID:sandbox\tPN:svc-sandbox\tDS:invented reads",
    ""
  ].join("\n")

const bamOf = (codec: Codec["Service"], seed: number, sample: string, variants: ReadonlyArray<Variant>): Made => {
  const { done, writer } = collect(codec)
  const index = IndexBuilder.make(14, 5)
  const references = chromosomes.map(([name, length]) => ({ name, length }))
  writer.write(encodeBamHeader(encoder.encode(samHeader(sample)), references))
  writer.flush()
  for (const read of readsOf(seed, sample, variants)) {
    const { bytes } = read
    const view = new DataView(bytes.buffer)
    writer.reserve(bytes.length)
    const block = writer.block()
    const within = writer.within()
    writer.write(bytes)
    if (read.refId < 0) {
      index.close(block, within)
      index.addUnplaced(1)
      continue
    }
    const mapped = (read.flags & BamRecord.Flag.unmapped) === 0
    const end = BamRecord.end(view, 0)
    index.add(read.refId, read.position, end, mapped, block, within)
  }
  writer.flush()
  index.close(writer.block(), 0)
  return [done(), index.bai(references.length)]
}

const vcfOf = (codec: Codec["Service"], seed: number, sample: string, variants: ReadonlyArray<Variant>): Made => {
  const { done, writer } = collect(codec)
  const index = IndexBuilder.make(14, 5)
  const random = SeededRandom.make(SeededRandom.seedOf(seed, `${sample} genotypes`))
  const names: Array<string> = []
  writer.write(encoder.encode(vcfHeader(sample)))
  writer.flush()
  for (const variant of variants) {
    const line = encoder.encode(vcfLine(variant, random))
    const name = chromosomes[variant.ref]?.[0] ?? ""
    if (names[names.length - 1] !== name) names.push(name)
    writer.reserve(line.length)
    const block = writer.block()
    const within = writer.within()
    writer.write(line)
    const end = variant.end ?? variant.position + variant.reference.length
    index.add(names.length - 1, variant.position, end, true, block, within)
  }
  writer.flush()
  index.close(writer.block(), 0)
  return [done(), compress(codec, index.tbi(vcfColumns(names)))]
}

/** The files of all samples; the same seed gives the same bytes. Each sample has `.bam`, `.bam.bai`, `.vcf.gz`, `.vcf.gz.tbi`. */
export const makeSamples = Effect.fn("makeSamples")(function* (
  seed: number
): Effect.fn.Return<ReadonlyArray<SampleFile>, never, Codec> {
  const codec = yield* Codec
  return sampleNames.flatMap((sample) => {
    const variants = () => variantsOf(seed, sample)
    return [
      ...lazily(`${sample}.bam`, `${sample}.bam.bai`, () => bamOf(codec, seed, sample, variants())),
      ...lazily(`${sample}.vcf.gz`, `${sample}.vcf.gz.tbi`, () => vcfOf(codec, seed, sample, variants()))
    ]
  })
})

const orNull = (inflate: () => Uint8Array): Uint8Array | null => {
  try {
    return inflate()
  } catch {
    return null
  }
}

/** BGZF by the zlib inside Node, the sandbox's own: it shares none of the client's platform code. */
export const zlibCodec: Layer.Layer<Codec> = Layer.sync(Codec, () =>
  Codec.here({
    inflateRaw: (bytes, maxOutput) =>
      orNull(() => zlib.inflateRawSync(bytes, { maxOutputLength: Math.max(1, maxOutput) })),
    gunzip: (bytes, maxOutput) => orNull(() => zlib.gunzipSync(bytes, { maxOutputLength: maxOutput })),
    deflateRaw: (bytes, level) => zlib.deflateRawSync(bytes, { level }),
    crc32: (bytes, before) => zlib.crc32(bytes, before)
  })
)
