import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { concat, read, references, text } from "../../../../test/genome/Fixtures.ts"
import type { RecordCheck, RecordListener } from "../bgzf/ContentCheck.ts"
import { bamWalk } from "./Bam.ts"
import { encodeBamHeader } from "./BamHeader.ts"
import * as BamRecord from "./BamRecord.ts"
import { vcfWalk } from "./Vcf.ts"

const sam = text("@HD\tVN:1.6\tSO:coordinate\n")
const header = { text: sam, references, size: encodeBamHeader(sam, references).length }
const reads = Array.from({ length: 30 }, (_, i) => read(`r${i}`, i < 20 ? 0 : 2, i * 250))
const bam = concat(
  encodeBamHeader(sam, references),
  ...reads.map(BamRecord.encodeRecord),
  BamRecord.encodeRecord(read("u", -1, -1, []))
)

/** Takes `bytes` in parts of the given sizes, over and over. */
const inParts = (check: RecordCheck, bytes: Uint8Array, sizes: ReadonlyArray<number>) => {
  let at = 0
  for (let i = 0; at < bytes.length; i++) {
    const size = 1 + Math.abs((sizes[i % sizes.length] ?? 0) % 300)
    const fault = check.take(bytes.slice(at, at + size), { offsets: [at, at + size], ends: [size] })
    if (fault !== null) return { fault, counts: check.counts() }
    at += size
  }
  return { fault: check.finish(), counts: check.counts() }
}

const Sizes = Schema.Array(Schema.Int)

