import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as ZlibCodec from "../../../platform/inflate/ZlibCodec.ts"
import {
  BlockBytes,
  bamFile,
  bgzf,
  concat,
  endingAtFileEnd,
  read,
  references,
  SomeIntervals,
  someReads,
  text
} from "../../../test/genome/Fixtures.ts"
import { indexBy, placesOf } from "../../../test/genome/IndexWriters.ts"
import { contentOf } from "../../../test/genome/Slicing.ts"
import { withCodec } from "../../../test/genome/WithCodec.ts"
import { fromBytes } from "../genome/ByteReader.ts"
import { eofBlock } from "../genome/bgzf/Bgzf.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import * as VirtualOffset from "../genome/bgzf/VirtualOffset.ts"
import { readBamHeader } from "../genome/formats/BamHeader.ts"
import * as BamRecord from "../genome/formats/BamRecord.ts"
import { vcfColumns } from "../genome/formats/Vcf.ts"
import * as IndexBuilder from "../genome/index/IndexBuilder.ts"
import { checkStructure } from "../genome/Structure.ts"
import { joinNearest, openFile, piecesOf, type TicketPiece } from "./TicketPieces.ts"
import { fromBody } from "./TicketRequest.ts"

const provided = Effect.provide(ZlibCodec.layer)

interface Region {
  readonly referenceName: string
  readonly start?: number
  readonly end?: number
}

const requestFor = (datatype: "reads" | "variants", body: object) =>
  Effect.fromResult(fromBody(datatype, new URLSearchParams(), JSON.stringify(body)))

/** What a client of the protocol puts together. */
const joined = (data: Uint8Array, pieces: ReadonlyArray<TicketPiece>) =>
  concat(
    ...pieces.map((piece) =>
      piece._tag === "Inline" ? piece.bytes : piece._tag === "Range" ? data.subarray(piece.first, piece.end) : data
    )
  )

const bamOf = Effect.fnUntraced(function* (bam: Uint8Array, bai: Uint8Array, body: object, indexName = "x.bam.bai") {
  const pair = { name: "x.bam", reader: fromBytes(bam), index: { name: indexName, reader: fromBytes(bai) } }
  const opened = yield* openFile("reads", pair)
  const pieces = yield* piecesOf(opened, pair.reader, yield* requestFor("reads", body))
  return { pieces, bytes: joined(bam, pieces) }
})

/** Names of the records of a BAM, in order; every record must be whole. */
const namesOf = Effect.fnUntraced(function* (bam: Uint8Array) {
  yield* checkStructure("x.bam", fromBytes(bam))
  const header = yield* readBamHeader("x.bam", fromBytes(bam))
  const bytes = contentOf(bam)
  const view = new DataView(bytes.buffer)
  const names: Array<string> = []
  let at = header.size
  while (at < bytes.length) {
    const length = view.getUint8(at + 12) - 1
    names.push(String.fromCharCode(...bytes.subarray(at + 36, at + 36 + length)))
    at += BamRecord.recordSize(view, at)
  }
  assert.strictEqual(at, bytes.length)
  return names
})

const endOf = (fields: BamRecord.RecordFields) => BamRecord.end(new DataView(BamRecord.encodeRecord(fields).buffer), 0)

const overlaps = (
  fields: BamRecord.RecordFields,
  { end = Number.POSITIVE_INFINITY, referenceName, start = 0 }: Region
) => references[fields.refId]?.name === referenceName && fields.position < end && endOf(fields) > start

