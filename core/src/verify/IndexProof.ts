/**
 * Holds an index against every record of its file while the file is read: each record lies in a chunk of its bin or of one around
 * it, each chunk begins where a record begins, and no reader is led past a record. A flipped bit that does no such harm is
 * found by a checksum of the file only.
 */

import type { RecordListener } from "../genome/bgzf/ContentCheck.ts"
import type { ReferenceIndex } from "../genome/index/BinIndex.ts"
import { binOf } from "../genome/index/Bins.ts"
import type { TabixIndex } from "../genome/index/TabixIndex.ts"
import { ChunkCoverage } from "./ChunkCoverage.ts"
import { LinearOffsets } from "./LinearOffsets.ts"

export interface IndexProof extends RecordListener {
  /** After the last record: what is wrong, with the index as subject; null when nothing is. */
  readonly fault: () => string | null
}

interface Reference {
  readonly name: string
  readonly chunks: ChunkCoverage
  readonly linearOffsets: LinearOffsets
}

export const make = ({ columns, index }: TabixIndex): IndexProof => {
  const { depth, minShift } = index
  const numbers = columns === null ? null : new Map(columns.names.map((name, i) => [name, i]))
  const seen = new Set<number>()
  let current: Reference | null = null
  let found: string | null = null

  const referenceOf = (name: string, said: ReferenceIndex): Reference => ({
    name,
    chunks: new ChunkCoverage(said),
    linearOffsets: new LinearOffsets(said, index)
  })

  const wrong = (what: string) => {
    found = what
    current = null
  }

  const judge = ({ chunks, name }: Reference) => {
    if (chunks.hasMore) wrong(`it points to a place where no record of ${name} begins`)
  }

  return {
    enter: (reference, name) => {
      const number = numbers === null ? reference : numbers.get(name)
      if (number === undefined || found !== null) return
      const said = index.reference(number)
      seen.add(number)
      // References of which the index has nothing are compared by the counts.
      if (said.bins.size > 0) current = referenceOf(name, said)
    },
    record: (start, end, mapped, place) => {
      if (current === null) return
      const { chunks, linearOffsets, name } = current
      const at = () => `${name}:${start + 1}, in the block at byte ${place.block}`
      if (!chunks.reach(place)) return wrong(`it points to a place before the record at ${at()}, where none begins`)
      // Writers differ in the bin of a record that has a reference and no position.
      if (start < 0) return
      if (!chunks.covers(binOf(start, end, minShift, depth), place))
        return wrong(`it does not lead to the record at ${at()}`)
      // htslib leaves unmapped records out of what readers skip by.
      if (mapped && !linearOffsets.reaches(end, place)) return wrong(`it leads readers past the record at ${at()}`)
    },
    leave: () => {
      if (current !== null) judge(current)
      current = null
    },
    fault: () => {
      for (let number = 0; number < index.references && found === null; number++) {
        if (seen.has(number)) continue
        judge(referenceOf(columns?.names[number] ?? `reference ${number + 1}`, index.reference(number)))
      }
      return found
    }
  }
}
