import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import * as ZlibCodec from "../../../platform/inflate/ZlibCodec.ts"
import { growsEvenly } from "../../../test/CpuTime.ts"
import { bamFile, bgzf, concat, counting, read, references, text } from "../../../test/genome/Fixtures.ts"
import { withCodec, withCodecHere } from "../../../test/genome/WithCodec.ts"
import { fromBytes } from "./ByteReader.ts"
import * as Bgzf from "./bgzf/Bgzf.ts"
import { Codec } from "./bgzf/Codec.ts"
import { encodeBamHeader } from "./formats/BamHeader.ts"
import { kindOfName } from "./formats/FileNames.ts"
import { openFormat } from "./formats/Formats.ts"
import { vcfColumns } from "./formats/Vcf.ts"
import { parseBai } from "./index/BinIndex.ts"
import * as IndexBuilder from "./index/IndexBuilder.ts"
import { checkStructure, lastEndRange } from "./Structure.ts"

const provided = Effect.provide(ZlibCodec.layer)
const reads = Array.from({ length: 300 }, (_, i) => read(`r${i}`, i < 200 ? 0 : 2, i * 250))

const vcf = "##fileformat=VCFv4.2\n##contig=<ID=chr1,length=9>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n"

const faultOf = (name: string, bytes: Uint8Array, data?: { readonly name: string; readonly bytes: Uint8Array }) =>
  Effect.flip(
    checkStructure(
      name,
      fromBytes(bytes),
      data === undefined ? undefined : { name: data.name, reader: fromBytes(data.bytes) }
    )
  )