describe("records of a BAM", () => {
  it.effect.prop("are counted alike wherever the parts end", [Sizes], ([sizes]) =>
    Effect.sync(() => {
      const { counts, fault } = inParts(bamWalk(header), bam, sizes)
      assert.strictEqual(fault, null)
      assert.deepInclude(counts, { records: 31, unplaced: 1, sorted: true })
      assert.deepStrictEqual([...counts.ofReference.values()], [20, 0, 10])
    })
  )

  /** A record whose last tag has `length` bytes, as far as its first bytes go: all others are zeros. */
  const longRecord = (length: number) => {
    const own = BamRecord.encodeRecord(read("long", 0, 100))
    const begin = concat(own, text("ZZBc"), new Uint8Array(4))
    const view = new DataView(begin.buffer)
    view.setUint32(0, begin.length + length - 4, true)
    view.setUint32(begin.length - 4, length, true)
    return begin
  }

  it("may have one of more than 64 MiB", () => {
    const zeros = new Uint8Array(0x100000)
    const check = bamWalk(header)
    const take = (bytes: Uint8Array) => check.take(bytes, { offsets: [0, bytes.length], ends: [bytes.length] })
    assert.isNull(take(concat(encodeBamHeader(sam, references), longRecord(70 * zeros.length))))
    for (let i = 0; i < 70; i++) assert.isNull(take(zeros))
    assert.isNull(check.finish())
    assert.strictEqual(check.counts().records, 1)
  })

  it("one of many bytes that contradicts itself is found by its first bytes", () => {
    const record = longRecord(70_000_000)
    new DataView(record.buffer).setInt32(20, 80_000_000, true)
    const check = bamWalk(header)
    const bytes = concat(encodeBamHeader(sam, references), record)
    const fault = check.take(bytes, { offsets: [0, bytes.length], ends: [bytes.length] })
    assert.strictEqual(fault?.phrase, "has a record (number 1) that contradicts itself")
  })

  it("a cut in any record is seen, and the record named", () => {
    let next = header.size
    const records = reads.map((one) => {
      const begin = next
      next += BamRecord.encodeRecord(one).length
      return begin
    })
    records.push(next)
    for (let length = header.size + 1; length < bam.length; length += 13) {
      const whole = reads.some((_, i) => {
        const end = header.size + reads.slice(0, i + 1).reduce((sum, it) => sum + BamRecord.encodeRecord(it).length, 0)
        return end === length
      })
      if (whole) continue
      const begin = records.findLast((at) => at < length) ?? 0
      const { fault } = inParts(bamWalk(header), bam.subarray(0, length), [50])
      const block = Math.floor(begin / 51) * 51
      const place = `at byte ${begin - block} of the content of the block at byte ${block}`
      const there = length - begin
      const claim = there < 4 ? "" : ` and claims ${new DataView(bam.buffer).getUint32(begin, true) + 4} bytes`
      assert.strictEqual(fault, `ends inside a record, which begins ${place}${claim}: ${there} are there`)
    }
  })

  it("a file that promises no order may have any, and says so", () => {
    const plain = { ...header, text: text("@HD\tVN:1.6\tSO:queryname\n") }
    const turned = concat(bam.subarray(0, header.size), ...[...reads].reverse().map(BamRecord.encodeRecord))
    const { counts, fault } = inParts(bamWalk(plain), turned, [1000])
    assert.strictEqual(fault, null)
    assert.strictEqual(counts.sorted, false)
  })

  it("a place in a fault lies in the record it is about", () => {
    const wrong = BamRecord.encodeRecord(read("r", 9, 1))
    const { fault } = inParts(bamWalk(header), concat(bam.subarray(0, header.size), wrong), [299])
    assert.match(typeof fault === "object" ? (fault?.phrase ?? "") : "", /number 1\) on a reference/)
  })

  it("D5 parts of a record that do not add up, as samtools refuses them too", () => {
    const good = BamRecord.encodeRecord(read("name", 0, 1_000, [[8, "M"]]))
    const cigar = 36 + 5
    const tags = cigar + 4 + 4 + 8
    const spoilt = (change: (view: DataView) => void) => {
      const bytes = good.slice()
      change(new DataView(bytes.buffer))
      return bytes
    }
    const cases: ReadonlyArray<readonly [RegExp, Uint8Array]> = [
      [/has a name without its end/, spoilt((view) => view.setUint8(cigar - 1, 65))],
      [/has a CIGAR operation 10, which does not exist/, spoilt((view) => view.setUint32(cigar, (8 << 4) | 10, true))],
      [/has 8 bases and a CIGAR of 7/, spoilt((view) => view.setUint32(cigar, 7 << 4, true))],
      [/has 6 bases and a CIGAR of 8/, spoilt((view) => view.setUint32(20, 6, true))],
      [/contradicts itself/, spoilt((view) => view.setUint16(16, 999, true))],
      [/has a tag that is not whole/, spoilt((view) => view.setUint8(tags + 2, 0x3f))],
      [/has a tag that is not whole/, spoilt((view) => view.setUint8(tags + 2, 0x5a))],
      [/has a tag that is not whole/, spoilt((view) => view.setUint8(tags + 2, 0x42))],
      [/on a reference/, spoilt((view) => view.setInt32(24, 77, true))]
    ]
    const start = bam.subarray(0, header.size)
    assert.isNull(inParts(bamWalk(header), concat(start, good), [299]).fault)
    for (const [wanted, record] of cases) {
      const { fault } = inParts(bamWalk(header), concat(start, record), [299])
      assert.match(typeof fault === "object" ? (fault?.phrase ?? "") : "", wanted)
    }
  })

  it("D5 the CIGAR operation B moves along neither the read nor the reference, as for samtools", () => {
    const record = BamRecord.encodeRecord(
      read("b", 0, 99, [
        [10, "M"],
        [5, "B"],
        [10, "M"]
      ])
    )
    assert.isNull(inParts(bamWalk(header), concat(bam.subarray(0, header.size), record), [299]).fault)
    assert.strictEqual(BamRecord.end(new DataView(record.buffer), 0), 119)
  })

  it("D5 the CIGAR in the tag CG counts wherever a soft clip of all bases stands first, as for htslib", () => {
    const real = [40, 0, 30_000, 3, 60, 0].flatMap((n, i, all) => (i % 2 === 0 ? [(n << 4) | (all[i + 1] ?? 0)] : []))
    const tagged = (cigar: BamRecord.RecordFields["cigar"], type = "I", words = real) => {
      const own = BamRecord.encodeRecord({ ...read("c", 0, 99, cigar), bases: "A".repeat(100), qualities: [] })
      const record = concat(own, text(`NMC\u0001CGB${type}`), new Uint8Array(4 + 4 * words.length))
      const view = new DataView(record.buffer)
      view.setUint32(0, record.length - 4, true)
      for (const [i, word] of [words.length, ...words].entries()) view.setUint32(own.length + 8 + 4 * i, word, true)
      return record
    }
    const endOf = (record: Uint8Array) => BamRecord.end(new DataView(record.buffer), 0)
    const clip = [100, "S"] as const
    for (const cigar of [[clip], [clip, [30_100, "N"]]] as const) assert.strictEqual(endOf(tagged(cigar)), 30_199)
    assert.isNull(inParts(bamWalk(header), concat(bam.subarray(0, header.size), tagged([clip])), [299]).fault)
    // Anything else in its place is not believed.
    assert.strictEqual(endOf(tagged([[99, "S"]])), 100)
    assert.strictEqual(endOf(tagged([clip], "S")), 100)
    assert.strictEqual(endOf(tagged([clip, [7, "N"], [1, "M"], [1, "M"]])), 108)
  })

  it("D5 an unmapped read may have a CIGAR of another length than its bases, as for samtools", () => {
    const odd = { ...read("u", 0, 10_000, [[7, "M"]], BamRecord.Flag.unmapped), bases: "ACGT", qualities: [9, 9, 9, 9] }
    const whole = (record: BamRecord.RecordFields) =>
      concat(bam.subarray(0, header.size), BamRecord.encodeRecord(record))
    assert.isNull(inParts(bamWalk(header), whole(odd), [299]).fault)
    assert.isNotNull(inParts(bamWalk(header), whole({ ...odd, flags: 0 }), [299]).fault)
  })
})

