/** Hostile BAMs: records, header and index are spoiled before they are deflated, so that every sum is right. */

import type { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import { encodeBamHeader } from "../../core/src/genome/formats/BamHeader.ts"
import { encodeRecord, Flag } from "../../core/src/genome/formats/BamRecord.ts"
import type { SeededRandom } from "../../sandbox/samples/SeededRandom.ts"
import { concat, read, references, text } from "../genome/Fixtures.ts"
import { readBam } from "../genome/Naive.ts"
import { indexOf, lyingIndex, mostPositions } from "./IndexInputs.ts"
import { mutate } from "./Mutation.ts"
import { blocksOf, pack } from "./Packing.ts"

const cigars = [
  [[50, "M"]],
  [
    [20, "M"],
    [3_000, "N"],
    [20, "M"]
  ],
  [
    [10, "S"],
    [30, "="],
    [4, "D"],
    [1, "X"]
  ],
  []
] as const

const goodRecords: ReadonlyArray<Uint8Array> = [
  ...Array.from({ length: 40 }, (_, i) => read(`r${i}`, 0, i * 300, cigars[i % 4])),
  ...Array.from({ length: 8 }, (_, i) => read(`s${i}`, 1, i * 20_000)),
  ...Array.from({ length: 20 }, (_, i) => read(`t${i}`, 2, i * 900, cigars[i % 3])),
  ...Array.from({ length: 4 }, (_, i) => read(`u${i}`, -1, -1, [], Flag.unmapped))
].map(encodeRecord)

const lines = references.map(({ length, name }) => `@SQ\tSN:${name}\tLN:${length}\n`).join("")
const goodHeader = encodeBamHeader(text(`@HD\tVN:1.6\tSO:coordinate\n${lines}@PG\tID:a\tPN:a\n`), references)

/** Four bytes of a record, and what they may be told to be. */
interface Field {
  readonly at: number
  readonly values: readonly [number, ...ReadonlyArray<number>]
}

const fields: readonly [Field, ...ReadonlyArray<Field>] = [
  { at: 0, values: [0, 31, 32, 33, 36, 400, 0x3fffffff, 0x7fffffff, 0x80000000, 0xffffffff] },
  { at: 4, values: [0, 1, 2, 3, 99, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe] },
  { at: 8, values: [0, 100, 8_999, 999_999, 1_000_001, 0x1fffffff, 0x20000000, 0x7fffffff, 0x80000000, 0xffffffff] },
  { at: 12, values: [0, 1, 2, 255, 0xffffff00, 0x1248ff05] },
  { at: 16, values: [0, 1, 0xffff, 0x40000, 0x40001, 0x4ffff, 0x10001, 0xffffffff] },
  { at: 20, values: [0, 1, 51, 0x7fffffff, 0x80000000, 0xffffffff] },
  { at: 24, values: [0, 77, 0x7fffffff, 0xffffffff] }
]

/** A read that skips as far as its CIGAR can say, which may be beyond everything. */
const farRead = (random: SeededRandom): Uint8Array =>
  encodeRecord(
    read("far", random.pick([0, 0, 2]), random.pick([0, 4_000, 600_000, mostPositions - 20, mostPositions]), [
      [10, "M"],
      ...Array.from({ length: random.pick([1, 1, 2, 2, 4_000, 4_000, 65_530]) }, () => [2 ** 28 - 1, "N"] as const),
      [10, "M"]
    ])
  )

/** A read larger than a block. */
const longRead = (random: SeededRandom): Uint8Array => {
  const fields = read("long", random.pick([0, 2]), random.between(0, 12_000), [[random.pick([200, 70_000]), "M"]])
  return encodeRecord({ ...fields, tags: [["ZZ", "x".repeat(random.pick([10, 1_000, 66_000]))]] })
}

const spoil = (record: Uint8Array, random: SeededRandom): Uint8Array => {
  const bytes = new Uint8Array(record)
  const view = new DataView(bytes.buffer)
  // One that was cut before may have lost its fields.
  const kind = bytes.length < 36 ? 1 : random.next()
  if (kind < 0.55) {
    const { at, values } = random.pick(fields)
    view.setUint32(at, random.pick(values), true)
  } else if (kind < 0.65) {
    const first = 36 + view.getUint8(12)
    if (view.getUint16(16, true) > 0 && first + 4 <= bytes.length) {
      view.setUint32(first, random.pick([0, 0xf, 0xfffffff0, 0xffffffff, 0xfffffff3, 9]), true)
    }
  } else if (kind < 0.75) {
    return new Uint8Array(bytes.subarray(0, random.between(0, bytes.length)))
  } else if (kind < 0.85) {
    // Shorter or longer, and it says so.
    const length = Math.max(4, bytes.length + random.between(-60, 60))
    const resized = new Uint8Array(length)
    resized.set(bytes.subarray(0, length))
    new DataView(resized.buffer).setUint32(0, length - 4, true)
    return resized
  } else return new Uint8Array(mutate(bytes, random))
  return bytes
}

const refOf = (record: Uint8Array): number =>
  record.length < 12 ? -1 : new DataView(record.buffer, record.byteOffset).getInt32(4, true)
const startOf = (record: Uint8Array): number =>
  record.length < 12 ? -1 : new DataView(record.buffer, record.byteOffset).getInt32(8, true)
const sorted = (records: ReadonlyArray<Uint8Array>): ReadonlyArray<Uint8Array> =>
  [...records].sort((a, b) => (refOf(a) >>> 0) - (refOf(b) >>> 0) || startOf(a) - startOf(b))

const spoiltHeader = (random: SeededRandom): Uint8Array => {
  const bytes = new Uint8Array(goodHeader)
  const view = new DataView(bytes.buffer)
  const textEnd = 8 + view.getUint32(4, true)
  const kind = random.next()
  const lie = (at: number) =>
    view.setUint32(at, random.pick([0, 1, view.getUint32(at, true) + 1, 0x20000001, 0x7fffffff, 0xffffffff]), true)
  if (kind < 0.15) lie(4)
  else if (kind < 0.35) lie(textEnd)
  else if (kind < 0.5) lie(textEnd + 4)
  else if (kind < 0.75) lie(bytes.length - 4)
  else return new Uint8Array(mutate(bytes, random))
  return bytes
}

/** A BAM with its index, packed. */
export const makeBam = (codec: Codec["Service"], random: SeededRandom, spoilIndex: boolean): Uint8Array => {
  const first = random.chance(0.5) ? goodHeader.length : random.between(1, 700)
  const size = random.pick([53, 211, 900, 900, 0xff00])
  const header = !spoilIndex && random.chance(0.1) ? spoiltHeader(random) : goodHeader
  let records = [...goodRecords]
  for (let left = spoilIndex ? 0 : random.between(1, 4); left > 0; left--) {
    const at = random.between(0, records.length)
    const other = random.between(0, records.length)
    const kind = random.next()
    const record = records[at] ?? goodHeader
    if (kind < 0.55) records[at] = spoil(record, random)
    else if (kind < 0.65) records.splice(at, 1)
    else if (kind < 0.72) records.splice(other, 0, record)
    else if (kind < 0.85) records.splice(at, 0, longRead(random))
    else records.splice(at, 0, farRead(random))
  }
  if (random.chance(0.6)) records = [...sorted(records)]
  const content = concat(header, ...records)
  const blocks = blocksOf(codec, content, first, size)
  const file = readBam(content)
  const own = file !== null && (spoilIndex || random.chance(0.8))
  const good = concat(goodHeader, ...goodRecords)
  const indexed = own ? file : readBam(good)
  const known = own ? blocks : blocksOf(codec, good, first, size)
  const index = indexed === null ? new Uint8Array() : indexOf(indexed, known, own ? content.length : good.length, "bai")
  const fits = own && file.sound && file.sorted && file.records.every(({ end }) => end <= mostPositions)
  return pack({
    seed: random.between(0, 2 ** 32),
    honest: fits && !spoilIndex,
    data: blocks.bytes,
    index: spoilIndex ? lyingIndex(index, "bai", blocks, content.length, random) : index
  })
}
