/**
 * Deflates blocks of BGZF by the zlib of Node, and gives back at once what each call leaves behind: the collector would let the
 * buffers of a slice of 2,000 targets grow to 30 MB on each thread.
 */
import { deflateRawSync } from "node:zlib"

/** Deflated bytes of a block, also where deflate makes it longer: so that zlib needs one buffer. */
const room = 0x10000 + 1024

export type BlockDeflater = (bytes: Uint8Array, level: number) => Uint8Array

/** The bytes it gives for a block are valid until the next call. Longer input takes memory of its own. */
export const make = (): BlockDeflater => {
  const kept = new Uint8Array(room)
  return (bytes, level) => {
    const deflated = deflateRawSync(bytes, { level, chunkSize: room })
    if (deflated.length > room || !(deflated.buffer instanceof ArrayBuffer)) return deflated
    const { length } = deflated
    kept.set(deflated)
    // A small result may lie in memory that Node shares between buffers.
    if (deflated.buffer.byteLength === room) deflated.buffer.transfer(0)
    return kept.subarray(0, length)
  }
}
