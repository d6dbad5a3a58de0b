import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import * as A from "effect/Arbitrary"
import * as ZlibCodec from "../../../platform/inflate/ZlibCodec.ts"
import { bamFile, concat, read, references, someReads, sound, text } from "../../../test/genome/Fixtures.ts"
import { indexBy, type Placed, placesOf, writers } from "../../../test/genome/IndexWriters.ts"
import { withCodec } from "../../../test/genome/WithCodec.ts"
import { longForm } from "../../../test/LongForm.ts"
import { fromBytes } from "../genome/ByteReader.ts"
import * as Bgzf from "../genome/bgzf/Bgzf.ts"
import * as BgzfWriter from "../genome/bgzf/BgzfWriter.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import type { RecordCheck, RecordCounts } from "../genome/bgzf/ContentCheck.ts"
import * as VirtualOffset from "../genome/bgzf/VirtualOffset.ts"
import { bamWalk } from "../genome/formats/Bam.ts"
import { readBamHeader } from "../genome/formats/BamHeader.ts"
import { vcfColumns, vcfWalk } from "../genome/formats/Vcf.ts"
import {
  type Bin,
  type BinIndex,
  type Chunk,
  type Counts,
  parseBai,
  type ReferenceIndex
} from "../genome/index/BinIndex.ts"
import { binOf, firstOfLevel } from "../genome/index/Bins.ts"
import * as IndexBuilder from "../genome/index/IndexBuilder.ts"
import { parseCsi, parseTbi, type TabixIndex } from "../genome/index/TabixIndex.ts"
import { readIndex } from "../genome/Structure.ts"
import { makeIndex } from "./FileProof.ts"
import * as IndexProof from "./IndexProof.ts"
import { compareRecords } from "./IndexProof.ts"

const provided = Effect.provide(ZlibCodec.layer)

/** The content of a BGZF file for `check`, so many blocks at once. */
const walk = (codec: Codec["Service"], bytes: Uint8Array, check: RecordCheck, atOnce = 32) => {
  for (let at = 0; at < bytes.length; ) {
    const offsets = [at]
    const ends: Array<number> = []
    const parts: Array<Uint8Array> = []
    let length = 0
    for (; offsets.length <= atOnce && at < bytes.length; offsets.push(at)) {
      const size = Bgzf.blockSize(bytes, at)
      const part = sound(Bgzf.inflateBlock(codec, bytes, at, size)).slice()
      parts.push(part)
      length += part.length
      ends.push(length)
      at += size
    }
    assert.isNull(check.take(concat(...parts), { offsets, ends }))
  }
  assert.isNull(check.finish())
}

/** What is said of each index of a BAM. */
const judge = Effect.fnUntraced(function* (bam: Uint8Array, indexes: ReadonlyArray<BinIndex>, atOnce?: number) {
  const header = yield* readBamHeader("a.bam", fromBytes(bam))
  const proofs = indexes.map((index) => IndexProof.make({ index, columns: null }))
  const check = bamWalk(header, proofs)
  walk(yield* Codec, bam, check, atOnce)
  const counts = check.counts()
  return yield* Effect.forEach(indexes, (index, i) =>
    Effect.match(compareRecords("i", { index, columns: null }, "d", counts, null), {
      onFailure: ({ message }) => message,
      onSuccess: () => proofs[i]?.fault() ?? null
    })
  )
})

const parsed = (bai: Uint8Array): BinIndex => Result.getOrThrow(parseBai(bai))

const flipped = (bytes: Uint8Array, bit: number): Uint8Array => {
  const copy = bytes.slice()
  copy[bit >>> 3] = (copy[bit >>> 3] ?? 0) ^ (1 << (bit & 7))
  return copy
}

/** In the short form each third, which falls on every bit of a byte. */
const eachBit = longForm ? 1 : 3
const everyBit = (bytes: Uint8Array) =>
  Array.from({ length: Math.floor((bytes.length * 8) / eachBit) }, (_, bit) => bit * eachBit)

