/**
 * The codec of BGZF without Effect, which a thread need not load: our own inflate for single blocks, the zlib inside Node for all else.
 *
 * Blocks are inflated by a small WebAssembly module (`platform/inflate/inflate.c`): a tenth to a fifth faster than zlib and, above all,
 * without the stream object and the buffer that zlib leaves to the collector with every block. What each call of zlib leaves behind
 * when it deflates is given back at once: the collector would let the buffers of a slice of 2,000 targets grow to 30 MB on each thread.
 */
// By its default export: Node 18 has no `crc32` to import, and would fail before `Runtime.ts` can say what it needs.
import zlib from "node:zlib"
import type { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import { inflateModule } from "./InflateModule.ts"

/** No block is larger, deflated or inflated (bytes). */
export const largest = 0x10000

/** The part of WebAssembly used here: the types of Node do not have it. */
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: object }
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly input: () => number
  readonly output: () => number
  readonly inflate: (length: number, most: number) => number
}

type BlockInflater = (bytes: Uint8Array, most: number, buffer?: Uint8Array) => Uint8Array | null

const api = () => Reflect.get(globalThis, "WebAssembly") as WebAssemblyApi

let module: object | null = null

/** The compiled module, which other threads may use too; that takes a millisecond, once. */
const compiledModule = (): object => {
  module ??= new (api().Module)(Buffer.from(inflateModule, "base64"))
  return module
}

/** The function it gives is not to be shared between threads. */
export const makeInflater = (): BlockInflater => {
  const { inflate, input, memory, output } = new (api().Instance)(compiledModule()).exports as Exports
  // The module never asks for more memory, so the buffer stays valid. Of a buffer, and not an array, because buffers copy at full
  // speed from and to memory that threads share.
  const all = Buffer.from(memory.buffer)
  const [from, to] = [input(), output()]
  return (bytes, most, buffer) => {
    bufferOf(bytes).copy(all, from)
    const length = inflate(bytes.length, most)
    if (length < 0) return null
    if (buffer === undefined) return new Uint8Array(memory.buffer, to, length).slice()
    all.copy(bufferOf(buffer), 0, to, to + length)
    return buffer.subarray(0, length)
  }
}

/** The same bytes, not a copy. */
const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length)

/** Deflated bytes of a block, also where deflate makes it longer: so that zlib needs one buffer. */
const room = 0x10000 + 1024

type BlockDeflater = (bytes: Uint8Array, level: number) => Uint8Array

/** The bytes it gives for a block are valid until the next call. Longer input takes memory of its own. */
export const makeDeflater = (): BlockDeflater => {
  const kept = new Uint8Array(room)
  return (bytes, level) => {
    const deflated = zlib.deflateRawSync(bytes, { level, chunkSize: room })
    if (deflated.length > room || !(deflated.buffer instanceof ArrayBuffer)) return deflated
    const { length } = deflated
    kept.set(deflated)
    // A small result may lie in memory that Node shares between buffers.
    if (deflated.buffer.byteLength === room) deflated.buffer.transfer(0)
    return kept.subarray(0, length)
  }
}

const gunzip = (bytes: Uint8Array, maxOutput: number): Uint8Array | null => {
  try {
    return zlib.gunzipSync(bytes, { maxOutputLength: maxOutput })
  } catch {
    return null
  }
}

/** The codec of one thread. */
export const make = (): Codec["Service"] => {
  let inflateBlock: BlockInflater | null = null
  let deflateBlock: BlockDeflater | null = null
  return {
    inflateRaw: (bytes, maxOutput, buffer) => {
      if (Math.max(bytes.length, maxOutput) > largest) return null
      inflateBlock ??= makeInflater()
      return inflateBlock(bytes, maxOutput, buffer)
    },
    gunzip,
    deflateRaw: (bytes, level) => {
      deflateBlock ??= makeDeflater()
      return deflateBlock(bytes, level)
    },
    crc32: (bytes, before) => zlib.crc32(bytes, before)
  }
}
