/** How fast bytes come now: over the last seconds, so that a pause or a slower host shows. */
import { rateOf } from "../main/StatusText.ts"

/** How many bytes had come at a time, in ms. */
export interface Sample {
  readonly at: number
  readonly bytes: number
}

/** In ms. */
const span = 10_000

/** The samples with a newer one, without those that the rate of the last seconds no longer needs. */
export const withSample = (samples: ReadonlyArray<Sample>, next: Sample): ReadonlyArray<Sample> => {
  const first = samples.findLastIndex(({ at }) => next.at - at >= span)
  return [...samples.slice(Math.max(0, first)), next]
}

/** Bytes per second; null before the samples span a second. */
export const recentRate = (samples: ReadonlyArray<Sample>): number | null => {
  const [first, last] = [samples[0], samples.at(-1)]
  return first === undefined || last === undefined ? null : rateOf(last.bytes - first.bytes, last.at - first.at)
}
