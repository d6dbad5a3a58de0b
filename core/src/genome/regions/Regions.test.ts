import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { growsEvenly } from "../../../../test/CpuTime.ts"
import { regionsOfBed } from "../../../../test/genome/Bed.ts"
import { decodeName, encodeName } from "../ReferenceName.ts"
import { formatRegions, type KnownReference, type ReferenceRegions, resolveRegions } from "./Regions.ts"
import { parseRange } from "./RegionText.ts"

const known: ReadonlyArray<KnownReference> = [
  { name: "chr1", length: 1_000 },
  { name: "chr1:100", length: 1_000 },
  { name: "chr1:100-200", length: 1_000 },
  { name: "chr2:100-200", length: 1_000 },
  { name: "HLA-A*01:01:01:01", length: 3_503 },
  { name: "chr1,chr3", length: 1_000 },
  { name: "chrM", length: null },
  { name: "HLA A", length: 500 }
]

const textOf = (regions: ReadonlyArray<ReferenceRegions>) => [...formatRegions(regions, false)].join("")
const resolve = (text: string) =>
  Result.flatMap(parseRange(text), (wanted) => resolveRegions(wanted, known, "S.bam")).pipe(Result.map(textOf))
const message = (text: string) =>
  Result.match(resolve(text), {
    onFailure: ({ advice, message }) => (advice === null ? message : `${message}; ${advice}`),
    onSuccess: () => ""
  })

describe("parseRange and resolveRegions", () => {
  it.each([
    ["chrM", "chrM"],
    ["{chr1}", "chr1"],
    ["{chr1,chr3}:100-300", "{chr1,chr3}:100-300"],
    ["chr1:500", "chr1:500-"],
    ["chr1:-1,000", "chr1:1-1000"],
    ["chr1:1-", "chr1"],
    ["chr1:5-", "chr1:5-"],
    ["chr1:10-20 chr1:15-40 chr1:41-50 chr1:60-60", "chr1:10-50 chr1:60-60"],
    ["chr1:990-5,000", "chr1:990-5000"],
    ["chr1:990-1000 chr1:995-", "chr1:990-"],
    ["chr1:1-1000", "chr1:1-1000"],
    ["HLA-A*01:01:01:01", "{HLA-A*01:01:01:01}"],
    ["HLA-A*01:01:01:01:1-2", "{HLA-A*01:01:01:01}:1-2"],
    ["{chr1:100}:5-6", "{chr1:100}:5-6"],
    ["{chr1}:100-200", "chr1:100-200"],
    ["chr2:100-200", "{chr2:100-200}"],
    ["  chrM:7-9\t\nchr1:5-6 ", "chr1:5-6 chrM:7-9"],
    ["chrM:7", "chrM:7-"],
    ["{HLA A}", "{HLA A}"],
    ["chr1:5-6 {HLA A}:7-9\n{chrM}:1-2 ", "chr1:5-6 chrM:1-2 {HLA A}:7-9"]
  ])("D10 %s is %s", (text, formatted) => {
    assert.deepStrictEqual(resolve(text), Result.succeed(formatted))
  })

  it.each([
    ["chr1:0-0", "count from 1"],
    ["chr1:5-1", "ends before it starts"],
    ["chr1:1-99999999999999999999", "no reference is as long"],
    ["chr1:9007199254740993", "no reference is as long"],
    [
      "chr1:2000-3000",
      "chr1:2000-3000 in S.bam: not found (chr1 ends at 1000 by the header, which may be wrong: chr1 alone means all of it)"
    ],
    [
      "chr1:1e9",
      "reference chr1:1e9 in S.bam: not found (positions of chr1 are whole numbers, such as chr1:1000-2000)"
    ],
    ["chr1,chrM", "Invalid range: chr1,chrM: regions are separated by spaces"],
    ["chr1:1-2,chrM:5-6", "regions are separated by spaces"],
    ["chr1:5,chrM", "regions are separated by spaces"],
    ["chr1:", "positions are missing"],
    ["chr1:-", "positions are missing"],
    ["chr1:1--2", "expected CHR:START-END with whole numbers"],
    [":1-2", "name of the reference is missing"],
    ["", "names no region"],
    ["  ", "names no region"],
    ["chr1:1-2\u0000", "control characters"],
    ["*", "a download takes them with unmapped"],
    ["{chr1", "closing }"],
    ["{HLA A", "closing }"],
    ["HLA A", "2 references in S.bam: not found (HLA, A; it has chr1, "],
    ["{HLA\tA}", "control characters"],
    ["{}:1-2", "closing }"],
    ["{chr1}1-2", "after }"],
    ["chr1:100", "Ambiguous range: chr1:100: write {chr1:100} for the reference, or {chr1}:100"],
    ["chr1:100-200", "Ambiguous"],
    ["1:5-6", "did you mean chr1?"],
    ["MT", "did you mean chrM?"],
    ["CHR1", "did you mean chr1?"],
    ["chrr1", "did you mean chr1?"],
    ["BRCA1", "; correctRegion"],
    ["chr", "reference chr in S.bam: not found (it has chr1, "],
    ["ch", "; correctRegion"]
  ])("D10 %j is refused: %s", (text, part) => {
    assert.include(message(text), part)
    assert.notMatch(message(text), /^Error: /)
  })

  it.effect("D10 D11 a hundred thousand regions, and a megabyte of nonsense, take no time", () =>
    Effect.sync(() => {
      const many = Array.from({ length: 100_000 }, (_, i) => `chr1:${(i % 900) + 1}-${(i % 900) + 5}`).join(" ")
      assert.deepStrictEqual(resolve(many), Result.succeed("chr1:1-904"))
      for (const [before, part] of [
        ["", "chr1:"],
        ["", "1,"],
        ["chr1:", "9"],
        ["", "{"],
        ["{", "a "],
        ["", "{a "]
      ] as const) {
        growsEvenly(1_000_000, (size) => {
          assert.notStrictEqual(message(before + part.repeat(size / part.length)), "")
        })
      }
    })
  )

  const Intervals = Schema.Array(
    Schema.Tuple([
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999 })),
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 120 }))
    ])
  ).check(Schema.isMinLength(1))
  it.effect.prop(
    "merging covers the same positions as the regions, without overlap or touch, both from text and from BED",
    [Intervals],
    ([intervals]) =>
      Effect.sync(() => {
        const wanted = new Set(
          intervals
            .flatMap(([start, size]) => Array.from({ length: size }, (_, i) => start + i))
            .filter((at) => at < 1_000)
        )
        const text = intervals.map(([start, size]) => `{chr1}:${start + 1}-${start + size}`).join(" ")
        const bed = intervals.map(([start, size]) => `chr1\t${start}\t${start + size}\textra\n`).join("")
        for (const parsed of [parseRange(text), regionsOfBed("x.bed", bed)]) {
          const [reference] = Result.getOrThrow(resolveRegions(Result.getOrThrow(parsed), known, "S.bam"))
          const bounds = Array.from(reference?.bounds ?? [])
          const covered: Array<number> = []
          for (let i = 0; i < bounds.length; i += 2) {
            const [start = 0, end = 0] = bounds.slice(i, i + 2)
            assert.isTrue(i === 0 || start > (bounds[i - 1] ?? 0))
            for (let at = start; at < Math.min(end, 1_000); at++) covered.push(at)
          }
          assert.deepStrictEqual(
            covered,
            [...wanted].sort((a, b) => a - b)
          )
          // And back again: what the header of a slice says reads as the same regions.
          const again = Result.flatMap(
            parseRange(
              textOf(reference === undefined ? [] : [reference])
                .replace(/^chr1$/, "{chr1}")
                .replaceAll(/(^| )chr1:/g, "$1{chr1}:")
            ),
            (own) => resolveRegions(own, known, "S.bam")
          )
          assert.deepStrictEqual(Array.from(Result.getOrThrow(again)[0]?.bounds ?? []), bounds)
        }
      })
  )

  it.effect.prop("D10 no text makes the parser throw", [Schema.String], ([text]) =>
    Effect.sync(() => {
      resolve(text)
      regionsOfBed("x.bed", text)
    })
  )
})

