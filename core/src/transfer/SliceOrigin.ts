/** What the header of a slice says of its making: the command, the source, and which version of it that was. */
import type { Program } from "../genome/formats/SliceHeader.ts"
import { regionWords } from "../genome/regions/RegionText.ts"
import { printable } from "../text/Printable.ts"
import type { ObjectVersion } from "./RangeReply.ts"
import { maker } from "./SliceState.ts"

/** Size, entity tag and checksums identify a version; a link never stands here. `regions` as the header names them. */
export const originOf = (
  fileName: string,
  regions: string,
  size: number,
  version: ObjectVersion | null
): NonNullable<Program["origin"]> => {
  const { digests = [], etag = null } = version ?? {}
  const identity = [
    `${size} bytes`,
    ...(etag === null ? [] : [`ETag ${etag}`]),
    ...digests.map(({ algorithm, field, hex }) => `${algorithm} ${hex} (${field})`)
  ]
  return {
    command: printable(`${maker} ${optionsOf(regions)}`),
    source: printable([fileName, ...identity].join(", "))
  }
}

const optionsOf = (regions: string): string => {
  // A long list is a summary with a comma in it, and came from a BED file.
  if (regions.includes(", ")) return `--bed (${regions})`
  const words = regionWords(regions)
  const named = words.filter((word) => word !== "*").join(" ")
  return [...(named === "" ? [] : [`--range '${named}'`]), ...(words.includes("*") ? ["--unmapped"] : [])].join(" ")
}
