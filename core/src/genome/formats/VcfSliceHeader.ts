/** The header of a VCF slice: that of the source, with a line that names program and regions. */
import type { Program } from "./SliceHeader.ts"

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const latin1 = new TextDecoder("latin1")

/** In a value between quotes (VCF 4.2, section 1.2). */
const escapeQuotes = (text: string) => text.replaceAll(/[\\"]/g, "\\$&")

const vcfKey = (program: Program) => `##${program.name}_regions=`

/** VCF header lines with one more before `#CHROM` that names program and regions. */
export const vcfSliceText = (text: Uint8Array, program: Program, regions: string): Uint8Array => {
  // One character for each byte, also where the text is no UTF-8.
  const start = latin1.decode(text).lastIndexOf("\n#CHROM") + 1
  const { origin, version } = program
  const from =
    origin === undefined ? "" : `Command="${escapeQuotes(origin.command)}",Source="${escapeQuotes(origin.source)}",`
  const added = encoder.encode(`${vcfKey(program)}<Version="${version}",${from}Regions="${regions}">\n`)
  const ended = text[text.length - 1] === 0x0a
  const result = new Uint8Array(text.length + added.length + (ended ? 0 : 1))
  result.set(text.subarray(0, start))
  result.set(added, start)
  result.set(text.subarray(start), start + added.length)
  if (!ended) result[result.length - 1] = 0x0a
  return result
}

/** The regions key of a VCF slice made by `program`, `null` for other files. */
export const vcfRegions = (text: Uint8Array, program: Program): string | null => {
  const line = decoder
    .decode(text)
    .split("\n")
    .findLast((one) => one.startsWith(vcfKey(program)))
  return /,Regions="([^"]*)">$/.exec(line ?? "")?.[1] ?? null
}
