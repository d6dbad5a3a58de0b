import { gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import * as ZlibCodec from "../../../../platform/inflate/ZlibCodec.ts"
import {
  BlockBytes,
  bamFile,
  bgzf,
  concat,
  counting,
  endingAtFileEnd,
  read,
  references,
  SomeIntervals,
  someReads,
  text
} from "../../../../test/genome/Fixtures.ts"
import { longReadsOf, longReferences } from "../../../../test/genome/LongReads.ts"
import { contentOf, sliceOf, sourceOf } from "../../../../test/genome/Slicing.ts"
import { withCodec } from "../../../../test/genome/WithCodec.ts"
import { longForm } from "../../../../test/LongForm.ts"
import { type ByteReader, fromBytes } from "../ByteReader.ts"
import * as Bgzf from "../bgzf/Bgzf.ts"
import { Codec } from "../bgzf/Codec.ts"
import { bamRegions, readBamHeader } from "../formats/BamHeader.ts"
import * as BamRecord from "../formats/BamRecord.ts"
import { vcfColumns } from "../formats/Vcf.ts"
import { readVcfHeader, vcfRegions } from "../formats/VcfHeader.ts"
import type { IndexedSource } from "../IndexedFile.ts"
import * as IndexBuilder from "../index/IndexBuilder.ts"
import { parseRange } from "../regions/RegionText.ts"
import { checkStructure } from "../Structure.ts"
import { planSlice, writeSlice } from "./Slice.ts"

const provided = Effect.provide(ZlibCodec.layer)
const program = { name: "svc-steps", version: "0.1.0" }

const sliceBam = <E>(source: IndexedSource<E>, range: string, unmapped = false) => sliceOf(source, range, { unmapped })

/** Names of the records of a BAM, in order. */
const namesOf = Effect.fnUntraced(function* (bam: Uint8Array) {
  const header = yield* readBamHeader("x.bam", fromBytes(bam))
  const bytes = contentOf(bam)
  const view = new DataView(bytes.buffer)
  const names: Array<string> = []
  for (let at = header.size; at < bytes.length; at += BamRecord.recordSize(view, at)) {
    const length = view.getUint8(at + 12) - 1
    names.push(String.fromCharCode(...bytes.subarray(at + 36, at + 36 + length)))
  }
  return names
})

const endOf = (fields: BamRecord.RecordFields) => BamRecord.end(new DataView(BamRecord.encodeRecord(fields).buffer), 0)

describe("BAM slices", () => {
  it.effect.prop(
    "D15 hold what a naive filter keeps, in file order, with an index that fits, however the blocks are cut",
    [someReads, SomeIntervals, BlockBytes, Schema.Boolean],
    ([reads, wanted, blockBytes, unmapped]) =>
      Effect.gen(function* () {
        const codec = yield* Codec
        const unplaced = ["u1", "u2"].map((name) => read(name, -1, -1, [], BamRecord.Flag.unmapped))
        const all = [...reads, ...unplaced]
        const { bai, bam } = bamFile(codec, all, { blockBytes })
        const range = wanted.map(({ ref, size, start }) => {
          const name = references[ref]?.name
          return size === 0 ? name : `${name}:${start + 1}-${start + size}`
        })
        const { bytes, plan, result } = yield* sliceBam(
          sourceOf(fromBytes(bam), fromBytes(bai)),
          range.join(" "),
          unmapped
        )
        const kept = all.filter((fields) =>
          fields.refId < 0
            ? unmapped
            : wanted.some(
                ({ ref, size, start }) =>
                  ref === fields.refId && (size === 0 || (fields.position < start + size && endOf(fields) > start))
              )
        )
        assert.deepStrictEqual(
          yield* namesOf(bytes),
          kept.map(({ name }) => name)
        )
        assert.strictEqual(result.records, kept.length)
        assert.strictEqual(result.bytes, bytes.length)
        yield* checkStructure("s.bam", fromBytes(bytes))
        yield* checkStructure("s.bam.bai", fromBytes(result.index), { name: "s.bam", reader: fromBytes(bytes) })
        assert.strictEqual(bamRegions(yield* readBamHeader("s.bam", fromBytes(bytes)), program), plan.key)
        // A slice of a slice: its own index leads to the same records.
        const again = yield* sliceBam(sourceOf(fromBytes(bytes), fromBytes(result.index)), range.join(" "), unmapped)
        assert.deepStrictEqual(
          yield* namesOf(again.bytes),
          kept.map(({ name }) => name)
        )
      }).pipe(provided),
    { arbitrary: { runs: longForm ? 100 : 30 } }
  )

  withCodec(
    "the first and the last base of a read decide, and a read without bases on the reference is one base long",
    function* () {
      const reads = [read("a", 0, 100, [[50, "M"]]), read("u", 0, 200, []), read("s", 0, 300, [[20, "S"]])]
      const { bai, bam } = bamFile(yield* Codec, reads)
      const found: Record<string, ReadonlyArray<string>> = {}
      for (const base of [100, 101, 150, 151, 200, 201, 202, 300, 301, 302]) {
        const { bytes } = yield* sliceBam(sourceOf(fromBytes(bam), fromBytes(bai)), `chr1:${base}-${base} chr1:99-99`)
        found[base] = yield* namesOf(bytes)
      }
      const at = {
        100: [],
        101: ["a"],
        150: ["a"],
        151: [],
        200: [],
        201: ["u"],
        202: [],
        300: [],
        301: ["s"],
        302: []
      }
      assert.deepStrictEqual(found, at)
    }
  )

  withCodec("D13 a region without reads gives a sound BAM without records", function* () {
    const { bai, bam } = bamFile(yield* Codec, [read("a", 0, 500_000)])
    for (const range of ["chr1:1-100", "chr2", "chr3:50-60"]) {
      const { bytes, result } = yield* sliceBam(sourceOf(fromBytes(bam), fromBytes(bai)), range)
      assert.deepStrictEqual(yield* namesOf(bytes), [])
      yield* checkStructure("s.bam", fromBytes(bytes))
      yield* checkStructure("s.bam.bai", fromBytes(result.index), { name: "s.bam", reader: fromBytes(bytes) })
    }
  })

  withCodec("only the unplaced reads, without a region", function* () {
    const reads = [read("a", 0, 5), read("u", -1, -1, [], BamRecord.Flag.unmapped)]
    const { bai, bam } = bamFile(yield* Codec, reads)
    const { bytes } = yield* sliceBam(sourceOf(fromBytes(bam), fromBytes(bai)), "", true)
    assert.deepStrictEqual(yield* namesOf(bytes), ["u"])
    const none = bamFile(yield* Codec, reads.slice(1))
    const all = yield* sliceBam(sourceOf(fromBytes(none.bam), fromBytes(none.bai)), "", true)
    assert.deepStrictEqual(yield* namesOf(all.bytes), ["u"])
  })

  withCodec("the header keeps its text and says by whom and from what the slice was made", function* () {
    const { bai, bam } = bamFile(yield* Codec, [read("a", 0, 5)])
    const first = yield* sliceBam(sourceOf(fromBytes(bam), fromBytes(bai)), "chr1:1-50")
    const second = yield* sliceBam(sourceOf(fromBytes(first.bytes), fromBytes(first.result.index)), "chr1:2-9 chr3")
    const header = yield* readBamHeader("s.bam", fromBytes(second.bytes))
    const lines = new TextDecoder().decode(header.text).trim().split("\n")
    assert.deepStrictEqual(lines.slice(-2), [
      "@PG\tID:svc-steps\tPN:svc-steps\tVN:0.1.0\tDS:regions chr1:1-50",
      "@PG\tID:svc-steps.1\tPN:svc-steps\tVN:0.1.0\tPP:svc-steps\tDS:regions chr1:2-9 chr3"
    ])
    assert.strictEqual(lines[0], "@HD\tVN:1.6\tSO:coordinate")
    assert.strictEqual(bamRegions(header, program), "chr1:2-9 chr3")
  })

  const dense = Array.from({ length: 4_000 }, (_, i) => read(`r${i}`, i < 3_000 ? 0 : 2, (i % 3_000) * 25))

  withCodec("blocks in the middle of a region pass as they are, and only what the plan says is fetched", function* () {
    const { bai, bam } = bamFile(yield* Codec, dense, { blockBytes: 4_000 })
    const reader = counting(fromBytes(bam))
    const { plan, result } = yield* sliceBam(sourceOf(reader, fromBytes(bai)), "chr1:20001-60000")
    assert.isAbove(result.copied, 0.9 * result.bytes - 1_000)
    assert.isAtMost(reader.bytesRead(), plan.ranges.bytes + 2 * 0x10000)
    const whole = yield* sliceBam(sourceOf(fromBytes(bam), fromBytes(bai)), "chr3")
    assert.isAbove(whole.result.copied, 0.9 * whole.result.bytes - 1_000)
    assert.strictEqual(whole.result.records, 1_000)
  })

  /** A read of 2,000 bases whose qualities do not shrink, so that a window of the index is long in the file. */
  const noisy = (position: number, i: number) => ({
    ...read(`n${i}`, 0, position, [[2_000, "M"]]),
    qualities: Array.from({ length: 2_000 }, (_, base) => {
      const mixed = Math.imul(base + 2_000 * i + 1, 0x9e3779b1)
      return (Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b) >>> 16) % 60
    })
  })

  withCodec(
    "of a long window only what is expected before the end of a target is fetched, and more where it goes on",
    function* () {
      const codec = yield* Codec
      const spread = Array.from({ length: 300 }, (_, i) => noisy(100 + i * 160, i))
      const atOnce = Array.from({ length: 300 }, (_, i) => noisy(i < 260 ? 100 + (i >> 1) : 16_400 + (i - 260) * 90, i))
      const seen: Array<readonly [records: number, beyondPlan: boolean, share: number]> = []
      for (const reads of [spread, atOnce]) {
        const { bai, bam } = bamFile(codec, reads)
        const reader = counting(fromBytes(bam))
        const { bytes, plan, result } = yield* sliceBam(sourceOf(reader, fromBytes(bai)), "chr1:50-450")
        const kept = reads.filter(({ position }) => position < 450)
        assert.deepStrictEqual(
          yield* namesOf(bytes),
          kept.map(({ name }) => name)
        )
        const header = 2 * 0x10000 + Bgzf.eofBlock.length
        seen.push([result.records, reader.bytesRead() > plan.ranges.bytes + header, plan.ranges.bytes / bam.length])
      }
      const [even, uneven] = seen
      assert.deepStrictEqual(even?.slice(0, 2), [3, false])
      assert.isBelow(even?.[2] ?? 1, 0.5)
      assert.deepStrictEqual(uneven?.slice(0, 2), [260, true])
    }
  )

  withCodec("H3 a reader that fails because the file changed ends the slice with its error", function* () {
    const { bai, bam } = bamFile(yield* Codec, dense)
    let reads = 0
    const changing: ByteReader<"changed"> = {
      size: bam.length,
      read: (offset, length) => (++reads > 1 ? Effect.fail("changed" as const) : fromBytes(bam).read(offset, length))
    }
    assert.strictEqual(yield* Effect.flip(sliceBam(sourceOf(changing, fromBytes(bai)), "chr1:5-9")), "changed")
  })

  withCodec("D15 an index whose last chunk ends at the end of the file leads to the same records", function* () {
    const codec = yield* Codec
    const some = dense.filter((_, i) => i % 8 === 0)
    for (const blockBytes of [400, 4_000, 65_280]) {
      const { bai, bam, csi } = bamFile(codec, some, { blockBytes })
      const planted = endingAtFileEnd(bai, bam.length)
      const plantedCsi = bgzf(codec, endingAtFileEnd(new Uint8Array(gunzipSync(csi)), bam.length))
      for (const range of ["chr3", "chr1", "chr1 chr3", "chr3:20001-24000", "chr3:24000-"]) {
        const usual = yield* sliceBam(sourceOf(fromBytes(bam), fromBytes(bai)), range)
        const names = yield* namesOf(usual.bytes)
        const old = yield* sliceBam(sourceOf(fromBytes(bam), fromBytes(planted)), range)
        assert.deepStrictEqual(yield* namesOf(old.bytes), names)
        assert.strictEqual(old.result.records, names.length)
        const sliced = { name: "s.bam", reader: fromBytes(old.bytes) }
        yield* checkStructure("s.bam.bai", fromBytes(old.result.index), sliced)
        const oldCsi = yield* sliceBam(sourceOf(fromBytes(bam), fromBytes(plantedCsi), "bam.csi"), range)
        assert.deepStrictEqual(yield* namesOf(oldCsi.bytes), names)
      }
    }
  })

  withCodec("D7 the index of another file is refused before or while records are read", function* () {
    const codec = yield* Codec
    const { bam } = bamFile(codec, dense, { blockBytes: 4_000 })
    const faults = new Set<string>()
    for (const blockBytes of [300, 1_000, 3_999, 7_000]) {
      const other = bamFile(codec, dense.slice(0, 2_900), { blockBytes })
      for (const range of ["chr1:50001-60000", "chr1"]) {
        const result = yield* Effect.result(sliceBam(sourceOf(fromBytes(bam), fromBytes(other.bai)), range))
        if (Result.isFailure(result))
          faults.add(result.failure._tag === "SvcFileDamaged" ? result.failure.fault : "other")
      }
    }
    assert.isAbove(faults.size, 0)
    assert.isFalse(faults.has("other"))
    const four = bamFile(codec, [], { references: [...references, { name: "chr4", length: 5 }] })
    const fault = yield* Effect.flip(sliceBam(sourceOf(fromBytes(bam), fromBytes(four.bai)), "chr1"))
    assert.include(fault.message, "4 references and the data has 3")
  })

  withCodec("D2 damage in a block that is read ends the slice", function* () {
    const { bai, bam } = bamFile(yield* Codec, dense, { blockBytes: 4_000 })
    const spoilt = bam.slice()
    spoilt[Math.floor(bam.length / 3)]! ^= 0x10
    const fault = yield* Effect.flip(sliceBam(sourceOf(fromBytes(spoilt), fromBytes(bai)), "chr1:2-75000"))
    assert.include(["BadBlock", "IndexMismatch"], fault._tag === "SvcFileDamaged" ? fault.fault : "")
  })

  withCodec("an unsorted file is refused, be it only an unplaced read among others", function* () {
    const unplaced = read("u", -1, -1, [], BamRecord.Flag.unmapped)
    for (const [between, late] of [
      [read("b", 0, 300), "chr1:301"],
      [unplaced, "chr1:701"]
    ] as const) {
      const { bai, bam } = bamFile(yield* Codec, [read("a", 0, 500), between, read("c", 0, 700)])
      const fault = yield* Effect.flip(sliceBam(sourceOf(fromBytes(bam), fromBytes(bai)), "chr1:1-900", true))
      assert.deepInclude(fault, { fault: "BadRecord", reason: `its records are not coordinate-sorted at ${late}` })
    }
  })

  withCodec("D15 references may stand in another order than in the header, each in one piece", function* () {
    const codec = yield* Codec
    const reads = longReadsOf(400, 400)
    const [chr1, chr2] = [reads.slice(0, 400), reads.slice(400)]
    const regions = "chr1:5000000-9000000 chr2:1-40000"
    const cut = (all: typeof reads, region: string) => {
      const { bai, bam } = bamFile(codec, all, { references: longReferences })
      return Effect.flatMap(sliceBam(sourceOf(fromBytes(bam), fromBytes(bai)), region), ({ bytes }) => namesOf(bytes))
    }
    const sorted = yield* cut(reads, regions)
    const last = sorted.indexOf(sorted.find((name) => chr2.some((one) => one.name === name)) ?? "")
    const swapped = [...sorted.slice(last), ...sorted.slice(0, last)]
    assert.deepStrictEqual(yield* cut([...chr2, ...chr1], regions), swapped)
    const whole = yield* cut([...chr2, ...chr1], "chr1 chr2")
    assert.deepStrictEqual(
      whole,
      [...chr2, ...chr1].map(({ name }) => name)
    )
    const torn = [...chr2.slice(0, 200), ...chr1, ...chr2.slice(200)]
    assert.match((yield* Effect.flip(cut(torn, "chr1 chr2"))).message, /not coordinate-sorted|not the index/)
  })

  withCodec("positions beyond 2^29 need a CSI, and get one", function* () {
    const reads = [read("near", 0, 1_000), read("far", 0, 2 ** 29 + 5_000), read("farther", 0, 2 ** 30 - 900)]
    const long = [{ name: "chr1", length: 2 ** 30 }]
    const { bam, csi } = bamFile(yield* Codec, reads, { references: long, depth: 6 })
    const source = sourceOf(fromBytes(bam), fromBytes(csi), "bam.csi")
    const { bytes, result } = yield* sliceBam(source, `chr1:${2 ** 29}-${2 ** 29 + 6_000}`)
    assert.deepStrictEqual(yield* namesOf(bytes), ["far"])
    assert.strictEqual(result.indexSuffix, "csi")
    yield* checkStructure("s.bam.csi", fromBytes(result.index), { name: "s.bam", reader: fromBytes(bytes) })
    const again = yield* sliceBam(sourceOf(fromBytes(bytes), fromBytes(result.index), "bam.csi"), "chr1")
    assert.deepStrictEqual(yield* namesOf(again.bytes), ["far"])
    assert.deepStrictEqual(yield* namesOf((yield* sliceBam(source, "chr1")).bytes), ["near", "far", "farther"])
  })

  withCodec("a CSI of references below 16 kb has a single bin for each, as samtools makes it", function* () {
    const reads = [read("first", 0, 100), read("second", 0, 7_000), read("third", 1, 2)]
    const short = [
      { name: "chrM", length: 16_000 },
      { name: "phiX", length: 5_386 }
    ]
    const { bam, csi } = bamFile(yield* Codec, reads, { references: short, depth: 0 })
    const source = sourceOf(fromBytes(bam), fromBytes(csi), "bam.csi")
    assert.deepStrictEqual(yield* namesOf((yield* sliceBam(source, "chrM:6500-8000")).bytes), ["second"])
    assert.deepStrictEqual(yield* namesOf((yield* sliceBam(source, "phiX")).bytes), ["third"])
  })

  withCodec("intervals of one window, or one after the other, give what each of them wants", function* () {
    const { bai, bam } = bamFile(yield* Codec, dense, { blockBytes: 4_000 })
    const starts = [100, 900, 901, 16_300, 16_500, 40_000, 74_990]
    const { bytes, plan } = yield* sliceBam(
      sourceOf(fromBytes(bam), fromBytes(bai)),
      starts.map((start) => `chr1:${start}-${start + 120}`).join(" ")
    )
    const kept = dense.filter(
      ({ position, refId }) =>
        refId === 0 && starts.some((start) => position < start + 120 && position + 50 > start - 1)
    )
    assert.deepStrictEqual(
      yield* namesOf(bytes),
      kept.map(({ name }) => name)
    )
    assert.strictEqual(plan.stretches.length, 3)
  })

  withCodec("many regions stand in the header by number and checksum", function* () {
    const { bai, bam } = bamFile(yield* Codec, dense)
    const many = Array.from({ length: 2_000 }, (_, i) => `chr1:${i * 30 + 1}-${i * 30 + 9}`).join(" ")
    const { bytes, plan } = yield* sliceBam(sourceOf(fromBytes(bam), fromBytes(bai)), many)
    assert.match(plan.key, /^2000 regions, CRC-32 [0-9a-f]{8}$/)
    assert.strictEqual(bamRegions(yield* readBamHeader("s.bam", fromBytes(bytes)), program), plan.key)
    const other = yield* sliceBam(sourceOf(fromBytes(bam), fromBytes(bai)), `${many} chr3:7`)
    assert.notStrictEqual(other.plan.key, plan.key)
  })

  const Spots = Schema.Array(Schema.Tuple([Schema.Int, Schema.Int])).check(Schema.isMinLength(1))
  it.effect.prop(
    "D5 D6 D9 mutated data and indexes end typed, or give a sound file",
    [someReads, Spots, Schema.Boolean],
    ([reads, spots, inIndex]) =>
      Effect.gen(function* () {
        const { bai, bam } = bamFile(yield* Codec, reads, { blockBytes: 500 })
        const spoilt = (inIndex ? bai : bam).slice()
        for (const [at, value] of spots) spoilt[Math.abs(at) % spoilt.length] = value
        const source = sourceOf(fromBytes(inIndex ? bam : spoilt), fromBytes(inIndex ? spoilt : bai))
        for (const range of ["chr1:1000-40000", "chr1 chr3"]) {
          const result = yield* Effect.result(sliceBam(source, range, true))
          if (Result.isFailure(result))
            assert.include(["SvcFileDamaged", "SvcNotFound", "SvcUsageError"], result.failure._tag)
          else yield* checkStructure("s.bam", fromBytes(result.success.bytes))
        }
      }).pipe(provided)
  )
})

