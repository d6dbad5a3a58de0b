/** VCFs whose records span by REF, END, SVLEN and LEN, which the rules of two versions and two generations of tools read differently. */

import { readFileSync, writeFileSync } from "node:fs"
import { Effect, Result } from "effect"
import { fromBytes } from "../../core/src/genome/ByteReader.ts"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import * as SeededRandom from "../../sandbox/samples/SeededRandom.ts"
import { regionsOfBed } from "./Bed.ts"
import { bgzf, text } from "./Fixtures.ts"
import { sliceOf } from "./Slicing.ts"

const contigs = ["1", "2"] as const
const longest = 2_000_000

/** What stands in ALT, INFO, FORMAT and two samples, of a record that begins at `position` and spans `span` bases. */
const spanningRecord = (random: SeededRandom.SeededRandom, position: number, span: number): ReadonlyArray<string> => {
  const end = `END=${position + random.pick([0, 0, 1, 90, span])}`
  const plain = ["GT", "0/1", "0/0"]
  const kinds: readonly [ReadonlyArray<string>, ...ReadonlyArray<ReadonlyArray<string>>] = [
    ["<DEL>", `SVLEN=-${span}`, ...plain],
    ["<INV>", `${end};SVLEN=${span}`, ...plain],
    ["<DUP:TANDEM>", `SVLEN=${span};${end}`, ...plain],
    ["<CNV>", end, ...plain],
    ["<INS>,<DEL>", `SVLEN=${2 * span},${span}`, ...plain],
    ["C,<DUP>", `SVLEN=.,${span};DP=3`, ...plain],
    ["<INS>", `SVLEN=${span}`, ...plain],
    ["C", `DP=${random.between(1, 99)}`, ...plain],
    ["<*>", end, "GT:LEN", `0/0:${span}`, `0/0:${random.between(1, span)}`],
    ["C,<NON_REF>", ".", "LEN:GT", ".:0/0", `${span}:0/0`]
  ]
  return random.pick(kinds)
}

/** Such a file, with each record's number as its ID. */
export const spanningVcf = (version: string, seed: number): string => {
  const random = SeededRandom.make(seed)
  const number = (id: string, of: string) => `##INFO=<ID=${id},Number=${of},Type=Integer,Description="x">`
  const head = [
    `##fileformat=VCFv${version}`,
    ...contigs.map((name) => `##contig=<ID=${name},length=${longest}>`),
    ...["DEL", "INV", "DUP:TANDEM", "DUP", "CNV", "INS", "*", "NON_REF"].map(
      (id) => `##ALT=<ID=${id},Description="x">`
    ),
    ...[number("END", "1"), number("SVLEN", "A"), number("DP", "1")],
    '##FORMAT=<ID=GT,Number=1,Type=String,Description="x">',
    '##FORMAT=<ID=LEN,Number=1,Type=Integer,Description="x">',
    "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tA\tB"
  ]
  const lines = contigs.flatMap((name) => {
    const positions = Array.from({ length: 300 }, () => random.between(1, 1_800_000)).sort((a, b) => a - b)
    return positions.map((position, i) => {
      const span = random.pick([1, 20, 3_000, 40_000, 150_000]) + random.between(0, 50)
      const [alternatives, info, ...samples] = spanningRecord(random, position, span)
      const reference = random.pick(["A", "A", "ACGTACGT"])
      return [name, position, `${name}_${i}`, reference, alternatives, ".", ".", info, ...samples].join("\t")
    })
  })
  return `${[...head, ...lines].join("\n")}\n`
}

/** Writes it as a VCF.gz, and gives its text; the index is for a tool to make. */
export const writeSpanningVcf = Effect.fnUntraced(function* (path: string, version: string, seed: number) {
  const vcf = spanningVcf(version, seed)
  writeFileSync(path, bgzf(yield* Codec, text(vcf)))
  return vcf
})

/** The IDs of records, each once. */
export const idsOf = (lines: string): ReadonlyArray<string> => [
  ...new Set(lines.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t", 3)[2] ?? ""])))
]

/** Where the records of such a file may end: the base after them by END, SVLEN or LEN. */
export const edgesOf = (vcf: string): ReadonlyArray<readonly [name: string, position: number]> =>
  vcf.split("\n").flatMap((line) => {
    const [name = "", position = "", , , , , , info = "", , ...samples] = line.split("\t")
    if (line === "" || line.startsWith("#")) return []
    const ends = [...info.matchAll(/END=(\d+)/g)].map(([, end]) => Number(end))
    const lengths = [...`${info} ${samples.join(" ")}`.matchAll(/\d{2,}/g)].map(([length]) => Number(length))
    const all = [...ends, ...lengths.map((length) => Number(position) + length)]
    return all.filter((end) => end < longest - 2).map((end) => [name, end] as const)
  })

/** Regions as lines of a BED file: places of a base or more, ends of records and borders of the smallest bins among them. */
export const someBed = (
  random: SeededRandom.SeededRandom,
  edges: ReadonlyArray<readonly [name: string, position: number]>
): string => {
  const one = () => {
    const edge = edges[random.between(0, edges.length)]
    if (edge !== undefined && random.chance(0.7)) {
      const start = edge[1] + random.pick([-2, -1, -1, 0])
      return `${edge[0]}\t${start}\t${start + 1}\n`
    }
    const near = random.between(0, longest - 200_000)
    const start = random.chance(0.3) ? (near & ~0x3fff) + random.between(0, 2) : near
    return `${random.pick(contigs)}\t${start}\t${start + random.pick([1, 1, 500, 30_000])}\n`
  }
  return Array.from({ length: random.pick([1, 1, 4]) }, one).join("")
}

/** Slices `data` by the index beside it into the file `slice` with its index. */
export const sliceTo = Effect.fnUntraced(function* (data: string, slice: string, bed: string) {
  const file = (path: string) => fromBytes(new Uint8Array(readFileSync(path)))
  const source = { name: data, reader: file(data), index: { name: `${data}.tbi`, reader: file(`${data}.tbi`) } }
  const { bytes, result } = yield* sliceOf(source, Result.getOrThrow(regionsOfBed("some.bed", bed)))
  writeFileSync(slice, bytes)
  writeFileSync(`${slice}.${result.indexSuffix}`, result.index)
})
