import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { codecHere } from "../../../test/genome/CodecHere.ts"
import { bamFile, bgzf, counting, read, references, text } from "../../../test/genome/Fixtures.ts"
import { contentOf } from "../../../test/genome/Slicing.ts"
import { FileDamaged } from "../Errors.ts"
import { type ByteReader, fromBytes } from "./ByteReader.ts"
import { eofBlock } from "./bgzf/Bgzf.ts"
import { Codec } from "./bgzf/Codec.ts"
import * as VirtualOffset from "./bgzf/VirtualOffset.ts"
import * as BamRecord from "./formats/BamRecord.ts"
import { vcfColumns } from "./formats/Vcf.ts"
import { type IndexFile, openIndexed } from "./IndexedFile.ts"
import * as IndexBuilder from "./index/IndexBuilder.ts"
import { checkStructure } from "./Structure.ts"
import { planSlice } from "./slice/Slice.ts"

const provided = Effect.provide(codecHere)

/** As many on each of two references. */
const reads = (count: number, step: number) =>
  [0, 1].flatMap((ref) => Array.from({ length: count }, (_, i) => read(`r${i}`, ref, i * step)))

/** A BAM of blocks of 2 kB with both indexes, and those of files that lie in its place at another time, or elsewhere. */
const ground = Effect.gen(function* () {
  const codec = yield* Codec
  const few = references.slice(0, 2)
  const blockBytes = 2_000
  const here = bamFile(codec, reads(1_000, 50), { blockBytes })
  return {
    ...here,
    foreign: bamFile(codec, reads(1_000, 50), { blockBytes, references: few }).csi,
    stale: bamFile(codec, reads(1_000, 50).slice(0, 500), { blockBytes }).bai,
    moved: bamFile(codec, reads(900, 50), { blockBytes: 1_900 }).csi,
    shorter: bamFile(codec, reads(1_000, 50).slice(0, 1_500), { blockBytes }).csi,
    unread: bgzf(codec, text("<html>not found</html>"))
  }
})

const index = (name: string, bytes: Uint8Array): IndexFile<FileDamaged> => ({
  name,
  open:
    bytes.length > 0
      ? Effect.succeed(fromBytes(bytes))
      : Effect.fail(new FileDamaged({ file: name, fault: "Size", reason: "it is empty" }))
})

const opened = (
  reader: ByteReader,
  ...indexes: readonly [IndexFile<FileDamaged>, ...ReadonlyArray<IndexFile<FileDamaged>>]
) => openIndexed({ name: "S.bam", reader, indexes }, "bam")

