/**
 * Wanted regions for positions in a table, where nobody says which chromosomes there are: a chromosome is the same with
 * and without `chr`, in any case, and M is MT.
 */
import { union } from "../genome/regions/Regions.ts"
import type { RegionText } from "../genome/regions/RegionText.ts"

/** Spellings of one chromosome become one. */
const spelling = (name: string): string => {
  const bare = name.trim().toLowerCase().replace(/^chr/, "")
  return bare === "m" ? "mt" : bare
}

/** Regions of one chromosome, 0-based half-open, sorted by start and merged: starts and ends in turn. */
export type MergedIntervals = ArrayLike<number>

export class RegionSet {
  readonly #stretches: ReadonlyMap<string, MergedIntervals>

  constructor(regions: ReadonlyArray<RegionText>) {
    const readings = regions.flatMap((region) => region.readings)
    const found = Map.groupBy(readings, ({ name }) => spelling(name))
    this.#stretches = new Map([...found].map(([key, list]) => [key, union(list)]))
  }

  /** The regions on a chromosome, null when there are none. */
  on(chromosome: string): MergedIntervals | null {
    return this.#stretches.get(spelling(chromosome)) ?? null
  }
}

/** Whether positions `start` up to `end` (0-based half-open) touch one of the stretches. */
export const touches = (stretches: MergedIntervals, start: number, end: number): boolean => {
  // The first stretch that ends after the start.
  let low = 0
  let high = stretches.length / 2
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((stretches[2 * middle + 1] ?? 0) > start) high = middle
    else low = middle + 1
  }
  return low < stretches.length / 2 && (stretches[2 * low] ?? 0) < end
}
