/**
 * Finds flipped bits in the bytes of block headers that nothing checks: flags, time, extra flags and system of gzip
 * (RFC 1952, section 2.3). Writers give all their blocks the same header but for the size; a header that occurs once
 * and is one bit away from another one of the file was not written like this. Files joined from several writers pass.
 */
import * as Bgzf from "../genome/Bgzf.ts"
import type { Place } from "./Damage.ts"

export interface HeaderCensus {
  /** Takes the header of the block at `at`, whose size `Bgzf.blockSize` could read. */
  readonly take: (bytes: Uint8Array, at: number, place: Place) => void
  /** The first block whose header has a flipped bit; null when there is none. */
  readonly odd: () => Place | null
}

interface Seen {
  readonly header: Uint8Array
  readonly first: Place
  count: number
}

/** Headers of more forms than this say nothing about each other. */
const mostForms = 64
/** Bytes of a header that are looked at. */
const longest = 256

const differentBits = (one: Uint8Array, other: Uint8Array): number => {
  if (one.length !== other.length) return Number.POSITIVE_INFINITY
  let bits = 0
  for (let i = 0; i < one.length; i++) {
    for (let rest = one[i]! ^ other[i]!; rest !== 0; rest &= rest - 1) bits++
  }
  return bits
}

export const make = (): HeaderCensus => {
  const forms = new Map<string, Seen>()
  let usual = 0

  const isUsual = (bytes: Uint8Array, at: number) => {
    for (let i = 3; i < 16; i++) if (bytes[at + i] !== Bgzf.eofBlock[i]) return false
    return true
  }
  /** Flags to the end of the extra field, without the size of the block. */
  const headerOf = (bytes: Uint8Array, at: number) => {
    const length = 12 + (bytes[at + 10]! | (bytes[at + 11]! << 8))
    const header = bytes.slice(at + 3, at + Math.min(length, longest))
    for (let field = 9; field + 6 <= header.length; field += 4 + (header[field + 2]! | (header[field + 3]! << 8))) {
      if (header[field] === 0x42 && header[field + 1] === 0x43) header.fill(0, field + 4, field + 6)
    }
    return header
  }
  return {
    take: (bytes, at, place) => {
      if (isUsual(bytes, at)) {
        usual++
        return
      }
      const header = headerOf(bytes, at)
      const key = header.join()
      const seen = forms.get(key)
      if (seen !== undefined) seen.count++
      else if (forms.size < mostForms) forms.set(key, { header, first: place, count: 1 })
    },
    odd: () => {
      const all = [...forms.values()]
      const others = usual === 0 ? [] : [headerOf(Bgzf.eofBlock, 0)]
      const found = all.find(
        (seen) =>
          seen.count === 1 &&
          [...others, ...all.map(({ header }) => header)].some((header) => differentBits(header, seen.header) === 1)
      )
      return found?.first ?? null
    }
  }
}
