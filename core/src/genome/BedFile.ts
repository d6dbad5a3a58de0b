/** BED files as bytes: plain, gzip or BGZF. */
import { Effect } from "effect"
import { UsageError } from "../Errors.ts"
import * as Bgzf from "./Bgzf.ts"
import { findBlocks, inflateAt } from "./Blocks.ts"
import { Codec } from "./Codec.ts"
import { parseBed, type RegionText } from "./RegionText.ts"

/** A BED file may inflate to so many bytes: millions of regions. */
const largest = 0x10000000

const decoder = new TextDecoder()

/** Where the deflate stream of a gzip member begins (RFC 1952, section 2.3), -1 when the header is cut. */
const gzipBody = (bytes: Uint8Array): number => {
  const flags = bytes[3] ?? 0
  let at = 10
  if ((flags & 4) !== 0) at += 2 + (bytes[at] ?? 0) + 256 * (bytes[at + 1] ?? 0)
  for (const named of [8, 16]) {
    if ((flags & named) === 0) continue
    const end = bytes.indexOf(0, at)
    if (end === -1) return -1
    at = end + 1
  }
  if ((flags & 2) !== 0) at += 2
  return at + 8 <= bytes.length ? at : -1
}

/**
 * The regions of a BED file; `file` is its name for messages. Compressed ones are recognised by their first bytes, whatever
 * the name. Fails with `UsageError`.
 */
export const readBed = Effect.fn("readBed")(function* (
  file: string,
  bytes: Uint8Array
): Effect.fn.Return<ReadonlyArray<RegionText>, UsageError, Codec> {
  const codec = yield* Codec
  const bad = (reason: string) => new UsageError({ message: `Error: Invalid BED file: ${file}: ${reason}` })
  if (!Bgzf.isGzip(bytes)) return yield* Effect.fromResult(parseBed(file, decoder.decode(bytes)))
  if (Bgzf.blockSize(bytes, 0) > 0) {
    const damaged = Effect.mapError(({ reason }: { readonly reason: string }) => bad(reason))
    const window = yield* Effect.fromResult(findBlocks(file, bytes, 0, bytes.length)).pipe(damaged)
    const text = new TextDecoder()
    let content = ""
    for (let i = 0; i + 1 < window.starts.length; i++) {
      const block = yield* Effect.fromResult(inflateAt(file, codec, window, i)).pipe(damaged)
      content += text.decode(block, { stream: true })
      if (content.length > largest) return yield* bad(`it inflates to more than ${largest} bytes`)
    }
    return yield* Effect.fromResult(parseBed(file, content))
  }
  const body = gzipBody(bytes)
  if (body === -1) return yield* bad("its gzip header is cut")
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const content = codec.inflateRaw(bytes.subarray(body, bytes.length - 8), largest)
  const sound =
    content !== null &&
    content.length === view.getUint32(bytes.length - 4, true) &&
    codec.crc32(content) === view.getUint32(bytes.length - 8, true)
  if (!sound) return yield* bad("it is cut, damaged, or made of several gzip members; compress it with bgzip")
  return yield* Effect.fromResult(parseBed(file, decoder.decode(content)))
})
