/** VCF.gz: variants as lines of text in BGZF, with TBI or CSI (VCF specification, section 1; tabix specification). */
import { Effect, Result } from "effect"
import type { TabixColumns } from "../index/TabixIndex.ts"
import type { KnownReference } from "../regions/Regions.ts"
import * as FileNames from "./FileNames.ts"
import type { Format } from "./Format.ts"
import { magic, readVcfHeader, type VcfHeader } from "./VcfHeader.ts"
import { placeOf } from "./VcfRecord.ts"
import { vcfRegions, vcfSliceText } from "./VcfSliceHeader.ts"
import { vcfWalk } from "./VcfWalk.ts"

const foreign = "it is an index of a BAM file"

/** The columns of a VCF in its index, as `tabix -p vcf` writes them; `names[i]` is reference `i`. */
export const vcfColumns = (names: ReadonlyArray<string>): TabixColumns => ({
  ...{ format: 2, name: 1, begin: 2, end: 0, meta: 0x23, skip: 0 },
  names
})

/** The references of the index, then those that only the header names: nothing is there, but they may be asked for. */
const knownReferences = (names: ReadonlyArray<string>, header: VcfHeader): ReadonlyArray<KnownReference> => {
  const lengths = new Map(header.contigs.map(({ length, name }) => [name, length]))
  const indexed = new Set(names)
  return [
    ...names.map((name) => ({ name, length: lengths.get(name) ?? null })),
    ...header.contigs.filter(({ name }) => !indexed.has(name))
  ]
}

/** The reference of a line, empty when it is no record. */
const referenceOf = (bytes: Uint8Array): string | null => {
  const end = bytes.indexOf(0x0a)
  return end === -1 ? null : (placeOf(bytes.subarray(0, end))?.name ?? "")
}

export const Vcf: Format = {
  ...FileNames.vcf,
  magic,
  open: (file, reader) =>
    Effect.map(readVcfHeader(file, reader), (header) => ({
      references: null,
      samples: header.samples.length,
      regionsOf: (program) => vcfRegions(header.text, program),
      records: (listeners) => vcfWalk(header.samples.length, listeners),
      referenceAt: ({ columns }) => {
        if (columns === null) return Result.fail(foreign)
        const names = new Set<number | string>(columns.names)
        return Result.succeed({
          of: referenceOf,
          covers: (name) => names.has(name),
          expected: (i) => columns.names[i] ?? "",
          nameOf: (i) => columns.names[i] ?? ""
        })
      },
      slicing: ({ columns }) => {
        if (columns === null) return Result.fail(foreign)
        const { names } = columns
        const references = knownReferences(names, header)
        return Result.succeed({
          references,
          records: { format: "VCF", names, samples: header.samples.length, spansByLength: header.spansByLength },
          firstRecord: null,
          plainHeader: () => header.text,
          header: (program, regions) => vcfSliceText(header.text, program, regions),
          indexed: vcfColumns(names),
          longest: references.reduce((most, { length }) => Math.max(most, length ?? 0), 0)
        })
      }
    }))
}
