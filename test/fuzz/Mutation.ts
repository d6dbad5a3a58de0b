/** Hostile inputs out of good ones: bits flipped, places overwritten, cut, repeated, grown. */
import type { SeededRandom } from "../../sandbox/samples/SeededRandom.ts"
import { concat } from "../genome/Fixtures.ts"

/** What a reader is fed with, and how to tell whether it took it well. */
export interface Target {
  readonly name: string
  readonly make: (random: SeededRandom) => Uint8Array
  /** Errors by their tag that say that an input is bad; every other one, and every exception, is a fault of ours. */
  readonly refusals: ReadonlyArray<string>
  readonly read: (bytes: Uint8Array) => Outcome
}

export interface Outcome {
  /** Tags of the errors, none where the input was taken. */
  readonly tags: ReadonlyArray<string>
  /** True when what stands in front (a header, an index) was taken, and the content was read. */
  readonly past: boolean
}

const extremes = [0, 1, 0x7f, 0x80, 0xff] as const

/** One to four mutations of a copy. */
export const mutate = (original: Uint8Array, random: SeededRandom): Uint8Array => {
  let bytes = new Uint8Array(original)
  for (let left = random.between(1, 5); left > 0 && bytes.length > 8; left--) {
    const at = random.between(0, bytes.length)
    const kind = random.next()
    if (kind < 0.3) bytes[at] = (bytes[at] ?? 0) ^ (1 << random.between(0, 8))
    else if (kind < 0.5) bytes.fill(random.pick(extremes), at, at + random.pick([1, 2, 4, 8]))
    else if (kind < 0.7)
      new DataView(bytes.buffer).setUint32(
        Math.min(at, bytes.length - 4),
        random.pick([2 ** 31 - 1, 2 ** 32 - 1, 2 ** 24, 65_536, 5]),
        true
      )
    else if (kind < 0.8) bytes = new Uint8Array(bytes.subarray(0, at))
    else if (kind < 0.9)
      bytes = new Uint8Array(concat(bytes.subarray(0, at), bytes.subarray(random.between(0, bytes.length))))
    else bytes.copyWithin(at, random.between(0, bytes.length))
  }
  return bytes
}

const marks = [
  "{",
  "}",
  "[",
  "]",
  '"',
  "\\",
  ",",
  ":",
  "\t",
  "\r\n",
  "\n",
  "\0",
  "-",
  "1e999",
  "\\ud800",
  "__proto__"
] as const
const more = [
  "99999999999999999999",
  "\u202e",
  "\ufeff",
  "\u{1f9ec}",
  "  ",
  "null",
  "(((((((((((",
  "%00",
  "=",
  ";"
] as const

/** The same for texts, with what is special in them. */
export const mutateText = (original: string, random: SeededRandom): Uint8Array => {
  let text = original
  for (let left = random.between(1, 6); left > 0; left--) {
    const [at, other] = [random.between(0, text.length + 1), random.between(0, text.length + 1)]
    const kind = random.next()
    if (kind < 0.35) text = text.slice(0, at) + random.pick(marks) + text.slice(at)
    else if (kind < 0.5) text = text.slice(0, at) + random.pick(more) + text.slice(at)
    else if (kind < 0.65) text = text.slice(0, at) + text.slice(at + random.between(1, 9))
    else if (kind < 0.75) text = text.slice(0, at)
    else if (kind < 0.9) text = text.slice(0, Math.max(at, other)) + text.slice(Math.min(at, other))
    else text = text.slice(0, at) + random.pick(marks).repeat(random.between(100, 3_000)) + text.slice(at)
  }
  const bytes = new TextEncoder().encode(text)
  return random.chance(0.2) ? mutate(bytes, random) : bytes
}