describe("lines of a VCF", () => {
  const line = (chromosome: string, position: number | string) => `${chromosome}\t${position}\t.\tA\tC\t.\t.\t.\n`
  const body = (...lines: ReadonlyArray<string>) => text(`##fileformat=VCFv4.2\n#CHROM\tPOS\n${lines.join("")}`)

  it.effect.prop("are counted alike wherever the parts end", [Sizes], ([sizes]) =>
    Effect.sync(() => {
      const lines = [line("chr1", 5), line("chr1", 5), line("chr10", 1), line("chr2", 7)]
      const { counts, fault } = inParts(vcfWalk(0), body(...lines), sizes)
      assert.strictEqual(fault, null)
      assert.deepInclude(counts, { records: 4, sorted: true })
      assert.deepStrictEqual(Object.fromEntries(counts.ofReference), { chr1: 2, chr10: 1, chr2: 1 })
    })
  )

  it("lines longer than what is kept, and a last line without its line feed", () => {
    const long = `chr1\t9\t.\t${"A".repeat(20_000)}\tC\t.\t.\t.\n`
    const { counts, fault } = inParts(vcfWalk(0), body(line("chr1", 5), long, line("chr1", 10).trimEnd()), [200])
    assert.strictEqual(fault, null)
    assert.deepInclude(counts, { records: 3, sorted: true })
  })

  it("D15 reach as far as they say, however far behind that stands, and wherever the parts end", () => {
    const fields = (info: string, rest = "") =>
      `chr1\t9\t.\tA\t<DEL>,<*>\t.\t.\tX=${"x".repeat(70_000)}${info}${rest}\n`
    for (const [long, end] of [
      [fields(";END=500"), 500],
      [fields(";SVLEN=500"), 509],
      [fields("", `\tGT:LEN${"\t0/0:1".repeat(300)}\t0/0:700`), 708]
    ] as const) {
      const ends: Array<number> = []
      const listener: RecordListener = { enter: () => {}, record: (_, end) => void ends.push(end), leave: () => {} }
      const samples = long.split("0/0").length - 1
      const { fault } = inParts(vcfWalk(samples, [listener]), body(long), [200])
      assert.isNull(fault)
      assert.deepStrictEqual(ends, [end])
    }
  })

  it("what is no record, at its place", () => {
    for (const wrong of ["chr1\n", "chr1\tfive\t.\n", "\t5\t.\n", "chr1\t5\n", "chr1\t-5\t.\n"]) {
      const { fault } = inParts(vcfWalk(0), body(line("chr1", 1), wrong), [299])
      assert.match(typeof fault === "object" ? (fault?.phrase ?? "") : "", /number 2\)/, JSON.stringify(wrong))
    }
    assert.strictEqual(
      inParts(vcfWalk(0), body("chr1\t"), [299]).fault,
      "ends inside a record, which begins at byte 32 of the content of the block at byte 0"
    )
  })

  it("D5 lines with more or fewer columns than the header has samples", () => {
    const fields = "chr1\t5\t.\tA\tC\t.\t.\t."
    for (const [samples, line, wanted] of [
      [0, fields, null],
      [0, `${fields}\tGT\t0/1`, null],
      [2, `${fields}\tGT\t0/1\t0/0`, null],
      [0, `${fields}\t`, null],
      [2, `${fields}\tGT\t0/1\t0/0\t`, null],
      [2, `${fields}\tGT\t0/1\t0/0\t\t\r`, null],
      [2, `${fields}\tGT\t0/1`, 10],
      [2, `${fields}\tGT\t0/1\t0/0\t1/1`, 12],
      [1, fields, 8]
    ] as const) {
      for (const size of [7, 299]) {
        const { fault } = inParts(vcfWalk(samples), body(`${line}\n`), [size])
        const phrase = typeof fault === "object" ? (fault?.phrase ?? null) : fault
        if (wanted === null) assert.isNull(phrase)
        else assert.include(phrase ?? "", `of ${wanted} columns, and ${9 + samples} are expected`)
      }
    }
  })

  it("D5 a blank line among the records, and none in the header", () => {
    const head = "##fileformat=VCFv4.2\n\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n"
    for (const size of [7, 299]) {
      const walk = (content: string) => inParts(vcfWalk(0), text(content), [size]).fault
      assert.isNull(walk(head + line("chr1", 5)))
      for (const blank of ["\n", "\r\n"]) {
        const fault = walk(head + line("chr1", 5) + blank)
        assert.include(typeof fault === "object" ? (fault?.phrase ?? "") : fault, "has a blank line after 1 record")
      }
    }
  })

  it("positions that go back, and references that come again, are not in order", () => {
    const sorted = (...lines: ReadonlyArray<string>) => inParts(vcfWalk(0), body(...lines), [40]).counts.sorted
    assert.isFalse(sorted(line("chr1", 5), line("chr1", 4)))
    assert.isFalse(sorted(line("chr1", 5), line("chr2", 4), line("chr1", 6)))
    assert.isTrue(sorted(line("chr2", 5), line("chr1", 4)))
  })
})
