/**
 * The codec by the zlib inside Node, which inflates and checks a run of blocks in one call, on the threads of libuv.
 *
 * zlib gives `Buffer`s, whose `slice` is no copy: they leave this module as plain arrays.
 */
// By its default export: Node 18 has no `crc32` to import, and would fail before `Runtime.ts` can say what it needs.
import zlib from "node:zlib"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"

/** The same bytes, not a copy. */
const plain = ({ buffer, byteOffset, length }: Uint8Array) => new Uint8Array(buffer, byteOffset, length)

/** Room for all of the output at once, and a byte more, by which zlib sees that nothing follows; never more than was claimed. */
const roomFor = (maxOutput: number) => ({
  maxOutputLength: Math.max(1, maxOutput),
  chunkSize: Math.max(64, maxOutput + 1)
})

const orNull = (inflate: () => Uint8Array): Uint8Array | null => {
  try {
    return plain(inflate())
  } catch {
    return null
  }
}

export const layer: Layer.Layer<Codec> = Layer.succeed(Codec, {
  inflateRaw: (bytes, maxOutput) => orNull(() => zlib.inflateRawSync(bytes, roomFor(maxOutput))),
  gunzip: (bytes, maxOutput) => orNull(() => zlib.gunzipSync(bytes, { maxOutputLength: maxOutput })),
  deflateRaw: (bytes, level) => plain(zlib.deflateRawSync(bytes, { level })),
  crc32: (bytes, before) => zlib.crc32(bytes, before),
  gunzipAside: (bytes, maxOutput) =>
    Effect.callback((resume) =>
      zlib.gunzip(bytes, roomFor(maxOutput), (error, inflated) =>
        resume(Effect.succeed(error === null ? plain(inflated) : null))
      )
    ),
  deflateRawAside: (bytes, level) =>
    Effect.callback((resume) =>
      zlib.deflateRaw(bytes, { level, chunkSize: bytes.length + 1024 }, (error, deflated) =>
        resume(error === null ? Effect.succeed(plain(deflated)) : Effect.die(error))
      )
    )
})
