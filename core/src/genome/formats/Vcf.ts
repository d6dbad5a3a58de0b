/** VCF.gz: variants as lines of text in BGZF, with TBI or CSI (VCF specification, section 1; tabix specification). */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import type { TabixColumns, TabixIndex } from "../index/TabixIndex.ts"
import type { KnownReference } from "../regions/Regions.ts"
import * as FileNames from "./FileNames.ts"
import type { Format } from "./Format.ts"
import { magic, readVcfHeader, type VcfHeader, vcfRegions, vcfSliceText, withoutBlankLines } from "./VcfHeader.ts"
import { judgeVcfHeader } from "./VcfHeaderCheck.ts"
import { placeOf } from "./VcfRecord.ts"
import { vcfWalk } from "./VcfWalk.ts"

/** The columns of a VCF in its index, as `tabix -p vcf` writes them; `names[i]` is reference `i`. */
export const vcfColumns = (names: ReadonlyArray<string>): TabixColumns => ({
  ...{ format: 2, name: 1, begin: 2, end: 0, meta: 0x23, skip: 0 },
  names
})

const settingNames = {
  format: "preset",
  name: "sequence column",
  begin: "begin column",
  end: "end column",
  meta: "meta character",
  skip: "skipped lines"
} as const

const settingText = (key: keyof typeof settingNames, value: number): string =>
  key === "meta" && value > 0x20 && value < 0x7f ? `"${String.fromCharCode(value)}"` : `${value}`

/** The columns of an index, or why it cannot be that of a VCF: it has bins for other positions, and readers of it lose records. */
const vcfColumnsOf = ({ columns }: TabixIndex): Result.Result<TabixColumns, string> => {
  if (columns === null) return Result.fail("it is an index of a BAM file")
  const own = vcfColumns(columns.names)
  const wrong = Struct.keys(settingNames).filter((key) => columns[key] !== own[key])
  if (wrong.length === 0) return Result.succeed(columns)
  const said = wrong.map(
    (key) => `${settingNames[key]} ${settingText(key, columns[key])} instead of ${settingText(key, own[key])}`
  )
  return Result.fail(`it was made with ${said.join(", ")}`)
}

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
      judgeHeader: () => judgeVcfHeader(header.text),
      records: (listeners) => vcfWalk(header.samples.length, listeners),
      referenceAt: (index) =>
        Result.map(vcfColumnsOf(index), ({ names }) => {
          const known = new Set<number | string>(names)
          return {
            of: referenceOf,
            covers: (name) => known.has(name),
            expected: (i) => names[i] ?? "",
            nameOf: (i) => names[i] ?? ""
          }
        }),
      slicing: (index) => {
        const columns = vcfColumnsOf(index)
        if (Result.isFailure(columns)) return Result.fail(columns.failure)
        const { names } = columns.success
        const references = knownReferences(names, header)
        const text = withoutBlankLines(header.text)
        return Result.succeed({
          references,
          records: { format: "VCF", names, samples: header.samples.length, spansByLength: header.spansByLength },
          firstRecord: null,
          plainHeader: () => text,
          header: (program, regions) => vcfSliceText(text, program, regions),
          indexed: vcfColumns(names),
          longest: references.reduce((most, { length }) => Math.max(most, length ?? 0), 0)
        })
      }
    }))
}
