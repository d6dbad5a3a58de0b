import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { bodyText, chance, chunksOf } from "../../../test/annotations/Bodies.ts"
import { convert } from "../../../test/annotations/Rows.ts"
import { regionsOfBed } from "../../../test/genome/Bed.ts"
import { parseRange, type RegionText } from "../genome/regions/RegionText.ts"
import { jsonLines } from "./AnnotationsFetch.ts"
import type { Column } from "./Columns.ts"
import { type RowFilter, rowFilter } from "./RowFilter.ts"

const columnsNamed = (...ids: ReadonlyArray<string>): ReadonlyArray<Column> =>
  ids.map((id, index) => ({ index, id, title: "", name: id }))
const columns = columnsNamed("n", "Gene", "Chr", "Pos", "Ref")
const range = (text: string) => Result.getOrThrow(parseRange(text))

type Row = readonly [n: number, gene: unknown, chr: unknown, pos: unknown, ref: unknown]

const made = (genes: ReadonlyArray<string>, regions: ReadonlyArray<RegionText> | null, known = columns): RowFilter => {
  const filter = Result.getOrThrow(rowFilter({ genes, regions }, known))
  if (filter === null) throw new Error("there is a filter")
  return filter
}

/** The numbers of the rows that pass. */
const passing = (filter: RowFilter, rows: ReadonlyArray<Row>): ReadonlyArray<number> => {
  const body = new TextEncoder().encode(`{"data": ${JSON.stringify(rows, null, 1)}}`)
  const { text } = convert([body], 5, jsonLines("A", [{ index: 0, name: "n" }]), filter)
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line).n)
}

describe("--gene", () => {
  it("finds symbols in any case, alone, among others in one text, and in lists", () => {
    const filter = made(["brca1", "HLA-A", "NOPE"], null)
    const rows: ReadonlyArray<Row> = [
      [1, "BRCA1", 1, 1, "A"],
      [2, "BRCA10", 1, 1, "A"],
      [3, "TP53,Brca1", 1, 1, "A"],
      [4, "TP53;hla-a | X", 1, 1, "A"],
      [5, ["X", ["HLA-A"]], 1, 1, "A"],
      [6, null, 1, 1, "A"],
      [7, "", 1, 1, "A"],
      [8, 5, 1, 1, "A"],
      [9, "HLA-B", 1, 1, "A"]
    ]
    assert.deepStrictEqual(passing(filter, rows), [1, 3, 4, 5])
    assert.deepStrictEqual(filter.unmetGenes, ["NOPE"])
  })

  it("finds symbols that are spelled with escapes", () => {
    const body = new TextEncoder().encode('{"data":[[1,"\\u0042RCA1",1,1,"A"],[2,"\\u0042RCA2",1,1,"A"]]}')
    const { reader } = convert([body], 5, jsonLines("A", []), made(["BRCA1"], null))
    assert.deepStrictEqual([reader.rowsIn, reader.rowsOut], [2, 1])
  })
})

