/**
 * What a part has, span by span, each with the CRC-32 of its bytes as they came: by it the next run proves the part before it
 * goes on (`docs/adr/0024-a-part-proves-itself.md`).
 */
import * as Effect from "effect/Effect"
import type { Codec } from "../genome/bgzf/Codec.ts"
import * as ByteRanges from "./ByteRanges.ts"
import type { PartFile } from "./PartFiles.ts"
import type { Span } from "./PartJournal.ts"

export type Crc32 = Codec["Service"]["crc32"]
type Readable = Pick<PartFile, "read">

/** No span goes across a multiple of this: a wrong byte costs 8 MiB at most, and a journal has one entry of 40 bytes for each 8 MiB. */
const spanLength = 8 * 1024 * 1024
const readLength = 1024 * 1024

export interface PartSpans {
  /** Takes note of bytes that lie at `offset`: they go on with the span that ends there, or begin one. */
  readonly add: (offset: number, bytes: Uint8Array) => void
  /** In ascending order. */
  readonly all: () => ReadonlyArray<Span>
}

/** @param spans - those of an earlier run */
export const make = (crc32: Crc32, spans: ReadonlyArray<Span>): PartSpans => {
  // By number of the multiple, so that taking note of bytes costs the same in a large file.
  const cells = new Map<number, ReadonlyArray<Span>>()
  const cellOf = (offset: number) => Math.floor(offset / spanLength)
  for (const span of spans) cells.set(cellOf(span[0]), [...(cells.get(cellOf(span[0])) ?? []), span])
  return {
    add: (offset, bytes) => {
      const end = offset + bytes.length
      for (let at = offset; at < end; ) {
        const cell = cellOf(at)
        const from = at
        const to = Math.min(end, (cell + 1) * spanLength)
        const there = cells.get(cell) ?? []
        const before = there.find((span) => span[1] === from)
        const sum = crc32(bytes.subarray(from - offset, to - offset), before?.[2])
        const others = there.filter((span) => span !== before && (span[1] <= from || span[0] >= to))
        cells.set(cell, [...others, [before?.[0] ?? from, to, sum]])
        at = to
      }
    },
    all: () => [...cells.values()].flat().sort(([one], [other]) => one - other)
  }
}

export const rangesOf = (spans: ReadonlyArray<Span>): ByteRanges.ByteRanges =>
  spans.reduce<ByteRanges.ByteRanges>((ranges, [start, end]) => ByteRanges.add(ranges, start, end), [])

/** Into which spans are read, one after the other: a buffer for each would stay for a while. */
export const makeRoom = () => new Uint8Array(readLength)

/** The CRC-32 of `[start, end)` after bytes with that of `before`; null where the part is shorter or cannot be read. */
const crc32In = (part: Readable, crc32: Crc32, room: Uint8Array, start: number, end: number, before = 0) =>
  Effect.gen(function* () {
    let sum = before
    for (let at = start; at < end; at += room.length) {
      const length = Math.min(room.length, end - at)
      const bytes = yield* part.read(at, length, room)
      if (bytes.length < length) return null
      sum = crc32(bytes, sum)
    }
    return sum
    // What the disk does not give back is fetched again; a disk that does not take it either says so then.
  }).pipe(Effect.orElseSucceed(() => null))

/** Reads a span once: whether its bytes still are those that came. */
export const agrees = (
  part: Readable,
  crc32: Crc32,
  [start, end, sum]: Span,
  room: Uint8Array
): Effect.Effect<boolean> => Effect.map(crc32In(part, crc32, room, start, end), (found) => found === sum)

/** What of `spans` lies before `end`. A span that goes across it is read, and goes whole when it does not agree. */
export const below = Effect.fnUntraced(function* (
  part: Readable,
  crc32: Crc32,
  spans: ReadonlyArray<Span>,
  end: number
): Effect.fn.Return<ReadonlyArray<Span>> {
  const whole = spans.filter((span) => span[1] <= end)
  const across = spans.find(([start, stop]) => start < end && stop > end)
  if (across === undefined) return whole
  const [start, stop, sum] = across
  const room = makeRoom()
  const head = yield* crc32In(part, crc32, room, start, end)
  if (head === null || (yield* crc32In(part, crc32, room, end, stop, head)) !== sum) return whole
  return [...whole, [start, end, head]]
})
