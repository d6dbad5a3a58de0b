/** The aligned reads of one sample: pairs over the loci, with what real alignments have and parsers stumble over. */
import { encodeRecord, Flag, type RecordFields } from "../../core/src/genome/formats/BamRecord.ts"
import { type Locus, loci, otherBase } from "./Genome.ts"
import * as SeededRandom from "./SeededRandom.ts"
import type { Variant } from "./Variants.ts"

const readLength = 151
const pairsPerLocus = 400
const unplacedPairs = 25

type Cigar = Array<[length: number, operation: RecordFields["cigar"][number][1]]>

/** One read as it lies on the reference. */
interface Alignment {
  readonly position: number
  readonly cigar: Cigar
  readonly bases: string
  readonly edits: number
}

const extend = (cigar: Cigar, length: number, operation: Cigar[number][1]) => {
  const last = cigar[cigar.length - 1]
  if (last !== undefined && last[1] === operation) last[0] += length
  else cigar.push([length, operation])
}

/** Reads `readLength` bases of a haplotype from `start` (in the locus) on; `skip` is an intron to jump over after 60 bases. */
const align = (
  random: SeededRandom.SeededRandom,
  locus: Locus,
  variants: ReadonlyMap<number, Variant>,
  haplotype: 0 | 1,
  start: number,
  skip: number
): Alignment => {
  const cigar: Cigar = []
  let bases = ""
  let edits = 0
  let at = start
  while (bases.length < readLength && at < locus.bases.length) {
    if (skip > 0 && bases.length === 60) {
      extend(cigar, skip, "N")
      at += skip
    }
    const variant = variants.get(locus.start + at)
    const allele = variant?.alleles[haplotype] ?? 0
    const alternative = variant?.alternatives[allele - 1]
    if (variant !== undefined && alternative !== undefined && bases.length > 0) {
      const reference = variant.reference
      bases += alternative.slice(0, 1)
      extend(cigar, 1, "M")
      edits += Math.max(reference.length, alternative.length) - (alternative[0] === reference[0] ? 1 : 0)
      if (reference.length > 1) extend(cigar, reference.length - 1, "D")
      const inserted = alternative.slice(1, 1 + readLength - bases.length)
      if (inserted !== "") extend(cigar, inserted.length, "I")
      bases += inserted
      at += reference.length
      continue
    }
    const base = locus.bases.charAt(at)
    const wrong = random.chance(0.002)
    bases += wrong ? otherBase(random, base) : base
    if (wrong) edits++
    extend(cigar, 1, "M")
    at++
  }
  return { position: locus.start + start, cigar, bases, edits }
}

/** Turns up to 30 bases at the left end into a soft clip, as aligners do with adapters. */
const clip = (random: SeededRandom.SeededRandom, read: Alignment): Alignment => {
  const [first, ...rest] = read.cigar
  if (first === undefined || first[0] < 60 || !random.chance(0.06)) return read
  const length = random.between(3, 30)
  const garbage = Array.from({ length }, () => otherBase(random, "")).join("")
  return {
    position: read.position + length,
    cigar: [[length, "S"], [first[0] - length, first[1]], ...rest],
    bases: garbage + read.bases.slice(length),
    edits: read.edits
  }
}

const spanOf = (read: Alignment) =>
  read.cigar.reduce((sum, [length, operation]) => sum + ("MDN".includes(operation) ? length : 0), 0)

/** Qualities in the four bins of recent instruments: mostly 37, worse towards the end. */
const qualities = (random: SeededRandom.SeededRandom, length: number): ReadonlyArray<number> => {
  const values: Array<number> = []
  let value = 37
  for (let i = 0; i < length; i++) {
    if (random.chance(0.03 + (0.1 * i) / length)) value = random.pick([37, 37, 37, 23, 12])
    values.push(random.chance(0.0005) ? 2 : value)
  }
  return values
}

const nameOf = (random: SeededRandom.SeededRandom): string =>
  `A00464:218:HVKGWDSX3:${random.between(1, 5)}:${random.between(1101, 2679)}:${random.between(1000, 32767)}:${random.between(1000, 37059)}`

const randomBases = (random: SeededRandom.SeededRandom): string =>
  Array.from({ length: readLength }, () => otherBase(random, "")).join("")

