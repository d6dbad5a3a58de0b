/** Deflate and CRC-32, all that BGZF and compressed BED files need from outside. */
import * as Context from "effect/Context"

/**
 * Synchronous byte codecs: a BGZF block is at most 64 KiB, so a call costs less than handing it to another thread.
 * Platform and sandbox each bring a layer.
 */
export class Codec extends Context.Service<
  Codec,
  {
    /**
     * The inflated bytes of a block (at most 64 KiB before and after), or `null` when the stream is damaged, unfinished or longer than `maxOutput` bytes. They are put
     * into `buffer` when one of at least `maxOutput` bytes is given: who inflates many blocks need not leave as many arrays.
     */
    readonly inflateRaw: (bytes: Uint8Array, maxOutput: number, buffer?: Uint8Array) => Uint8Array | null
    /** The content of a gzip file, checked, of all its members; `null` when damaged, cut or longer than `maxOutput` bytes. */
    readonly gunzip: (bytes: Uint8Array, maxOutput: number) => Uint8Array | null
    /** A raw deflate stream, valid until the next call; `level` 0-9 as in zlib. */
    readonly deflateRaw: (bytes: Uint8Array, level: number) => Uint8Array
    /** CRC-32 of gzip (RFC 1952), unsigned; with that of the bytes before, of both. */
    readonly crc32: (bytes: Uint8Array, before?: number) => number
  }
>()("svc-steps/core/genome/bgzf/Codec") {}
