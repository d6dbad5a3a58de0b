/**
 * BED files: plain, gzip or BGZF.
 *
 * Source: https://samtools.github.io/hts-specs/BEDv1.pdf
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as PlatformError from "effect/PlatformError"
import * as Result from "effect/Result"
import { errnoOf, LocalIo, NotFound, UsageError } from "../../Errors.ts"
import { printable } from "../../text/Printable.ts"
import { counted } from "../../text/Quantity.ts"
import { lineFeed } from "../Ascii.ts"
import { type ByteReader, readerOf } from "../ByteReader.ts"
import * as Bgzf from "../bgzf/Bgzf.ts"
import { Codec } from "../bgzf/Codec.ts"
import { decodeName } from "../ReferenceName.ts"
import { longestReference, type RegionText } from "./RegionText.ts"

/** Lines without a region. */
export const isPassedOver = (line: string): boolean => /^(?:[\t-\r ]*$|#|(?:track|browser)(?:\s|$))/.test(line)

/** A whole number; NaN for anything else. */
const numberOf = (text: string | undefined): number => (/^\d+$/.test(text ?? "") ? Number(text) : Number.NaN)

/** The regions of a BED file, those of each reference together, and how many of its lines are of zero length. */
interface Parsed {
  readonly regions: ReadonlyArray<RegionText>
  readonly zeroLength: number
}

interface Found {
  /** The first line that names the reference. */
  readonly line: number
  readonly starts: Array<number>
  readonly ends: Array<number>
}

/**
 * 0-based half-open, columns separated by tabs and spaces, blank, `#`, `track` and `browser` lines skipped, LF or CRLF. A line of zero
 * length covers the base after its start. Failures name `file` and the line.
 */
const parseBed = (file: string, bytes: Uint8Array): Result.Result<Parsed, UsageError> => {
  const found = new Map<string, Found>()
  const fail = (reason: string) => Result.fail(new UsageError({ message: `Invalid BED file: ${file}: ${reason}` }))
  // Text of two bytes a character has them, too.
  if (bytes.includes(0)) return fail("it is no plain text but UTF-16 or binary: save it as UTF-8")
  let zeroLength = 0
  let number = 0
  for (let at = 0; at < bytes.length; ) {
    number++
    const wrong = (reason: string) => fail(`line ${number}: ${reason}`)
    const feed = bytes.indexOf(lineFeed, at)
    const end = feed === -1 ? bytes.length : feed
    const line = decodeName(bytes.subarray(at, end)).replace(number === 1 ? /^\ufeff|\r+$/g : /\r+$/, "")
    at = end + 1
    // What follows it would be taken for more columns of the line, and its region would be lost.
    if (line.includes("\r")) {
      return wrong("a carriage return (CR) stands inside it: end lines with LF, for example by tr '\\r' '\\n'")
    }
    if (isPassedOver(line)) continue
    const [name, from, to] = line.split(/[\t-\r ]+/, 4).filter((column) => column !== "")
    if (name === undefined || from === undefined || to === undefined)
      return wrong("it needs a name, a start and an end")
    const start = numberOf(from)
    const until = numberOf(to)
    if (Number.isNaN(start) || Number.isNaN(until)) {
      const header = found.size === 0 ? "; a line of column names begins with #" : ""
      return wrong(`start and end are whole numbers${header}`)
    }
    if (until > longestReference) return wrong("no reference is as long")
    if (until < start) return wrong("it ends before it starts")
    if (until === start) zeroLength++
    const { ends, starts }: Omit<Found, "line"> = found.get(name) ?? { starts: [], ends: [] }
    if (starts.length === 0) found.set(name, { line: number, starts, ends })
    starts.push(start)
    // People write positions of SNPs so, and samtools takes the base after the start (samtools #2060).
    ends.push(Math.max(until, start + 1))
  }
  if (found.size === 0) return fail("it names no region")
  const regions = Array.from(found, ([name, { ends, line, starts }]) => ({
    text: name,
    line,
    readings: [{ name, starts, ends }]
  }))
  return Result.succeed({ regions, zeroLength })
}

/** Most bytes that a BED file may have, inflated: millions of regions. */
const largest = 0x10000000

const endsWith = (bytes: Uint8Array, end: Uint8Array) =>
  bytes.length >= end.length && end.every((byte, at) => byte === bytes[bytes.length - end.length + at])

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
  if (size > largest) return yield* bad(`it has ${size} bytes, more than ${largest}`)
  const bytes = yield* reader.read(0, size)
  const isGzip = Bgzf.isGzip(bytes)
  // bgzip always writes the end: without it, blocks are missing, and with them regions.
  if (isGzip && Bgzf.blockSize(bytes, 0) > 0 && !endsWith(bytes, Bgzf.eofBlock))
    return yield* bad("it is cut: its end is missing")
  const content = isGzip ? codec.gunzip(bytes, largest) : bytes
  if (content === null) return yield* bad(`it is cut or damaged, or holds more than ${largest} bytes`)
  const { regions, zeroLength } = yield* Effect.fromResult(parseBed(file, content))
  if (zeroLength > 0) {
    const each = "each is taken for the base after its start"
    yield* Effect.logInfo(`${file}: ${counted(zeroLength, "line")} of zero length (start and end are equal): ${each}`)
  }
  return regions
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