describe("the pieces of a ticket", () => {
  it.effect.prop(
    "D15 make a sound BAM that lacks none of the wanted reads, has each once and in file order, however blocks and records lie",
    [someReads, SomeIntervals, BlockBytes, Schema.Boolean, Schema.Boolean],
    ([reads, wanted, blockBytes, unplaced, csi]) =>
      Effect.gen(function* () {
        const codec = yield* Codec
        const all = [...reads, ...["u1", "u2"].map((name) => read(name, -1, -1, [], BamRecord.Flag.unmapped))]
        const file = bamFile(codec, all, { blockBytes })
        const regions: Array<Region> = wanted.map(({ ref, size, start }) => {
          const referenceName = references[ref]?.name ?? ""
          return size === 0 ? { referenceName } : { referenceName, start, end: start + size }
        })
        const { bytes } = yield* bamOf(
          file.bam,
          csi ? file.csi : file.bai,
          { regions: unplaced ? [...regions, { referenceName: "*" }] : regions },
          csi ? "x.bam.csi" : "x.bam.bai"
        )
        const names = yield* namesOf(bytes)
        const order = all.map(({ name }) => name)
        assert.deepStrictEqual(
          names,
          order.filter((name) => names.includes(name)),
          "in file order, each once"
        )
        const needed = all.filter((fields) =>
          fields.refId < 0 ? unplaced : regions.some((region) => overlaps(fields, region))
        )
        assert.deepStrictEqual(
          needed.map(({ name }) => name).filter((name) => !names.includes(name)),
          [],
          "none is missing"
        )
      }).pipe(provided)
  )

  it("are so few that a ticket of many regions stays small: those nearest to each other are one", () => {
    const at = (block: number) => ({ begin: VirtualOffset.make(block, 1), end: VirtualOffset.make(block + 10, 2) })
    const starts = [0, 50, 1000, 1030, 5000, 9000]
    const firsts = (gap: number, most: number) =>
      joinNearest(starts.map(at), gap, most).map(({ begin, end }) => [
        VirtualOffset.block(begin),
        VirtualOffset.block(end)
      ])
    assert.deepStrictEqual(firsts(0, 6).length, 6)
    assert.deepStrictEqual(firsts(40, 6).length, 4)
    assert.deepStrictEqual(firsts(0, 3), [
      [0, 1040],
      [5000, 5010],
      [9000, 9010]
    ])
    assert.deepStrictEqual(firsts(0, 1), [[0, 9010]])
  })

  withCodec("are ranges of the file where many reads are wanted, and few bytes where few are", function* () {
    const codec = yield* Codec
    const reads = Array.from({ length: 8_000 }, (_, i) => read(`r${i}`, 0, i * 110))
    const { bai, bam } = bamFile(codec, reads, { blockBytes: 200 })
    const most = yield* bamOf(bam, bai, { regions: [{ referenceName: "chr1", start: 100_000, end: 800_000 }] })
    const ranged = most.pieces.flatMap((piece) => (piece._tag === "Range" ? [piece.end - piece.first] : []))
    assert.strictEqual(ranged.length, 1)
    assert.isAbove(ranged[0] ?? 0, bam.length / 2)
    const few = yield* bamOf(bam, bai, { regions: [{ referenceName: "chr1", start: 500_000, end: 500_001 }] })
    assert.isBelow(few.bytes.length, bam.length / 10)
    assert.include(yield* namesOf(few.bytes), "r4545")
  })

  withCodec("class=header gives the header alone, and a region without reads a sound file without any", function* () {
    const { bai, bam } = bamFile(yield* Codec, [read("a", 0, 100)])
    const header = yield* bamOf(bam, bai, { class: "header" })
    assert.deepStrictEqual(yield* namesOf(header.bytes), [])
    assert.isTrue(header.pieces.every((piece) => piece._tag === "Inline" && piece.part === "header"))
    const none = yield* bamOf(bam, bai, { regions: [{ referenceName: "chr3" }] })
    assert.deepStrictEqual(yield* namesOf(none.bytes), [])
  })

  withCodec("a reference that is not there is NotFound, a place behind its end InvalidRange", function* () {
    const { bai, bam } = bamFile(yield* Codec, [read("a", 0, 100)])
    const kind = (region: Region) =>
      Effect.map(Effect.flip(bamOf(bam, bai, { regions: [region] })), (error) =>
        error._tag === "HtsgetError" ? error.kind : error._tag
      )
    assert.strictEqual(yield* kind({ referenceName: "1" }), "NotFound")
    assert.strictEqual(yield* kind({ referenceName: "chr1", start: 1_000_000 }), "InvalidRange")
    const beyond = yield* bamOf(bam, bai, { regions: [{ referenceName: "chr1", start: 0, end: 2_000_000 }] })
    assert.deepStrictEqual(yield* namesOf(beyond.bytes), ["a"])
  })

  withCodec(
    "D7 an index that leads where no block is, or to another file, ends in an error, not in wrong bytes",
    function* () {
      const codec = yield* Codec
      const reads = Array.from({ length: 3000 }, (_, i) => read(`r${i}`, 0, i * 30))
      const { bai } = bamFile(codec, reads, { blockBytes: 5000 })
      const other = bamFile(codec, reads, { blockBytes: 300 })
      const region = { regions: [{ referenceName: "chr1", start: 50_000, end: 60_000 }] }
      assert.strictEqual((yield* Effect.flip(bamOf(other.bam, bai, region)))._tag, "SvcFileDamaged")
      const fewer = bamFile(codec, [read("a", 0, 1)], { references: references.slice(0, 2) })
      assert.strictEqual((yield* Effect.flip(bamOf(fewer.bam, bai, region)))._tag, "SvcFileDamaged")
      // The way of older writers.
      const file = bamFile(codec, reads)
      const late = yield* bamOf(file.bam, endingAtFileEnd(file.bai, file.bam.length), {
        regions: [{ referenceName: "chr1" }]
      })
      assert.strictEqual((yield* namesOf(late.bytes)).length, 3000)
      // One that begins behind a block, which holds less: what lies before that it does not lead to.
      const blocks = bamFile(codec, reads, { blockBytes: 5000 })
      const past = IndexBuilder.make(14, 5)
      past.add(0, 0, 90_000, true, (yield* blockStarts(blocks.bam))[1]?.offset ?? 0, 6000)
      past.close(blocks.bam.length - eofBlock.length, 0)
      const all = yield* bamOf(blocks.bam, past.bai(3), { regions: [{ referenceName: "chr1" }] })
      assert.strictEqual((yield* namesOf(all.bytes)).length, 3000)
    }
  )

  withCodec("D7 an index may lack reads with a reference and no position where it ends", function* () {
    const [first, lost] = [read("a", 0, 5), read("lost", 1, -1, [])]
    for (const reads of [[first, lost], [first, lost, { ...lost, refId: 2 }], [lost]]) {
      const { bam } = bamFile(yield* Codec, reads)
      const { placed } = yield* placesOf(bam)
      const known = placed.filter(({ start }) => start >= 0)
      const bai = indexBy({ name: "htsjdk's BAI", format: "BAI" }, known, 3)
      const { bytes } = yield* bamOf(bam, bai, { regions: [{ referenceName: "chr1" }] })
      assert.deepStrictEqual(
        yield* namesOf(bytes),
        known.map(() => "a")
      )
    }
  })

  withCodec(
    "of a file without its end are all that is there; of one that is shorter than its index there are none",
    function* () {
      const reads = Array.from({ length: 3000 }, (_, i) => read(`r${i}`, i < 2000 ? 0 : 1, (i % 2000) * 30))
      const unplaced = ["u1", "u2"].map((name) => read(name, -1, -1, [], BamRecord.Flag.unmapped))
      const { bai, bam } = bamFile(yield* Codec, [...reads, ...unplaced], { blockBytes: 5000 })
      const all = { regions: [...references.map(({ name }) => ({ referenceName: name })), { referenceName: "*" }] }
      const endless = yield* bamOf(bam.slice(0, -eofBlock.length), bai, all)
      assert.strictEqual((yield* namesOf(endless.bytes)).length, 3002)
      const starts = yield* blockStarts(bam)
      const cut = bam.subarray(0, starts[Math.floor(starts.length / 2)]?.offset)
      // Of the first region some are there, of the second none, of the last all.
      for (const region of [
        { referenceName: "chr1" },
        { referenceName: "chr2" },
        { referenceName: "chr1", start: 0, end: 9 }
      ]) {
        for (const short of [cut, concat(cut, eofBlock)]) {
          const error = yield* Effect.flip(bamOf(short, bai, { regions: [region] }))
          assert.strictEqual(error._tag, "SvcFileDamaged")
          assert.include(error.message, "it points to byte")
        }
      }
    }
  )

  withCodec("of a VCF are its header lines and whole lines", function* () {
    const codec = yield* Codec
    const head = `##fileformat=VCFv4.3\n##contig=<ID=chr1,length=1000000>\n##contig=<ID=chr2>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n`
    const lines = Array.from({ length: 5000 }, (_, i) => `chr1\t${i * 100 + 1}\tv${i}\tA\tC\t.\t.\t.\n`)
    const index = IndexBuilder.make(14, 5)
    // One block of header, then blocks that cut lines.
    const vcf = bgzf(codec, text(head + lines.join("")))
    let at = head.length
    const places = lines.map((line) => {
      const begin = at
      at += line.length
      return begin
    })
    const blocks = yield* blockStarts(vcf)
    const place = (offset: number) => {
      const block = blocks.findLast(({ inflated }) => inflated <= offset)
      return [block?.offset ?? 0, offset - (block?.inflated ?? 0)] as const
    }
    for (const [i, begin] of places.entries()) index.add(0, i * 100, i * 100 + 1, true, ...place(begin))
    index.close(...place(at))
    const tbi = bgzf(codec, index.tbi(vcfColumns(["chr1"])))
    const pair = { name: "x.vcf.gz", reader: fromBytes(vcf), index: { name: "x.vcf.gz.tbi", reader: fromBytes(tbi) } }
    const opened = yield* openFile("variants", pair)
    const region = { referenceName: "chr1", start: 200_000, end: 300_000 }
    const pieces = yield* piecesOf(opened, pair.reader, yield* requestFor("variants", { regions: [region] }))
    const bytes = contentOf(joined(vcf, pieces))
    const got = new TextDecoder().decode(bytes)
    assert.isTrue(got.startsWith(head) && got.endsWith("\n"))
    const ids = got
      .slice(head.length)
      .trimEnd()
      .split("\n")
      .map((line) => line.split("\t")[2])
    const first = Number(ids[0]?.slice(1))
    assert.deepStrictEqual(
      ids,
      Array.from({ length: ids.length }, (_, i) => `v${first + i}`)
    )
    assert.isTrue(first <= 2000 && first + ids.length >= 3000)
    const empty = yield* piecesOf(
      opened,
      pair.reader,
      yield* requestFor("variants", { regions: [{ referenceName: "chr2" }] })
    )
    assert.isTrue(empty.every((piece) => piece._tag === "Inline"))
  })
})

/** Where each block begins, in the file and in its inflated bytes. */
const blockStarts = Effect.fnUntraced(function* (file: Uint8Array) {
  const starts: Array<{ readonly offset: number; readonly inflated: number }> = []
  const view = new DataView(file.buffer, file.byteOffset)
  for (let offset = 0, inflated = 0; offset < file.length; ) {
    starts.push({ offset, inflated })
    const size = view.getUint16(offset + 16, true) + 1
    inflated += view.getUint32(offset + size - 4, true)
    offset += size
  }
  return yield* Effect.succeed(starts)
})
