/** The header of a BAM slice: that of the source, with a program line (`@PG`) that names the regions. */

import type { BamHeader } from "./BamHeader.ts"
import type { Program } from "./SliceHeader.ts"

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const tagOf = (line: string, tag: string): string | undefined =>
  line
    .split("\t")
    .find((field) => field.startsWith(`${tag}:`))
    ?.slice(3)

const programLines = (text: string): ReadonlyArray<string> =>
  text.split("\n").filter((line) => line.startsWith("@PG\t"))

const regionsPrefix = "regions "
/** Between the regions and what they were cut from. */
const sourcePrefix = "; source "

/**
 * The text of a BAM header with one more `@PG`: PP names the program before it, CL the command, DS the regions and the
 * source (SAM specification, section 1.3).
 */
export const bamSliceText = (header: BamHeader, program: Program, regions: string): Uint8Array => {
  const text = decoder.decode(header.text)
  const lines = programLines(text)
  const ids = lines.map((line) => tagOf(line, "ID"))
  const before = new Set(lines.map((line) => tagOf(line, "PP")))
  // The end of the chain; in several chains the last.
  const previous = ids.findLast((id) => id !== undefined && !before.has(id)) ?? ids[ids.length - 1]
  let id = program.name
  for (let i = 1; ids.includes(id); i++) id = `${program.name}.${i}`
  const pp = previous === undefined ? "" : `\tPP:${previous}`
  const { origin } = program
  const cl = origin === undefined ? "" : `\tCL:${origin.command}`
  const ds = `${regionsPrefix}${regions}${origin === undefined ? "" : `${sourcePrefix}${origin.source}`}`
  const line = `@PG\tID:${id}\tPN:${program.name}\tVN:${program.version}${pp}${cl}\tDS:${ds}\n`
  const own = header.text
  const joint = own.length === 0 || own[own.length - 1] === 0x0a ? "" : "\n"
  const added = encoder.encode(joint + line)
  const result = new Uint8Array(own.length + added.length)
  result.set(own)
  result.set(added, own.length)
  return result
}

/** The regions key of a BAM slice made by `program`, `null` for other files. */
export const bamRegions = (header: BamHeader, program: Program): string | null => {
  const line = programLines(decoder.decode(header.text)).findLast((one) => tagOf(one, "PN") === program.name)
  const description = line === undefined ? undefined : tagOf(line, "DS")
  if (description?.startsWith(regionsPrefix) !== true) return null
  return description.slice(regionsPrefix.length).split(sourcePrefix)[0] ?? null
}
