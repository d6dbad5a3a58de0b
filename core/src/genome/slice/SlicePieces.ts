/**
 * Cuts a slice into pieces, each about as much as one request fetches, so that several threads can make them. Where the cuts
 * are depends on the file and the regions alone: the slice is the same, whoever makes it.
 *
 * A piece ends where no stretch goes on, or at a place where the index says that a record begins. The block of that place
 * belongs to the piece before the cut, with all records that begin in it, so that it can still be copied; the piece after the
 * cut walks through that block once more, to find its own first record.
 */

import * as VirtualOffset from "../bgzf/VirtualOffset.ts"
import { largestRecord } from "../formats/RecordFormat.ts"
import type { BinIndex } from "../index/BinIndex.ts"
import { firstWhere } from "../Search.ts"
import { addSpan, type ByteRange, longestRange, rangesOf, type Span } from "./FetchPlan.ts"
import { isBefore, type PieceStretch, type VirtualOffsetPair } from "./PieceJob.ts"
import type { Stretches } from "./Stretches.ts"

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
    const { bins, linear } = index.reference(ref)
    const offsets =
      linear.length > 0
        ? linear
        : BigUint64Array.from(
            [...bins.values()].flatMap(({ chunks, loffset }) => [
              ...(loffset === null ? [] : [loffset]),
              ...chunks.map(({ begin }) => begin)
            ])
          )
    known = ref
    starts = offsets.toSorted()
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
