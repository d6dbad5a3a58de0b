/** Hostile VCF.gz files: fields, lines, header and index are spoiled before they are deflated, so that every sum is right. */
import type { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import type { SeededRandom } from "../../sandbox/samples/SeededRandom.ts"
import { bgzf, text } from "../genome/Fixtures.ts"
import { readVcf } from "../genome/Naive.ts"
import { type IndexFormat, indexOf, lyingIndex, mostPositions } from "./IndexInputs.ts"
import { mutate, mutateText } from "./Mutation.ts"
import { blocksOf, pack } from "./Packing.ts"

const headerOf = (version: string) => [
  `##fileformat=VCFv${version}`,
  "##contig=<ID=chr1,length=1000000>",
  "##contig=<ID=chr3,length=100000>",
  '##INFO=<ID=END,Number=1,Type=Integer,Description="a,b>c">',
  "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tS1"
]

const line = (chrom: string, position: number, i: number) => {
  const info = i % 7 === 0 ? `DP=5;END=${position + 2_500}` : i % 3 === 0 ? "DP=9" : "."
  const at = `${chrom}\t${position}\tv${i}\t${"A".repeat(1 + (i % 5))}`
  if (i % 11 === 0) return `${at}\t<INS>,<DEL>\t.\tPASS\tSVLEN=900,-${i * 90};${info}\tGT\t0/1`
  if (i % 13 === 0) return `${at}\t<*>\t.\tPASS\t${info}\tGT:LEN\t0/0:${i * 70}`
  return `${at}\tC\t.\tPASS\t${info}\tGT\t0/1`
}
const goodLines = [
  ...Array.from({ length: 50 }, (_, i) => line("chr1", 100 + i * 170, i)),
  ...Array.from({ length: 20 }, (_, i) => line("chr3", 1 + i * 900, i))
]

/** What each field may be told to be; those that are not here stay. */
const values: ReadonlyArray<readonly [string, ...ReadonlyArray<string>]> = [
  ["chr1", "chr3", "chr2", "", "chr1 ", "Chr1", "<chr1>", "chrä", "#chr1"],
  ["0", "1", "00500", "-1", "", "5e3", "0x10", "536870912", "536870913", "2147483648", "9".repeat(17), "9".repeat(400)],
  ["."],
  ["", "N", "A".repeat(3_000), "A".repeat(70_000)],
  ["<DEL>", "", "<DEL>,<INV>", "<DUP:TANDEM>", "<*>", "C,<NON_REF>", "<DEL"],
  ["."],
  ["."],
  [
    "END=1",
    "END=",
    "END=-5",
    "END=8000;END=9",
    "XEND=9000",
    ";;END=7000;",
    "END=536870912",
    "END=536870913",
    "SVLEN=-7000",
    "SVLEN=.,400",
    "SVLEN=2147483647"
  ],
  ["GT", "LEN", "GT:LEN", "GT:LENS:LEN", ":LEN"],
  ["5000", "0/1:5000", "0/1:.:5000", ":", "."]
]
const farEnds = [
  "END=2147483647",
  `END=${"9".repeat(15)}`,
  `END=${"9".repeat(400)}`,
  "END=1e9",
  "END",
  "x".repeat(70_000)
]

const spoil = (whole: string, random: SeededRandom): string => {
  const fields = whole.split("\t")
  const kind = random.next()
  if (kind < 0.7) {
    const at = random.pick([0, 1, 1, 1, 3, 4, 7, 7, 7, 8, 9])
    const choice = [...(values[at] ?? []), ...(at === 7 ? farEnds : [])]
    fields[at] = choice[random.between(0, choice.length)] ?? "."
    return fields.join("\t")
  }
  if (kind < 0.8) return fields.slice(0, random.between(0, fields.length)).join("\t")
  if (kind < 0.85) return `${whole}\r`
  if (kind < 0.9) return random.pick(["", "#comment", "##late=1", "\0", "\t\t\t\t\t\t\t"])
  return new TextDecoder("latin1").decode(mutate(text(whole), random))
}

const spoiltHeader = (random: SeededRandom, header: ReadonlyArray<string>): ReadonlyArray<string> => {
  const lines = [...header]
  const at = random.between(0, lines.length)
  const kind = random.next()
  if (kind < 0.2) lines.splice(at, 1)
  else if (kind < 0.4) lines.splice(at, 0, lines[random.between(0, lines.length)] ?? "")
  else if (kind < 0.7) {
    const length = random.pick(["0", "1", "-1", "", "99999999999999999999", "8000", "536870913"])
    lines[1] = `##contig=<ID=chr1,length=${length}>`
  } else if (kind < 0.8)
    lines[1] = random.pick(["##contig=<ID=>", "##contig=<length=5,ID=chr1", "##contig=", "##contig=<ID=chr3>"])
  else lines[at] = new TextDecoder("latin1").decode(mutateText(lines[at] ?? "", random))
  return lines
}

const rank = (whole: string) => (whole.startsWith("chr3\t") ? 1 : 0)
const positionOf = (whole: string) => Number(whole.split("\t")[1] ?? 0) || 0

/** A VCF.gz with its index, packed. */
export const makeVcf = (
  codec: Codec["Service"],
  random: SeededRandom,
  format: Exclude<IndexFormat, "bai">,
  spoilIndex: boolean
): Uint8Array => {
  const goodHeader = headerOf(random.pick(["4.2", "4.4"]))
  const header = !spoilIndex && random.chance(0.1) ? spoiltHeader(random, goodHeader) : goodHeader
  let lines = [...goodLines]
  for (let left = spoilIndex ? 0 : random.between(1, 4); left > 0; left--) {
    const at = random.between(0, lines.length)
    const kind = random.next()
    if (kind < 0.8) lines[at] = spoil(lines[at] ?? "", random)
    else if (kind < 0.9) lines.splice(at, 1)
    else lines.splice(random.between(0, lines.length), 0, lines[at] ?? "")
  }
  if (random.chance(0.6)) lines = lines.sort((a, b) => rank(a) - rank(b) || positionOf(a) - positionOf(b))
  const whole = [...header, ...lines].join("\n")
  const content = text(random.chance(0.9) ? `${whole}\n` : whole)
  const [first, size] = [random.between(1, 500), random.pick([53, 211, 900, 900, 0xff00])]
  const blocks = blocksOf(codec, content, first, size)
  const file = readVcf(content)
  const own = file !== null && (spoilIndex || random.chance(0.8))
  const good = text(`${[...goodHeader, ...goodLines].join("\n")}\n`)
  const indexed = own ? file : readVcf(good)
  const known = own ? blocks : blocksOf(codec, good, first, size)
  const honest = indexed === null ? new Uint8Array() : indexOf(indexed, known, (own ? content : good).length, format)
  const index = spoilIndex ? lyingIndex(honest, format, blocks, content.length, random) : honest
  // The names of an index end with a zero byte, so none can stand in them.
  const fits =
    own &&
    !content.includes(0) &&
    file.sound &&
    file.even &&
    file.sorted &&
    file.records.every(({ end }) => end <= mostPositions)
  return pack({
    seed: random.between(0, 2 ** 32),
    honest: fits && !spoilIndex,
    data: blocks.bytes,
    index: bgzf(codec, index)
  })
}
