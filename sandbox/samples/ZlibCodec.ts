/** BGZF codecs by the zlib inside Node, the sandbox's own: it shares none of the client's platform code. */
import { crc32, deflateRawSync, gunzipSync, inflateRawSync } from "node:zlib"
import * as Layer from "effect/Layer"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"

const orNull = (inflate: () => Uint8Array): Uint8Array | null => {
  try {
    return inflate()
  } catch {
    return null
  }
}

export const layer: Layer.Layer<Codec> = Layer.succeed(Codec, {
  inflateRaw: (bytes, maxOutput) => orNull(() => inflateRawSync(bytes, { maxOutputLength: Math.max(1, maxOutput) })),
  gunzip: (bytes, maxOutput) => orNull(() => gunzipSync(bytes, { maxOutputLength: maxOutput })),
  deflateRaw: (bytes, level) => deflateRawSync(bytes, { level }),
  crc32: (bytes, before) => crc32(bytes, before)
})
