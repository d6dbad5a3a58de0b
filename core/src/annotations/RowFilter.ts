/**
 * Which rows are wanted: those of some genes, those in some regions, or both.
 *
 * A variant is in a region when one of its reference bases is: from its position, 1-based, as far as its reference allele
 * goes. A cell of genes may hold one symbol, several in one text, or a list; upper and lower case are the same.
 */
import * as Result from "effect/Result"
import type { Reading, RegionText } from "../genome/regions/RegionText.ts"
import { quote, zeroDigit } from "../text/JsonBytes.ts"
import type { ByteBlock } from "./ByteBlock.ts"
import { CellCache } from "./CellCache.ts"
import { type Column, columnFor, namesFor, type Role } from "./Columns.ts"
import { type MergedIntervals, RegionSet, touches } from "./RegionSet.ts"
import type { RowChoice } from "./RowConverter.ts"

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

/** The number that a cell of digits is, with or without quotes; NaN for any other cell. */
const digitsIn = (bytes: Uint8Array, from: number, to: number): number => {
  const inQuotes = bytes[from] === quote
  const end = inQuotes ? to - 1 : to
  let number = 0
  for (let at = inQuotes ? from + 1 : from; at < end; at++) {
    const digit = (bytes[at] ?? 0) - zeroDigit
    if (digit < 0 || digit > 9) return Number.NaN
    number = number * 10 + digit
  }
  return number > 0 && number <= Number.MAX_SAFE_INTEGER ? number : Number.NaN
}

/** Number of bases of an allele; 1 when it is empty or a symbol such as `-`. */
const basesOf = (value: unknown): number => Math.max(1, /^[A-Za-z]*/.exec(textOf(value))?.[0].length ?? 1)

const none: MergedIntervals = new Float64Array()

/** How many chromosomes a message names as examples of their spelling. */
const examples = 5

export class RowFilter implements RowChoice {
  /** Rows that no region could take because their position cannot be read. */
  unplaced = 0

  readonly #places: Places
  readonly #wanted: ReadonlySet<string>
  readonly #met = new Set<string>()
  readonly #genes: CellCache<boolean>
  readonly #regions: ReadonlyArray<RegionText>
  readonly #set: RegionSet
  readonly #chromosomes: CellCache<MergedIntervals | null> | null
  readonly #touched = new Set<MergedIntervals>()
  readonly #names = new Set<string>()
  readonly #alleles = new CellCache(basesOf)

  constructor(genes: ReadonlyArray<string>, regions: ReadonlyArray<RegionText> | null, places: Places) {
    this.#places = places
    this.#wanted = new Set(genes.map((gene) => gene.toUpperCase()))
    this.#genes = new CellCache((value) => {
      const hits = symbolsIn(value).filter((symbol) => this.#wanted.has(symbol))
      for (const hit of hits) this.#met.add(hit)
      return hits.length > 0
    })
    this.#regions = regions ?? []
    this.#set = new RegionSet(this.#regions)
    this.#chromosomes = regions === null ? null : new CellCache((value) => this.#on(textOf(value)))
  }

  /** The regions on a chromosome that a row has, which is remembered. */
  #on(chromosome: string): MergedIntervals | null {
    if (this.#names.size <= examples && chromosome !== "") this.#names.add(chromosome)
    const intervals = this.#set.on(chromosome)
    if (intervals !== null) this.#touched.add(intervals)
    return intervals
  }

  /** Wanted chromosomes that no row had, of whatever gene, as they were written. */
  get unmetChromosomes(): ReadonlyArray<string> {
    const isMet = ({ name }: Reading) => this.#touched.has(this.#set.on(name) ?? none)
    const unmet = this.#regions.filter(({ readings }) => !readings.some(isMet))
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

  accepts(source: ByteBlock, starts: Int32Array): boolean {
    const { chromosome, gene } = this.#places
    // The chromosome is looked at before the gene, so that the chromosomes of all rows become known.
    const intervals =
      this.#chromosomes === null || chromosome === null ? null : cell(this.#chromosomes, source, starts, chromosome)
    if (this.#wanted.size > 0 && gene !== null && !cell(this.#genes, source, starts, gene)) return false
    return this.#chromosomes === null || this.#isInside(intervals, source, starts)
  }

  #isInside(intervals: MergedIntervals | null, source: ByteBlock, starts: Int32Array): boolean {
    const { position, reference } = this.#places
    if (intervals === null || position === null) return false
    const start = digitsIn(source.bytes, starts[position] ?? 0, (starts[position + 1] ?? 0) - 1) - 1
    if (Number.isNaN(start)) {
      this.unplaced++
      return false
    }
    const bases = reference === null ? 1 : cell(this.#alleles, source, starts, reference)
    return touches(intervals, start, start + bases)
  }
}

const cell = <A>(cache: CellCache<A>, source: ByteBlock, starts: Int32Array, place: number): A =>
  cache.get(source, starts[place] ?? 0, (starts[place + 1] ?? 0) - 1)
