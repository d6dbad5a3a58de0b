/** BGZF codecs by the zlib inside Node, the sandbox's own: it shares none of the client's platform code. */
// By its default export: Node 18 has no `crc32` to import, and would fail before `platform/Runtime.ts` can say what it needs.
import zlib from "node:zlib"
import * as Layer from "effect/Layer"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"

const orNull = (inflate: () => Uint8Array): Uint8Array | null => {
  try {
    return inflate()
  } catch {
    return null
  }
}

export const layer: Layer.Layer<Codec> = Layer.sync(Codec, () =>
  Codec.here({
    inflateRaw: (bytes, maxOutput) =>
      orNull(() => zlib.inflateRawSync(bytes, { maxOutputLength: Math.max(1, maxOutput) })),
    gunzip: (bytes, maxOutput) => orNull(() => zlib.gunzipSync(bytes, { maxOutputLength: maxOutput })),
    deflateRaw: (bytes, level) => zlib.deflateRawSync(bytes, { level }),
    crc32: (bytes, before) => zlib.crc32(bytes, before)
  })
)
