import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { codecHere } from "../../../test/genome/CodecHere.ts"
import { bamFile, bgzf, read, references, text } from "../../../test/genome/Fixtures.ts"
import { contentOf } from "../../../test/genome/Slicing.ts"
import { fromBytes } from "./ByteReader.ts"
import { Codec } from "./bgzf/Codec.ts"
import { vcfColumns } from "./formats/Vcf.ts"
import { openIndexed } from "./IndexedFile.ts"
import * as IndexBuilder from "./index/IndexBuilder.ts"
import { checkStructure } from "./Structure.ts"

const provided = Effect.provide(codecHere)

/** As many on each of two references. */
const reads = (count: number, step: number) =>
  [0, 1].flatMap((ref) => Array.from({ length: count }, (_, i) => read(`r${i}`, ref, i * step)))

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
      const found = yield* openIndexed({ name: data, reader, index: { name, reader: fromBytes(bytes) } }, type)
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
      const error = yield* Effect.flip(
        openIndexed({ name: data, reader, index: { name, reader: fromBytes(all[kind]) } }, type)
      )
      assert.strictEqual(error.message, `${name}: it is not the index of ${data}: ${reason}`)
      const verified = yield* Effect.flip(checkStructure(name, fromBytes(all[kind]), { name: data, reader }))
      assert.strictEqual(verified.message, error.message)
    }).pipe(provided)
  )
})
