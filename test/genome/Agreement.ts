/**
 * Slices of random regions: their records are, byte for byte, those that a scan of the whole file without an index finds; and they are the
 * ones of samtools and bcftools, old and new, which read the whole file too. An index that lies cannot fool both.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { fromBytes } from "../../core/src/genome/ByteReader.ts"
import { readBamHeader } from "../../core/src/genome/formats/BamHeader.ts"
import { checkStructure } from "../../core/src/genome/Structure.ts"
import * as SeededRandom from "../../sandbox/samples/SeededRandom.ts"
import { regionsOfBed } from "../../test/genome/Bed.ts"
import { root } from "../Root.ts"
import { type Interval, overlapping, scan, textsOf } from "./Naive.ts"
import { tool } from "./Oracles.ts"
import { sliceOf } from "./Slicing.ts"

/** A reader that hands out copies, as a network does. */
const file = (path: string) => fromBytes(new Uint8Array(readFileSync(path)))

export interface Subject {
  /** Path of the data; the index lies beside it as `data` plus `suffix`. */
  readonly data: string
  readonly suffix: string
  /** Names and lengths that regions are drawn from. */
  readonly references: ReadonlyArray<readonly [name: string, length: number]>
}

/** References of a BAM. */
export const bamSubject = (data: string, suffix = ".bai") =>
  Effect.map(readBamHeader(data, file(data)), ({ references }): Subject => {
    return { data, suffix, references: references.map(({ length, name }) => [name, length]) }
  })

/** Edges where errors live: borders of the smallest bins. */
const nearBorder = (random: SeededRandom.SeededRandom, position: number) => (position & ~0x3fff) + random.between(-1, 2)

/** One to twelve intervals, preferring places where `spots` says there are records. */
const randomIntervals = (
  random: SeededRandom.SeededRandom,
  subject: Subject,
  spots: ReadonlyArray<Interval>
): ReadonlyArray<Interval> =>
  Array.from({ length: random.chance(0.3) ? random.between(2, 13) : 1 }, () => {
    const spot = spots[random.between(0, spots.length)]
    const [name, length] = (random.chance(0.1) ? undefined : subject.references.find(([own]) => own === spot?.[0])) ??
      subject.references[random.between(0, subject.references.length)] ?? ["", 1]
    if (random.chance(0.15)) return [name, 0, length]
    const near =
      spot?.[0] === name && random.chance(0.9) ? spot[1] + random.between(-300, 300) : random.between(0, length)
    const from = random.chance(0.15) ? nearBorder(random, near) : near
    const start = Math.min(Math.max(0, from), Math.max(0, length - 1))
    const size = random.pick([1, 1, 10, 150, 2_000, 20_000, 400_000])
    return [name, start, Math.min(length, start + random.between(1, size + 1))]
  })

/** Sorted by file order and start, so that tools which do not sort by themselves answer in file order. */
const bedOf = (intervals: ReadonlyArray<Interval>) => intervals.map((one) => `${one.join("\t")}\n`).join("")

/**
 * The same regions as Excel and others write them: lines that end with CRLF, columns with spaces around them, a base as a line of zero
 * length, and lines that say nothing.
 */
const spelledBed = (random: SeededRandom.SeededRandom, intervals: ReadonlyArray<Interval>) => {
  const end = random.pick(["\n", "\r\n"])
  const gap = random.pick(["\t", "\t", " ", "\t "])
  const rest = random.pick(["", "\tname\t0\t+"])
  const lines = intervals.map(([name, start, stop]) =>
    [name, start, stop === start + 1 && random.chance(0.5) ? start : stop].join(gap)
  )
  const head = random.chance(0.3) ? ["track name=x", "# a comment", ""] : []
  return [...head, ...lines.map((line) => line + rest)].map((line) => line + end).join("")
}

const differs = (ours: string, theirs: string) => {
  if (ours === theirs) return null
  const [a, b] = [ours.split("\n"), theirs.split("\n")]
  const at = a.findIndex((line, i) => line !== b[i])
  return `${a.length} and ${b.length} lines; line ${at + 1}: ${a[at]?.slice(0, 120)} | ${b[at]?.slice(0, 120)}`
}