/** Reads of all kinds: near each other and far, over skips, unmapped at a place, without one. */
const manyKinds = [
  ...Array.from({ length: 40 }, (_, i) => read(`a${i}`, 0, i * 997)),
  read("skip", 0, 40_100, [
    [20, "M"],
    [70_000, "N"],
    [20, "M"]
  ]),
  ...Array.from({ length: 30 }, (_, i) => read(`b${i}`, 0, 41_000 + i * 700, i % 7 === 3 ? [] : [[50, "M"]])),
  read("far", 0, 900_000),
  ...Array.from({ length: 5 }, (_, i) => read(`c${i}`, 2, 16_300 + i * 30)),
  ...Array.from({ length: 3 }, (_, i) => read(`u${i}`, -1, -1, []))
]

/** A VCF with a block for every 20 lines, and its indexes as they are before they are packed. */
const vcfFile = (codec: Codec["Service"], lines: ReadonlyArray<string>) => {
  const blocks: Array<Uint8Array> = []
  const writer = BgzfWriter.make(codec, 1, (block) => blocks.push(block))
  const index = IndexBuilder.make(14, 5)
  writer.write(text("##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n"))
  writer.flush()
  for (const [i, line] of lines.entries()) {
    const [name = "", position] = line.split("\t")
    index.add(name === "chr1" ? 0 : 1, Number(position) - 1, Number(position), true, writer.block(), writer.within())
    writer.write(text(line))
    if (i % 20 === 19) writer.flush()
  }
  writer.flush()
  index.close(writer.block(), 0)
  writer.finish()
  return {
    vcf: concat(...blocks),
    tbi: index.tbi(vcfColumns(["chr1", "chr2"])),
    csi: index.csi(vcfColumns(["chr1", "chr2"]))
  }
}

const fewBlocks = A.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 })))

interface Habit {
  /** Chunks that meet become one. */
  readonly joins: boolean
  /** What a window without a record has. */
  readonly fills: "next" | "previous" | "zero"
  readonly unmappedToo: boolean
}

const habits: ReadonlyArray<Habit> = [true, false].flatMap((joins) =>
  (["next", "previous", "zero"] as const).flatMap((fills) =>
    [true, false].map((unmappedToo) => ({ joins, fills, unmappedToo }))
  )
)

/** An index as a simple program would make it, straight from the definitions. */
const indexOf = (placed: ReadonlyArray<Placed>, habit: Habit): BinIndex => {
  const referenceOf = (ref: number): ReferenceIndex => {
    const own = placed.filter((it) => it.ref === ref)
    const chunks = new Map<number, Array<Chunk>>()
    for (const { at, end, start, to } of own) {
      const id = binOf(start, end, 14, 5)
      const list = chunks.get(id) ?? []
      chunks.set(id, list)
      const last = list.at(-1)
      if (habit.joins && last !== undefined && last.end === at) list[list.length - 1] = chunk(last.begin, to)
      else list.push(chunk(at, to))
    }
    const linear: Array<bigint> = []
    const counted = own.filter(({ mapped }) => mapped || habit.unmappedToo)
    const windows = Math.max(0, ...counted.map(({ end }) => Math.ceil(end / 0x4000)))
    for (let window = 0; window < windows; window++) {
      const over = counted.find(({ end, start }) => end > window * 0x4000 && start < (window + 1) * 0x4000)
      const next = counted.find(({ end }) => end > window * 0x4000)
      const fill = { next: next?.at ?? 0n, previous: linear.at(-1) ?? 0n, zero: 0n }[habit.fills]
      linear.push(over?.at ?? fill)
    }
    const counts = {
      mapped: own.filter(({ mapped }) => mapped).length,
      unmapped: own.filter((it) => !it.mapped).length
    }
    const bins = new Map(Array.from(chunks, ([id, list]) => [id, { id, loffset: null, chunks: list }]))
    return { bins, linear: BigUint64Array.from(linear), counts }
  }
  const all = references.map((_, ref) => referenceOf(ref))
  return {
    format: "BAI",
    minShift: 14,
    depth: 5,
    references: references.length,
    extents: [],
    lastEnd: null,
    unplaced: null,
    reference: (i) => all[i]!
  }
}

