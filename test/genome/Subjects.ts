/** What the agreement suite runs over: real files, the sandbox's samples, and made ones with the rare cases. */

import { readFileSync, writeFileSync } from "node:fs"
import { Effect } from "effect"
import { fromBytes } from "../../core/src/genome/ByteReader.ts"
import * as Bgzf from "../../core/src/genome/bgzf/Bgzf.ts"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import { Flag, type RecordFields } from "../../core/src/genome/formats/BamRecord.ts"
import { readVcfHeader } from "../../core/src/genome/formats/VcfHeader.ts"
import { makeSamples } from "../../sandbox/samples/Samples.ts"
import * as SeededRandom from "../../sandbox/samples/SeededRandom.ts"
import { bamSubject, type Subject } from "./Agreement.ts"
import { bamFile, bgzf, concat, type ReadFields, read, text } from "./Fixtures.ts"
import { indexBy, placesOf, writers } from "./IndexWriters.ts"
import { realBams, realBytes, realPath, realVcfs, tool } from "./Oracles.ts"
import { contentOf } from "./Slicing.ts"

const references = [
  { name: "chr1", length: 3_000_000 },
  { name: "HLA-A*01:01:01:01", length: 3_503 },
  { name: "chr2", length: 2_000_000 },
  { name: "empty", length: 500 },
  { name: "chr3", length: 40_000 }
]

const cigars = (random: SeededRandom.SeededRandom): RecordFields["cigar"] => {
  const kind = random.next()
  if (kind < 0.05) return []
  if (kind < 0.1) {
    return [
      [30, "M"],
      [random.between(100_000, 400_000), "N"],
      [30, "M"]
    ]
  }
  if (kind < 0.15) {
    return [
      [10, "S"],
      [40, "M"],
      [5, "I"],
      [20, "M"],
      [7, "D"],
      [30, "="],
      [1, "X"]
    ]
  }
  if (kind < 0.18) return [[60, "S"]]
  return [[random.between(1, 300), "M"]]
}

/** Sorted reads: dense and thin places, many on the borders of bins, mapped ones without CIGAR, placed unmapped ones. */
const rareReads = (seed: number, count: number): ReadonlyArray<ReadFields> => {
  const random = SeededRandom.make(seed)
  const reads = Array.from({ length: count }, (_, i) => {
    const ref = random.pick([0, 0, 0, 1, 2, 2, 4])
    const { length } = references[ref] ?? { length: 1 }
    const anywhere = random.chance(0.6) ? random.between(0, length) : random.between(0, Math.min(length, 60_000))
    const position = random.chance(0.2) ? Math.max(0, (anywhere & ~0x3fff) + random.between(-2, 3)) : anywhere
    const cigar = cigars(random)
    const flags = cigar.length === 0 && random.chance(0.5) ? Flag.unmapped : random.chance(0.1) ? Flag.duplicate : 0
    const start = Math.min(position, length - 1)
    return { ...read(`r${i}`, ref, start, cigar, flags), standIn: i % 9 === 0 }
  })
  reads.sort((a, b) => a.refId - b.refId || a.position - b.position)
  const unplaced = Array.from({ length: 40 }, (_, i) => read(`u${i}`, -1, -1, [], Flag.unmapped))
  return [...reads, ...unplaced]
}

const write = (path: string, bytes: Uint8Array) => {
  writeFileSync(path, bytes)
  return path
}

/** A read whose CIGAR does not fit its field, which writers put into a CG tag; samtools makes it. */
const longCigar = (folder: string): string => {
  const cigar = "1M1D".repeat(40_000)
  const line = (name: string, position: number, own: string, bases: number) =>
    [name, 0, "chr1", position, 60, own, "*", 0, 0, "A".repeat(bases), "*"].join("\t")
  const sam = [
    "@HD\tVN:1.6\tSO:coordinate",
    "@SQ\tSN:chr1\tLN:3000000",
    line("before", 900, "50M", 50),
    line("long", 1_000, cigar, 40_000),
    line("inside", 50_000, "50M", 50),
    line("behind", 100_000, "50M", 50)
  ]
  const path = `${folder}/cg.bam`
  writeFileSync(`${folder}/cg.sam`, `${sam.join("\n")}\n`)
  tool("samtools", "view", "-b", "--no-PG", "-o", path, `${folder}/cg.sam`)
  tool("samtools", "index", path)
  return path
}

const manyReferences = Array.from({ length: 3_000 }, (_, i) => ({ name: `contig_${i}`, length: 5_000 + i }))

