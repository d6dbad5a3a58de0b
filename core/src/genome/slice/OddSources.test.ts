/** Slices of files as other programs write them, which samtools and bcftools read. */

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ZlibCodec from "../../../../platform/inflate/ZlibCodec.ts"
import { bamFile, bgzf, concat, read, text } from "../../../../test/genome/Fixtures.ts"
import { indexBy, placesOf } from "../../../../test/genome/IndexWriters.ts"
import { contentOf, sliceOf, sourceOf } from "../../../../test/genome/Slicing.ts"
import { withCodec } from "../../../../test/genome/WithCodec.ts"
import { fromBytes } from "../ByteReader.ts"
import { Codec } from "../bgzf/Codec.ts"
import { bamRegions, encodeBamHeader, readBamHeader } from "../formats/BamHeader.ts"
import type { DataType } from "../formats/FileNames.ts"
import { vcfColumns } from "../formats/Vcf.ts"
import * as IndexBuilder from "../index/IndexBuilder.ts"

const provided = Effect.provide(ZlibCodec.layer)
const program = { name: "svc-steps", version: "0.1.0" }

const cut = Effect.fnUntraced(function* (
  type: DataType,
  data: Uint8Array,
  suffix: string,
  index: Uint8Array,
  range: string
) {
  const made = yield* sliceOf(sourceOf(fromBytes(data), fromBytes(index), `${type}.${suffix}`), range)
  return { ...made, content: contentOf(made.bytes) }
})

/** The lines of a slice of a VCF with these lines, which all lie in one block. */
const vcfSlice = Effect.fnUntraced(function* (
  head: string,
  lines: ReadonlyArray<string>,
  range: string,
  names = [...new Set(lines.map((line) => line.split("\t")[0] ?? ""))]
) {
  const codec = yield* Codec
  const builder = IndexBuilder.make(14, 5)
  let at = head.length
  for (const line of lines) {
    const [name = "", position] = line.split("\t")
    builder.add(Math.max(0, names.indexOf(name)), Number(position) - 1, Number(position), true, 0, at)
    at += line.length
  }
  builder.close(0, at)
  const data = bgzf(codec, text(head + lines.join("")))
  const { content, result } = yield* cut("vcf.gz", data, "tbi", bgzf(codec, builder.tbi(vcfColumns(names))), range)
  const all = new TextDecoder().decode(content).split(/(?<=\n)/)
  return { lines: all.filter((line) => !line.startsWith("#")), warnings: result.warnings }
})

const version = "##fileformat=VCFv4.2\n"
const contig = "##contig=<ID=chr1,length=90000>\n"
const columns = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO"