describe("of two indexes beside a file", () => {
  it.effect("D16 the first is taken where it fits, and the other is not opened", () =>
    Effect.gen(function* () {
      const { bam, csi } = yield* ground
      const unopened = { name: "S.bam.bai", open: Effect.die("opened") }
      const found = yield* opened(fromBytes(bam), index("S.bam.csi", csi), unopened)
      assert.deepStrictEqual([found.indexName, found.tabix.index.format, found.warnings], ["S.bam.csi", "CSI", []])
    }).pipe(provided)
  )

  for (const [fault, reason] of [
    ["foreign", "it has 2 references and the data has 3"],
    ["moved", "no record of reference chr2 begins at byte"],
    ["shorter", "it points to byte"],
    ["unread", "not an index (BAI, TBI or CSI): it is an HTML or XML page"],
    ["empty", "it is empty"]
  ] as const) {
    it.effect(`D16 a first one that does not fit (${fault}) is passed over, and said; two such are both named`, () =>
      Effect.gen(function* () {
        const made = { ...(yield* ground), empty: new Uint8Array(0) }
        const wrong = index("S.bam.csi", made[fault])
        const found = yield* opened(fromBytes(made.bam), wrong, index("S.bam.bai", made.bai))
        assert.deepStrictEqual([found.indexName, found.tabix.index.format], ["S.bam.bai", "BAI"])
        const [warning = "", ...others] = found.warnings
        assert.deepStrictEqual(others, [])
        assert.match(warning, /^S\.bam\.csi: .*: S\.bam\.bai is taken in its place$/)
        assert.include(warning, reason)

        const stale = index("S.bai", made.stale)
        const both = yield* opened(fromBytes(made.bam), wrong, stale)
        const error = yield* Effect.flip(both.checkLastEnd)
        assert.match(error.message, /^S\.bam\.csi: .*; S\.bai: it is not the index of S\.bam: it points to byte/)
        assert.include(error.message, reason)
      }).pipe(provided)
    )
  }

  it.effect("D16 where none fits, the header can be had if one is of such references; no record is fetched", () =>
    Effect.gen(function* () {
      const { bam, foreign, stale, unread } = yield* ground
      const none = yield* Effect.flip(opened(fromBytes(bam), index("S.bam.csi", unread), index("S.bai", foreign)))
      assert.match(
        none.message,
        /^S\.bam\.csi: not an index.*; S\.bai: it is not.*: it has 2 references and the data has 3$/
      )
      const indexes = [index("S.bam.csi", unread), index("S.bai", stale)] as const
      for (const [data, said] of [
        [bam, /^S\.bam\.csi: not an index.*; S\.bai: it is not the index of S\.bam: it points to byte/],
        // The file is to blame.
        [
          bam.subarray(0, -eofBlock.length),
          /^S\.bam: it does not end .*: it is not the index of S\.bam: it points to byte/
        ]
      ] as const) {
        const found = yield* opened(fromBytes(data), ...indexes)
        assert.deepStrictEqual([found.indexName, found.lastEnd, found.warnings], ["S.bai", null, []])
        assert.match((yield* Effect.flip(found.checkLastEnd)).message, said)
        const source = { name: "S.bam", reader: fromBytes(data), indexes }
        const planned = yield* Effect.flip(planSlice({ source, type: "bam", wanted: [], takeUnplaced: true }))
        assert.match(planned.message, said)
      }
    }).pipe(provided)
  )

  it.effect("D16 damage of the file is not held against an index: its regions may lie elsewhere", () =>
    Effect.gen(function* () {
      const { bai, bam, csi } = yield* ground
      const { tabix } = yield* opened(fromBytes(bam), index("S.bam.csi", csi))
      const [bin] = tabix.index.reference(1).bins.values()
      const begin = VirtualOffset.block(bin!.chunks[0]!.begin)
      // In its deflated bytes.
      const damaged = bam.slice().fill(0xff, begin + 20, begin + 40)
      const found = yield* opened(fromBytes(damaged), index("S.bam.csi", csi), index("S.bam.bai", bai))
      assert.deepStrictEqual([found.indexName, found.warnings], ["S.bam.csi", []])
    }).pipe(provided)
  )

  it.effect("D16 samples are read only where there is a choice", () =>
    Effect.gen(function* () {
      const { bai, bam, csi } = yield* ground
      const [alone, chosen] = [counting(fromBytes(bam)), counting(fromBytes(bam))]
      yield* opened(alone, index("S.bam.csi", csi))
      yield* opened(chosen, index("S.bam.csi", csi), index("S.bam.bai", bai))
      assert.isBelow(alone.bytesRead(), chosen.bytesRead())
    }).pipe(provided)
  )

  it.effect("the block where the chosen one ends was a sample, and is not read again", () =>
    Effect.gen(function* () {
      const unplaced = read("u", -1, -1, [], BamRecord.Flag.unmapped)
      const { bai, bam, csi } = bamFile(yield* Codec, [...reads(1_000, 50), unplaced], { blockBytes: 2_000 })
      const endOf = Effect.fnUntraced(function* (...others: ReadonlyArray<IndexFile<FileDamaged>>) {
        const reader = counting(fromBytes(bam))
        const { checkLastEnd, lastEnd } = yield* opened(reader, index("S.bam.csi", csi), ...others)
        const before = reader.bytesRead()
        yield* checkLastEnd
        return [lastEnd === null, reader.bytesRead() === before]
      })
      assert.deepStrictEqual(yield* endOf(), [false, false])
      assert.deepStrictEqual(yield* endOf(index("S.bam.bai", bai)), [true, true])
    }).pipe(provided)
  )
})