const chunk = (begin: bigint, end: bigint): Chunk => ({
  begin: VirtualOffset.fromBits(begin),
  end: VirtualOffset.fromBits(end)
})

const anyNumber = A.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 })))
const changes = A.array(A.all({ field: anyNumber, value: anyNumber }), { maxLength: 20 })

/** `index` with one of its offsets replaced by the place of another record, or with one chunk less. */
const changed = (
  index: BinIndex,
  placed: ReadonlyArray<Placed>,
  { field, value }: { readonly field: number; readonly value: number }
): BinIndex => {
  const ref = placed[field % Math.max(1, placed.length)]?.ref ?? 0
  const { bins, linear, ...rest } = index.reference(ref)
  const other = placed.length === 0 ? 0n : placed[value % placed.length]!.at
  const ids = [...bins.keys()]
  const id = ids[value % Math.max(1, ids.length)]
  const chunks = [...(bins.get(id ?? -1)?.chunks ?? [])]
  const at = field % Math.max(1, chunks.length)
  const spoiled = BigUint64Array.from(linear)
  if (field % 4 === 0 && linear.length > 0) spoiled[value % linear.length] = other
  else if (chunks.length > 0) {
    const { begin, end } = chunks[at]!
    if (field % 4 === 1) chunks.splice(at, 1)
    else chunks[at] = field % 4 === 2 ? chunk(other, end) : chunk(begin, other)
  }
  const moved = new Map(bins)
  if (id !== undefined) moved.set(id, { id, loffset: null, chunks })
  const spoiledReference = { bins: moved, linear: spoiled, ...rest }
  return { ...index, reference: (i) => (i === ref ? spoiledReference : index.reference(i)) }
}

/** Mapped records that a reader does not get who asks for their first or last base, as SAM describes it. */
const unreachable = (index: BinIndex, placed: ReadonlyArray<Placed>) =>
  placed.filter(({ at, end, mapped, ref, start }) => {
    const { bins, linear } = index.reference(ref)
    const found = (position: number) => {
      const around = [0, 1, 2, 3, 4, 5].flatMap(
        (level) => bins.get(firstOfLevel(level) + Math.floor(position / 2 ** (29 - 3 * level))) ?? []
      )
      const floors = around.map(({ loffset }) => loffset ?? linear[Math.min(position >>> 14, linear.length - 1)] ?? 0n)
      const held = around.some(({ chunks }) => chunks.some(({ begin, end }) => begin <= at && at < end))
      return held && floors.every((floor) => floor <= at)
    }
    return mapped && !(found(start) && found(end - 1))
  })