describe("slices of VCF files of other programs", () => {
  const fields = (position: number) => `chr1\t${position}\t.\tA\tC\t.\t.\t.`

  it.effect.each([
    ["the header leaves the samples out", columns, "\tGT\t0/1\t0/0\n"],
    ["lines end with a tab", `${columns}\tFORMAT\tS1`, "\tGT\t0/1\t\n"],
    ["lines of sites end with a tab", columns, "\t\n"]
  ] as const)("D15 %s", ([_, header, rest]) =>
    Effect.gen(function* () {
      const lines = [100, 200, 300].map((position) => fields(position) + rest)
      const made = yield* vcfSlice(`${version}${contig}${header}\n`, lines, "chr1:150-300")
      assert.deepStrictEqual(made.lines, lines.slice(1))
    }).pipe(provided)
  )

  withCodec("D18 a line that is no record is named, and not taken for a damaged block", function* () {
    for (const wrong of ["1.0e2", "0x64"]) {
      const lines = [`${fields(90)}\n`, `${fields(100).replace("100", wrong)}\n`, `${fields(200)}\n`]
      const fault = yield* Effect.flip(vcfSlice(`${version}${contig}${columns}\n`, lines, "chr1:50-300"))
      assert.deepInclude(fault, {
        fault: "BadRecord",
        reason: "a record on chr1, in the BGZF block at byte 0, cannot be read"
      })
    }
    // Nothing that may be a genotype.
    const unnamed = "its index does not fit: it does not name the reference of a record in the BGZF block at byte 0"
    for (const [wrong, said] of [
      ["0|1:35;12", "the BGZF block at byte 0 is damaged: it holds no sound record where the next one should begin"],
      ["0|1:35\t0|0:12", unnamed]
    ] as const) {
      const lines = [`${fields(90)}\n`, `${wrong}\n`, `${fields(200)}\n`]
      const { message } = yield* Effect.flip(
        vcfSlice(`${version}${contig}${columns}\n`, lines, "chr1:50-300", ["chr1"])
      )
      assert.strictEqual(message, `x.vcf.gz: ${said}`)
    }
    const lines = [`${fields(90)}\n`, `${fields(100).replace("chr1", "chr7")}\n`, `${fields(200)}\n`]
    const fault = yield* Effect.flip(vcfSlice(`${version}${contig}${columns}\n`, lines, "chr1:50-300", ["chr1"]))
    assert.deepInclude(fault, {
      fault: "IndexMismatch",
      reason: unnamed
    })
  })

  withCodec("D18 so is the first line of all, to which the index leads at the beginning of a block", function* () {
    const codec = yield* Codec
    const head = bgzf(codec, text(`${version}${contig}${columns}\n`))
    const slice = Effect.fnUntraced(function* (first: string) {
      const lines = text(`${first}\n${fields(200)}\n`)
      const builder = IndexBuilder.make(14, 5)
      builder.add(0, 99, 100, true, head.length, 0)
      builder.close(head.length, lines.length)
      const index = bgzf(codec, builder.tbi(vcfColumns(["chr1"])))
      return yield* Effect.flip(cut("vcf.gz", concat(head, bgzf(codec, lines)), "tbi", index, "chr1:50-300"))
    })
    assert.deepInclude(yield* slice(fields(100).replace("100", "x")), {
      fault: "BadRecord",
      reason: `a record on chr1, in the BGZF block at byte ${head.length}, cannot be read`
    })
    assert.deepInclude(yield* slice(fields(100).replace("chr1", "chr7")), {
      fault: "IndexMismatch",
      reason: `its index does not fit: it does not name the reference of a record in the BGZF block at byte ${head.length}`
    })
  })

  withCodec("D18 the middle of a line, to which a wrong index leads, is not taken for a line", function* () {
    const codec = yield* Codec
    const slice = Effect.fnUntraced(function* (first: string, second: string, pointsToSecond: boolean) {
      const begin = text(`${version}${contig}${columns}\tFORMAT\tS1\n${first}`)
      const blocks = [bgzf(codec, begin), bgzf(codec, text(second))]
      const at = blocks[0]?.length ?? 0
      const builder = IndexBuilder.make(14, 5)
      builder.add(0, 99, 100, true, 0, begin.length - first.length)
      if (pointsToSecond) builder.add(0, 19_999, 20_000, true, at, 0)
      builder.close(at, second.length)
      const index = bgzf(codec, builder.tbi(vcfColumns(["chr1"])))
      const range = pointsToSecond ? "chr1:19000-30000" : "chr1:50-30000"
      return { at, fault: yield* Effect.flip(cut("vcf.gz", concat(...blocks), "tbi", index, range)) }
    })
    const rest = "\tGT\t0/1\n"
    const middle = yield* slice(
      `${fields(100)}${rest}${fields(20_000)}\tGT:DP\t`,
      `0/1:17\n${fields(20_001)}${rest}`,
      true
    )
    assert.deepInclude(middle.fault, {
      fault: "BadBlock",
      reason: `the BGZF block at byte ${middle.at} is damaged: it holds no sound record where the next one should begin`
    })
    // Where the line before ends with its block, the next one is a line.
    const line = yield* slice(`${fields(100)}${rest}`, `${fields(20_000).replace("20000", "x")}${rest}`, false)
    assert.deepInclude(line.fault, {
      fault: "BadRecord",
      reason: `a record on chr1, in the BGZF block at byte ${line.at}, cannot be read`
    })
  })

  withCodec("D15 a reference that nothing names is empty where the header has no ##contig lines", function* () {
    const lines = [100, 200].map((position) => `${fields(position)}\n`)
    const head = `${version}${columns}\n`
    const made = yield* vcfSlice(head, lines, "chr1:150-300 chrY chrM:1-9")
    assert.deepStrictEqual(made.lines, lines.slice(1))
    assert.deepStrictEqual(made.warnings, [
      "x.vcf.gz: it has no ##contig lines and no record on chrY, chrM: the slice has none there"
    ])
    for (const [range, said] of [
      ["1:150-300", /did you mean chr1\?/],
      ["CHR1", /did you mean chr1\?/],
      ["Y", /reference Y in x\.vcf\.gz: not found/]
    ] as const) {
      assert.match((yield* Effect.flip(vcfSlice(head, lines, range))).message, said)
    }
    const error = yield* Effect.flip(vcfSlice(`${version}${contig}${columns}\n`, lines, "chrY"))
    assert.strictEqual(error._tag, "SvcNotFound")
  })

  withCodec("D7 an index that knows nothing, or not the last reference, makes no empty slice", function* () {
    const codec = yield* Codec
    const head = `${version}${contig}${contig.replace("chr1", "chr2")}${columns}\n`
    const first = `${fields(100)}\n`
    const second = first.replace("chr1", "chr2")
    // It takes more than a block. Where "|" stands, one ends.
    const long = second.replace("\n", `\tGT${"\t0/1".repeat(20_000)}\n`)
    const cases: ReadonlyArray<readonly [rest: string, names: ReadonlyArray<string>, mismatches: boolean]> = [
      [first, [], true],
      ["", [], false],
      [first + second, ["chr1"], true],
      [second.replace("A", "A|"), [], true],
      [`${first}${second.replace("A", "A|")}`, ["chr1"], true],
      [second.replace("chr2", "c|h|r2|"), [], true],
      [long, [], true],
      [second.trimEnd(), [], true],
      [`\n\r\n${second}`, [], true],
      [`#${first}|\n|${second}`, [], true],
      ["\n|\r\n", [], false],
      [`${first}|#${second.replace("A", "A|")}`, ["chr1"], false],
      // More than two blocks hold, as where a file with a long header was appended.
      [`${"\n".repeat(140_000)}${second}`, [], true],
      [`${first}|${version}${contig.repeat(6_000)}${columns}\n${second}`, ["chr1"], true],
      [`${first}|#${"x".repeat(140_000)}\t${second}`, ["chr1"], false],
      // What stands behind a hash is no record, for tabix either.
      [`${first}#${first}`, ["chr1"], false],
      [`#${first}`, [], false]
    ]
    for (const [rest, names, mismatches] of cases) {
      const builder = IndexBuilder.make(14, 5)
      if (names.length > 0) builder.add(0, 99, 100, true, 0, head.length)
      builder.close(0, head.length + (names.length > 0 ? first.length : 0))
      const index = bgzf(codec, builder.tbi(vcfColumns(names)))
      const blocks = (head + rest).split("|").map((content) => bgzf(codec, text(content)))
      const data = concat(...blocks.map((block, i) => (i + 1 === blocks.length ? block : block.subarray(0, -28))))
      const made = yield* Effect.result(cut("vcf.gz", data, "tbi", index, "chr2"))
      const said = made._tag === "Failure" ? made.failure.message : made.success.result.records
      const named = rest.slice(0, 100)
      if (mismatches) assert.match(`${said}`, /not the index of x\.vcf\.gz: more records follow where it ends/, named)
      else assert.strictEqual(said, 0, named)
    }
  })
})

