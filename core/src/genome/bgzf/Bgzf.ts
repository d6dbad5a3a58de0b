/** One BGZF block: its header, its bytes, its checks (SAM specification, section 4.1). */
import type { Codec } from "./Codec.ts"

/** No block is larger, deflated or inflated (bytes). */
export const maxBlock = 0x10000

/** Inflated bytes per block that writers use, so that even incompressible data fits. */
export const maxPayload = 0xff00

/** The empty block that ends every BGZF file; without it the file was cut. */
export const eofBlock: Uint8Array = Uint8Array.from([
  0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 6, 0, 0x42, 0x43, 2, 0, 0x1b, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0
])

/** Whether the bytes `[at, end)` are such a block. */
export const isEofBlock = (bytes: Uint8Array, at: number, end: number): boolean =>
  end - at === eofBlock.length && eofBlock.every((byte, i) => bytes[at + i] === byte)

/** Bytes of a header with the BC subfield alone, as all known writers make it. */
const headerSize = 18

const u16 = (bytes: Uint8Array, at: number) => bytes[at]! | (bytes[at + 1]! << 8)
const u32 = (bytes: Uint8Array, at: number) => (u16(bytes, at) | (u16(bytes, at + 2) << 16)) >>> 0

/** An empty deflate stream, CRC-32 and ISIZE. */
const smallestBody = 2 + 8

/** True for gzip of any kind. */
export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

/** `blockSize` when the bytes end inside the header. */
export const needMore = 0

/** `blockSize` when there is no BGZF header. */
export const notBgzf = -1

/** `blockSize` when the header is BGZF but contradicts itself. */
export const badHeader = -2

/**
 * Size in bytes of the whole block whose header starts at `at`, or `needMore`, `notBgzf`, `badHeader`. The BC subfield
 * may stand anywhere in the extra field; every length is checked against the field that holds it.
 */
export const blockSize = (bytes: Uint8Array, at: number): number => {
  const left = bytes.length - at
  if (left > 0 && bytes[at] !== 0x1f) return notBgzf
  if (left > 1 && bytes[at + 1] !== 0x8b) return notBgzf
  if (left > 2 && bytes[at + 2] !== 8) return notBgzf
  if (left > 3 && (bytes[at + 3]! & 4) === 0) return notBgzf
  // No writer of BGZF has other fields in a header. Where a flipped bit promises one, gunzip no longer finds the content.
  if (left > 3 && bytes[at + 3] !== 4) return badHeader
  if (left < headerSize) return needMore
  const extraEnd = at + 12 + u16(bytes, at + 10)
  for (let field = at + 12; field + 4 <= extraEnd; field += 4 + u16(bytes, field + 2)) {
    if (field + 6 > bytes.length) return needMore
    if (bytes[field] !== 0x42 || bytes[field + 1] !== 0x43) continue
    if (u16(bytes, field + 2) !== 2 || field + 6 > extraEnd) return badHeader
    const size = u16(bytes, field + 4) + 1
    return size < extraEnd - at + smallestBody ? badHeader : size
  }
  return notBgzf
}

/** What a block is made of. */
export interface Parts {
  readonly deflated: Uint8Array
  /** Bytes of content that it claims to have. */
  readonly size: number
  /** CRC-32 of the content. */
  readonly crc: number
}

/** Bytes of content that a block claims to have which ends before `end`. */
export const claimedSize = (bytes: Uint8Array, end: number): number => u32(bytes, end - 4)

/** The parts of the block `[at, at + size)`, where `size` comes from `blockSize`. */
export const partsOf = (bytes: Uint8Array, at: number, size: number): Parts => ({
  deflated: bytes.subarray(at + 12 + u16(bytes, at + 10), at + size - 8),
  size: u32(bytes, at + size - 4),
  crc: u32(bytes, at + size - 8)
})

/**
 * Inflates the block `[at, at + size)`, where `size` comes from `blockSize`. Never gives or allocates more than 64 KiB. A damaged block
 * gives a phrase for a person, such as `does not inflate`.
 */
export const inflateBlock = (
  codec: Codec["Service"],
  bytes: Uint8Array,
  at: number,
  size: number
): Uint8Array | string => {
  const parts = partsOf(bytes, at, size)
  if (parts.size > maxBlock) return `claims ${parts.size} bytes of content, more than a block can have`
  const inflated = codec.inflateRaw(parts.deflated, parts.size)
  if (inflated === null) return "does not inflate"
  if (inflated.length !== parts.size) return `holds ${inflated.length} bytes and claims ${parts.size}`
  if (codec.crc32(inflated) !== parts.crc) return "has a wrong checksum"
  return inflated
}

/** The sentence for a bad block. */
export const damageText = (offset: number, reason: string): string =>
  `the BGZF block at byte ${offset} is damaged: ${reason}`

/** One block with `payload` (at most `maxPayload` bytes). */
export const deflateBlock = (codec: Codec["Service"], payload: Uint8Array, level: number): Uint8Array =>
  blockOf(codec, payload, codec.deflateRaw(payload, level))

/** One block with `payload`, of which `deflated` was made. */
export const blockOf = (codec: Codec["Service"], payload: Uint8Array, deflated: Uint8Array): Uint8Array => {
  // Incompressible bytes grow a little in deflate; stored, maxPayload always fits.
  const body = deflated.length + 26 > maxBlock ? codec.deflateRaw(payload, 0) : deflated
  const size = body.length + 26
  const block = new Uint8Array(size)
  block.set(eofBlock.subarray(0, 16))
  const view = new DataView(block.buffer)
  view.setUint16(16, size - 1, true)
  block.set(body, headerSize)
  view.setUint32(size - 8, codec.crc32(payload), true)
  view.setUint32(size - 4, payload.length, true)
  return block
}