describe("an index against every record", () => {
  for (const format of ["BAI", "CSI"] as const) {
    withCodec(
      `D7 a ${format} with any bit flipped before it was packed leads to every record, or is found`,
      function* () {
        const codec = yield* Codec
        const { bai, bam, csi } = bamFile(codec, manyKinds, { blockBytes: 300 })
        const { placed } = yield* placesOf(bam)
        const plain = format === "BAI" ? bai : sound(Bgzf.inflateBlock(codec, csi, 0, Bgzf.blockSize(csi, 0))).slice()
        const parse = (bytes: Uint8Array) =>
          format === "BAI" ? parseBai(bytes) : Result.map(parseCsi(bytes), ({ index }) => index)
        const wrong = everyBit(plain).flatMap((bit) => {
          const index = parse(flipped(plain, bit))
          return Result.isSuccess(index) && index.success.depth === 5 && index.success.references === 3
            ? [index.success]
            : []
        })
        const said = yield* judge(bam, wrong)
        const lost = wrong.filter((index) => unreachable(index, placed).length > 0)
        assert.isAbove(lost.length, 100 / eachBit)
        assert.isTrue(lost.every((index) => said[wrong.indexOf(index)] !== null))
      }
    )
  }

  withCodec("D7 a BAI may end without the number of unplaced reads, or with the zeros of bamtools", function* () {
    const { bai, bam } = bamFile(yield* Codec, manyKinds)
    const indexes = [bai.subarray(0, -8), concat(bai, new Uint8Array(72))].map(parsed)
    assert.deepStrictEqual(yield* judge(bam, indexes), [null, null])
  })

  withCodec("D7 a VCF whose index leads past a line, or to none", function* () {
    const codec = yield* Codec
    const lines = Array.from(
      { length: 400 },
      (_, i) => `chr${1 + Math.floor(i / 300)}\t${1 + i * 100}\t.\tA\tC\t.\t.\t.\n`
    )
    const { csi, tbi, vcf } = vcfFile(codec, lines)
    const judgeAll = (indexes: ReadonlyArray<Result.Result<TabixIndex, unknown>>) => {
      const proofs = indexes.flatMap((index) => (Result.isSuccess(index) ? [IndexProof.make(index.success)] : []))
      walk(codec, vcf, vcfWalk(0, proofs), 2)
      return proofs.map((proof) => proof.fault())
    }
    assert.deepStrictEqual(judgeAll([parseTbi(tbi), parseCsi(csi)]), [null, null])
    const faults = judgeAll(everyBit(tbi).map((bit) => parseTbi(flipped(tbi, bit))))
    for (const fault of [
      /^it does not lead to the record at chr[12]:/,
      /^it leads readers past the record at chr/,
      /^it points to a place before the record at chr/,
      /^it points to a place where no record of chr/
    ]) {
      assert.isTrue(
        faults.some((said) => said !== null && fault.test(said)),
        String(fault)
      )
    }
  })

  withCodec("D7 a VCF whose index was made without END does not lead to a gVCF block", function* () {
    const codec = yield* Codec
    const lines = [
      ...Array.from({ length: 100 }, (_, i) => `chr1\t${1 + i * 100}\t.\tA\tC\t.\t.\t.\n`),
      "chr1\t10001\t.\tA\t<NON_REF>\t.\t.\tDP=3;END=40000\n",
      "chr1\t40001\t.\tA\tC\t.\t.\t.\n"
    ]
    const { tbi, vcf } = vcfFile(codec, lines)
    const proof = IndexProof.make(Result.getOrThrow(parseTbi(tbi)))
    walk(codec, vcf, vcfWalk(0, [proof]), 2)
    assert.match(proof.fault() ?? "", /^it (does not lead to|leads readers past) the record at chr1:10001,/)
  })

  withCodec("D15 an index that was made by REF and END alone is told, and no fault", function* () {
    const codec = yield* Codec
    const lines = [
      ...Array.from({ length: 100 }, (_, i) => `chr1\t${1 + i * 100}\t.\tA\tC\t.\t.\t.\n`),
      "chr1\t10001\t.\tA\t<DEL>\t.\t.\tSVLEN=30000\n",
      "chr1\t40001\t.\tA\tC\t.\t.\t.\n"
    ]
    const { tbi, vcf } = vcfFile(codec, lines)
    const said = (index: TabixIndex) => {
      const proof = IndexProof.make(index)
      walk(codec, vcf, vcfWalk(0, [proof]), 2)
      assert.isNull(proof.fault())
      return proof.note()
    }
    assert.match(
      said(Result.getOrThrow(parseTbi(tbi))) ?? "",
      /^it was made by htslib before 1.22, and leads to 1 record by REF and END alone/
    )
    // The one that is made now leads everywhere.
    const made = yield* makeIndex({ name: "a.vcf.gz", reader: fromBytes(vcf) })
    assert.isNull(said(yield* readIndex("a.vcf.gz.tbi", fromBytes(made.bytes))))
  })

  withCodec("D7 an unmapped read that an older samtools skips by is told, and no fault", function* () {
    const codec = yield* Codec
    const reads = [read("a", 0, 100), read("u", 0, 20_000, []), read("b", 0, 20_010), read("c", 0, 40_000)]
    const { bam } = bamFile(codec, reads, { blockBytes: 300 })
    const { placed } = yield* placesOf(bam)
    const said = (name: string) => {
      const writer = writers.find((one) => one.name === name)!
      const proof = IndexProof.make({ index: parsed(indexBy({ ...writer, merges: 0 }, placed, 3)), columns: null })
      walk(codec, bam, bamWalk(header, [proof]))
      return [proof.fault(), proof.note()]
    }
    const header = yield* readBamHeader("a.bam", fromBytes(bam))
    assert.deepStrictEqual(said("htslib's BAI"), [null, null])
    const [fault, note] = said("old samtools' BAI with counts")
    assert.isNull(fault)
    assert.match(note ?? "", /^it leads samtools past 1 unmapped read, the first at chr1:20001,/)
  })

  withCodec("D7 reads past the end of what a BAI can lead to", function* () {
    const codec = yield* Codec
    const long = [{ name: "chr1", length: 2 ** 30 }]
    const { bam } = bamFile(codec, [read("a", 0, 100), read("b", 0, 600_000_000)], { references: long, depth: 6 })
    const { placed } = yield* placesOf(bam)
    const index = parsed(indexBy({ name: "BAI", format: "BAI" }, placed.slice(0, 1), 1))
    const proof = IndexProof.make({ index, columns: null })
    walk(codec, bam, bamWalk(yield* readBamHeader("a.bam", fromBytes(bam)), [proof]))
    assert.match(
      proof.fault() ?? "",
      /^it leads to the first 536870912 bases of a reference, and not to the record at chr1:600000001/
    )
  })

  it.effect.prop("what we write passes, however many blocks come at once", [someReads, fewBlocks], ([reads, atOnce]) =>
    Effect.gen(function* () {
      const { bai, bam } = bamFile(yield* Codec, reads, { blockBytes: 150 })
      assert.deepStrictEqual(yield* judge(bam, [parsed(bai)], atOnce), [null])
    }).pipe(provided)
  )

  it.effect.prop(
    "what others write passes: chunks that are not joined, windows filled in other ways",
    [someReads],
    ([reads]) =>
      Effect.gen(function* () {
        const { bam } = bamFile(yield* Codec, reads, { blockBytes: 150 })
        const { placed } = yield* placesOf(bam)
        const said = yield* judge(
          bam,
          habits.map((habit) => indexOf(placed, habit))
        )
        assert.deepStrictEqual(new Set(said), new Set([null]))
      }).pipe(provided)
  )

  it.effect.prop(
    "D7 an index that passes leads a reader to every record, whichever of its offsets is another one",
    [someReads, changes],
    ([reads, wanted]) =>
      Effect.gen(function* () {
        const { bam } = bamFile(yield* Codec, reads, { blockBytes: 150 })
        const { placed } = yield* placesOf(bam)
        const spoiled = wanted.map((change) => changed(indexOf(placed, habits[0]!), placed, change))
        for (const [i, fault] of (yield* judge(bam, spoiled)).entries()) {
          if (fault === null) assert.deepStrictEqual(unreachable(spoiled[i]!, placed), [])
        }
      }).pipe(provided)
  )
})

