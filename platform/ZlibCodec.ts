/** BGZF codecs: our own inflate for single blocks, the zlib inside Node for all else. */
import { crc32, deflateRawSync, inflateRawSync } from "node:zlib"
import { Layer } from "effect"
import { Codec } from "../core/src/genome/Codec.ts"
import * as BlockInflater from "./BlockInflater.ts"

const inflateLarge = (bytes: Uint8Array, maxOutput: number): Uint8Array | null => {
  try {
    return inflateRawSync(bytes, { maxOutputLength: Math.max(1, maxOutput) })
  } catch {
    return null
  }
}

/** Fast for BGZF blocks, good for any raw deflate stream. */
export const layer: Layer.Layer<Codec> = Layer.sync(Codec, () => {
  let inflateBlock: BlockInflater.BlockInflater | null = null
  return {
    inflateRaw: (bytes, maxOutput, room) => {
      if (Math.max(bytes.length, maxOutput) > BlockInflater.largest) return inflateLarge(bytes, maxOutput)
      inflateBlock ??= BlockInflater.make()
      return inflateBlock(bytes, maxOutput, room)
    },
    deflateRaw: (bytes, level) => deflateRawSync(bytes, { level }),
    crc32: (bytes) => crc32(bytes)
  }
})