describe("slices of what tools refuse", () => {
  const spoiltTag = (name: string, position: number) => ({
    ...read(name, 0, position),
    tags: [["MD", "5\u00003"]] as const
  })

  withCodec(
    "D18 a kept record that samtools refuses ends the slice with its name and place; one that is not kept does not",
    function* () {
      const { bai, bam } = bamFile(yield* Codec, [read("a", 0, 100), spoiltTag("broken", 20_000), read("z", 0, 40_000)])
      const source = sourceOf(fromBytes(bam), fromBytes(bai))
      for (const range of ["chr1", "chr1:20001-20010"]) {
        const fault = yield* Effect.flip(sliceBam(source, range))
        assert.match(
          fault.message,
          /the record broken at chr1:20001, in the BGZF block at byte \d+, has a tag that is not whole/
        )
        assert.deepInclude(fault, { fault: "BadRecord" })
      }
      assert.strictEqual((yield* sliceBam(source, "chr1:30000-50000")).result.records, 1)
    }
  )

  withCodec("D18 a header with a reference twice ends the slice before a record is fetched", function* () {
    const twice = [...references, { name: "chr1", length: 5 }]
    const { bai, bam } = bamFile(yield* Codec, [read("a", 0, 100)], { references: twice })
    const fault = yield* Effect.flip(sliceBam(sourceOf(fromBytes(bam), fromBytes(bai)), "chr2"))
    assert.include(fault.message, "its header has the reference chr1 twice")
  })
})

