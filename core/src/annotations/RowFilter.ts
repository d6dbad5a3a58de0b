/**
 * Which rows are wanted: those of some genes, those in some regions, or both.
 *
 * A variant is in a region when one of its reference bases is: from its position, 1-based, as far as its reference allele
 * goes. A cell of genes may hold one symbol, several in one text, or a list; upper and lower case are the same.
 */
import * as Result from "effect/Result"
import { chromosomeKey, union } from "../genome/regions/Regions.ts"
import type { Reading, RegionText } from "../genome/regions/RegionText.ts"
import { firstEndingAfter } from "../genome/Search.ts"
import { type Column, columnFor, namesFor, type Role } from "./Columns.ts"
import type { Row, RowChoice } from "./RowReader.ts"

export interface FilterRequest {
  /** Empty for all. */
  readonly genes: ReadonlyArray<string>
  /** Null for all. */
  readonly regions: ReadonlyArray<RegionText> | null
}

interface Places {
  readonly gene: number | null
  readonly chromosome: number | null
  readonly position: number | null
  readonly reference: number | null
}

/** The filter for rows of these columns, null when all are wanted; the failure is one sentence. */
export const rowFilter = (
  { genes, regions }: FilterRequest,
  columns: ReadonlyArray<Column>
): Result.Result<RowFilter | null, string> => {
  if (genes.length === 0 && regions === null) return Result.succeed(null)
  const place = (role: Role) => columnFor(columns, role)?.index ?? null
  const places: Places = {
    gene: place("gene"),
    chromosome: place("chromosome"),
    position: place("position"),
    reference: place("reference")
  }
  const needed = [
    ...(genes.length === 0 ? [] : ["gene" as const]),
    ...(regions === null ? [] : ["chromosome" as const, "position" as const])
  ]
  const lacking = needed.find((role) => places[role] === null)
  return lacking === undefined
    ? Result.succeed(new RowFilter(genes, regions, places))
    : Result.fail(`There is no ${lacking} column to filter by (its id or title would be one of ${namesFor(lacking)})`)
}

/** What stands between symbols in one text. */
const betweenSymbols = /[\s,;|/]+/

const symbolsIn = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string"
    ? value.split(betweenSymbols).map((symbol) => symbol.toUpperCase())
    : Array.isArray(value)
      ? value.flatMap(symbolsIn)
      : []

const textOf = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? String(value) : "")

/** The number that a value of digits is, with or without quotes; NaN for any other value. */
const digitsIn = (value: unknown): number => {
  const text = textOf(value)
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
  return number > 0 && number <= Number.MAX_SAFE_INTEGER ? number : Number.NaN
}

/** Number of bases of an allele; 1 when it is empty or a symbol such as `-`. */
const basesOf = (value: unknown): number => Math.max(1, /^[A-Za-z]*/.exec(textOf(value))?.[0].length ?? 1)

/** Regions of one chromosome, 0-based half-open, sorted by start and merged: starts and ends in turn. */
type MergedIntervals = ArrayLike<number>

/** How many chromosomes a message names as examples of their spelling. */
const examples = 5

const decoder = new TextDecoder()

/** What a cell of a row means. */
const cellValue = ({ bytes, ends, starts }: Row, cell: number): unknown =>
  JSON.parse(decoder.decode(bytes.subarray(starts[cell], ends[cell])))

export class RowFilter implements RowChoice {
  /** Rows that no region could take because their position cannot be read. */
  unplaced = 0

  readonly #places: Places
  readonly #wanted: ReadonlySet<string>
  readonly #met = new Set<string>()
  readonly #regions: ReadonlyArray<RegionText> | null
  /** By key: nobody says how chromosomes are spelled, with or without `chr`, in which case, M or MT. */
  readonly #intervals: ReadonlyMap<string, MergedIntervals>
  /** Keys of wanted chromosomes that rows had. */
  readonly #touched = new Set<string>()
  readonly #names = new Set<string>()

  constructor(genes: ReadonlyArray<string>, regions: ReadonlyArray<RegionText> | null, places: Places) {
    this.#places = places
    this.#wanted = new Set(genes.map((gene) => gene.toUpperCase()))
    this.#regions = regions
    const readings = (regions ?? []).flatMap((region) => region.readings)
    const byKey = Map.groupBy(readings, ({ name }) => chromosomeKey(name))
    this.#intervals = new Map([...byKey].map(([key, list]) => [key, union(list)]))
  }

  /** Wanted chromosomes that no row had, of whatever gene, as they were written. */
  get unmetChromosomes(): ReadonlyArray<string> {
    const isMet = ({ name }: Reading) => this.#touched.has(chromosomeKey(name))
    const unmet = (this.#regions ?? []).filter(({ readings }) => !readings.some(isMet))
    return [...new Set(unmet.map(({ readings, text }) => readings.at(-1)?.name ?? text))]
  }

  /** Some chromosomes as the rows spell them, and `...` when there are more. */
  get chromosomes(): ReadonlyArray<string> {
    const names = [...this.#names]
    return names.length > examples ? [...names.slice(0, examples), "..."] : names
  }

  /** Wanted genes that no row had, in upper case. */
  get unmetGenes(): ReadonlyArray<string> {
    return [...this.#wanted].filter((gene) => !this.#met.has(gene))
  }

  accepts(row: Row): boolean {
    const { chromosome, gene } = this.#places
    // The chromosome is looked at before the gene, so that the chromosomes of all rows become known.
    const intervals =
      this.#regions === null || chromosome === null ? null : this.#on(textOf(cellValue(row, chromosome)))
    if (this.#wanted.size > 0 && gene !== null && !this.#isWanted(cellValue(row, gene))) return false
    return this.#regions === null || this.#isInside(intervals, row)
  }

  /** The regions on a chromosome that a row has, which is remembered. */
  #on(chromosome: string): MergedIntervals | null {
    if (this.#names.size <= examples && chromosome !== "") this.#names.add(chromosome)
    const key = chromosomeKey(chromosome)
    const intervals = this.#intervals.get(key) ?? null
    if (intervals !== null) this.#touched.add(key)
    return intervals
  }

  /** Whether a cell of genes has one that is wanted; those that it has are remembered. */
  #isWanted(genes: unknown): boolean {
    const hits = symbolsIn(genes).filter((symbol) => this.#wanted.has(symbol))
    for (const hit of hits) this.#met.add(hit)
    return hits.length > 0
  }

  #isInside(intervals: MergedIntervals | null, row: Row): boolean {
    const { position, reference } = this.#places
    if (intervals === null || position === null) return false
    const start = digitsIn(cellValue(row, position)) - 1
    if (Number.isNaN(start)) {
      this.unplaced++
      return false
    }
    const bases = reference === null ? 1 : basesOf(cellValue(row, reference))
    const next = firstEndingAfter(intervals, start)
    return next < intervals.length && (intervals[next] ?? 0) < start + bases
  }
}
