/** BED files as bytes: plain, gzip or BGZF. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as PlatformError from "effect/PlatformError"
import { errnoOf, LocalIo, NotFound, UsageError } from "../../Errors.ts"
import { printable } from "../../text/Printable.ts"
import { type ByteReader, readInto } from "../ByteReader.ts"
import * as Bgzf from "../bgzf/Bgzf.ts"
import { Codec } from "../bgzf/Codec.ts"
import { readerOf } from "../LocalFile.ts"
import { bedParser, parseBed } from "./BedText.ts"
import type { RegionText } from "./RegionText.ts"

/** Most bytes that a BED file may inflate to: millions of regions. */
const largest = 0x10000000

const endsWith = (bytes: Uint8Array, end: Uint8Array) =>
  bytes.length >= end.length && end.every((byte, at) => byte === bytes[bytes.length - end.length + at])

/** Bytes of plain text that are in memory at once; few, since the allocator keeps what was once a large buffer. */
const piece = 0x40000

/**
 * The regions of a BED file; `file` is its name for messages. Compressed ones are recognised by their first bytes, whatever
 * the name; of several gzip members all count. Fails with `UsageError`.
 */
export const readBed = Effect.fn("svc.genome.readBed")(function* <E>(
  file: string,
  reader: ByteReader<E>
): Effect.fn.Return<ReadonlyArray<RegionText>, UsageError | E, Codec> {
  const codec = yield* Codec
  const bad = (reason: string) => new UsageError({ message: `Invalid BED file: ${file}: ${reason}` })
  const { size } = reader
  if (!Bgzf.isGzip(yield* reader.read(0, 2))) {
    const parser = bedParser(file)
    const buffer = new Uint8Array(Math.min(size, piece))
    for (let at = 0; at < size; at += piece) {
      const bytes = buffer.subarray(0, size - at)
      yield* readInto(reader, at, bytes)
      yield* Effect.fromResult(parser.push(bytes))
    }
    return yield* Effect.fromResult(parser.end())
  }
  const bytes = yield* reader.read(0, size)
  // bgzip always writes the end: without it, blocks are missing, and with them regions.
  if (Bgzf.blockSize(bytes, 0) > 0 && !endsWith(bytes, Bgzf.eofBlock))
    return yield* bad("it is cut: its end is missing")
  const content = codec.gunzip(bytes, largest)
  if (content === null) return yield* bad(`it is cut or damaged, or holds more than ${largest} bytes`)
  return yield* Effect.fromResult(parseBed(file, content))
})

/** The regions of the BED file at this path, which must be a plain file; what is wrong with it is a `UsageError` of the option `bed`. */
export const readBedFile = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<ReadonlyArray<RegionText>, UsageError | NotFound | LocalIo, FileSystem.FileSystem | Codec> {
  const fs = yield* FileSystem.FileSystem
  const shown = printable(path)
  const failed = (error: PlatformError.PlatformError) =>
    errnoOf(error) === "ENOENT" ? new NotFound({ what: `BED file ${shown}` }) : LocalIo.of("read", shown)(error)
  const info = yield* Effect.mapError(fs.stat(path), failed)
  // A pipe without a writer would wait for ever, and is empty when a stored request is resumed.
  if (info.type !== "File") {
    return yield* new UsageError({ message: `Invalid BED file: ${shown}: it is not a plain file`, options: ["bed"] })
  }
  return yield* Effect.flatMap(readerOf(path, Number(info.size)), (reader) => readBed(shown, reader)).pipe(
    Effect.catchTag("SvcUsageError", ({ message }) => new UsageError({ message, options: ["bed"] })),
    Effect.catchTag("SvcLocalIo", ({ errno, operation }) => new LocalIo({ path: shown, operation, errno })),
    Effect.scoped
  )
})