describe("slices of files with empty blocks", () => {
  withCodec(
    "D7 thousands of them in a row are passed over, and an index that points to none but them is refused",
    function* () {
      const codec = yield* Codec
      const { bam } = bamFile(codec, [])
      const head = bam.slice(0, -Bgzf.eofBlock.length)
      const gap = concat(...Array.from({ length: 3_000 }, () => Bgzf.eofBlock))
      const record = BamRecord.encodeRecord(read("a", 0, 100))
      const body = bgzf(codec, record)
      const data = concat(head, gap, body)
      const at = head.length + gap.length
      const indexTo = (block: number, end: readonly [block: number, within: number]) => {
        const builder = IndexBuilder.make(14, 5)
        builder.add(0, 100, 150, true, block, 0)
        builder.close(...end)
        return builder.bai(references.length)
      }
      const after = [at, record.length] as const
      for (const block of [head.length, at]) {
        for (const range of ["chr1", "chr1:50-120"]) {
          const source = sourceOf(fromBytes(data), fromBytes(indexTo(block, after)))
          assert.strictEqual((yield* sliceBam(source, range)).result.records, 1, `${range} from ${block}`)
        }
      }
      const wrong = sourceOf(fromBytes(data), fromBytes(indexTo(head.length, [head.length + 280, 0])))
      const fault = yield* Effect.flip(sliceBam(wrong, "chr1:50-120"))
      assert.include(fault.message, `no record begins where it points to in the block at byte ${head.length}`)
      assert.deepInclude(fault, { fault: "IndexMismatch" })
    }
  )
})

