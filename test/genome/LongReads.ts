/** Reads that hardly shrink, so that few of them are several pieces of a slice. */
import type { RecordFields } from "../../core/src/genome/formats/BamRecord.ts"
import * as SeededRandom from "../../sandbox/samples/SeededRandom.ts"
import { read } from "./Fixtures.ts"

const length = 2_000
export const longReferences = [
  { name: "chr1", length: 10_000_000 },
  { name: "chr2", length: 100_000 }
]

/** Reads of 2,000 bases over chr1, then over the start of chr2. */
export const longReadsOf = (onFirst: number, onSecond: number): ReadonlyArray<RecordFields> => {
  const random = SeededRandom.make(7)
  const noise = Array.from({ length: 100_000 }, () => random.between(2, 42))
  const letters = noise.map((quality, i) => "ACGT"[(quality + i) % 4]).join("")
  const step = Math.floor(9_900_000 / onFirst)
  return Array.from({ length: onFirst + onSecond }, (_, i) => {
    const from = random.between(0, noise.length - length)
    const [ref, position] = i < onFirst ? [0, i * step] : [1, (i - onFirst) * 100]
    return {
      ...read(`r${i}`, ref, position, [[length, "M"]]),
      bases: letters.slice(from, from + length),
      qualities: noise.slice(from, from + length)
    }
  })
}