const bin: Bin = { id: 4681, loffset: null, chunks: [] }

/** An index with these counts per reference; null where it has none, with a bin or without any. */
const withReferences = (
  references: ReadonlyArray<Counts | "bins" | "nothing">,
  unplaced: number | null = null
): BinIndex => ({
  format: "BAI",
  minShift: 14,
  depth: 5,
  references: references.length,
  extents: [],
  lastEnd: null,
  unplaced,
  reference: (i) => {
    const about = references[i] ?? "nothing"
    const bins = new Map(about === "nothing" ? [] : [[bin.id, bin] as const])
    return { bins, linear: new BigUint64Array(0), counts: typeof about === "string" ? null : about }
  }
})
const counted = (ofReference: Readonly<Record<string, number>>, unplaced = 0, sorted = true): RecordCounts => ({
  records: 0,
  ofReference: new Map(Object.entries(ofReference)),
  withoutPosition: new Map(),
  unplaced,
  sorted
})
const columns = (...names: ReadonlyArray<string>) => ({
  format: 2,
  name: 1,
  begin: 2,
  end: 0,
  meta: 35,
  skip: 0,
  names
})

const bam = (index: BinIndex, counts: RecordCounts) =>
  Effect.match(compareRecords("i", { index, columns: null }, "d", counts, null), {
    onFailure: ({ message }) => message,
    onSuccess: () => null
  })

