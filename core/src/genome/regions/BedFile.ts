/**
 * BED files, read as bytes: plain, gzip or BGZF. Those of a million lines are kept as numbers, without an object for each.
 *
 * Source: https://samtools.github.io/hts-specs/BEDv1.pdf
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as PlatformError from "effect/PlatformError"
import * as Result from "effect/Result"
import { errnoOf, LocalIo, NotFound, UsageError } from "../../Errors.ts"
import { joinBytes } from "../../JoinedBytes.ts"
import { printable } from "../../text/Printable.ts"
import { counted } from "../../text/Quantity.ts"
import { carriageReturn, digitsIn, hash, lineFeed, standsAt, tab } from "../Ascii.ts"
import { type ByteReader, readerOf, readInto } from "../ByteReader.ts"
import * as Bgzf from "../bgzf/Bgzf.ts"
import { Codec } from "../bgzf/Codec.ts"
import { decodeName } from "../ReferenceName.ts"
import { NumberList } from "./NumberList.ts"
import { longestReference, type RegionText } from "./RegionText.ts"

const space = 0x20
const letterB = 0x62
const letterT = 0x74

const decoder = new TextDecoder()

const isBlank = (byte: number): boolean => byte === space || (byte >= tab && byte <= 0x0d)

const isEmpty = (bytes: Uint8Array, from: number, end: number): boolean => {
  let at = from
  while (at < end && isBlank(bytes[at]!)) at++
  return at === end
}

/** A line that begins with `#`, or with one of the words for browsers. */
const isComment = (bytes: Uint8Array, at: number, end: number): boolean => {
  const first = bytes[at]
  if (first !== letterT && first !== letterB) return first === hash
  return /^(track|browser)(\s|$)/.test(decoder.decode(bytes.subarray(at, Math.min(end, at + 8))))
}

/** The first three columns of a line as places in the file, begin and end of each in turn. */
type Places = Float64Array

/** Fills `places`; the number of columns found, 3 at most. Between them are tabs and spaces, as many as there may be. */
const findColumns = (bytes: Uint8Array, from: number, end: number, places: Places): number => {
  let at = from
  for (let column = 0; column < 3; column++) {
    while (at < end && isBlank(bytes[at]!)) at++
    if (at === end) return column
    places[2 * column] = at
    while (at < end && !isBlank(bytes[at]!)) at++
    places[2 * column + 1] = at
  }
  return 3
}

interface Found {
  readonly name: string
  readonly bytes: Uint8Array
  /** The first line that names it. */
  readonly line: number
  readonly starts: NumberList
  readonly ends: NumberList
}

const isNamed = ({ bytes: name }: Found, bytes: Uint8Array, begin: number, end: number): boolean =>
  name.length === end - begin && standsAt(bytes, begin, name)

const hasMark = (bytes: Uint8Array): boolean => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf

/** Takes a BED file piece by piece. */
interface BedParser {
  /** Takes the next bytes, which may end anywhere. */
  readonly push: (bytes: Uint8Array) => Result.Result<void, UsageError>
  /** There are no more: the regions, those of each reference together. */
  readonly end: () => Result.Result<ReadonlyArray<RegionText>, UsageError>
  /** Lines of zero length so far. */
  readonly zeroLength: () => number
}

/** What text of two bytes a character begins with. */
const isUtf16 = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)

