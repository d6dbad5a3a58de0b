/** Binary search. */

/** Least of the numbers from 0 to `count` - 1 for which `holds` is true, as it is then for all after it; `count` when for none. */
export const firstWhere = (count: number, holds: (index: number) => boolean): number => {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/**
 * Where in `bounds` the first interval begins that ends after `position` (0-based); the length of `bounds` when none does.
 *
 * @param bounds - starts and ends in turn, sorted, without overlap
 */
export const firstEndingAfter = (bounds: ArrayLike<number>, position: number): number =>
  2 * firstWhere(bounds.length >>> 1, (interval) => bounds[2 * interval + 1]! > position)
