/**
 * Cuts a slice into pieces, each about as much as one request fetches, so that several threads can make them. Where the cuts
 * are depends on the file and the regions alone: the slice is the same, whoever makes it.
 *
 * A piece ends where no stretch goes on, or at a place where the index says that a record begins. The block of that place
 * belongs to the piece before the cut, with all records that begin in it, so that it can still be copied; the piece after the
 * cut walks through that block once more, to find its own first record. Of each piece, byte ranges say what is fetched.
 */

import * as VirtualOffset from "../bgzf/VirtualOffset.ts"
import { largestRecord } from "../formats/RecordFormats.ts"
import type { BinIndex } from "../index/BinIndex.ts"
import { beginsOf } from "../index/IndexRules.ts"
import { firstWhere } from "../Search.ts"
import { isBefore, type PieceStretch, type VirtualOffsetPair } from "./PieceJob.ts"
import type { Stretches } from "./Stretches.ts"

/** A run of bytes to fetch. */
export interface ByteRange {
  readonly offset: number
  /** May be 0: nothing is expected there. */
  readonly length: number
  /** How many bytes after it belong to its stretches too; they are fetched when records go on there. */
  readonly spare: number
}

/** Byte ranges without overlap, in the order of the file. */
export interface FetchPlan extends Iterable<ByteRange> {
  /** Number of ranges. */
  readonly length: number
  /** Bytes that the ranges fetch, if all is where it is expected. */
  readonly bytes: number
}

/** Ranges nearer to each other than this are fetched as one: on a slow network a request costs more than this many bytes. */
const smallestGap = 0x20000

/** No request is longer, so that several run at once and memory stays bounded. */
export const longestRange = 0x100000

/** Bytes that are expected, and what may be needed after them. */
interface Span {
  readonly start: number
  readonly end: number
  readonly limit: number
}

/** Adds what a stretch needs to the spans before it, joined over small gaps. */
const addSpan = (spans: Array<Span>, { end, limit, start }: Span): void => {
  const last = spans.at(-1)
  // A span of no expected bytes is needed only when the records of the span before it go on there.
  const near = last === undefined ? -1 : (end > start ? last.end : last.limit) + smallestGap
  if (last !== undefined && start <= near) {
    spans[spans.length - 1] = {
      start: last.start,
      end: end > start ? Math.max(last.end, end) : last.end,
      limit: Math.max(last.limit, limit)
    }
  } else if (limit > start) {
    // What the span before may need in addition may reach past this span.
    spans.push({ start, end, limit: Math.max(limit, last?.limit ?? 0) })
  }
}

/** The ranges of spans: none is longer than 1 MiB. */
const rangesOf = (spans: ReadonlyArray<Span>): ReadonlyArray<ByteRange> =>
  spans.flatMap(({ end, limit, start }, i) => {
    const spare = Math.max(0, Math.min(limit, spans[i + 1]?.start ?? limit) - end)
    const ranges: Array<ByteRange> = []
    for (let offset = start; offset < end || offset === start; offset += longestRange) {
      const length = Math.min(longestRange, end - offset)
      ranges.push({ offset, length, spare: offset + length === end ? spare : 0 })
    }
    return ranges
  })

export interface Piece {
  readonly stretches: ReadonlyArray<PieceStretch>
  readonly ranges: ReadonlyArray<ByteRange>
  /** It ends inside a stretch: its last records may go on in the bytes that the next piece begins with. */
  readonly goesOn: boolean
}

/** After every place in a block. */
const endOfBlock = 0xffff

const pairOf = (offset: VirtualOffset.VirtualOffset): VirtualOffsetPair => [
  VirtualOffset.block(offset),
  VirtualOffset.within(offset)
]

/** The end of the records that the piece before a cut at `cutAt` has. */
const edgeOf = (cutAt: VirtualOffsetPair): VirtualOffsetPair => (cutAt[1] === 0 ? cutAt : [cutAt[0], endOfBlock])

const earlier = (a: VirtualOffsetPair, b: VirtualOffsetPair): VirtualOffsetPair => (isBefore(a, b) ? a : b)
const later = (a: VirtualOffsetPair, b: VirtualOffsetPair): VirtualOffsetPair => (isBefore(a, b) ? b : a)

/** Where records of a reference begin, by its index; those of the last reference that was asked for are kept. */
const startsOf = (index: BinIndex): ((ref: number) => BigUint64Array) => {
  let known = -1
  let starts = new BigUint64Array(0)
  return (ref) => {
    if (ref === known || ref < 0) return ref < 0 ? new BigUint64Array(0) : starts
    known = ref
    starts = beginsOf(index.reference(ref))
    return starts
  }
}

