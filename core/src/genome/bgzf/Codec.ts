/** Deflate and CRC-32, all that BGZF and compressed BED files need from outside. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * Byte codecs. What is small is done at once; runs of blocks, and blocks that are made anew, may be done aside: on another thread, while
 * the one that judges records goes on. Platform and sandbox each bring a layer.
 */
export class Codec extends Context.Service<
  Codec,
  {
    /** The inflated bytes of a stream, or `null` when it is damaged, unfinished or longer than `maxOutput` bytes. */
    readonly inflateRaw: (bytes: Uint8Array, maxOutput: number) => Uint8Array | null
    /** The content of a gzip file, checked, of all its members; `null` when damaged, cut or longer than `maxOutput` bytes. */
    readonly gunzip: (bytes: Uint8Array, maxOutput: number) => Uint8Array | null
    /** As `gunzip`, aside, and alone in its buffer, unless that is small. The bytes must not change before it is done. */
    readonly gunzipAside: (bytes: Uint8Array, maxOutput: number) => Effect.Effect<Uint8Array | null>
    /** A raw deflate stream; `level` 0-9 as in zlib. */
    readonly deflateRaw: (bytes: Uint8Array, level: number) => Uint8Array
    /** As `deflateRaw`, aside. The bytes must not change before it is done. */
    readonly deflateRawAside: (bytes: Uint8Array, level: number) => Effect.Effect<Uint8Array>
    /** CRC-32 of gzip (RFC 1952), unsigned; with that of the bytes before, of both. */
    readonly crc32: (bytes: Uint8Array, before?: number) => number
  }
>()("svc-steps/core/genome/bgzf/Codec") {
  /** All of it at once on this thread, for programs that run without a pause. */
  static readonly here = (codec: Omit<Codec["Service"], "gunzipAside" | "deflateRawAside">): Codec["Service"] =>
    Codec.of({
      ...codec,
      gunzipAside: (bytes, maxOutput) => Effect.sync(() => codec.gunzip(bytes, maxOutput)?.slice() ?? null),
      deflateRawAside: (bytes, level) => Effect.sync(() => codec.deflateRaw(bytes, level))
    })
}
