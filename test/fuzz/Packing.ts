/** A data file, its index and what a replay needs besides, as one input; and BGZF blocks that are cut anywhere. */
import * as Bgzf from "../../core/src/genome/bgzf/Bgzf.ts"
import type { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import { concat } from "../genome/Fixtures.ts"

export interface Packed {
  /** Seeds the numbers that choose the regions. */
  readonly seed: number
  /** True when nothing is wrong with the data, and the index is the one that belongs to it. */
  readonly honest: boolean
  readonly data: Uint8Array
  readonly index: Uint8Array
}

const headSize = 9

export const pack = ({ data, honest, index, seed }: Packed): Uint8Array => {
  const head = new Uint8Array(headSize)
  const view = new DataView(head.buffer)
  view.setUint32(0, seed)
  view.setUint32(4, data.length)
  view.setUint8(8, honest ? 1 : 0)
  return concat(head, data, index)
}

export const unpack = (bytes: Uint8Array): Packed => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = headSize + view.getUint32(4)
  return {
    seed: view.getUint32(0),
    honest: view.getUint8(8) === 1,
    data: bytes.slice(headSize, end),
    index: bytes.slice(end)
  }
}

export interface Blocks {
  readonly bytes: Uint8Array
  /** The block and the place in it of byte `n` of the content. */
  readonly offsetOf: (n: number) => readonly [block: number, within: number]
}

/** More would only cost time. */
const mostBlocks = 400

/**
 * A BGZF file with right sums and sizes; each block holds about `wanted` bytes, whatever lies there, the first one `first`.
 */
export const blocksOf = (codec: Codec["Service"], content: Uint8Array, first: number, wanted: number): Blocks => {
  const size = Math.max(wanted, Math.ceil(content.length / mostBlocks))
  const blocks: Array<Uint8Array> = []
  const starts: Array<number> = []
  let offset = 0
  for (let at = 0; at < content.length; at += blocks.length === 1 ? first : size) {
    const block = Bgzf.deflateBlock(codec, content.subarray(at, at + (blocks.length === 0 ? first : size)), 1)
    blocks.push(block)
    starts.push(offset)
    offset += block.length
  }
  const offsetOf = (n: number) => {
    const number = n < first ? 0 : 1 + Math.floor((n - first) / size)
    const start = starts[number]
    return start === undefined ? ([offset, 0] as const) : ([start, n < first ? n : (n - first) % size] as const)
  }
  return { bytes: concat(...blocks, Bgzf.eofBlock), offsetOf }
}