describe("a slice under way", () => {
  withCodec("holds a bound number of ranges while nobody takes its bytes, and each byte is fetched once", function* () {
    const codec = yield* Codec
    const blocks = { blockBytes: 0xf000, references: longReferences, level: 0 }
    const { bai, bam } = bamFile(codec, longReadsOf(6_400, 0), blocks)
    const seen: Array<readonly [from: number, to: number]> = []
    const reader: ByteReader = {
      size: bam.length,
      read: (offset, length) =>
        Effect.sync(() => {
          if (length > 0x10000) seen.push([offset, offset + length])
          return bam.subarray(offset, offset + length)
        })
    }
    const wanted = yield* Effect.fromResult(parseRange("chr1"))
    const plan = yield* planSlice({
      type: "bam",
      source: sourceOf(reader, fromBytes(bai)),
      wanted,
      takeUnplaced: false
    })
    seen.length = 0
    let most = 0
    const sink = {
      write: () =>
        Effect.gen(function* () {
          if (most > 0) return
          for (let turn = 0; turn < 2_000; turn++) yield* Effect.yieldNow
          yield* Effect.promise(() => new Promise((done) => setTimeout(done, 100)))
          most = seen.length
        })
    }
    const { copied } = yield* writeSlice(plan, sink, { program, connections: 2 })
    assert.isAbove(plan.ranges.length, 18)
    assert.isAtMost(most, 16)
    assert.isAbove(copied, 0.9 * plan.ranges.bytes)
    const ranges = [...plan.ranges]
    assert.deepStrictEqual(
      seen.toSorted((a, b) => a[0] - b[0]).slice(0, ranges.length),
      ranges.map(({ length, offset }) => [offset, offset + length] as const)
    )
  })
})