describe("index against counted records", () => {
  it.effect("as many of each reference, mapped or not, and without a place", () =>
    Effect.gen(function* () {
      const index = withReferences([{ mapped: 3, unmapped: 1 }, "nothing"], 2)
      assert.isNull(yield* bam(index, counted({ a: 4, b: 0 }, 2)))
      assert.match((yield* bam(index, counted({ a: 5, b: 0 }, 2))) ?? "", /counts 4 records on a, and there are 5/)
      assert.match((yield* bam(index, counted({ a: 4, b: 0 }, 3))) ?? "", /2 unplaced reads, and there are 3/)
      assert.match((yield* bam(index, counted({ a: 4, b: 1 }, 2))) ?? "", /nothing of the 1 records on b/)
      assert.match((yield* bam(index, counted({ a: 4, b: 0 }, 2, false))) ?? "", /not in order/)
    })
  )

  it.effect("reads without a position count for their reference, as for htslib, or as unplaced, as for htsjdk", () =>
    Effect.gen(function* () {
      const counts = { ...counted({ a: 4 }, 2), withoutPosition: new Map([["a", 3]]) }
      for (const [mapped, unplaced, said] of [
        [4, 2, null],
        [1, 5, null],
        [1, 2, /2 unplaced reads, and there are 5/],
        [4, 5, /5 unplaced reads, and there are 2/],
        [2, 4, /2 records on a, and there are 4/]
      ] as const) {
        const found = yield* bam(withReferences([{ mapped, unmapped: 0 }], unplaced), counts)
        if (said === null) assert.isNull(found)
        else assert.match(found ?? "", said)
      }
    })
  )

  it.effect("an index of a writer that counts nothing passes when it has something of each reference", () =>
    Effect.gen(function* () {
      assert.isNull(yield* bam(withReferences(["bins"]), counted({ a: 9 }, 7)))
      const bare = { index: withReferences(["bins"], 0), columns: null }
      assert.deepStrictEqual(yield* compareRecords("i", bare, "d", counted({ a: 9 }, 7), null), [
        "it counts none of the 7 unplaced reads"
      ])
    })
  )

  it.effect("a VCF by names: in any order, but every one of them", () =>
    Effect.gen(function* () {
      const one = { mapped: 1, unmapped: 0 }
      const tabix = { index: withReferences([one, one]), columns: columns("b", "a") }
      yield* compareRecords("i", tabix, "d", counted({ a: 1, b: 1 }), null)
      const error = yield* Effect.flip(compareRecords("i", tabix, "d", counted({ a: 1, b: 1, c: 1 }), null))
      assert.match(error.message, /does not know c, which has 1 records/)
    })
  )
})
