/** Writes BGZF: fills blocks, knows where it is, ends the file. */
import * as Bytes from "effect/Bytes"
import * as Bgzf from "./Bgzf.ts"
import type { Codec } from "./Codec.ts"

/**
 * A writer that hands each finished block to `emit`, in order. Like htslib it starts a new block rather than let a
 * record straddle two, unless the record is larger than a block.
 */
export interface BgzfWriter {
  /** Appends one record (or any bytes that should stay together). */
  readonly write: (record: Uint8Array) => void
  /** Closes the current block if `length` bytes do not fit, so that `block` and `within` are where they will begin. */
  readonly reserve: (length: number) => void
  /** Closes the current block, so that `within` is 0. */
  readonly flush: () => void
  /** Closes the current block and writes the end-of-file block. */
  readonly finish: () => void
  /** Byte offset of the current block in the output. */
  readonly block: () => number
  /** Place in the current block where the next byte goes; below 65536. */
  readonly within: () => number
}

export const make = (codec: Codec["Service"], level: number, emit: (block: Uint8Array) => void): BgzfWriter => {
  const buffer = new Uint8Array(Bgzf.maxPayload)
  let used = 0
  let offset = 0

  const put = (bytes: Uint8Array) => {
    offset += bytes.length
    emit(bytes)
  }
  const flush = () => {
    if (used === 0) return
    const payload = buffer.subarray(0, used)
    used = 0
    put(Bgzf.deflateBlock(codec, payload, level))
  }
  const reserve = (length: number) => {
    if (used + length > buffer.length) flush()
  }
  const write = (record: Uint8Array) => {
    reserve(record.length)
    let from = 0
    while (from < record.length) {
      const take = Math.min(record.length - from, buffer.length - used)
      buffer.set(record.subarray(from, from + take), used)
      used += take
      from += take
      if (used === buffer.length) flush()
    }
  }
  return {
    write,
    reserve,
    flush,
    finish: () => {
      flush()
      put(Bgzf.eofBlock)
    },
    block: () => offset,
    within: () => used
  }
}

/** A BGZF file of `content`, such as a CSI or TBI. */
export const compress = (codec: Codec["Service"], content: Uint8Array, level: number): Uint8Array => {
  const blocks: Array<Uint8Array> = []
  const writer = make(codec, level, (block) => blocks.push(block))
  writer.write(content)
  writer.finish()
  return Bytes.concat(blocks)
}