/** The same records in full blocks, which end in the middle of records, as bgzip and other libraries cut them. */
const reblocked = (path: string) =>
  Effect.map(Codec, (codec) => bgzf(codec, contentOf(new Uint8Array(readFileSync(path)))))

/** With empty blocks after each third one, as a writer leaves them that flushes twice. */
const withEmptyBlocks = (file: Uint8Array): Uint8Array => {
  const parts: Array<Uint8Array> = []
  for (let at = 0, i = 0; at < file.length; i++) {
    const size = Bgzf.blockSize(file, at)
    parts.push(file.subarray(at, at + size), ...(i % 3 === 0 ? [Bgzf.eofBlock, Bgzf.eofBlock] : []))
    at += size
  }
  return concat(...parts)
}

/** Some 2 MB, so that regions far apart are several pieces of a slice; reads with long skips begin in pieces that do not ask for them. */
const severalPieces = (codec: Codec["Service"]) => {
  const random = SeededRandom.make(13)
  const noise = Array.from({ length: 50_000 }, () => random.between(2, 42))
  const reads = Array.from({ length: 12_000 }, (_, i) => {
    const from = random.between(0, noise.length - 100)
    const skip = [random.between(1_000, 60_000), "N"] as const
    const position = Math.floor(i / 8) * 30
    const plain = read(`p${i}`, 0, position, random.chance(0.02) ? [[40, "M"], skip, [60, "M"]] : [[100, "M"]])
    return { ...plain, qualities: noise.slice(from, from + 100) }
  })
  return bamFile(codec, reads, { references, blockBytes: 20_000, wholeRecords: true }).bam
}

/** The samples' files, written into the folder. */
const samples = (folder: string) =>
  Effect.map(makeSamples(3), (files) => {
    for (const { bytes, name } of files) write(`${folder}/${name}`, bytes())
  })

/** A real BAM with the indexes that other programs make of it, as far as samtools finds all reads by them, the unplaced ones too (it needs the pseudo-bin). */
const ofOtherWriters = Effect.fn("ofOtherWriters")(function* (folder: string) {
  const bam = new Uint8Array(readFileSync(realPath("volvox-sorted.bam")))
  const { placed, references } = yield* placesOf(bam)
  const subjects: Array<Subject> = []
  for (const name of ["htsjdk's BAI", "noodles' CSI"]) {
    const writer = writers.find((one) => one.name === name)
    if (writer === undefined) throw new Error(name)
    const path = write(`${folder}/${name.replaceAll(/\W/g, "-")}.bam`, bam)
    const plain = indexBy(writer, placed, references)
    const suffix = writer.format === "CSI" ? ".csi" : ".bai"
    write(`${path}${suffix}`, writer.format === "CSI" ? bgzf(yield* Codec, plain) : plain)
    subjects.push(yield* bamSubject(path, suffix))
  }
  const path = write(`${folder}/noodles-0.58.bam`, bam)
  write(`${path}.csi`, realBytes("../cases/noodles/volvox-sorted.bam.csi"))
  return [...subjects, yield* bamSubject(path, ".csi")]
})

/** BAMs with their indexes; those without one of their own are indexed by samtools. */
export const bamSubjects = Effect.fn("bamSubjects")(function* (folder: string) {
  const codec = yield* Codec
  yield* samples(folder)
  const reads = rareReads(1, 3_000)
  const random = SeededRandom.make(5)
  const thin = Array.from({ length: 800 }, (_, i) => read(`t${i}`, random.between(0, 3_000), random.between(0, 4_900)))
  thin.sort((a, b) => a.refId - b.refId || a.position - b.position)
  const made = [
    write(`${folder}/rare.bam`, bamFile(codec, reads, { references }).bam),
    write(`${folder}/straddling.bam`, bamFile(codec, reads, { references, blockBytes: 1_000 }).bam),
    write(`${folder}/tiny-blocks.bam`, bamFile(codec, reads.slice(0, 300), { references, blockBytes: 50 }).bam),
    write(`${folder}/reblocked.bam`, yield* reblocked(realPath("volvox-sorted.bam"))),
    write(`${folder}/empty-blocks.bam`, withEmptyBlocks(bamFile(codec, reads, { references, blockBytes: 3_000 }).bam)),
    write(`${folder}/pieces.bam`, severalPieces(codec)),
    // As real files have it: a header whose references are shorter than the data.
    write(
      `${folder}/short.bam`,
      bamFile(codec, reads, { references: references.map((one) => ({ ...one, length: one.length >> 3 })) }).bam
    ),
    write(`${folder}/many.bam`, bamFile(codec, thin, { references: manyReferences }).bam)
  ]
  const deep = write(`${folder}/deep.bam`, bamFile(codec, reads, { references }).bam)
  for (const path of made) tool("samtools", "index", path)
  tool("samtools", "index", "-c", deep)
  const own = [`${folder}/S1.bam`, longCigar(folder), ...made, ...realBams.map(realPath)]
  const subjects: ReadonlyArray<Subject> = [
    ...(yield* Effect.forEach(own, (path) => bamSubject(path))),
    yield* bamSubject(deep, ".csi"),
    yield* bamSubject(realPath("volvox-sorted.bam"), ".csi"),
    ...(yield* ofOtherWriters(folder))
  ]
  return subjects.filter((subject) => !subject.data.endsWith("/empty.bam"))
})