describe("an index is what its first bytes say, not its name", () => {
  const made = Effect.gen(function* () {
    const codec = yield* Codec
    const content = "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n"
    const lines = references.map(({ name }) => `${name}\t5\t.\tA\tC\t.\t.\t.\n`)
    const builder = IndexBuilder.make(14, 5)
    let at = content.length
    for (const [i, line] of lines.entries()) {
      builder.add(i, 4, 5, true, 0, at)
      at += line.length
    }
    builder.close(0, at)
    const columns = vcfColumns(references.map(({ name }) => name))
    const plainTbi = builder.tbi(columns)
    const { bai, bam, csi } = bamFile(codec, reads(100, 50))
    const plainCsi = contentOf(csi)
    const vcf = bgzf(codec, text(content + lines.join("")))
    const ofVcf = { vcf, plainTbi, tbi: bgzf(codec, plainTbi), textCsi: bgzf(codec, builder.csi(columns)) }
    return { bam, bai, packedBai: bgzf(codec, bai), csi, plainCsi, ...ofVcf }
  })

  it.effect.each([
    ["S.bam", "csi", "S.bam.bai", "CSI"],
    ["S.bam", "csi", "S.bai", "CSI"],
    ["S.bam", "plainCsi", "S.bam.bai", "CSI"],
    ["S.bam", "plainCsi", "S.bam.csi", "CSI"],
    ["S.bam", "bai", "S.bam.csi", "BAI"],
    ["S.bam", "packedBai", "S.bam.bai", "BAI"],
    ["S.vcf.gz", "textCsi", "S.vcf.gz.tbi", "CSI"],
    ["S.vcf.gz", "tbi", "S.vcf.gz.csi", "TBI"],
    ["S.vcf.gz", "plainTbi", "S.vcf.gz.tbi", "TBI"]
  ] as const)("D16 of %s: %s as %s is read as %s, for a slice, a ticket and svc-verify", ([data, kind, name, format]) =>
    Effect.gen(function* () {
      const all = yield* made
      const bytes = all[kind]
      const type = data === "S.bam" ? "bam" : "vcf.gz"
      const reader = fromBytes(type === "bam" ? all.bam : all.vcf)
      const found = yield* openIndexed({ name: data, reader, indexes: [index(name, bytes)] }, type)
      assert.strictEqual(found.tabix.index.format, format)
      const facts = yield* checkStructure(name, fromBytes(bytes), { name: data, reader })
      assert.deepInclude(facts, { format, references: 3 })
      assert.isAbove(facts.compared, 1)
    }).pipe(provided)
  )

  it.effect.each([
    ["S.bam", "tbi", "S.bam.bai", "it is an index of a text file, such as a VCF"],
    ["S.bam", "textCsi", "S.bam.csi", "it is an index of a text file, such as a VCF"],
    ["S.vcf.gz", "bai", "S.vcf.gz.tbi", "it is an index of a BAM file"],
    ["S.vcf.gz", "csi", "S.vcf.gz.csi", "it is an index of a BAM file"]
  ] as const)("D16 of %s: %s as %s says what it is, although it has as many references", ([data, kind, name, reason]) =>
    Effect.gen(function* () {
      const all = yield* made
      const type = data === "S.bam" ? "bam" : "vcf.gz"
      const reader = fromBytes(type === "bam" ? all.bam : all.vcf)
      const error = yield* Effect.flip(openIndexed({ name: data, reader, indexes: [index(name, all[kind])] }, type))
      assert.strictEqual(error.message, `${name}: it is not the index of ${data}: ${reason}`)
      const verified = yield* Effect.flip(checkStructure(name, fromBytes(all[kind]), { name: data, reader }))
      assert.strictEqual(verified.message, error.message)
    }).pipe(provided)
  )
})
