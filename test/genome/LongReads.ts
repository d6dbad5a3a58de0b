/** A BAM of reads that hardly shrink, so that few of them are several pieces of a slice. */
import type { Codec } from "../../core/src/genome/Codec.ts"
import type { RecordFields } from "../../core/src/genome/formats/BamRecord.ts"
import * as SeededRandom from "../../sandbox/samples/SeededRandom.ts"
import { type BamFile, bamFile, read } from "./Fixtures.ts"

const length = 2_000
const references = [
  { name: "chr1", length: 10_000_000 },
  { name: "chr2", length: 100_000 }
]

/** 3,000 reads of 2,000 bases over chr1, 200 over the start of chr2: some 6 MB. */
const reads = (): ReadonlyArray<RecordFields> => {
  const random = SeededRandom.make(7)
  const noise = Array.from({ length: 100_000 }, () => random.between(2, 42))
  return Array.from({ length: 3_200 }, (_, i) => {
    const from = random.between(0, noise.length - length)
    const [ref, position] = i < 3_000 ? [0, i * 3_300] : [1, (i - 3_000) * 100]
    const qualities = noise.slice(from, from + length)
    return {
      ...read(`r${i}`, ref, position, [[length, "M"]]),
      bases: qualities.map((quality, j) => "ACGT"[(quality + j) % 4]).join(""),
      qualities
    }
  })
}

let made: ReadonlyArray<RecordFields> | null = null

export const longReads = (codec: Codec["Service"], blockBytes: number): BamFile => {
  made ??= reads()
  return bamFile(codec, made, { blockBytes, references })
}
