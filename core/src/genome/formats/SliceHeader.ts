/** What the header of a slice says of it: the program that made it, and the regions that were taken. */
import type { Codec } from "../bgzf/Codec.ts"
import { regionWords } from "../regions/RegionText.ts"

/** Who makes a slice. */
export interface SliceMaker {
  readonly name: string
  readonly version: string
  /** What was run, and on what; never with a link or a secret in it. */
  readonly origin?: { readonly command: string; readonly source: string }
}

const encoder = new TextEncoder()

/** Regions longer than this are given by number and checksum, so that a header stays readable (characters). */
const longestRegions = 4096

/**
 * The regions, given in pieces, as they stand in a header: the text itself, or for a long list its length and CRC-32. Equal
 * regions give equal keys, so an existing slice can be compared with what is wanted now.
 */
export const regionsKey = (regions: Iterable<string>, crc32: Codec["Service"]["crc32"]): string => {
  let text: string | null = ""
  let count = 1
  let sum = 0
  for (const piece of regions) {
    for (let at = piece.indexOf(" "); at !== -1; at = piece.indexOf(" ", at + 1)) count++
    sum = crc32(encoder.encode(piece), sum)
    if (text !== null) text = text.length + piece.length > longestRegions ? null : text + piece
  }
  return text ?? `${count} regions, CRC-32 ${sum.toString(16).padStart(8, "0")}`
}

/** The regions that a key names; null for a long list, which it only counts. */
export const regionsOfKey = (key: string): ReadonlyArray<string> | null =>
  /^\d+ regions, CRC-32 [0-9a-f]{8}$/.test(key) ? null : regionWords(key)
