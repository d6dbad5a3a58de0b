import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import * as ZlibCodec from "../../../../platform/inflate/ZlibCodec.ts"
import { bamFile, bgzf, concat, read, references, someReads } from "../../../../test/genome/Fixtures.ts"
import { withCodec } from "../../../../test/genome/WithCodec.ts"
import { fromBytes } from "../ByteReader.ts"
import * as Bgzf from "../bgzf/Bgzf.ts"
import { Codec } from "../bgzf/Codec.ts"
import * as VirtualOffset from "../bgzf/VirtualOffset.ts"
import * as BamRecord from "../formats/BamRecord.ts"
import { vcfColumns } from "../formats/Vcf.ts"
import { readIndex } from "../Structure.ts"
import { type BinIndex, parseBai } from "./BinIndex.ts"
import { binOf, firstOfLevel, pseudoBin } from "./Bins.ts"
import * as IndexBuilder from "./IndexBuilder.ts"
import { parseCsi, parseIndex, parseTbi } from "./TabixIndex.ts"

const provided = Effect.provide(ZlibCodec.layer)

/** All bins that a region could touch, written down from the definition instead of the formula. */
const binsOver = (start: number, end: number): ReadonlyArray<number> => {
  const bins: Array<number> = []
  let first = 0
  for (let level = 0; level <= 5; level++) {
    const size = 2 ** (14 + 3 * (5 - level))
    for (let i = Math.floor(start / size); i * size < end; i++) bins.push(first + i)
    first += 8 ** level
  }
  return bins
}

describe("binOf", () => {
  const Start = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 29 - 1 }))
  const Length = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3_000_000 }))
  it.effect.prop("gives the smallest bin that holds the record", [Start, Length], ([start, length]) =>
    Effect.sync(() => {
      const end = Math.min(2 ** 29, start + length)
      const holding = binsOver(start, end).filter(
        (bin) => binsOver(start, start + 1).includes(bin) && binsOver(end - 1, end).includes(bin)
      )
      assert.strictEqual(binOf(start, end, 14, 5), Math.max(...holding))
    })
  )
})

describe("IndexBuilder", () => {
  it.effect.prop("every read is found through its bins and not before the linear index", [someReads], ([reads]) =>
    Effect.gen(function* () {
      const codec = yield* Codec
      const { bai, bam } = bamFile(codec, reads, { blockBytes: 300 })
      const index = Result.getOrThrow(parseBai(bai))
      assert.strictEqual(index.references, references.length)
      assert.isBelow(index.lastEnd === null ? 0 : VirtualOffset.block(index.lastEnd), bam.length)
      for (const [ref] of references.entries()) {
        const { bins, counts, linear } = index.reference(ref)
        const here = reads.filter((read) => read.refId === ref)
        const mapped = here.filter((read) => (read.flags & BamRecord.Flag.unmapped) === 0).length
        if (here.length > 0) assert.deepStrictEqual(counts, { mapped, unmapped: here.length - mapped })
        for (const read of here) {
          const view = new DataView(BamRecord.encodeRecord(read).buffer)
          const chunks = binsOver(read.position, BamRecord.end(view, 0)).flatMap((bin) => bins.get(bin)?.chunks ?? [])
          assert.isAbove(chunks.length, 0)
          assert.isTrue(chunks.some((chunk) => chunk.end > linear[read.position >> 14]!))
        }
      }
    }).pipe(provided)
  )

  // Writer and reader take them from one place: that they agree proves nothing.
  it("the numbers of bins are those of the SAM specification, section 5.3", () => {
    assert.deepStrictEqual([0, 1, 2, 3, 4, 5].map(firstOfLevel), [0, 1, 9, 73, 585, 4681])
    assert.strictEqual(pseudoBin(5), 37450)
  })

  it("positions beyond 2^29 find their place in a deeper CSI", () => {
    const builder = IndexBuilder.make(14, 6)
    builder.add(0, 2 ** 30, 2 ** 30 + 100, true, 70_000, 12)
    builder.close(70_000, 400)
    const { index } = Result.getOrThrow(parseCsi(builder.csi(1)))
    assert.strictEqual(index.depth, 6)
    const { bins, counts } = index.reference(0)
    assert.deepStrictEqual(counts, { mapped: 1, unmapped: 0 })
    assert.isAbove(bins.size, 0)
  })

  it.effect.prop("with fewer levels it is the index that was begun with them", [someReads], ([reads]) =>
    Effect.gen(function* () {
      const codec = yield* Codec
      const made = [5, 8].map((depth) => {
        const builder = IndexBuilder.make(14, depth)
        // Before the first base: it lies in the root.
        builder.add(0, -1, 30, true, 0, 0)
        for (const [i, fields] of reads.entries()) {
          const end = BamRecord.end(new DataView(BamRecord.encodeRecord(fields).buffer), 0)
          builder.add(fields.refId, fields.position, end, true, 9_000 * i, 40)
        }
        builder.close(9_000 * reads.length, 0)
        return builder
      })
      const [own, deeper] = made
      for (const index of [deeper?.bai(3), deeper?.fitting(codec, 3, 1_000_000).bytes])
        assert.deepStrictEqual(index, own?.bai(3))
      assert.deepStrictEqual(deeper?.csi(3, 5), own?.csi(3))
    }).pipe(provided)
  )

  withCodec("is a CSI where a reference or a record goes past 2^29, of as many levels as that takes", function* () {
    const codec = yield* Codec
    const kindOf = Effect.fnUntraced(function* (longest: number, end: number) {
      const builder = IndexBuilder.make()
      builder.add(0, 100, end, true, 0, 0)
      builder.close(0, 50)
      const columns = builder.fitting(codec, vcfColumns(["chr1"]), longest)
      const { bytes, suffix } = builder.fitting(codec, 1, longest)
      assert.strictEqual(columns.suffix, suffix === "bai" ? "tbi" : "csi")
      // As files of their kind are: a BAI plain, the others BGZF.
      assert.strictEqual(Bgzf.isGzip(bytes), suffix !== "bai")
      assert.isTrue(Bgzf.isGzip(columns.bytes))
      const { index } = yield* readIndex("s", fromBytes(bytes))
      return [suffix, index.format, index.depth]
    })
    assert.deepStrictEqual(yield* kindOf(2 ** 29, 2 ** 29), ["bai", "BAI", 5])
    assert.deepStrictEqual(yield* kindOf(2 ** 29 + 1, 200), ["csi", "CSI", 6])
    assert.deepStrictEqual(yield* kindOf(1_000, 2 ** 29 + 1), ["csi", "CSI", 6])
    assert.deepStrictEqual(yield* kindOf(0, 2 ** 33), ["csi", "CSI", 7])
    // What no reference is as long as, by a header that is wrong.
    assert.deepStrictEqual(yield* kindOf(1e20, 200), ["csi", "CSI", 8])
  })

  it("names of a tabix index come back, in TBI and in CSI", () => {
    const builder = IndexBuilder.make(14, 5)
    builder.add(1, 100, 200, true, 50, 0)
    builder.close(50, 80)
    const names = ["1", "GL000192.1", "HLA-A*01:01:01:01"]
    const tbi = Result.getOrThrow(parseTbi(builder.tbi(vcfColumns(names))))
    const csi = Result.getOrThrow(parseCsi(builder.csi(vcfColumns(names))))
    for (const { columns, index } of [tbi, csi]) {
      assert.deepStrictEqual(columns?.names, names)
      assert.strictEqual(columns?.meta, 0x23)
      assert.strictEqual(index.lastEnd, VirtualOffset.make(50, 80))
    }
  })
})

