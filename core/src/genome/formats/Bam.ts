/** BAM: aligned reads, with BAI or CSI (SAM specification, sections 4 and 5). */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { bamRegions, bamSliceText, encodeBamHeader, magic, readBamHeader } from "./BamHeader.ts"
import { judgeBamHeader } from "./BamHeaderCheck.ts"
import { bamWalk } from "./BamWalk.ts"
import * as FileNames from "./FileNames.ts"
import type { Format } from "./Format.ts"

/** The reference of a record, -1 for none. */
const referenceOf = (bytes: Uint8Array): number | null =>
  bytes.length < 8 ? null : new DataView(bytes.buffer, bytes.byteOffset).getInt32(4, true)

export const Bam: Format = {
  ...FileNames.bam,
  magic,
  open: (file, reader) =>
    Effect.map(readBamHeader(file, reader), (header) => {
      const { firstRecord, references } = header
      const longest = references.reduce((most, { length }) => Math.max(most, length), 0)
      const countMismatch = (count: number) => `it has ${count} references and the data has ${references.length}`
      return {
        references: references.length,
        samples: null,
        regionsOf: (program) => bamRegions(header, program),
        judgeHeader: () => judgeBamHeader(header),
        records: (listeners) => bamWalk(header, listeners),
        referenceAt: ({ index }) =>
          index.references === references.length
            ? Result.succeed({
                of: referenceOf,
                covers: (reference) => reference !== -1,
                expected: (i) => i,
                nameOf: (i) => references[i]?.name ?? ""
              })
            : Result.fail(countMismatch(index.references)),
        slicing: ({ index }) => {
          if (index.references !== references.length) return Result.fail(countMismatch(index.references))
          return Result.succeed({
            references,
            records: { format: "BAM", references: references.length },
            firstRecord,
            plainHeader: () => encodeBamHeader(header.text, references),
            header: (program, regions) => encodeBamHeader(bamSliceText(header, program, regions), references),
            indexed: references.length,
            longest
          })
        }
      }
    })
}