/** By the first line: what else has regions in columns, and would be read as other regions, all of them without a word. */
const otherFormats: ReadonlyArray<readonly [beginning: RegExp, format: string]> = [
  [/^##fileformat=VCF/, "a VCF"],
  [/^##gff-version/, "a GFF"],
  [/^@(HD|SQ)\t/, "an interval list"]
]

/**
 * 0-based half-open, columns separated by tabs and spaces, blank, `#`, `track` and `browser` lines skipped, LF or CRLF. A line of zero
 * length covers the base after its start. Failures name `file` and the line.
 */
const bedParser = (file: string): BedParser => {
  const found = new Map<string, Found>()
  const places: Places = new Float64Array(6)
  let last: Found | null = null
  let line = 0
  /** The beginning of a line, in pieces. */
  let begun: Array<Uint8Array> = []
  let zeroLength = 0
  const fail = (reason: string) =>
    Result.fail(new UsageError({ message: `Invalid BED file: ${file}: line ${line}: ${reason}` }))

  /** Takes a line `[at, end)` without its line feed. */
  const takeLine = (bytes: Uint8Array, at: number, feed: number): Result.Result<void, UsageError> => {
    line++
    let end = feed
    while (end > at && bytes[end - 1] === carriageReturn) end--
    let inner = at
    while (inner < end && bytes[inner] !== carriageReturn) inner++
    // What follows it would be taken for more columns of the line, and its region would be lost.
    if (inner < end) {
      return fail("a carriage return (CR) stands inside it: end lines with LF, for example by tr '\\r' '\\n'")
    }
    const wrong = (reason: string) => {
      const isText = !bytes.subarray(at, end).includes(0) && !(line === 1 && isUtf16(bytes.subarray(at, end)))
      return fail(isText ? reason : "it is no plain text but UTF-16 or binary: save it as UTF-8")
    }
    if (line === 1) {
      const beginning = decoder.decode(bytes.subarray(at, Math.min(end, at + 16)))
      const other = otherFormats.find(([pattern]) => pattern.test(beginning))
      if (other !== undefined) return fail(`it is ${other[1]}, whose positions count from 1: make a BED file of it`)
    }
    if (isEmpty(bytes, at, end) || isComment(bytes, at, end)) return Result.void
    const columns = findColumns(bytes, at, end, places)
    const begin = places[0]!
    const stop = places[1]!
    if (columns < 3) return wrong("it needs a name, a start and an end")
    // A number that is not exact is too large for a position.
    const start = digitsIn(bytes, places[2]!, places[3]!)
    const until = digitsIn(bytes, places[4]!, places[5]!)
    if (Number.isNaN(start) || Number.isNaN(until)) {
      const header = last === null ? "; a line of column names begins with #" : ""
      return wrong(`start and end are whole numbers${header}`)
    }
    if (until > longestReference) return wrong("no reference is as long")
    if (until < start) return wrong("it ends before it starts")
    if (until === start) zeroLength++
    if (last === null || !isNamed(last, bytes, begin, stop)) {
      const raw = bytes.slice(begin, stop)
      const name = decodeName(raw)
      last = found.get(name) ?? { name, bytes: raw, line, starts: new NumberList(), ends: new NumberList() }
      found.set(name, last)
    }
    last.starts.push(start)
    // People write positions of SNPs so, and samtools takes the base after the start (samtools #2060).
    last.ends.push(Math.max(until, start + 1))
    return Result.void
  }

  /** Takes the line that was begun, which ends with `rest`. */
  const takeBegun = (rest: Uint8Array): Result.Result<void, UsageError> => {
    const bytes = joinBytes([...begun, rest])
    begun = []
    return takeLine(bytes, line === 0 && hasMark(bytes) ? 3 : 0, bytes.length)
  }

  return {
    push: (bytes) => {
      for (let at = 0; at < bytes.length; ) {
        const feed = bytes.indexOf(lineFeed, at)
        if (feed === -1) {
          begun.push(bytes.slice(at))
          break
        }
        // The first line is the one that a mark may stand before.
        const whole = begun.length === 0 && line > 0
        const taken = whole ? takeLine(bytes, at, feed) : takeBegun(bytes.subarray(at, feed))
        if (Result.isFailure(taken)) return taken
        at = feed + 1
      }
      return Result.void
    },
    end: () => {
      const taken = begun.length === 0 ? Result.void : takeBegun(new Uint8Array(0))
      if (Result.isFailure(taken)) return Result.fail(taken.failure)
      if (found.size === 0) {
        return Result.fail(new UsageError({ message: `Invalid BED file: ${file}: it names no region` }))
      }
      return Result.succeed(
        [...found.values()].map(({ ends, line, name, starts }) => ({
          text: name,
          line,
          readings: [{ name, starts: starts.numbers(), ends: ends.numbers() }]
        }))
      )
    },
    zeroLength: () => zeroLength
  }
}

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
  const parser = bedParser(file)
  const ended = Effect.gen(function* () {
    const regions = yield* Effect.fromResult(parser.end())
    const lines = parser.zeroLength()
    if (lines > 0) {
      const each = "each is taken for the base after its start"
      yield* Effect.logInfo(`${file}: ${counted(lines, "line")} of zero length (start and end are equal): ${each}`)
    }
    return regions
  })
  if (!Bgzf.isGzip(yield* reader.read(0, 2))) {
    const buffer = new Uint8Array(Math.min(size, piece))
    for (let at = 0; at < size; at += piece) {
      const bytes = buffer.subarray(0, size - at)
      yield* readInto(reader, at, bytes)
      yield* Effect.fromResult(parser.push(bytes))
    }
    return yield* ended
  }
  if (size > largest) return yield* bad(`it is compressed and has ${size} bytes, more than ${largest}`)
  const bytes = yield* reader.read(0, size)
  // bgzip always writes the end: without it, blocks are missing, and with them regions.
  if (Bgzf.blockSize(bytes, 0) > 0 && !endsWith(bytes, Bgzf.eofBlock))
    return yield* bad("it is cut: its end is missing")
  const content = codec.gunzip(bytes, largest)
  if (content === null) return yield* bad(`it is cut or damaged, or holds more than ${largest} bytes`)
  yield* Effect.fromResult(parser.push(content))
  return yield* ended
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
