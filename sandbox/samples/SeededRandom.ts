/** Seeded random numbers: the same seed gives the same numbers on every machine. */

export interface SeededRandom {
  /** Uniform in `[0, 1)`. */
  readonly next: () => number
  /** Uniform whole number in `[from, to)`. */
  readonly between: (from: number, to: number) => number
  readonly pick: <A>(from: readonly [A, ...ReadonlyArray<A>]) => A
  readonly chance: (probability: number) => boolean
}

/** Mixes a text into a seed, so that every sample and every locus has its own numbers. */
export const seedOf = (seed: number, text: string): number => {
  let hash = (0x811c9dc5 ^ seed) >>> 0
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0
  return hash
}

/** A 32-bit counter through a mixing function: short, fast, and even enough for test data. */
export const make = (seed: number): SeededRandom => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32
  }
  const between = (from: number, to: number) => from + Math.floor(next() * (to - from))
  return {
    next,
    between,
    pick: (from) => from[between(0, from.length)] ?? from[0],
    chance: (probability) => next() < probability
  }
}

/** A measured value from `min` to `max`, rounded to `digits` after the point. */
export const measuredValue = (random: SeededRandom, min: number, max: number, digits: number): number =>
  Number((min + random.next() * (max - min)).toFixed(digits))
