/** BGZF codecs by the zlib inside Node, the sandbox's own: it shares none of the client's platform code. */
import { crc32, deflateRawSync, inflateRawSync } from "node:zlib"
import { Layer } from "effect"
import { Codec } from "../../core/src/genome/Codec.ts"

export const layer: Layer.Layer<Codec> = Layer.succeed(Codec, {
  inflateRaw: (bytes, maxOutput) => {
    try {
      return inflateRawSync(bytes, { maxOutputLength: Math.max(1, maxOutput) })
    } catch {
      return null
    }
  },
  deflateRaw: (bytes, level) => deflateRawSync(bytes, { level }),
  crc32: (bytes) => crc32(bytes)
})
