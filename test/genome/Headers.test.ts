/** What is said of the header of a file, case by case, and that samtools and bcftools refuse the same ones. */

import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fromBytes } from "../../core/src/genome/ByteReader.ts"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import { encodeBamHeader } from "../../core/src/genome/formats/BamHeader.ts"
import { openFormat } from "../../core/src/genome/formats/Formats.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import { lacks, unless } from "../Lacks.ts"
import { bgzf, concat, counting, text } from "./Fixtures.ts"
import { folder, realBams, realFile, realVcfs } from "./Oracles.ts"

const provided = Effect.provide(ZlibCodec.layer)

/** A case: the header, what it is refused for, and what it is warned of. */
type Case = readonly [name: string, header: string, fault: RegExp | null, warning: RegExp | null]

const hd = "@HD\tVN:1.6\tSO:coordinate\n"
const chr1 = "@SQ\tSN:chr1\tLN:1000\n"
const chr2 = "@SQ\tSN:chr2\tLN:2000\n"
const sam = hd + chr1 + chr2

const bamCases: ReadonlyArray<Case> = [
  ["a sound header", `${sam}@RG\tID:a\tSM:x\n@PG\tID:b\tCL:x -y\n@PG\tID:c\tPP:b\n@CO\tany: thing\n`, null, null],
  ["no text", "", null, null],
  ["text without references", hd, null, null],
  ["other references than the binary part", `${hd}@SQ\tSN:x\tLN:1\n`, null, null],
  ["zeros at the end", `${sam}\0\0`, null, null],
  ["@SQ without SN", `${hd}@SQ\tLN:1000\n`, /^samtools refuses it: header line 2 \(@SQ\) has no SN$/, null],
  ["@SQ without LN", `${hd}@SQ\tSN:chr1\n`, /has no LN/, null],
  ["@SQ with LN -1", `${hd}@SQ\tSN:chr1\tLN:-1\n`, /has no LN/, null],
  ["@SQ with any other LN", `${hd}@SQ\tSN:chr1\tLN:abc\n@SQ\tSN:chr2\tLN:-12\n`, null, null],
  ["@SQ with nothing", `${hd}@SQ\n${chr1}`, null, null],
  ["@SQ with an empty SN", `${hd}@SQ\tSN:\tLN:1000\n`, null, null],
  ["a reference twice", sam + chr1, /header line 4 \(@SQ\) names chr1 again/, null],
  ["a reference twice, in another order", hd + chr2 + chr1 + chr2, /header line 4 \(@SQ\) names chr2 again/, null],
  ["a reference past ASCII twice", `${sam}${"@SQ\tSN:ä\tLN:9\n".repeat(2)}`, /line 5 .* names ä again/, null],
  ["an other name twice", `${hd}@SQ\tSN:chr1\tLN:1\tAN:chr2\n${chr2}`, null, /other name chr2/],
  ["blanks for tabs", `${hd}@SQ SN:chr1 LN:1000\n`, /line 2 \(@SQ\) has no tab after its type/, null],
  ["two tabs", `${hd}@SQ\t\tSN:chr1\tLN:1000\n`, /has a field that is not KEY:VALUE/, null],
  ["a tab at the end", `${hd}@SQ\tSN:chr1\tLN:1000\t\n`, /is not KEY:VALUE/, null],
  ["an empty value", `${hd}@SQ\tSN:chr1\tLN:1000\tM5:\n`, null, null],
  ["a field without colon", `${sam}@PG\tID:a\tCL:foo\tbar baz\n`, /line 4 \(@PG\) .*KEY:VALUE/, null],
  ["@PG without ID", `${sam}@PG\tPN:x\n`, /line 4 \(@PG\) has no ID/, null],
  ["@PG twice", `${sam}@PG\tID:a\n@PG\tID:a\n`, null, null],
  ["@PG with two IDs", `${sam}@PG\tID:a\tID:b\n`, null, /has several IDs/],
  [
    "@PG with PP to nowhere",
    `${sam}@PG\tID:a\tPP:zz\n`,
    null,
    /program a .* names one before it, zz, that is not there/
  ],
  ["@PG in a ring", `${sam}@PG\tID:a\tPP:b\n@PG\tID:b\tPP:a\n`, null, null],
  ["@RG without ID", `${sam}@RG\tSM:x\n`, /line 4 \(@RG\) has no ID/, null],
  ["@RG twice", `${sam}@RG\tID:a\n@RG\tID:a\n`, null, /line 5 \(@RG\) has the ID a again/],
  ["@CO without tab", `${sam}@CO hello\n`, /line 4 \(@CO\) has no tab/, null],
  ["a type of three letters", `${sam}@PGX\tID:a\n`, /has no tab after its type/, null],
  ["a type with a digit", `${sam}@P1\tID:a\n`, /has no type of two letters/, null],
  ["unknown types", `${sam}@XX\tAA:b\n@sq\tAA:b\n`, null, null],
  ["a short line at the end", `${sam}@P\n`, null, null],
  ["a short line before others", `@P\n${sam}`, /line 1 \(@P\) has no type/, null],
  ["a short line alone", "@\n", /line 1 \(@\) has no type/, null],
  ["a line without @", `${sam}hello\n`, /header line 4 does not begin with @/, null],
  ["a blank line", `${hd}\n${chr1}`, /header line 2 does not begin with @/, null],
  ["carriage returns", sam.replaceAll("\n", "\r\n"), null, null],
  ["no end of the last line", sam.slice(0, -1), null, /last line of its header has no end/],
  ["a zero in a line", `${hd}@CO\tx\0y\n${chr1}`, /header line 2 has a zero in it/, null],
  ["a zero after a line", `${sam}\0junk\n`, null, /what follows byte 65 of its header is not read/]
]