describe("slices of VCF files with references longer than a TBI can lead to", () => {
  const long = (name: string) => `##contig=<ID=${name},length=${2 ** 30}>\n`
  const head = `${version}${long("chr1")}${long("chr9")}${columns}\n`
  const line = (name: string, position: number) => `${name}\t${position}\t.\tA\tC\t.\t.\t.\n`

  /** Of lines of chr1 and chr9, of which the index has those of chr1 that it can hold. */
  const records = Effect.fnUntraced(function* (lines: ReadonlyArray<string>, range: string) {
    const codec = yield* Codec
    const own = lines.filter((one) => one.startsWith("chr1\t") && Number(one.split("\t")[1]) < 2 ** 29)
    const builder = IndexBuilder.make(14, 5)
    let at = head.length
    for (const one of own) {
      const position = Number(one.split("\t")[1])
      builder.add(0, position - 1, position, true, 0, at)
      at += one.length
    }
    builder.close(0, at)
    const tbi = bgzf(codec, builder.tbi(vcfColumns(own.length === 0 ? [] : ["chr1"])))
    return (yield* cut("vcf.gz", bgzf(codec, text(head + lines.join(""))), "tbi", tbi, range)).result.records
  })

  withCodec("D7 records past that are no empty slice; where there are none, a slice is", function* () {
    const far = 600_000_000
    const [one, two] = [line("chr1", 100), line("chr1", 200)]
    for (const [lines, range, found] of [
      [[one, two], "chr1", 2],
      [[one, two], "chr1:150-", 1],
      [[one, two], "chr9", 0],
      [[], "chr9", 0]
    ] as const) {
      assert.strictEqual(yield* records(lines, range), found, range)
    }
    for (const [lines, range, said] of [
      [[one, line("chr1", far)], "chr1", /goes on where it ends/],
      [[one, line("chr9", far)], "chr9", /more records follow/],
      [[line("chr9", far)], "chr9", /more records follow/],
      [[one, two], `chr1:${far}-`, /a TBI cannot lead to what chr1 has behind base 536870912: make a CSI/],
      [[one, line("chr9", far)], `chr9:${far}-`, /a TBI cannot lead to what chr9 has/]
    ] as const) {
      assert.match((yield* Effect.flip(records(lines, range))).message, said, range)
    }
  })
})

