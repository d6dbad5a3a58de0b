/** The reference genome of the samples: names and lengths of GRCh38, and invented bases at a few places. */
import * as SeededRandom from "./SeededRandom.ts"

/** GRCh38 primary assembly, in the usual order. */
export const chromosomes: ReadonlyArray<readonly [name: string, length: number]> = [
  ["chr1", 248956422],
  ["chr2", 242193529],
  ["chr3", 198295559],
  ["chr4", 190214555],
  ["chr5", 181538259],
  ["chr6", 170805979],
  ["chr7", 159345973],
  ["chr8", 145138636],
  ["chr9", 138394717],
  ["chr10", 133797422],
  ["chr11", 135086622],
  ["chr12", 133275309],
  ["chr13", 114364328],
  ["chr14", 107043718],
  ["chr15", 101991189],
  ["chr16", 90338345],
  ["chr17", 83257441],
  ["chr18", 80373285],
  ["chr19", 58617616],
  ["chr20", 64444167],
  ["chr21", 46709983],
  ["chr22", 50818468],
  ["chrX", 156040895],
  ["chrY", 57227415],
  ["chrM", 16569]
]

/** A stretch with reads: 0-based half-open, on chromosome number `ref`. */
export interface Locus {
  readonly gene: string
  readonly ref: number
  readonly start: number
  readonly bases: string
}

/** Where the samples have reads, so that a newcomer can ask for a gene and get something. */
const places: ReadonlyArray<readonly [gene: string, ref: number, start: number, length: number]> = [
  ["GBA1", 0, 155_234_000, 4_000],
  ["CFTR", 6, 117_559_000, 4_500],
  ["BRCA2", 12, 32_332_000, 6_000],
  ["BRCA1", 16, 43_090_000, 5_000],
  ["DMD", 22, 31_119_000, 40_000],
  ["MT-ND1", 24, 2_000, 3_000]
]

const nucleotides = ["A", "C", "G", "T"] as const

/** The loci with their bases, which depend on the place alone: all samples share one reference. */
export const loci: ReadonlyArray<Locus> = places.map(([gene, ref, start, length]) => {
  const random = SeededRandom.make(SeededRandom.seedOf(0, gene))
  const bases = Array.from({ length }, () => random.pick(nucleotides)).join("")
  return { gene, ref, start, bases }
})

const others = new Map<string, readonly [string, string, string]>([
  ["A", ["C", "G", "T"]],
  ["C", ["A", "G", "T"]],
  ["G", ["A", "C", "T"]],
  ["T", ["A", "C", "G"]]
])

/** One of the other three bases; any of the four where there is none. */
export const otherBase = (random: SeededRandom.SeededRandom, base: string): string =>
  random.pick(others.get(base) ?? nucleotides)
