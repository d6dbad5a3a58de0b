/**
 * Inflates blocks of BGZF by a small WebAssembly module of our own (`platform/inflate/inflate.c`): a tenth to a fifth faster than the
 * zlib of Node and, above all, without the stream object and the buffer that zlib leaves to the collector with every block.
 */
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

export type BlockInflater = (bytes: Uint8Array, most: number, buffer?: Uint8Array) => Uint8Array | null

const api = () => Reflect.get(globalThis, "WebAssembly") as WebAssemblyApi

let module: object | null = null

/** The compiled module, which other threads may use too; that takes a millisecond, once. */
export const compiledModule = (): object => {
  module ??= new (api().Module)(Buffer.from(inflateModule, "base64"))
  return module
}

/** The function it gives is not to be shared between threads. */
export const make = (): BlockInflater => {
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
export const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length)