/** Lines that cross the borders of blocks, deletions that span whole regions, and a last line without its line feed. */
const longDeletions = (): string => {
  const random = SeededRandom.make(11)
  const head = [
    "##fileformat=VCFv4.2",
    '##ALT=<ID=DEL,Description="x">',
    '##INFO=<ID=END,Number=1,Type=Integer,Description="x">'
  ]
  const contigs = ["1", "2", "X"].map((name) => `##contig=<ID=${name},length=2000000>`)
  const lines = ["1", "X"].flatMap((name) => {
    const positions = Array.from({ length: 1_500 }, () => random.between(1, 1_900_000)).sort((a, b) => a - b)
    return positions.map((position, i) => {
      const end = random.chance(0.1) ? `END=${position + random.between(1, 90_000)};` : ""
      const alt = end === "" ? "C" : "<DEL>"
      return `${name}\t${position}\tv${name}_${i}\t${random.pick(["A", "A", "AAAAAAAA"])}\t${alt}\t.\t.\t${end}DP=${random.between(1, 99)}`
    })
  })
  const defined = '##INFO=<ID=DP,Number=1,Type=Integer,Description="x">'
  return [...head, defined, ...contigs, "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO", ...lines].join("\n")
}

/** VCFs with their indexes, and the tool that can read each. */
export const vcfSubjects = Effect.fn("vcfSubjects")(function* (folder: string) {
  const codec = yield* Codec
  yield* samples(folder)
  const deletions = write(`${folder}/deletions.vcf.gz`, bgzf(codec, text(longDeletions())))
  tool("tabix", "-p", "vcf", deletions)
  const deep = write(`${folder}/deep.vcf.gz`, bgzf(codec, text(longDeletions())))
  tool("tabix", "-C", "-p", "vcf", deep)
  const bytes = text(longDeletions())
  const blocks = Array.from({ length: Math.ceil(bytes.length / 9_000) }, (_, i) =>
    bgzf(codec, bytes.subarray(9_000 * i, 9_000 * (i + 1)))
  )
  // Parts that were compressed apart and joined: each has its end block.
  const joined = write(`${folder}/joined.vcf.gz`, concat(...blocks))
  tool("tabix", "-p", "vcf", joined)
  const ofOtherColumns = [
    ["end-column", "-e", "2"],
    ["skipped-lines", "-S", "4"]
  ].map(([name, ...options]) => {
    const path = write(`${folder}/${name}.vcf.gz`, bgzf(codec, text(longDeletions())))
    tool("tabix", "-p", "vcf", ...options, path)
    return path
  })
  const subject = Effect.fnUntraced(function* (data: string, suffix = ".tbi") {
    const { contigs } = yield* readVcfHeader(data, fromBytes(new Uint8Array(readFileSync(data))))
    const lengths = new Map(contigs.map(({ length, name }) => [name, length]))
    const names = tool("tabix", "-l", data).trim().split("\n")
    return { data, suffix, references: names.map((name) => [name, lengths.get(name) ?? 60_000] as const) }
  })
  const ours = [
    yield* subject(`${folder}/S1.vcf.gz`),
    yield* subject(deletions),
    yield* subject(deep, ".csi"),
    ...(yield* Effect.forEach([joined, ...ofOtherColumns], (path) => subject(path))),
    yield* subject(realPath("volvox.test.vcf.gz"))
  ]
  const theirs = yield* Effect.forEach(
    realVcfs.filter((name) => name !== "volvox.test.vcf.gz"),
    (name) => subject(realPath(name))
  )
  // The other real ones have headers that bcftools does not read.
  return [
    ...ours.map((one) => ({ by: "bcftools" as const, subject: one })),
    ...theirs.map((one) => ({ by: "tabix" as const, subject: one }))
  ]
})