describe("names of references", () => {
  const said = (name: string, ...names: ReadonlyArray<string>) =>
    Result.match(
      Result.flatMap(parseRange(name), (wanted) =>
        resolveRegions(
          wanted,
          names.map((known) => ({ name: known, length: null })),
          "S.bam"
        )
      ),
      { onFailure: ({ message }) => /did you mean (\S+)\?/.exec(message)?.[1] ?? null, onSuccess: () => "found" }
    )

  it.each([
    ["1", "chr1"],
    ["x", "chrX"],
    ["CHRY", "chrY"],
    ["chrMT", "chrM"],
    ["chrr1", "chr1"],
    ["chr99", null],
    ["27", null],
    ["NC_000001.11", null]
  ])("D10 %s in a file with chr1, chrX, chrY and chrM: %s", (name, meant) => {
    assert.strictEqual(said(name, "chr1", "chrX", "chrY", "chrM"), meant)
  })

  it.effect.prop(
    "D10 of any bytes are text that leads back to them",
    [Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })))],
    ([bytes]) =>
      Effect.sync(() => {
        assert.deepStrictEqual(encodeName(decodeName(Uint8Array.from(bytes))), Uint8Array.from(bytes))
      })
  )
})

describe("readBed, of text", () => {
  const bed = (content: string) =>
    Result.match(
      Result.flatMap(regionsOfBed("r.bed", content), (wanted) => resolveRegions(wanted, known, "S.bam")).pipe(
        Result.map(textOf)
      ),
      { onFailure: (error) => error.message, onSuccess: (text) => text }
    )
  it.each([
    ["chr1\t0\t10\n", "chr1:1-10"],
    ["chr1\t0\t10", "chr1:1-10"],
    ["\ufeffchr1\t0\t10\r\nchr1\t20\t30\r\n", "chr1:1-10 chr1:21-30"],
    ["# note\ntrack name=x\nbrowser position chr1\n\n  \nchr1\t5\t6\tname\t0\t+\t5\t6\t0\t1\t1\t0\n", "chr1:6-6"],
    ["chr1 5  6\n", "chr1:6-6"],
    ["chr1\t5\t9\nchr1\t0\t6\n", "chr1:1-9"],
    ["chr1:100-200\t5\t9\n", "{chr1:100-200}:6-9"],
    ["chr1\t0\t1000\n", "chr1:1-1000"],
    ["chr1\t\t5\t\t9\n", "chr1:6-9"],
    ["chr1 \t 5 9\tname of it\n", "chr1:6-9"],
    [" \tchr1\v5\f9\r\n", "chr1:6-9"],
    ["chr1\t5\t9\nchr1\t20\t20\n", "chr1:6-9 chr1:21-21"],
    ["chr1\t5\t5\n", "chr1:6-6"],
    ["chr1\t5\t9\r\r\n\r\nchr1\t20\t21\r", "chr1:6-9 chr1:21-21"]
  ])("D12 %j gives %s", (content, formatted) => {
    assert.strictEqual(bed(content), formatted)
  })
  it.each([
    ["chr1\t5\n", "line 1: it needs a name, a start and an end"],
    ["chr1\t0\t1\nchr1\t9\t5\n", "line 2: it ends before it starts"],
    ["chr1\t5\t9\rchr1\t20\t30\r", "line 1: a carriage return (CR) stands inside it: end lines with LF"],
    ["chr1\t5\t9\nchr1\t10\t11\rchr1\t20\t30\n", "line 2: a carriage return (CR) stands inside it"],
    ["# note\rchr1\t20\t30\nchr1\t1\t2\n", "line 1: a carriage return (CR) stands inside it"],
    ["c\0h\0r\x001\0\t\x005\0\t\x009\0\n\0", "r.bed: it is no plain text but UTF-16 or binary: save it as UTF-8"],
    ["chr1\t0\t9007199254740993\n", "no reference is as long"],
    [`chr1\t0\t${"9".repeat(400)}\n`, "no reference is as long"],
    ["chr1\t-5\t5\n", "line 1: start and end are whole numbers"],
    [
      "chrom\tstart\tend\nchr1\t5\t6\n",
      "line 1: start and end are whole numbers; a line of column names begins with #"
    ],
    ["##gff-version 3\nchr1\tx\tgene\t1\t5\n", "line 2: start and end are whole numbers"],
    ["\ufeff@SQ\tSN:chr1\tLN:1000\nchr1\t1\t5\t+\tx\n", "line 1: start and end are whole numbers"],
    ["chr1\t1e3\t5\n", "whole numbers"],
    ["chr1\t0\t9999999999999\n", "no reference is as long"],
    ["chr1\t2,000\t3,000\n", "whole numbers"],
    [
      "chr1\t5\t6\nchr1\t1999\t3000\n",
      "chr1:2000-3000 in S.bam: not found (chr1 ends at 1000 by the header, which may be wrong"
    ],
    ["\n# nothing\n", "names no region"],
    ["chr9\t0\t5\n", "reference chr9 (line 1 of the BED file) in S.bam: not found (it has chr1, "],
    ["\ntracks\t0\t5\n", "reference tracks (line 2 of the BED file) in S.bam: not found"],
    [
      "chr1\t0\t5\nCHR1\t0\t5\nchrQ\t1\t2\nCHR1\t7\t9\nMT\t1\t2\n",
      "3 references in S.bam: not found (CHR1 (line 2 of the BED file): did you mean chr1?, chrQ (line 3 of the BED file), MT (line 5 of the BED file): did you mean chrM?; it has chr1, "
    ]
  ])("D12 %j is refused: %s", (content, part) => {
    assert.include(bed(content), part)
  })
  it("D12 the regions of a reference are one object, wherever their lines stand", () => {
    const parsed = Result.getOrThrow(regionsOfBed("r.bed", "chr1\t5\t9\nchrM 1  2 \n \t\r\nchr1\t0\t6\tname\n"))
    assert.deepStrictEqual(parsed, [
      { text: "chr1", line: 1, readings: [{ name: "chr1", starts: [5, 0], ends: [9, 6] }] },
      { text: "chrM", line: 2, readings: [{ name: "chrM", starts: [1], ends: [2] }] }
    ])
  })
  it("D12 a hundred thousand lines are read in no time", () => {
    growsEvenly(100_000, (lines) => assert.strictEqual(bed("chr1\t10\t20\n".repeat(lines)), "chr1:11-20"))
  })
})
