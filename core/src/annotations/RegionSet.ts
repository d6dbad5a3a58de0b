/**
 * Wanted regions for positions in a table, where nobody says which chromosomes there are: a chromosome is the same with
 * and without `chr`, in any case, and M is MT.
 */
import { chromosomeKey, union } from "../genome/regions/Regions.ts"
import type { RegionText } from "../genome/regions/RegionText.ts"
import { firstEndingAfter } from "../genome/Search.ts"

/** Regions of one chromosome, 0-based half-open, sorted by start and merged: starts and ends in turn. */
export type MergedIntervals = ArrayLike<number>

export class RegionSet {
  readonly #intervals: ReadonlyMap<string, MergedIntervals>

  constructor(regions: ReadonlyArray<RegionText>) {
    const readings = regions.flatMap((region) => region.readings)
    const found = Map.groupBy(readings, ({ name }) => chromosomeKey(name))
    this.#intervals = new Map([...found].map(([key, list]) => [key, union(list)]))
  }

  /** The regions on a chromosome, null when there are none. */
  on(chromosome: string): MergedIntervals | null {
    return this.#intervals.get(chromosomeKey(chromosome)) ?? null
  }
}

/** Whether positions `start` up to `end` (0-based half-open) touch one of the intervals. */
export const touches = (intervals: MergedIntervals, start: number, end: number): boolean => {
  const next = firstEndingAfter(intervals, start)
  return next < intervals.length && (intervals[next] ?? 0) < end
}