describe("VCF slices", () => {
  const head =
    "##fileformat=VCFv4.2\n##contig=<ID=chr1,length=90000>\n##contig=<ID=chrE>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n"
  const line = (name: string, position: number, info = ".", reference = "A") =>
    `${name}\t${position}\t.\t${reference}\tC\t.\t.\t${info}`

  /** A VCF whose blocks are cut in the middle of lines, and its index. */
  const vcfFile = Effect.gen(function* () {
    const codec = yield* Codec
    const lines = [
      line("chr1", 100, "DP=3;END=5000"),
      line("chr1", 200, ".", "AAAA"),
      ...Array.from({ length: 3_000 }, (_, i) => line("chr1", 1_000 + i * 20, `DP=${i}`)),
      line("chr2", 7)
    ]
    const content = text(`${head}${lines.join("\n")}`)
    // Where each block begins in the file: all of them hold 0xff00 bytes of content.
    const blockAt = [0]
    for (let full = 1; full * 0xff00 <= content.length; full++) {
      const before = bgzf(codec, content.subarray(0, full * 0xff00))
      blockAt.push(before.length - Bgzf.eofBlock.length)
    }
    const placeIn = (offset: number) => [blockAt[Math.floor(offset / 0xff00)] ?? 0, offset % 0xff00] as const
    const builder = IndexBuilder.make(14, 5)
    let at = head.length
    for (const one of lines) {
      const [name, position] = one.split("\t")
      const start = Number(position) - 1
      const end = /END=(\d+)/.exec(one)?.[1]
      const ref = name === "chr1" ? 0 : 1
      const place = placeIn(at)
      builder.add(ref, start, end === undefined ? start + 1 : Number(end), true, ...place)
      at += one.length + 1
    }
    builder.close(...placeIn(content.length))
    return {
      data: bgzf(codec, content),
      tbi: bgzf(codec, builder.tbi(vcfColumns(["chr1", "chr2"]))),
      blocks: codec,
      lines
    }
  })

  const sliceVcf = Effect.fnUntraced(function* (range: string) {
    const { data, lines, tbi } = yield* vcfFile
    const source = sourceOf(fromBytes(data), fromBytes(tbi), "vcf.gz.tbi")
    const { bytes, plan, result } = yield* sliceOf(source, range)
    const own = new TextDecoder().decode(contentOf(bytes)).split("\n")
    assert.strictEqual(own.pop(), "")
    const data2 = { name: "s.vcf.gz", reader: fromBytes(bytes) }
    yield* checkStructure("s.vcf.gz", data2.reader)
    yield* checkStructure("s.vcf.gz.tbi", fromBytes(result.index), data2)
    const header = yield* readVcfHeader("s.vcf.gz", data2.reader)
    assert.strictEqual(vcfRegions(header.text, program), plan.key)
    return { lines, own: own.filter((one) => !one.startsWith("#")), header: own.filter((one) => one.startsWith("#")) }
  })

  withCodec("a deletion that spans into the region belongs to it, and each line comes once", function* () {
    const { header, own } = yield* sliceVcf("chr1:1500-1560 chr1:1540-1600 chr1:202")
    assert.strictEqual(own[0], line("chr1", 100, "DP=3;END=5000"))
    assert.strictEqual(own[1], line("chr1", 200, ".", "AAAA"))
    assert.strictEqual(new Set(own).size, own.length)
    assert.isTrue(header.at(-1)?.startsWith("#CHROM"))
    assert.include(header.at(-2), "##svc-steps_regions=")
  })

  withCodec("D7 a line is not cut where an index says that its reference ends", function* () {
    const { blocks, data } = yield* vcfFile
    // In the middle of the line that lies across the border of the first block.
    const end = Bgzf.blockSize(data, 0)
    const builder = IndexBuilder.make(14, 5)
    builder.add(0, 99, 70_000, true, 0, head.length)
    builder.close(end, 0)
    const source = sourceOf(
      fromBytes(data),
      fromBytes(bgzf(blocks, builder.tbi(vcfColumns(["chr1", "chr2"])))),
      "vcf.gz.tbi"
    )
    const error = yield* Effect.flip(sliceOf(source, "chr1"))
    assert.include(error.message, "its index does not fit: reference chr1 goes on")
  })

  withCodec("lines across the borders of blocks, and a last line without its line feed, come whole", function* () {
    const { lines, own } = yield* sliceVcf("chr1 chr2")
    assert.deepStrictEqual(own, lines)
    assert.deepStrictEqual((yield* sliceVcf("chr2")).own, [line("chr2", 7)])
  })

  withCodec(
    "D13 a contig of the header without lines gives a sound VCF without lines; an unknown one is an error",
    function* () {
      assert.deepStrictEqual((yield* sliceVcf("chrE")).own, [])
      const error = yield* Effect.flip(sliceVcf("1:5-9"))
      assert.include(error.message, "did you mean chr1?")
    }
  )
})