describe("--range and --bed", () => {
  const at = (chr: unknown, pos: unknown, ref: unknown = "A"): Row => [0, "G", chr, pos, ref]
  const passes = (regions: ReadonlyArray<RegionText>, row: Row) => passing(made([], regions), [row]).length === 1

  it("count from 1, and both ends are inside", () => {
    const regions = range("17:100-200")
    assert.deepStrictEqual(
      [99, 100, 150, 200, 201].map((pos) => passes(regions, at("17", pos))),
      [false, true, true, true, false]
    )
    const bed = Result.getOrThrow(regionsOfBed("x.bed", "17\t99\t200\n"))
    assert.deepStrictEqual(
      [99, 100, 200, 201].map((pos) => passes(bed, at("17", pos))),
      [false, true, true, false]
    )
  })

  it("tell which chromosomes no row has, in whatever region or gene its rows are", () => {
    const rows = ["1", "chr2", "M", "X"].map((chr) => at(chr, 5))
    const filter = made(["NOPE"], range("chr1:900-901 2 MT:1-2 x chr7:1-2 {chr8}:3-4 HLA:01:5-6 chr7:8-9"))
    assert.deepStrictEqual(passing(filter, rows), [])
    assert.deepStrictEqual(filter.unmetChromosomes, ["chr7", "chr8", "HLA:01"])
    assert.deepStrictEqual(filter.chromosomes, ["1", "chr2", "M", "X"])
    passing(filter, [...rows, at("Y", 1), at("7", 1), at("8", 1)])
    assert.deepStrictEqual(filter.unmetChromosomes, ["HLA:01"])
    assert.deepStrictEqual(filter.chromosomes, ["1", "chr2", "M", "X", "Y", "..."])
    assert.deepStrictEqual(made(["NOPE"], null).unmetChromosomes, [])
  })

  it("know chromosomes with and without chr, in any case, and M as MT", () => {
    assert.isTrue(passes(range("chr17"), at("17", 5)))
    assert.isTrue(passes(range("17"), at("Chr17", 5)))
    assert.isTrue(passes(range("chrX"), at("x", 5)))
    assert.isTrue(passes(range("MT:1-10"), at("chrM", 5)))
    assert.isTrue(passes(range("7"), at(7, 5)))
    assert.isFalse(passes(range("1"), at("11", 5)))
    assert.isFalse(passes(range("1"), at(null, 5)))
  })

  it("take a deletion that reaches into a region", () => {
    assert.isTrue(passes(range("1:100-200"), at("1", 98, "ACG")))
    assert.isFalse(passes(range("1:100-200"), at("1", 98, "AC")))
    assert.isFalse(passes(range("1:100-200"), at("1", 99, "-")))
    assert.isFalse(passes(range("1:100-200"), at("1", 99, null)))
  })

  it("leave out and count rows whose position cannot be read", () => {
    const filter = made([], range("1:1-100"))
    const rows: ReadonlyArray<Row> = ["5", 5, "x", null, 0, -5, 5.5, "", [5], "5-6"].map((pos, n) => [
      n,
      "G",
      "1",
      pos,
      "A"
    ])
    assert.deepStrictEqual(passing(filter, rows), [0, 1])
    assert.strictEqual(filter.unplaced, 8)
  })

  it("hold together with --gene", () => {
    const filter = made(["G"], range("1:1-100"))
    const rows: ReadonlyArray<Row> = [
      [1, "G", "1", 5, "A"],
      [2, "H", "1", 5, "A"],
      [3, "G", "2", 5, "A"]
    ]
    assert.deepStrictEqual(passing(filter, rows), [1])
  })

  it("need their columns; a reference allele is not one of them", () => {
    const need = (
      genes: ReadonlyArray<string>,
      regions: ReadonlyArray<RegionText> | null,
      ...ids: ReadonlyArray<string>
    ) => Result.isFailure(rowFilter({ genes, regions }, columnsNamed(...ids)))
    assert.isTrue(need(["A"], null, "Chr", "Pos"))
    assert.isTrue(need([], range("1"), "Chr", "Gene"))
    assert.isTrue(need([], range("1"), "Pos"))
    assert.isFalse(need([], range("1"), "chrom", "START"))
    assert.isFalse(need([], null))
    assert.match(
      Result.getOrThrow(Result.flip(rowFilter({ genes: ["A"], regions: null }, []))),
      /^There is no gene column to filter by \(its id or title would be one of gene, gene_symbol, symbol, genesymbol\)$/
    )
    const filter = made([], range("1:1-100"), columnsNamed("n", "g", "chr", "pos", "x"))
    assert.deepStrictEqual(passing(filter, [[1, "G", "1", 100, "A"]]), [1])
  })

  it.effect.prop("a row passes exactly when one of the regions has one of its bases", [Schema.Int], ([seed]) =>
    Effect.sync(() => {
      const random = chance(seed)
      const regions = Array.from({ length: 1 + random(6) }, () => {
        const start = 1 + random(50)
        return { chr: String(1 + random(2)), start, end: start + random(20) }
      })
      const wanted = range(regions.map(({ chr, end, start }) => `chr${chr}:${start}-${end}`).join(" "))
      const rows: ReadonlyArray<Row> = Array.from({ length: 60 }, (_, n) => [
        n,
        "G",
        String(1 + random(3)),
        1 + random(80),
        "ACGTA".slice(0, 1 + random(5))
      ])
      const expected = rows.filter(([, , chr, pos, ref]) =>
        regions.some(
          (region) => region.chr === chr && Number(pos) <= region.end && Number(pos) + String(ref).length > region.start
        )
      )
      const body = bodyText([["data", rows as never]], random, false)
      const filter = made([], wanted)
      const { text } = convert(chunksOf(body, random, 100), 5, jsonLines("A", [{ index: 0, name: "n" }]), filter)
      assert.deepStrictEqual(
        text
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line).n),
        expected.map(([n]) => n)
      )
    })
  )

  it("regions without an end go to the end of the chromosome", () => {
    const regions = range("1:100- 1:50-60 2")
    assert.deepStrictEqual(
      [49, 50, 60, 61, 99, 100, 3e9].map((pos) => passes(regions, at("chr1", pos))),
      [false, true, true, false, false, true, true]
    )
  })
})
