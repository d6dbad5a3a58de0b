/**
 * Holds an index against every record of its file while the file is read.
 *
 * Of the indexes of any writer: each record lies in a chunk of its bin or of one around it, each chunk begins where a record
 * begins, and no reader is led past a record. A BAI, whose bytes no checksum protects, is also searched for a flipped bit
 * that does no such harm.
 */

import type { ReferenceIndex } from "../genome/BinIndex.ts"
import { binOf } from "../genome/Bins.ts"
import type { RecordListener } from "../genome/ContentCheck.ts"
import type { TabixIndex } from "../genome/TabixIndex.ts"
import { Chunks } from "./Chunks.ts"
import { Floors } from "./Floors.ts"
import { LinearForm } from "./LinearForm.ts"
import { OddFields } from "./OddFields.ts"

export interface IndexProof extends RecordListener {
  /** After the last record: what is wrong, with the index as subject; null when nothing is. */
  readonly fault: () => string | null
}

interface Reference {
  readonly name: string
  readonly chunks: Chunks
  readonly floors: Floors
  readonly linear: LinearForm
}

export const make = ({ columns, index }: TabixIndex): IndexProof => {
  const { depth, format, minShift } = index
  const numbers = columns === null ? null : new Map(columns.names.map((name, i) => [name, i]))
  const seen = new Set<number>()
  const odd = new OddFields()
  let current: Reference | null = null
  let found: string | null = null

  const referenceOf = (name: string, said: ReferenceIndex): Reference => ({
    name,
    chunks: new Chunks(said),
    floors: new Floors(said, index),
    linear: new LinearForm(name, said.linear, 2 ** minShift)
  })

  const wrong = (what: string) => {
    found = what
    current = null
  }

  const judge = ({ chunks, linear, name }: Reference) => {
    if (chunks.goOn) return wrong(`it points to a place where no record of ${name} begins`)
    if (format !== "BAI") return
    chunks.judge(name, odd)
    linear.judge(odd)
  }

  return {
    enter: (reference, name) => {
      const number = numbers === null ? reference : numbers.get(name)
      if (number === undefined || found !== null) return
      const said = index.reference(number)
      seen.add(number)
      // What it has nothing of is told by the counts.
      if (said.bins.size > 0) current = referenceOf(name, said)
    },
    record: (start, end, mapped, place) => {
      if (current === null) return
      const { chunks, floors, linear, name } = current
      const at = () => `${name}:${start + 1}, in the block at byte ${place.block}`
      if (!chunks.begin(place)) return wrong(`it points to a place before the record at ${at()}, where none begins`)
      // Writers differ in the bin of a record that has a reference and no position.
      if (start < 0) return
      if (!chunks.record(binOf(start, end, minShift, depth), place))
        return wrong(`it does not lead to the record at ${at()}`)
      // htslib leaves unmapped records out of what readers skip by.
      if (mapped && !floors.record(end, place)) return wrong(`it leads readers past the record at ${at()}`)
      if (format === "BAI") linear.record(start, end, mapped, place)
    },
    leave: (place) => {
      if (current === null) return
      current.chunks.leave(place)
      judge(current)
      current = null
    },
    fault: () => {
      for (let number = 0; number < index.references && found === null; number++) {
        if (seen.has(number)) continue
        // Some writers count the records of a reference without any.
        const said = { ...index.reference(number), extent: null }
        judge(referenceOf(columns?.names[number] ?? `reference ${number + 1}`, said))
      }
      if (found !== null) return found
      if (format === "BAI" && index.rest !== 0 && index.rest !== 8)
        return `${index.rest} bytes follow its last reference, and not 8 or none`
      return odd.damage
    }
  }
}