/** Index of the first offset whose block begins after byte `offset`. */
const firstAfter = (starts: BigUint64Array, offset: number): number => {
  const lastOfBlock = VirtualOffset.make(offset, endOfBlock)
  return firstWhere(starts.length, (i) => starts[i]! > lastOfBlock)
}

/** The pieces of a slice, in the order of the file; `size` of the file in bytes. */
export function* slicePieces(stretches: Stretches, index: BinIndex, size: number): Generator<Piece> {
  const starts = startsOf(index)
  let parts: Array<PieceStretch> = []
  let spans: Array<Span> = []

  const bytesOf = (some: ReadonlyArray<Span>) => some.reduce((sum, { end, start }) => sum + end - start, 0)
  /** The furthest end of the stretches so far. */
  let reach: VirtualOffsetPair = [0, 0]

  /** Where to cut the stretches so far, when they are too much for one piece and the index knows a place; else null. */
  const cut = (): VirtualOffsetPair | null => {
    const last = spans.at(-1)
    if (last === undefined) return null
    const free = longestRange - bytesOf(spans.slice(0, -1))
    if (last.end - last.start <= free) return null
    const longest = parts.reduce((a, b) => (isBefore(a.end, b.end) ? b : a))
    const known = starts(longest.ref)
    const next = firstAfter(known, last.start)
    const fitting = firstAfter(known, last.start + Math.max(0, free)) - 1
    // The last place up to which it fits, or else the first one.
    const found = known[Math.max(next, fitting)]
    if (found === undefined) return null
    const cutAt = pairOf(VirtualOffset.fromBits(found))
    return cutAt[0] < Math.min(last.end, longest.end[0]) && isBefore(longest.from, cutAt) ? cutAt : null
  }

  /** The last place where no stretch goes on: the number of the next stretch, and what there was before it. */
  let mayEnd: { readonly i: number; readonly parts: number; readonly spans: ReadonlyArray<Span> } | null = null

  /** The piece before `cutAt`; what comes after it stays. */
  const pieceBefore = (cutAt: VirtualOffsetPair): Piece => {
    const [block, within] = cutAt
    const edge = edgeOf(cutAt)
    const through = within === 0 ? null : cutAt
    const last = spans.at(-1)!
    const before = { start: last.start, end: block, limit: Math.min(size, block + largestRecord) }
    const piece: Piece = {
      stretches: parts
        .filter(({ begin }) => isBefore(begin, edge))
        .map((part) =>
          isBefore(edge, part.end) ? { ...part, end: earlier(part.end, edge), through, whole: false } : part
        ),
      ranges: rangesOf([...spans.slice(0, -1), before]),
      goesOn: true
    }
    parts = parts
      .filter(({ end }) => isBefore(edge, end))
      .map((part) => (isBefore(part.begin, edge) ? { ...part, begin: edge, from: cutAt } : part))
    spans = [{ start: block, end: last.end, limit: last.limit }]
    return piece
  }

  for (let i = 0; ; ) {
    const stretch = stretches.at(i)
    const begin = stretch === undefined ? null : pairOf(stretch.begin)
    const cutAt = cut()
    // The records of a stretch that begins in the block of the cut are judged by the piece before it.
    if (cutAt !== null && (begin === null || !isBefore(begin, edgeOf(cutAt)))) {
      yield pieceBefore(cutAt)
      continue
    }
    if (stretch === undefined || begin === null) break
    const { expectedEnd, fetchEnd, ref, until } = stretch
    const limit = Math.min(fetchEnd, size)
    const span = { start: begin[0], end: Math.max(begin[0], Math.min(expectedEnd, limit)), limit }
    if (parts.length > 0 && !isBefore(begin, reach)) mayEnd = { i, parts: parts.length, spans: [...spans] }
    const end = pairOf(stretch.end)
    parts.push({ ref, from: begin, begin, end, until, through: null, whole: stretch.whole })
    reach = later(reach, end)
    addSpan(spans, span)
    i++
    // What a piece fetches must fit into one buffer: a piece of several buffers waits until all pieces before it are written.
    if (mayEnd !== null && bytesOf(spans) > longestRange) {
      yield { stretches: parts.slice(0, mayEnd.parts), ranges: rangesOf(mayEnd.spans), goesOn: false }
      i = mayEnd.i
      parts = []
      spans = []
      mayEnd = null
    }
  }
  if (parts.length > 0) yield { stretches: parts, ranges: rangesOf(spans), goesOn: false }
}