const format = "##fileformat=VCFv4.2\n"
const contig = "##contig=<ID=chr1,length=1000>\n"
const info = '##INFO=<ID=DP,Number=1,Type=Integer,Description="d">\n'
const genotype = '##FORMAT=<ID=GT,Number=1,Type=String,Description="g">\n'
const columns = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tS1\n"
const vcf = (line: string) => format + contig + line + info + genotype + columns
const withColumns = (line: string) => format + contig + info + genotype + line

const vcfCases: ReadonlyArray<Case> = [
  ["a sound header", vcf('##META=<ID=A,Values=[a, b]>\n##x=<ID=a,b=<c=d>>\n##y=<A="d\\"e",B="f\\\\">\n'), null, null],
  ["no Description, other cases, blanks", vcf("##INFO=<ID=X, Number=1, Type=Float>\n##info=<a=b>\n##x=\n"), null, null],
  ["the same line twice", vcf(info + contig + genotype), null, null],
  ["carriage returns", vcf("").replaceAll("\n", "\r\n"), null, null],
  ["without samples", withColumns(columns.replace("\tFORMAT\tS1", "")), null, null],
  ["##INFO without ID", vcf('##INFO=<Number=1,Type=Integer,Description="d">\n'), null, /line 3 \(##INFO\) has no ID/],
  ["##INFO with an empty ID", vcf("##INFO=<ID=,Number=1,Type=Integer>\n"), null, /an ID that cannot be one/],
  ["##contig without ID", vcf("##contig=<length=5>\n"), null, /line 3 \(##contig\) has no ID/],
  ["##FILTER without ID", vcf('##FILTER=<Description="d">\n'), null, null],
  ["##INFO without Number", vcf("##INFO=<ID=X,Type=Integer>\n"), null, /has no Number/],
  ["##FORMAT without Type", vcf("##FORMAT=<ID=X,Number=1>\n"), null, /\(##FORMAT\) has no Type/],
  [
    "a Type that does not exist",
    vcf("##INFO=<ID=X,Number=1,Type=integer>\n"),
    null,
    /Type that does not exist: "integer"/
  ],
  ["a Flag with values", vcf("##INFO=<ID=X,Number=1,Type=Flag>\n"), null, /is a Flag with values/],
  ["no > at the end", vcf("##INFO=<ID=X,Number=1,Type=Integer\n"), null, /line 3 \(##INFO\) has no > at its end/],
  ["an open quote", vcf('##INFO=<ID=X,Number=1,Type=Integer,Description="d>\n'), null, /has no > at its end/],
  ["text after >", vcf("##INFO=<ID=X,Number=1,Type=Integer> x\n"), null, /has text after its >/],
  ["a key without value", vcf("##INFO=<ID=X,Number,Type=Integer>\n"), null, /line 3 cannot be read/],
  ["quotes in quotes", vcf('##x=<A="d "x" e">\n'), null, /cannot be read/],
  ["nothing between < and >", vcf("##INFO=<>\n"), null, /cannot be read/],
  ["a comma at the end", vcf("##x=<ID=a,>\n"), null, /cannot be read/],
  ["no equals sign", vcf("##foo\n"), null, /cannot be read/],
  ["no key", vcf("##=x\n"), null, /cannot be read/],
  ["no < at the beginning", vcf("##INFO=ID=X>\n"), null, /has no ID/],
  [
    "an open bracket",
    vcf("##META=<ID=A,Values=[a, b>\n"),
    /^bcftools refuses it: header line 3 has no \] after its \[$/,
    null
  ],
  ["an IDX twice", vcf("##contig=<ID=a,IDX=5>\n##contig=<ID=b,IDX=5>\n"), /line 4 gives b the IDX of another/, null],
  ["the IDX of PASS", vcf("##FILTER=<ID=x,IDX=0>\n"), /gives x the IDX of another/, null],
  [
    "an IDX given to the same name",
    vcf("##INFO=<ID=A,Number=1,Type=Float,IDX=9>\n##FILTER=<ID=A,IDX=9>\n"),
    null,
    null
  ],
  ["an IDX that is no number", vcf("##FILTER=<ID=x,IDX=a>\n"), null, /IDX that is no number/],
  ["a length that is no number", vcf("##contig=<ID=x,length=abc,IDX=0>\n"), null, null],
  ["a zero", vcf("##x=a\0b\n"), /header line 3 has a zero in it/, null],
  ["a blank line", vcf("\n"), null, /header line 3 is blank/],
  ["a blank line with a carriage return", vcf("\r\n"), null, /header line 3 is blank/],
  ["a comment", vcf("#comment\n"), /header line 3 is neither a ## line nor the #CHROM line/, null],
  ["small letters", withColumns(columns.toLowerCase()) + columns, /line 5 is neither/, null],
  ["blanks for tabs", withColumns(columns.replaceAll("\t", " ")), /line 5 has other columns/, null],
  ["a column twice", withColumns(columns.replace("POS\t", "POS\tPOS\t")), /has other columns/, null],
  ["a column too few", withColumns("#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\n"), /has other columns/, null],
  ["no FORMAT", withColumns(columns.replace("\tFORMAT", "")), /has other columns/, null],
  ["a sample twice", withColumns(columns.replace("\n", "\tS1\n")), /names the sample S1 twice/, null],
  ["a sample without name", withColumns(columns.replace("\n", "\t\n")), /has a sample without a name/, null],
  ["a ## line after #CHROM", `${vcf("")}##late=x\n`, /header line 6 begins with # and stands after/, null],
  ["#CHROM twice", vcf("") + columns, null, /header line 6 begins with # and stands after/]
]

/** `BAM` with the references chr1 and chr2. */
const bamOf = (codec: Codec["Service"], header: string) =>
  bgzf(
    codec,
    encodeBamHeader(text(header), [
      { name: "chr1", length: 1000 },
      { name: "chr2", length: 2000 }
    ])
  )
const vcfOf = (codec: Codec["Service"], header: string) => bgzf(codec, text(header))

const judge = Effect.fnUntraced(function* (bytes: Uint8Array, type: "bam" | "vcf.gz") {
  const { judgeHeader } = yield* openFormat("x", fromBytes(bytes), type)
  return judgeHeader?.() ?? assert.fail("not judged")
})

/** Whether a tool refuses to read the header of a file with these bytes. */
const refuses = (tool: string, option: string, path: string, bytes: Uint8Array) => {
  writeFileSync(path, bytes)
  return spawnSync(tool, ["view", option, path], { stdio: "ignore" }).status !== 0
}

const same = (found: string | null | undefined, expected: RegExp | null) =>
  expected === null ? assert.isUndefined(found ?? undefined) : assert.match(found ?? "", expected)

describe("headers", () => {
  const kinds = [
    { type: "bam", cases: bamCases, make: bamOf, tool: "samtools", option: "-H" },
    // Of a VCF the records too: what stands after the #CHROM line is one.
    { type: "vcf.gz", cases: vcfCases, make: vcfOf, tool: "bcftools", option: "-H" }
  ] as const
  for (const { cases, make, option, tool, type } of kinds) {
    it.effect.each(cases)(`D18 ${type}: %s`, ([, header, fault, warning]) =>
      Effect.gen(function* () {
        const found = yield* judge(make(yield* Codec, header), type)
        same(found.fault, fault)
        same(found.warnings[0], warning)
      }).pipe(provided)
    )

    it.live(
      `${tool} refuses the same headers`,
      () =>
        Effect.gen(function* () {
          const codec = yield* Codec
          const path = join(yield* folder, `x.${type}`)
          for (const [name, header, fault] of cases) {
            assert.strictEqual(refuses(tool, option, path, make(codec, header)), fault !== null, `${type}: ${name}`)
          }
        }).pipe(provided),
      unless(lacks.genomeTools)
    )
  }

  it.effect("D18 a reference that is twice in the binary part of a BAM", () =>
    Effect.gen(function* () {
      const twice = [
        { name: "chr1", length: 1000 },
        { name: "chr1", length: 2000 }
      ]
      const found = yield* judge(bgzf(yield* Codec, concat(encodeBamHeader(text(hd), twice))), "bam")
      assert.strictEqual(found.fault, "samtools refuses it: its header has the reference chr1 twice")
    }).pipe(provided)
  )

  it.effect("a header of many references is fetched and inflated once, whatever it says of itself", () =>
    Effect.gen(function* () {
      const codec = yield* Codec
      const many = Array.from({ length: 30_000 }, (_, i) => ({ name: `contig_${i * 7_919}`, length: 1_000 + i }))
      const lines = many.map(({ length, name }) => `@SQ\tSN:${name}\tLN:${length}\n`).join("")
      const contigs = many.map(({ length, name }) => `##contig=<ID=${name},length=${length}>\n`).join("")
      for (const [type, content] of [
        ["bam", encodeBamHeader(text(hd + lines), many)],
        ["vcf.gz", text(format + contigs + columns)]
      ] as const) {
        const bytes = bgzf(codec, content)
        let inflated = 0
        const counted = {
          ...codec,
          inflateRaw: (...args: Parameters<Codec["Service"]["inflateRaw"]>) => {
            inflated++
            return codec.inflateRaw(...args)
          }
        }
        const reader = counting(fromBytes(bytes))
        yield* Effect.provideService(openFormat("x", reader, type), Codec, counted)
        assert.isBelow(reader.bytesRead(), bytes.length + 0x80000, type)
        assert.isBelow(inflated, content.length / 0xff00 + 4, type)
      }
    }).pipe(provided)
  )

  it.effect(
    "no real file is refused",
    () =>
      Effect.gen(function* () {
        for (const name of [...realBams, ...realVcfs]) {
          const { judgeHeader } = yield* openFormat(name, realFile(name), name.endsWith(".bam") ? "bam" : "vcf.gz")
          assert.isNull(judgeHeader?.().fault ?? null, name)
        }
      }).pipe(provided),
    unless(lacks.realFiles)
  )
})