describe("slices of BAM files of other programs", () => {
  withCodec("D15 names of references keep their bytes, whatever these are", function* () {
    const codec = yield* Codec
    const names = [Uint8Array.of(0x63, 0xe4), Uint8Array.of(0x63, 0xe5)]
    const ascii = ["ca", "cb"].map((name) => ({ name, length: 1_000 }))
    const { bam } = bamFile(codec, [read("a", 0, 5), read("b", 1, 7)], { references: ascii })
    const head = encodeBamHeader(text("@HD\tVN:1.6\tSO:coordinate\n"), ascii)
    for (const [i, name] of names.entries()) head.set(name, head.length - 22 + i * 11 + 4)
    const placed = (yield* placesOf(bam)).placed
    const blocks = bgzf(codec, head).subarray(0, -28)
    const shift = blocks.length - Number((placed[0]?.at ?? 0n) >> 16n)
    const moved = placed.map((one) => ({
      ...one,
      at: one.at + (BigInt(shift) << 16n),
      to: one.to + (BigInt(shift) << 16n)
    }))
    const odd = concat(blocks, bam.subarray(Number((placed[0]?.at ?? 0n) >> 16n)))
    const index = indexBy({ name: "BAI", format: "BAI", joins: true }, moved, 2)
    const name = (yield* readBamHeader("x.bam", fromBytes(odd))).references[1]?.name ?? ""
    const made = yield* cut("bam", odd, "bai", index, name)
    assert.strictEqual(made.result.records, 1)
    const header = yield* readBamHeader("s.bam", fromBytes(made.bytes))
    assert.strictEqual(bamRegions(header, program), made.plan.key)
    for (const one of names) assert.isAtLeast(Buffer.from(made.content).indexOf(concat(one, Uint8Array.of(0))), 0)
  })

  withCodec("D7 an index of no reads beside a BAM that has some makes no empty slice", function* () {
    const codec = yield* Codec
    const unplaced = read("u", -1, -1, [])
    const empty = bamFile(codec, [unplaced])
    for (const range of ["chr1", "chr1:1-50", "chr2"]) {
      for (const suffix of ["bai", "csi"] as const) {
        // Of a block of less, the reference of a record stands in the next ones.
        for (const blockBytes of [65_280, 7, 2]) {
          const { bam } = bamFile(codec, [read("a", 0, 5), unplaced], { blockBytes })
          const error = yield* Effect.flip(cut("bam", bam, suffix, empty[suffix], range))
          assert.match(error.message, /it is not the index of x\.bam: more records follow where it ends, at byte/)
        }
        assert.strictEqual((yield* cut("bam", empty.bam, suffix, empty[suffix], range)).result.records, 0)
      }
    }
  })

  withCodec("D7 an index may lack reads with a reference and no position where it ends, and no others", function* () {
    const codec = yield* Codec
    const [first, unplaced] = [read("a", 0, 5), read("u", -1, -1, [])]
    const lost = (ref: number) => read("lost", ref, -1, [])
    for (const blockBytes of [65_280, 40, 7]) {
      for (const [reads, records] of [
        [[first, lost(1)], 1],
        [[first, lost(1), lost(2), lost(2), unplaced], 1],
        [[lost(0)], 0],
        [[first, lost(1), read("b", 1, 5)], null],
        [[lost(0), lost(0), first], null]
      ] as const) {
        const { bam } = bamFile(codec, reads, { blockBytes })
        const { placed } = yield* placesOf(bam)
        const known = placed.filter(({ ref, start }, i) => start >= 0 && (records !== null || (i === 0 && ref === 0)))
        const bai = indexBy({ name: "htsjdk's BAI", format: "BAI" }, known, 3)
        for (const range of ["chr1", "chr1:1-50"]) {
          const made = yield* Effect.result(cut("bam", bam, "bai", bai, range))
          if (made._tag === "Success") assert.strictEqual(made.success.result.records, records)
          else
            assert.match(`${records} ${made.failure.message}`, /^null .*: more records follow where it ends, at byte/)
        }
      }
    }
  })

  withCodec(
    "D7 a region behind the last bin of a BAI is an error; reads there that it leaves out are no empty slice",
    function* () {
      const far = 600_000_000
      const wheat = ["chr1", "chr2", "chr3"].map((name) => ({ name, length: 2 ** 30 }))
      for (const reads of [
        [read("far", 0, far), read("c", 1, 50)],
        [read("a", 0, 5), read("far", 1, far), read("c", 2, 50)],
        [read("a", 0, 5), read("far", 0, far), read("far", 1, far), read("c", 2, 50)],
        [read("a", 1, 5), read("far", 1, far), read("u", -1, -1, [])],
        [read("far", 2, far)],
        []
      ]) {
        for (const blockBytes of reads.length > 2 ? [40, 65_280] : [40]) {
          const { bam, csi } = bamFile(yield* Codec, reads, { references: wheat, depth: 6, blockBytes })
          const { placed } = yield* placesOf(bam)
          const bai = indexBy(
            { name: "BAI", format: "BAI" },
            placed.filter(({ start }) => start < far),
            3
          )
          for (const { name } of wheat) {
            const beyond = yield* Effect.flip(cut("bam", bam, "bai", bai, `${name}:${far + 1}-${far + 1}`))
            assert.match(
              beyond.message,
              /^x\.bam\.bai: a BAI cannot lead to what chr\d has behind base 536870912: make a/
            )
            for (const range of [name, `${name}:5-`, `${name}:500000000-700000000`]) {
              const whole = yield* cut("bam", bam, "csi", csi, range)
              const made = yield* Effect.result(cut("bam", bam, "bai", bai, range))
              const at = `${range} of ${reads.map(({ name, refId }) => `${name} on ${refId}`).join(", ")}`
              if (made._tag === "Failure")
                assert.match(made.failure.message, /more records follow|goes on where it ends/, at)
              else assert.deepStrictEqual(made.success.content, whole.content, at)
            }
          }
        }
      }
    }
  )
})
