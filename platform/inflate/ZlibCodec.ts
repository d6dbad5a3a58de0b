/** BGZF codecs: our own inflate for single blocks, the zlib inside Node for all else. */
// By its default export: Node 18 has no `crc32` to import, and would fail before `Runtime.ts` can say what it needs.
import zlib from "node:zlib"
import * as Layer from "effect/Layer"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import * as BlockDeflater from "./BlockDeflater.ts"
import * as BlockInflater from "./BlockInflater.ts"

const gunzip = (bytes: Uint8Array, maxOutput: number): Uint8Array | null => {
  try {
    return zlib.gunzipSync(bytes, { maxOutputLength: maxOutput })
  } catch {
    return null
  }
}

export const layer: Layer.Layer<Codec> = Layer.sync(Codec, () => {
  let inflateBlock: BlockInflater.BlockInflater | null = null
  let deflateBlock: BlockDeflater.BlockDeflater | null = null
  return {
    inflateRaw: (bytes, maxOutput, buffer) => {
      if (Math.max(bytes.length, maxOutput) > BlockInflater.largest) return null
      inflateBlock ??= BlockInflater.make()
      return inflateBlock(bytes, maxOutput, buffer)
    },
    gunzip,
    deflateRaw: (bytes, level) => {
      deflateBlock ??= BlockDeflater.make()
      return deflateBlock(bytes, level)
    },
    crc32: (bytes, before) => zlib.crc32(bytes, before)
  }
})