describe("parsing untrusted indexes", () => {
  const u32 = (...values: ReadonlyArray<number>) => {
    const bytes = new Uint8Array(values.length * 4)
    const view = new DataView(bytes.buffer)
    for (const [i, value] of values.entries()) view.setUint32(i * 4, value, true)
    return bytes
  }
  const bai = (...values: ReadonlyArray<number>) => u32(0x01494142, ...values)
  const csi = (...values: ReadonlyArray<number>) => u32(0x01495343, ...values)
  const tbi = (...values: ReadonlyArray<number>) => u32(0x01494254, ...values)
  const huge = 2 ** 31 - 1

  const bombs: ReadonlyArray<readonly [string, Result.Result<unknown, { readonly fault: string }>]> = [
    ["references of a BAI", parseIndex("x", bai(huge, 0, 0))],
    ["references beyond 31 bits", parseIndex("x", bai(2 ** 32 - 1, 0, 0))],
    ["bins of a BAI", parseIndex("x", bai(1, huge, 0, 0))],
    ["chunks of a BAI", parseIndex("x", bai(1, 1, 4681, huge, 0, 0))],
    ["intervals of a BAI", parseIndex("x", bai(1, 0, huge))],
    ["bins that do not exist", parseIndex("x", bai(1, 1, 37451, 0, 0))],
    ["references of a TBI", parseIndex("x", tbi(huge, 2, 1, 2, 0, 35, 0, 0))],
    ["names of a TBI", parseIndex("x", tbi(1, 2, 1, 2, 0, 35, 0, huge))],
    ["more references than names", parseIndex("x", tbi(1, 2, 1, 2, 0, 35, 0, 0, 0, 0))],
    ["levels of a CSI", parseIndex("x", csi(14, 30, 0, 1, 0))],
    ["negative levels", parseIndex("x", csi(14, 2 ** 32 - 1, 0, 1, 0))],
    ["shift of a CSI", parseIndex("x", csi(60, 5, 0, 1, 0))],
    ["extra field of a CSI", parseIndex("x", csi(14, 5, huge, 1, 0))],
    ["references of a CSI", parseIndex("x", csi(14, 5, 0, huge, 0))],
    ["bins of a CSI", parseIndex("x", csi(14, 5, 0, 1, huge, 0))]
  ]
  it.each(bombs)("D6 %s", (_name, parsed) => {
    assert.isTrue(Result.isFailure(parsed))
    if (Result.isFailure(parsed)) assert.strictEqual(parsed.failure.fault, "BadIndex")
  })

  it("D7 a chunk that ends before it begins", () => {
    const parsed = parseIndex("x", bai(1, 1, 4681, 1, 0, 9, 0, 8, 0))
    assert.isTrue(Result.isFailure(parsed))
  })

  const Mutations = Schema.Array(
    Schema.Struct({
      at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 })),
      value: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
    })
  ).check(Schema.isMinLength(1))

  /** Decodes everything an accepted index offers. */
  const useAll = (index: BinIndex) => {
    let chunks = 0
    for (let i = 0; i < index.references; i++) {
      for (const bin of index.reference(i).bins.values()) chunks += bin.chunks.length
    }
    assert.isAtMost(index.references, 10_000)
    assert.isAbove(pseudoBin(index.depth), 0)
    return chunks
  }

  it.effect.prop(
    "D6 mutated and cut indexes end typed and bounded",
    [someReads, Mutations, Schema.Int],
    ([reads, mutations, cut]) =>
      Effect.gen(function* () {
        const codec = yield* Codec
        const { bai } = bamFile(codec, reads)
        const builder = IndexBuilder.make(14, 5)
        for (const [i, read] of reads.entries()) {
          builder.add(read.refId, read.position, read.position + 10, true, i * 100, 0)
        }
        builder.close(reads.length * 100, 0)
        const tbi = builder.tbi(vcfColumns(["a", "b", "c"]))
        const csi = builder.csi(vcfColumns(["a", "b", "c"]))
        for (const [format, original] of [
          ["bai", bai],
          ["tbi", tbi],
          ["csi", csi]
        ] as const) {
          const spoilt = original.slice(0, cut > 0 ? Math.max(1, cut % (2 * original.length)) : undefined)
          for (const { at, value } of mutations) spoilt[at % spoilt.length] = value
          const file = format === "bai" ? spoilt : bgzf(codec, spoilt)
          const parsed = yield* Effect.result(readIndex("x", fromBytes(file)))
          if (Result.isSuccess(parsed)) useAll(parsed.success.index)
          else assert.include(["BadIndex", "BadBlock"], parsed.failure.fault)
        }
      }).pipe(provided)
  )

  withCodec("D1 an index that is cut at any byte, or has any byte behind its end, says at which", function* () {
    const codec = yield* Codec
    const { bai } = bamFile(codec, [read("r", 0, 100), read("u", -1, -1, [])])
    const builder = IndexBuilder.make(14, 5)
    builder.add(0, 4, 5, true, 0, 100)
    builder.close(0, 200)
    const plain = { bai, tbi: builder.tbi(vcfColumns(["chr1"])), csi: builder.csi(vcfColumns(["chr1"])) }
    for (const format of ["bai", "tbi", "csi"] as const) {
      const whole = plain[format]
      // The number of unplaced reads, 8 bytes at the end, may be absent.
      const field = whole.length - 8
      const look = (bytes: Uint8Array) =>
        Effect.result(readIndex("x", fromBytes(format === "bai" ? bytes : bgzf(codec, bytes))))
      assert.isTrue(Result.isSuccess(yield* look(whole)))
      assert.isTrue(Result.isSuccess(yield* look(whole.subarray(0, field))))
      for (let length = 0; length < whole.length; length++) {
        const found = yield* look(whole.subarray(0, length))
        assert.strictEqual(Result.isFailure(found), length !== field, `${format} of ${length} bytes`)
        if (Result.isSuccess(found) || length < field) continue
        assert.strictEqual(found.failure.fault, "BadIndex")
        assert.include(found.failure.reason, `ends at byte ${length}`)
        assert.include(found.failure.reason, `begins at byte ${field}`)
      }
      for (const more of [1, 7, 8, 9, 300]) {
        const found = yield* Effect.flip(Effect.fromResult(yield* look(concat(whole, new Uint8Array(more).fill(0x20)))))
        assert.strictEqual(found.fault, "BadIndex")
        assert.include(found.reason, `its end is at byte ${whole.length}`)
        assert.include(found.reason, `goes on to byte ${whole.length + more}`)
      }
    }
  })

  withCodec("D6 a compressed index that inflates without end is stopped", function* () {
    const codec = yield* Codec
    const bomb = bgzf(codec, concat(csi(14), new Uint8Array(60_000_000)))
    assert.isBelow(bomb.length, 600_000)
    const fault = yield* Effect.flip(readIndex("x.tbi", fromBytes(bomb)))
    assert.strictEqual(fault.fault, "BadIndex")
    assert.include(fault.reason, "inflates to more than")
  })
})
