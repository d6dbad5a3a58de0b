/** The place of a VCF line, read from its bytes as tabix reads it (VCF specification, section 1.6.1). */

export interface VcfPlace {
  readonly name: string
  /** 0-based; POS 0, which stands for a telomere, counts as 1. */
  readonly start: number
  /** 0-based, after the last base. */
  readonly end: number
}

const tab = 0x09
const semicolon = 0x3b
const decoder = new TextDecoder()

/** The digits in `[at, stop)` as a number, NaN when there are none or anything else. */
const number = (line: Uint8Array, at: number, stop: number): number => {
  if (at === stop) return Number.NaN
  let value = 0
  for (let i = at; i < stop; i++) {
    const digit = line[i]! - 0x30
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}

/** The digits that `[at, stop)` begins with as a number, NaN when there are none. A CR or a second value may follow. */
const firstNumber = (line: Uint8Array, at: number, stop: number): number => {
  let end = at
  while (end < stop && line[end]! >= 0x30 && line[end]! <= 0x39) end++
  return number(line, at, end)
}

/** Value of `END=` in the INFO field `[at, stop)`, NaN when it is not there. */
const endOf = (line: Uint8Array, at: number, stop: number): number => {
  for (let i = at; i < stop; ) {
    let next = line.indexOf(semicolon, i)
    if (next === -1 || next > stop) next = stop
    if (line[i] === 0x45 && line[i + 1] === 0x4e && line[i + 2] === 0x44 && line[i + 3] === 0x3d) {
      return firstNumber(line, i + 4, next)
    }
    i = next + 1
  }
  return Number.NaN
}

/**
 * Reads CHROM, POS, REF and INFO/END of a line without its line feed; `null` when it is not a VCF line. A record covers
 * its REF, or up to END where END lies after POS.
 */
export const placeOf = (line: Uint8Array): VcfPlace | null => {
  const stops: Array<number> = []
  for (let i = 0; i < 8; i++) {
    const from = i === 0 ? 0 : stops[i - 1]! + 1
    const found = line.indexOf(tab, from)
    if (found === -1 && i < 7) return null
    stops.push(found === -1 ? line.length : found)
  }
  const position = number(line, stops[0]! + 1, stops[1]!)
  if (Number.isNaN(position) || stops[0] === 0) return null
  const start = Math.max(0, position - 1)
  const end = endOf(line, stops[6]! + 1, stops[7]!)
  return {
    name: decoder.decode(line.subarray(0, stops[0])),
    start,
    end: end > start ? end : start + (stops[3]! - stops[2]! - 1)
  }
}
