/** A BAM of reads that hardly shrink, so that few of them are several pieces of a slice. */
import type { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import type { RecordFields } from "../../core/src/genome/formats/BamRecord.ts"
import * as SeededRandom from "../../sandbox/samples/SeededRandom.ts"
import { type BamFile, bamFile, read } from "./Fixtures.ts"

const length = 2_000
export const longReferences = [
  { name: "chr1", length: 10_000_000 },
  { name: "chr2", length: 100_000 }
]

/** Reads of 2,000 bases over chr1, then over the start of chr2. */
export const longReadsOf = (onFirst: number, onSecond: number): ReadonlyArray<RecordFields> => {
  const random = SeededRandom.make(7)
  const noise = Array.from({ length: 100_000 }, () => random.between(2, 42))
  const step = Math.floor(9_900_000 / onFirst)
  return Array.from({ length: onFirst + onSecond }, (_, i) => {
    const from = random.between(0, noise.length - length)
    const [ref, position] = i < onFirst ? [0, i * step] : [1, (i - onFirst) * 100]
    const qualities = noise.slice(from, from + length)
    return {
      ...read(`r${i}`, ref, position, [[length, "M"]]),
      bases: qualities.map((quality, j) => "ACGT"[(quality + j) % 4]).join(""),
      qualities
    }
  })
}

const made = new Map<string, BamFile>()

/** A BAM with so many reads on chr1; 3,000 make some 6 MB. Made once for all tests of a process: who changes it copies it. */
export const longReads = (codec: Codec["Service"], blockBytes: number, onFirst = 3_000): BamFile => {
  const key = `${blockBytes} ${onFirst}`
  const file = made.get(key) ?? bamFile(codec, longReadsOf(onFirst, 200), { blockBytes, references: longReferences })
  made.set(key, file)
  return file
}