/** A read of invented bases that has no place. */
const lost = (random: SeededRandom.SeededRandom, sample: string, name: string, flags: number): RecordFields => ({
  ...{ name, flags, refId: -1, position: -1, mapq: 0, cigar: [], mateRefId: -1, matePosition: -1, templateLength: 0 },
  bases: randomBases(random),
  qualities: qualities(random, readLength),
  tags: [["RG", `${sample}.1`]]
})

/** Both reads of one fragment over a locus. */
const pair = (
  random: SeededRandom.SeededRandom,
  sample: string,
  locus: Locus,
  variants: ReadonlyMap<number, Variant>
): ReadonlyArray<RecordFields> => {
  const spliced = locus.bases.length > 20_000
  const end = spliced ? 3_000 : locus.bases.length
  const haplotype = random.chance(0.5) ? 0 : 1
  const insert = random.between(260, 520)
  const start = random.between(0, end - insert - 40)
  const skip = spliced && random.chance(0.15) ? random.between(20_000, 34_000) : 0
  const left = clip(random, align(random, locus, variants, haplotype, start, 0))
  const right = align(random, locus, variants, haplotype, start + insert - readLength, skip)
  const name = nameOf(random)
  const mateLost = random.chance(0.02)
  const leftFirst = random.chance(0.5)
  const mapq = random.pick([60, 60, 60, 60, 29, 0])
  const common = { name, mapq, refId: locus.ref, mateRefId: locus.ref }
  const leftFlags = Flag.paired | (leftFirst ? Flag.first : Flag.last)
  const rightFlags = Flag.paired | (leftFirst ? Flag.last : Flag.first)
  const placed = ({ bases, cigar, edits, position }: Alignment, flags: number): RecordFields => ({
    ...{ ...common, flags, position, cigar, bases, qualities: qualities(random, bases.length) },
    ...{ matePosition: left.position, templateLength: 0 },
    tags: [
      ["RG", `${sample}.1`],
      ["NM", edits]
    ]
  })
  if (mateLost) {
    // The unmapped read takes the position of its mate and stands right after it.
    return [
      placed(left, leftFlags | Flag.mateUnmapped),
      {
        ...lost(random, sample, name, rightFlags | Flag.unmapped),
        ...{ refId: locus.ref, position: left.position, mateRefId: locus.ref, matePosition: left.position }
      }
    ]
  }
  const proper = skip === 0 ? Flag.properPair : 0
  const span = right.position + spanOf(right) - left.position
  const records: ReadonlyArray<RecordFields> = [
    {
      ...placed(left, leftFlags | proper | Flag.mateReverse),
      ...{ matePosition: right.position, templateLength: span }
    },
    { ...placed(right, rightFlags | proper | Flag.reverse), templateLength: -span }
  ]
  if (!random.chance(0.05)) return records
  const copy = nameOf(random)
  return [...records, ...records.map((read) => ({ ...read, name: copy, flags: read.flags | Flag.duplicate }))]
}

/** A pair that no aligner could place. */
const unplacedPair = (random: SeededRandom.SeededRandom, sample: string): ReadonlyArray<RecordFields> => {
  const name = nameOf(random)
  return [Flag.first, Flag.last].map((which) =>
    lost(random, sample, name, Flag.paired | Flag.unmapped | Flag.mateUnmapped | which)
  )
}

/** A record with its place; its fields would take ten times as much memory. */
export interface EncodedRead extends Pick<RecordFields, "refId" | "position" | "flags"> {
  readonly bytes: Uint8Array
}

const encode = (fields: RecordFields): EncodedRead => {
  const { flags, position, refId } = fields
  return { refId, position, flags, bytes: encodeRecord(fields) }
}

/** All records of a sample in coordinate order, the unplaced ones last. */
export const readsOf = (seed: number, sample: string, variants: ReadonlyArray<Variant>): ReadonlyArray<EncodedRead> => {
  const random = SeededRandom.make(SeededRandom.seedOf(seed, `${sample} reads`))
  const placed = loci.flatMap((locus) => {
    const here = new Map(
      variants
        .filter(({ end, ref }) => ref === locus.ref && end === undefined)
        .map((variant) => [variant.position, variant])
    )
    return Array.from({ length: pairsPerLocus }, () => pair(random, sample, locus, here).map(encode)).flat()
  })
  const unplaced = Array.from({ length: unplacedPairs }, () => unplacedPair(random, sample).map(encode)).flat()
  return [...placed.sort((a, b) => a.refId - b.refId || a.position - b.position), ...unplaced]
}
