/** BGZF codecs by the zlib inside Node. */
import { crc32, deflateRawSync, inflateRawSync } from "node:zlib"
import { Layer } from "effect"
import { Codec } from "../core/src/genome/Codec.ts"

/** BGZF blocks by the zlib of Node. */
export const layer: Layer.Layer<Codec> = Layer.succeed(Codec, {
  inflateRaw: (bytes, maxOutput) => {
    try {
      // One output chunk of the right size: zlib's default of 16 KiB would copy each block four times.
      return inflateRawSync(bytes, { maxOutputLength: Math.max(1, maxOutput), chunkSize: maxOutput + 64 })
    } catch {
      return null
    }
  },
  deflateRaw: (bytes, level) => deflateRawSync(bytes, { level }),
  crc32: (bytes) => crc32(bytes)
})