describe("VCF slices with a CSI", () => {
  withCodec("a CSI of a VCF serves as well; one of a BAM is refused", function* () {
    const codec = yield* Codec
    const head =
      "##fileformat=VCFv4.2\n##contig=<ID=1,length=900000000>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n"
    const line = "1\t700000000\t.\tA\tC\t.\t.\t.\n"
    const builder = IndexBuilder.make(14, 6)
    builder.add(0, 699_999_999, 700_000_000, true, 0, head.length)
    builder.close(0, head.length + line.length)
    const data = fromBytes(bgzf(codec, text(head), text(line)))
    const source = sourceOf(data, fromBytes(bgzf(codec, builder.csi(vcfColumns(["1"])))), "vcf.gz.csi")
    const { bytes, result } = yield* sliceOf(source, "1:600,000,000-")
    assert.strictEqual(result.records, 1)
    assert.strictEqual(result.indexSuffix, "csi")
    const slice = { name: "s.vcf.gz", reader: fromBytes(bytes) }
    yield* checkStructure("s.vcf.gz.csi", fromBytes(result.index), slice)
    const bamIndex = sourceOf(data, fromBytes(bgzf(codec, builder.csi(1))), "vcf.gz.csi")
    const fault = yield* Effect.flip(planSlice({ type: "vcf.gz", source: bamIndex, wanted: [], takeUnplaced: false }))
    assert.include(fault.message, "index of a BAM file")
  })
})
