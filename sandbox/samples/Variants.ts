/** The variants of one sample, and their VCF lines. */

import { chromosomes, loci, otherBase } from "./Genome.ts"
import * as SeededRandom from "./SeededRandom.ts"

type Alleles = readonly [number, number]

export interface Variant {
  readonly ref: number
  /** 0-based position of the first base of `reference`. */
  readonly position: number
  readonly reference: string
  readonly alternatives: ReadonlyArray<string>
  /** Allele of each haplotype; 0 is the reference. */
  readonly alleles: Alleles
  /** 0-based end of a symbolic deletion. */
  readonly end?: number
  readonly filter: string
}

const genotypes: readonly [Alleles, Alleles, Alleles] = [
  [0, 1],
  [1, 0],
  [1, 1]
]

/** Small variants inside the loci, one every few hundred bases; reads carry them. */
const inLoci = (random: SeededRandom.SeededRandom): ReadonlyArray<Variant> =>
  loci.flatMap(({ bases, ref, start }) => {
    const found: Array<Variant> = []
    for (let at = random.between(100, 400); at < bases.length - 100; at += random.between(150, 700)) {
      const base = bases.slice(at, at + 1)
      const kind = random.next()
      const common = { ref, position: start + at, filter: "PASS" }
      if (kind < 0.08) {
        const reference = bases.slice(at, at + random.between(2, 9))
        found.push({ ...common, reference, alternatives: [base], alleles: random.pick(genotypes) })
      } else if (kind < 0.16) {
        const inserted = Array.from({ length: random.between(1, 6) }, () => otherBase(random, ""))
        found.push({
          ...common,
          reference: base,
          alternatives: [base + inserted.join("")],
          alleles: random.pick(genotypes)
        })
      } else if (kind < 0.22) {
        const [first = "A", second = "C"] = ["A", "C", "G", "T"].filter((other) => other !== base)
        found.push({ ...common, reference: base, alternatives: [first, second], alleles: [1, 2] })
      } else {
        found.push({
          ...common,
          reference: base,
          alternatives: [otherBase(random, base)],
          alleles: random.pick(genotypes)
        })
      }
    }
    return found
  })

/** Single-base variants spread over the chromosomes, and a large deletion on some. */
const elsewhere = (random: SeededRandom.SeededRandom): ReadonlyArray<Variant> =>
  chromosomes.flatMap(([, length], ref) => {
    const found: Array<Variant> = []
    for (let i = 0; i < Math.ceil(length / 400_000); i++) {
      const reference = otherBase(random, "")
      const large = random.chance(0.01)
      const position = random.between(10_000, length - 2_000_000 > 10_000 ? length - 2_000_000 : length)
      if (loci.some((locus) => locus.ref === ref && Math.abs(position - locus.start) < 100_000)) continue
      found.push({
        ref,
        position,
        reference,
        alternatives: [large ? "<DEL>" : otherBase(random, reference)],
        alleles: random.pick(genotypes),
        filter: random.chance(0.05) ? "LowQual" : "PASS",
        ...(large ? { end: position + random.between(1_000, 200_000) } : {})
      })
    }
    return found
  })

/** Sorted by place, at most one per position. */
export const variantsOf = (seed: number, sample: string): ReadonlyArray<Variant> => {
  const random = SeededRandom.make(SeededRandom.seedOf(seed, `${sample} variants`))
  const all = [...inLoci(random), ...elsewhere(random)].sort((a, b) => a.ref - b.ref || a.position - b.position)
  return all.filter(({ position, ref }, i) => i === 0 || all[i - 1]?.position !== position || all[i - 1]?.ref !== ref)
}

/** The header lines, each with its line feed. */
export const vcfHeader = (sample: string): string =>
  [
    "##fileformat=VCFv4.2",
    "##source=svc-sandbox",
    '##FILTER=<ID=PASS,Description="All filters passed">',
    '##FILTER=<ID=LowQual,Description="Low quality">',
    '##ALT=<ID=DEL,Description="Deletion">',
    '##INFO=<ID=AC,Number=A,Type=Integer,Description="Allele count in genotypes">',
    '##INFO=<ID=AN,Number=1,Type=Integer,Description="Total number of alleles in called genotypes">',
    '##INFO=<ID=END,Number=1,Type=Integer,Description="End position of the variant">',
    '##INFO=<ID=SVTYPE,Number=1,Type=String,Description="Type of structural variant">',
    '##INFO=<ID=SVLEN,Number=A,Type=Integer,Description="Length of structural variant">',
    '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
    '##FORMAT=<ID=AD,Number=R,Type=Integer,Description="Read depth of each allele">',
    '##FORMAT=<ID=DP,Number=1,Type=Integer,Description="Read depth">',
    '##FORMAT=<ID=GQ,Number=1,Type=Integer,Description="Genotype quality">',
    ...chromosomes.map(([name, length]) => `##contig=<ID=${name},length=${length},assembly=GRCh38>`),
    `#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t${sample}`,
    ""
  ].join("\n")

/** The VCF line of a variant, with its line feed. */
export const vcfLine = (variant: Variant, random: SeededRandom.SeededRandom): string => {
  const { alleles, alternatives, end, filter, position, ref, reference } = variant
  const counts = alternatives.map((_, i) => alleles.filter((allele) => allele === i + 1).length)
  const structural = end === undefined ? "" : `;END=${end};SVTYPE=DEL;SVLEN=${position + 1 - end}`
  const depths = [0, ...counts].map((_, allele) =>
    alleles.reduce((sum, own) => sum + (own === allele ? random.between(9, 20) : 0), 0)
  )
  const depth = depths.reduce((a, b) => a + b, 0)
  const columns = [
    chromosomes[ref]?.[0] ?? "",
    position + 1,
    ".",
    reference,
    alternatives.join(","),
    filter === "PASS" ? random.between(40, 2_000) : random.between(5, 30),
    filter,
    `AC=${counts.join(",")};AN=2${structural}`,
    "GT:AD:DP:GQ",
    `${[...alleles].sort().join("/")}:${depths.join(",")}:${depth}:${random.between(20, 99)}`
  ]
  return `${columns.join("\t")}\n`
}