const diceOf = ({ data }: Subject, seed: number) =>
  SeededRandom.make(SeededRandom.seedOf(seed, data.replace(/^.*\//, "")))

const sourceOf = ({ data, suffix }: Subject) => ({
  name: data,
  reader: file(data),
  index: { name: `${data}${suffix}`, reader: file(`${data}${suffix}`) }
})

const python = `${root}.e2e/python/bin/python3`
const program = `import sys, pysam.samtools, pysam.bcftools
sys.stdout.write(getattr(getattr(pysam, sys.argv[1]), sys.argv[2])(*sys.argv[3:]))
`
/** The newest samtools and bcftools, which come in pysam; null where that is not installed. */
const newest = existsSync(python) ? (...args: ReadonlyArray<string>) => tool(python, "-c", program, ...args) : null

/** Runs `count` random BEDs over a BAM; the slices are written into `folder`. Gives the number of records compared. */
export const agreeOnBam = Effect.fn("agreeOnBam")(function* (
  subject: Subject,
  folder: string,
  seed: number,
  count: number
) {
  const random = diceOf(subject, seed)
  const source = sourceOf(subject)
  const spots = tool("samtools", "view", subject.data)
    .split("\n")
    .map((line) => line.split("\t"))
    .filter((columns) => columns.length > 4 && columns[2] !== "*")
    .map((columns): Interval => [columns[2] ?? "", Number(columns[3]) - 1, Number(columns[3])])
  const all = scan(readFileSync(subject.data), "bam")
  const unplaced = tool("samtools", "view", subject.data)
    .split("\n")
    .filter((line) => line.split("\t", 3)[2] === "*")
    .map((line) => `${line}\n`)
    .join("")
  let compared = 0
  for (let i = 0; i < count; i++) {
    const intervals = randomIntervals(random, subject, spots)
    const unmapped = random.chance(0.1)
    const bed = bedOf(intervals)
    const spelled = spelledBed(random, intervals)
    const wanted = Result.getOrThrow(regionsOfBed("random.bed", spelled))
    const { bytes, result } = yield* sliceOf(source, wanted, { unmapped })
    const slice = `${folder}/slice.bam`
    writeFileSync(slice, bytes)
    writeFileSync(`${slice}.${result.indexSuffix}`, result.index)
    writeFileSync(`${folder}/random.bed`, bed)
    const found = overlapping(all, intervals, unmapped)
    assert.deepStrictEqual(textsOf(scan(bytes, "bam")), found, `${subject.data} seed ${seed} case ${i}: ${spelled}`)
    // Without `-M` the index is not looked at.
    const asked = ["view", "-L", `${folder}/random.bed`, subject.data]
    const theirs = tool("samtools", ...asked) + (unmapped ? unplaced : "")
    if (newest !== null && i % 10 === 0)
      assert.isNull(differs(newest("samtools", ...asked), tool("samtools", ...asked)))
    const ours = tool("samtools", "view", slice)
    assert.isNull(differs(ours, theirs), `${subject.data} seed ${seed} case ${i}: ${spelled}`)
    assert.strictEqual(
      result.records,
      ours.split("\n").length - 1,
      `${subject.data} seed ${seed} case ${i}: ${spelled}`
    )
    const data = { name: "slice.bam", reader: fromBytes(bytes) }
    yield* checkStructure("slice.bam", data.reader)
    yield* checkStructure(`slice.bam.${result.indexSuffix}`, fromBytes(result.index), data)
    // The index of the slice gives the same answers as one that samtools makes.
    if (i % 5 === 0) {
      const probe = intervals[random.between(0, intervals.length)] ?? intervals[0]
      const region = `{${probe?.[0]}}:${(probe?.[1] ?? 0) + 1}-${probe?.[2]}`
      const answers = () => [tool("samtools", "view", slice, region), tool("samtools", "idxstats", slice)]
      const own = answers()
      tool("samtools", "index", ...(result.indexSuffix === "csi" ? ["-c"] : []), slice)
      assert.deepStrictEqual(own, answers(), `${subject.data} seed ${seed} case ${i}: ${region}`)
    }
    compared += result.records
  }
  return compared
})

/** The same for a VCF; `by` is the tool that can read it. */
export const agreeOnVcf = Effect.fn("agreeOnVcf")(function* (
  subject: Subject,
  folder: string,
  seed: number,
  count: number,
  by: "bcftools" | "tabix"
) {
  const random = diceOf(subject, seed)
  const source = sourceOf(subject)
  const lines = tool("bgzip", "-dc", subject.data)
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
  const spots = lines.map((line): Interval => {
    const [name = "", position = "1"] = line.split("\t", 2)
    return [name, Number(position) - 1, Number(position)]
  })
  const all = scan(readFileSync(subject.data), "vcf.gz")
  let compared = 0
  for (let i = 0; i < count; i++) {
    const intervals = randomIntervals(random, subject, spots)
    const bed = bedOf(intervals)
    const spelled = spelledBed(random, intervals)
    const wanted = Result.getOrThrow(regionsOfBed("random.bed", spelled))
    const { bytes, result } = yield* sliceOf(source, wanted)
    const slice = `${folder}/slice.vcf.gz`
    writeFileSync(slice, bytes)
    writeFileSync(`${slice}.${result.indexSuffix}`, result.index)
    writeFileSync(`${folder}/random.bed`, bed)
    const query = (path: string) =>
      by === "bcftools"
        ? tool("bcftools", "view", "-H", "-R", `${folder}/random.bed`, path)
        : tool("tabix", "-R", `${folder}/random.bed`, path)
    const place = `${subject.data} seed ${seed} case ${i}: ${spelled}`
    assert.deepStrictEqual(textsOf(scan(bytes, "vcf.gz")), overlapping(all, intervals), place)
    if (by === "bcftools") {
      const ours = tool("bcftools", "view", "-H", slice).split("\n")
      // Targets are looked for in all lines, without an index. The old one knows END alone.
      const asked = ["view", "-H", "-T", `${folder}/random.bed`, "--targets-overlap", "record", subject.data]
      assert.includeMembers(ours, tool("bcftools", ...asked).split("\n"), place)
      if (newest !== null && i % 10 === 0) assert.includeMembers(ours, newest("bcftools", ...asked).split("\n"), place)
    }
    const data = { name: "slice.vcf.gz", reader: fromBytes(bytes) }
    yield* checkStructure("slice.vcf.gz", data.reader)
    yield* checkStructure(`slice.vcf.gz.${result.indexSuffix}`, fromBytes(result.index), data)
    if (i % 5 === 0) {
      const answer = query(slice)
      tool("tabix", "-f", "-p", "vcf", slice)
      assert.strictEqual(answer, query(slice))
    }
    compared += result.records
  }
  return compared
})