describe("checkStructure", () => {
  it("D16 the kind goes by the suffix, in any case", () => {
    assert.strictEqual(kindOfName("a.BAM")?.kind, "bam")
    assert.strictEqual(kindOfName("a.bam.Bai")?.kind, "bam.bai")
    assert.strictEqual(kindOfName("a.vcf.gz.tbi")?.kind, "vcf.gz.tbi")
    assert.strictEqual(kindOfName("a.txt"), null)
    assert.strictEqual(kindOfName("bam"), null)
  })

  withCodec("a sound BAM, its index and an empty BAM pass", function* () {
    const codec = yield* Codec
    const { bai, bam } = bamFile(codec, reads)
    assert.strictEqual((yield* checkStructure("a.bam", fromBytes(bam))).references, 3)
    const facts = yield* checkStructure("a.bam.bai", fromBytes(bai), { name: "a.bam", reader: fromBytes(bam) })
    assert.deepStrictEqual(facts, { kind: "bam.bai", format: "BAI", references: 3, samples: null, compared: 2 })
    const empty = bamFile(codec, [])
    yield* checkStructure("a.bam", fromBytes(empty.bam))
    yield* checkStructure("a.bam.bai", fromBytes(empty.bai), { name: "a.bam", reader: fromBytes(empty.bam) })
  })

  withCodec("D1 every truncation of a BAM is found", function* () {
    const codec = yield* Codec
    const { bam } = bamFile(codec, reads.slice(0, 60), { blockBytes: 700 })
    for (let length = 0; length < bam.length; length++) {
      const fault = yield* faultOf("a.bam", bam.subarray(0, length))
      assert.strictEqual(fault.fault, length === 0 ? "NotBgzf" : "Truncated")
    }
  })

  withCodec("D3 error pages, zeros and other formats under a genomic name", function* () {
    const codec = yield* Codec
    assert.strictEqual((yield* faultOf("a.bam", text("<html>Sign in</html>"))).fault, "NotBgzf")
    assert.strictEqual((yield* faultOf("a.vcf.gz", new Uint8Array(70_000))).fault, "NotBgzf")
    const asIndex = (bytes: Uint8Array) =>
      Effect.map(faultOf("a.vcf.gz.tbi", bytes), ({ fault, reason }) => `${fault}: ${reason}`)
    const not = "BadIndex: not an index (BAI, TBI or CSI): it is"
    for (const plain of [text(vcf), bgzf(codec, text(vcf))])
      assert.strictEqual(yield* asIndex(plain), `${not} a VCF file`)
    assert.strictEqual(yield* asIndex(bamFile(codec, []).bam), `${not} a BAM file`)
    assert.strictEqual(yield* asIndex(bgzf(codec, bgzf(codec, text("TBI\x01")))), `${not} compressed twice`)
    assert.include(yield* asIndex(text("version https://git-lfs.github.com/spec/v1\n")), `${not} a pointer of Git LFS`)
    assert.strictEqual(yield* asIndex(new Uint8Array(0)), `${not} empty`)
    assert.strictEqual((yield* faultOf("a.bam.bai", text("<html>"))).fault, "BadIndex")
    assert.strictEqual((yield* faultOf("a.bam", bgzf(codec, text(vcf)))).fault, "BadHeader")
    assert.strictEqual(
      (yield* faultOf("a.vcf.gz", bgzf(codec, encodeBamHeader(text(""), references)))).fault,
      "BadHeader"
    )
    assert.strictEqual((yield* faultOf("a.vcf.gz", bgzf(codec, text("##fileformat=VCFv4.2\n")))).fault, "BadHeader")
  })

  withCodec("D7 an index of another file", function* () {
    const codec = yield* Codec
    const { bai, bam } = bamFile(codec, reads)
    const data = { name: "a.bam", bytes: bam }
    const other = bamFile(codec, reads, { references: references.concat({ name: "chr4", length: 10 }) })
    const references4 = yield* faultOf("a.bam.bai", other.bai, data)
    assert.strictEqual(references4.fault, "IndexMismatch")
    assert.include(references4.reason, "4 references and the data has 3")
    const small = bamFile(codec, reads.slice(0, 3))
    const longer = bamFile(codec, reads, { blockBytes: 500 })
    assert.include(
      (yield* faultOf("a.bam.bai", longer.bai, { name: "a.bam", bytes: small.bam })).reason,
      "points to byte"
    )
    const shifted = bamFile(
      codec,
      reads.slice(1).map((own) => ({ ...own, refId: 1 })),
      { blockBytes: 600 }
    )
    const unlike = yield* faultOf("a.bam.bai", shifted.bai, { name: "a.bam", bytes: longer.bam })
    assert.include(unlike.reason, "no record of reference")
    assert.strictEqual(
      (yield* faultOf("a.bam.bai", bai, { name: "a.bam", bytes: bgzf(codec, text(vcf)) })).fault,
      "BadHeader"
    )
  })

  withCodec("a tabix index is compared with the names in the lines", function* () {
    const codec = yield* Codec
    const line = text("chr1\t5\t.\tA\tC\t.\t.\t.\n")
    const data = bgzf(codec, text(vcf), line)
    const builder = IndexBuilder.make(14, 5)
    builder.add(0, 4, 5, true, 0, vcf.length)
    builder.close(0, vcf.length + line.length)
    const file = { name: "a.vcf.gz", reader: fromBytes(data) }
    const facts = yield* checkStructure("a.vcf.gz.tbi", fromBytes(bgzf(codec, builder.tbi(vcfColumns(["chr1"])))), file)
    assert.strictEqual(facts.compared, 1)
    yield* checkStructure("a.vcf.gz.csi", fromBytes(bgzf(codec, builder.csi(vcfColumns(["chr1"])))), file)
    const fault = yield* Effect.flip(
      checkStructure("a.vcf.gz.tbi", fromBytes(bgzf(codec, builder.tbi(vcfColumns(["1"])))), file)
    )
    assert.strictEqual(fault.fault, "IndexMismatch")
    // Of a line that goes on in another block the first column is compared too.
    const [begin, rest] = [text(`${vcf}chr1\t5`), text("\t.\tA\tC\t.\t.\t.\n")]
    const crossing = { ...file, reader: fromBytes(concat(bgzf(codec, begin).subarray(0, -28), bgzf(codec, rest))) }
    const ofCrossing = (name: string) => {
      const own = IndexBuilder.make(14, 5)
      own.add(0, 4, 5, true, 0, vcf.length)
      own.close(crossing.reader.size - Bgzf.eofBlock.length, 0)
      return checkStructure("a.vcf.gz.tbi", fromBytes(bgzf(codec, own.tbi(vcfColumns([name])))), crossing)
    }
    assert.strictEqual((yield* ofCrossing("chr1")).compared, 1)
    assert.include((yield* Effect.flip(ofCrossing("1"))).message, "no record of reference 1 begins at byte 0")
    const bamIndex = bgzf(codec, IndexBuilder.make(14, 5).csi(1))
    assert.strictEqual(
      (yield* Effect.flip(checkStructure("a.vcf.gz.csi", fromBytes(bamIndex), file))).fault,
      "IndexMismatch"
    )
  })

  it.effect.each([
    ["format", 0, "preset 0 instead of 2"],
    ["format", 2 + 0x10000, "preset 65538 instead of 2"],
    ["name", 2, "sequence column 2 instead of 1"],
    ["begin", 3, "begin column 3 instead of 2"],
    ["meta", 0x40, 'meta character "@" instead of "#"'],
    // One more than the header has: it lacks the first record.
    ["skip", 4, "skipped lines 4 instead of 0"]
  ] as const)("D7 an index that was made for other lines than those of a VCF: %s", ([key, value, said]) =>
    Effect.gen(function* () {
      const codec = yield* Codec
      const line = text("chr1\t5\t.\tA\tC\t.\t.\t.\n")
      const data = { name: "a.vcf.gz", bytes: bgzf(codec, text(vcf), line) }
      const builder = IndexBuilder.make(14, 5)
      builder.add(0, 4, 5, true, 0, vcf.length)
      builder.close(0, vcf.length + line.length)
      const columns = { ...vcfColumns(["chr1"]), [key]: value }
      for (const [name, bytes] of [
        ["a.vcf.gz.tbi", builder.tbi(columns)],
        ["a.vcf.gz.csi", builder.csi(columns)]
      ] as const) {
        const fault = yield* faultOf(name, bgzf(codec, bytes), data)
        assert.strictEqual(fault.fault, "IndexMismatch")
        assert.strictEqual(fault.message, `${name}: it is not the index of a.vcf.gz: it was made with ${said}`)
      }
    }).pipe(provided)
  )

  withCodec("D7 with the preset of VCF the end column, and lines to skip within the header, do no harm", function* () {
    const codec = yield* Codec
    const line = text("chr1\t5\t.\tA\tC\t.\t.\t.\n")
    const data = { name: "a.vcf.gz", reader: fromBytes(bgzf(codec, text(vcf), line)) }
    const builder = IndexBuilder.make(14, 5)
    builder.add(0, 4, 5, true, 0, vcf.length)
    builder.close(0, vcf.length + line.length)
    for (const other of [{ end: 2 }, { skip: 3 }]) {
      const tbi = bgzf(codec, builder.tbi({ ...vcfColumns(["chr1"]), ...other }))
      assert.strictEqual((yield* checkStructure("a.vcf.gz.tbi", fromBytes(tbi), data)).compared, 1)
    }
  })

  withCodec("nothing is read where an index ends with its data, and a block where it ends before", function* () {
    const { bai, bam } = bamFile(yield* Codec, reads)
    const index = Result.getOrThrow(parseBai(bai))
    const { referenceAt } = yield* openFormat("a.bam", fromBytes(bam), "bam")
    const at = Result.getOrThrow(referenceAt({ index, columns: null }))
    const offset = bam.length - Bgzf.eofBlock.length
    assert.deepStrictEqual(
      [bam.length, offset, bam.length + 100].map((size) => lastEndRange(index, size, at)),
      [null, null, { offset, length: 128 }]
    )
  })

  withCodec("reads head and tail only", function* () {
    const codec = yield* Codec
    const { bam } = bamFile(codec, reads)
    const large = concat(
      bam.subarray(0, -28),
      ...Array.from({ length: 400 }, () => bgzf(codec, new Uint8Array(100_000)))
    )
    const reader = counting({ ...fromBytes(large), size: large.length })
    yield* checkStructure("a.bam", reader)
    assert.isBelow(reader.bytesRead(), 200_000)
  })

  const head = (claims: { text?: number; references?: number; name?: number }) => {
    const bytes = encodeBamHeader(text("@CO\tx\n"), references)
    const view = new DataView(bytes.buffer)
    if (claims.text !== undefined) view.setUint32(4, claims.text, true)
    if (claims.references !== undefined) view.setUint32(14, claims.references, true)
    if (claims.name !== undefined) view.setUint32(18, claims.name, true)
    return bytes
  }
  it.effect.each([
    ["2 GB of text", head({ text: 2 ** 31 }), "BadHeader"],
    ["10^8 references", head({ references: 1e8 }), "BadHeader"],
    ["a name of 2 GB", head({ name: 2 ** 31 }), "BadHeader"],
    ["an empty name", head({ name: 0 }), "BadHeader"],
    ["a name without end", head({ name: 4 }), "BadHeader"],
    ["more references than follow", head({ references: 9 }), "Truncated"]
  ] as const)("D9 a header that claims %s", ([, bytes, fault]) =>
    Effect.gen(function* () {
      const codec = yield* Codec
      assert.strictEqual((yield* faultOf("a.bam", bgzf(codec, bytes))).fault, fault)
    }).pipe(provided)
  )

  withCodec("D5 a header after endless empty blocks", function* () {
    const codec = yield* Codec
    const empty = bgzf(codec)
    const bytes = concat(...Array.from({ length: 66_000 }, () => empty))
    const fault = yield* faultOf("a.bam", bytes)
    assert.strictEqual(fault.fault, "BadHeader")
  })

  withCodec("D5 endless empty blocks where an index ends", function* () {
    const codec = yield* Codec
    // So many that the header is read without a look at what follows them.
    const many = Array.from({ length: 1_000 }, (_, i) => read(`r${i}`, 0, i))
    const { bai, bam } = bamFile(codec, many)
    let lookedAt = 0
    const faultAfter = (blocks: number) => {
      const empty = new Uint8Array(Bgzf.eofBlock.length * blocks)
      for (let i = 0; i < blocks; i++) empty.set(Bgzf.eofBlock, Bgzf.eofBlock.length * i)
      const whole = fromBytes(concat(bam, empty))
      lookedAt = 0
      const read: typeof whole.read = (offset, length) => {
        if (offset >= bam.length) lookedAt++
        return whole.read(offset, length)
      }
      const data = { name: "a.bam", reader: { size: whole.size, read } }
      return Effect.result(checkStructure("a.bam.bai", fromBytes(bai), data))
    }
    assert.isTrue(Result.isSuccess(yield* faultAfter(20_000)))
    // Of 560,000 bytes: more are read each time, as each look may be a request.
    assert.isAtMost(lookedAt, 4)
    const made = yield* faultAfter(66_000)
    assert.match(
      Result.isFailure(made) ? made.failure.message : "none",
      /^a\.bam: has more than 65536 empty blocks where an index leads, from byte \d+ on/
    )
  })

  withCodec("D5 endless reads without a position where an index ends", function* () {
    const codec = yield* Codec
    const { bai, bam } = bamFile(codec, [read("a", 0, 5)])
    // Blocks whose content is such a read each; nothing is inflated.
    const content = new Uint8Array(Bgzf.maxBlock)
    const fields = new DataView(content.buffer)
    fields.setUint32(0, Bgzf.maxBlock - 4, true)
    fields.setInt32(8, -1, true)
    const block = Bgzf.eofBlock.slice()
    new DataView(block.buffer).setUint32(block.length - 4, Bgzf.maxBlock, true)
    const stub = Codec.of({
      ...codec,
      inflateRaw: (bytes, size) => (size === Bgzf.maxBlock ? content : codec.inflateRaw(bytes, size)),
      crc32: (bytes) => (bytes === content ? 0 : codec.crc32(bytes))
    })
    const followed = (blocks: number) => {
      const data = new Uint8Array(bam.length + block.length * blocks)
      data.set(bam)
      for (let i = 0; i < blocks; i++) data.set(block, bam.length + block.length * i)
      return Effect.result(checkStructure("a.bam.bai", fromBytes(bai), { name: "a.bam", reader: fromBytes(data) }))
    }
    const [few, many] = yield* Effect.all([followed(8_000), followed(8_200)]).pipe(Effect.provideService(Codec, stub))
    assert.isTrue(Result.isSuccess(few))
    assert.match(
      Result.isFailure(many) ? many.failure.message : "none",
      /^a\.bam: has more than 536870912 bytes without a placed record where an index leads, from byte \d+ on/
    )
  })

  withCodecHere("D5 what comes before the first record is looked at once, however it lies in blocks", function* () {
    const codec = yield* Codec
    const index = IndexBuilder.make(14, 5)
    index.close(0, vcf.length)
    const tbi = fromBytes(bgzf(codec, index.tbi(vcfColumns([]))))
    const [head, record] = [bgzf(codec, text(vcf)), bgzf(codec, text("chr1\t5\t.\tA\tC\t.\t.\t.\n"))]
    for (const between of ["\n".repeat(64), `${"x".repeat(63)}\n`]) {
      const block = bgzf(codec, text(between)).subarray(0, -28)
      growsEvenly(800, (blocks) => {
        const data = concat(head, ...Array.from({ length: blocks }, () => block), record)
        const made = checkStructure("a.vcf.gz.tbi", tbi, { name: "a.vcf.gz", reader: fromBytes(data) })
        const message = Effect.runSync(Effect.provideService(Effect.flip(made), Codec, codec)).message
        assert.match(message, /more records follow/)
      })
    }
  })

  const Spots = Schema.Array(Schema.Tuple([Schema.Int, Schema.Int])).check(Schema.isMinLength(1))
  it.effect.prop("D9 mutated headers end typed", [Spots], ([spots]) =>
    Effect.gen(function* () {
      const codec = yield* Codec
      const bytes = encodeBamHeader(text("@CO\tx\n"), references)
      for (const [at, value] of spots) bytes[Math.abs(at) % bytes.length] = value
      const result = yield* Effect.result(checkStructure("a.bam", fromBytes(bgzf(codec, bytes))))
      if (Result.isFailure(result)) assert.include(["BadHeader", "Truncated"], result.failure.fault)
    }).pipe(provided)
  )
})
