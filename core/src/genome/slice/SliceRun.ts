/**
 * Makes a slice, as a stream of its blocks. Several ranges are under way at once, in the order of the file: while one is scanned, those
 * behind it are inflated and fetched, and what came of those before it is deflated and written.
 *
 * ```
 * ranges -> fetch (8 at once) -> inflate what is likely needed (4) -> scan (one after the other) -> deflate the edges (2) -> out
 * ```
 *
 * Each step takes what the next one has room for, so that memory holds a bound number of ranges, and the first that is not written
 * always has its place.
 */

import * as Bytes from "effect/Bytes"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { FileDamaged } from "../../Errors.ts"
import { type ByteReader, readInto } from "../ByteReader.ts"
import * as Bgzf from "../bgzf/Bgzf.ts"
import { Codec } from "../bgzf/Codec.ts"
import { inflateRun, release } from "../bgzf/InflatedRun.ts"
import { type ByteRange, longestRange } from "./FetchPlan.ts"
import { type AheadBlocks, type FetchedRange, headroom } from "./SliceCursor.ts"
import type { ScanDamage } from "./SliceDamage.ts"
import type { SliceBlock } from "./SliceOutput.ts"
import type { Scan } from "./SliceScan.ts"

export interface SliceRun<E> {
  readonly file: string
  readonly reader: ByteReader<E>
  readonly ranges: Iterable<ByteRange>
  readonly scan: Scan
  /** Ranges fetched at the same time. */
  readonly connections: number
  /** Deflate level of the blocks that cannot be copied, 0-9; null where content is wanted: nothing is deflated. */
  readonly level: number | null
}

/** What came of one range: blocks with what they are in the slice, and what is to be given back when they are written. */
export interface SlicePart {
  readonly blocks: ReadonlyArray<{ readonly block: SliceBlock; readonly bytes: Uint8Array }>
  readonly giveBack: () => void
}

/** What a scan passed on, and the damage that it ended with. */
interface Scanned {
  readonly blocks: ReadonlyArray<SliceBlock>
  readonly buffers: ReadonlyArray<Uint8Array>
  readonly damage: ScanDamage | null
}

/** Ranges whose blocks are inflated at the same time. */
const inflatedAtOnce = 4
/** Most bytes of content that are inflated ahead of a range: where it shrinks more than usual, the rest waits until it is needed. */
const mostAhead = 0x800000
/** Ranges whose edges are deflated at the same time, and blocks of each. */
const deflatedAtOnce = 2

/** A range that was fetched, and those of its blocks that are likely needed. */
interface Framed extends FetchedRange {
  readonly spare: number
  readonly offsets: ReadonlyArray<number>
  readonly sizes: ReadonlyArray<number>
}

/** Finds the whole blocks that are likely needed. Keeps, from range to range, the start of a block that ends in the next one. */
const framer = () => {
  /** Where the block begins with which the next range goes on; -1 when that is not known. */
  let next = -1
  let rest = new Uint8Array(0)
  return ({ length, likely, offset, spare }: ByteRange, buffer: Uint8Array): Framed => {
    const at = headroom
    const end = offset + length
    // Where block `from` of the file lies in the buffer.
    const placeOf = (from: number) => at + from - offset
    if (next + rest.length === offset) buffer.set(rest, at - rest.length)
    else next = -1
    const bytes = buffer.subarray(0, at + length)
    const offsets: Array<number> = []
    const sizes: Array<number> = []
    let claimed = 0
    let block = -1
    for (const [from, to] of likely) {
      // Behind the last one it has gone on already.
      block = Math.max(from < offset ? next : from, block)
      // With one block more: what is likely the last record often ends in it, and there it is seen that it is.
      for (let isLast = false; block !== -1 && block < end && !isLast; ) {
        isLast = block >= to
        const size = Bgzf.blockSize(bytes, placeOf(block))
        // The scan will say what is wrong there, if it needs it.
        if (size < 0) block = -1
        if (size <= 0 || block + size > end) break
        claimed += Bgzf.claimedSize(bytes, placeOf(block) + size)
        if (claimed <= mostAhead) {
          offsets.push(block)
          sizes.push(size)
        }
        block += size
      }
    }
    next = block !== -1 && (likely.at(-1)?.[1] ?? 0) > end && end - block <= headroom ? block : -1
    rest = next === -1 ? new Uint8Array(0) : bytes.slice(placeOf(next))
    return { buffer, at, offset, length, spare, ahead: null, offsets, sizes }
  }
}

/** The blocks of a range, inflated; null when one of them is damaged, which the scan will find if it needs that. */
const inflateAhead = (
  codec: Codec["Service"],
  { at, buffer, offset, offsets, sizes }: Framed
): Effect.Effect<(AheadBlocks & { readonly release: () => void }) | null> => {
  if (offsets.length === 0) return Effect.succeed(null)
  const starts = [0]
  for (const size of sizes) starts.push(starts.at(-1)! + size)
  const bytes = (first: number, last: number) =>
    buffer.subarray(at + offsets[first]! - offset, at + offsets[last]! - offset + sizes[last]!)
  const parts: Array<Uint8Array> = []
  let first = 0
  for (let i = 1; i <= offsets.length; i++) {
    if (i < offsets.length && offsets[i]! === offsets[i - 1]! + sizes[i - 1]!) continue
    parts.push(bytes(first, i - 1))
    first = i
  }
  const [only] = parts
  const joined = parts.length === 1 && only !== undefined ? null : Bytes.concat(parts)
  return Effect.map(inflateRun(codec, { bytes: joined ?? only!, starts }), (inflated) => {
    if (joined !== null) release(joined)
    if (inflated === null) return null
    const { content, ends } = inflated
    return { offsets, sizes, content, ends, release: () => release(content) }
  })
}

/** The ranges, and what stands for the end of the file. */
function* thenNull(ranges: Iterable<ByteRange>): Generator<ByteRange | null> {
  yield* ranges
  yield null
}

/** Fails with `FileDamaged` where the scan finds that the file, or its index, is not what it says, after what it passed on before. */
export const stream = <E>(run: SliceRun<E>): Stream.Stream<SlicePart, FileDamaged | E, Codec> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const codec = yield* Codec
      const { connections, file, level, ranges, reader, scan } = run
      const permits = yield* Semaphore.make(connections)
      /** Buffers that are used again: the collector would let those of a large slice pile up to hundreds of MB. */
      const free: Array<Uint8Array> = []
      const fetchRange = (range: ByteRange) =>
        Effect.suspend(() => {
          const buffer = free.pop() ?? new Uint8Array(headroom + longestRange)
          const target = buffer.subarray(headroom, headroom + range.length)
          const read = target.length === 0 ? Effect.void : permits.withPermit(readInto(reader, range.offset, target))
          return Effect.as(read, { range, buffer })
        })
      const frame = framer()

      /** Scans one range, and what it needs of the bytes that follow it. */
      const scanRange = Effect.fnUntraced(function* (
        first: Framed,
        ahead: Effect.Success<ReturnType<typeof inflateAhead>>
      ): Effect.fn.Return<Scanned, E> {
        const blocks: Array<SliceBlock> = []
        const buffers: Array<Uint8Array> = []
        let range: FetchedRange & { readonly spare: number } = { ...first, ahead }
        while (true) {
          const damage = scan.push(range)
          const end = range.offset + range.length
          const from = scan.missingFrom()
          const isLast = from === null || range.spare === 0 || from >= end + range.spare
          scan.keep()
          const passed = scan.output.take()
          blocks.push(...passed)
          // Of a record that goes on past many ranges only what it is made of is held.
          if (passed.length > 0 || isLast) buffers.push(range.buffer)
          else free.push(range.buffer)
          if (isLast) {
            ahead?.release()
            return { blocks, buffers, damage }
          }
          const length = Math.min(range.spare, longestRange)
          const more = { offset: end, length, spare: range.spare - length, likely: [] }
          const { buffer } = yield* fetchRange(more)
          range = { ...more, buffer, at: headroom, ahead: null }
        }
      })
      const finish = Effect.sync((): Scanned => {
        const damage = scan.end()
        return { blocks: scan.output.take(), buffers: [], damage }
      })

      const deflate = (block: SliceBlock) =>
        block.isCopied || level === null
          ? Effect.succeed({ block, bytes: block.bytes })
          : Effect.map(codec.deflateRawAside(block.bytes, level), (deflated) => ({
              block,
              bytes: Bgzf.blockOf(codec, block.bytes, deflated)
            }))
      const inflate = (framed: Framed) => Effect.map(inflateAhead(codec, framed), (ahead) => scanRange(framed, ahead))
      const make = ({ blocks, buffers, damage }: Scanned) =>
        Effect.map(Effect.forEach(blocks, deflate, { concurrency: deflatedAtOnce }), (made) => {
          const giveBack = () => {
            free.push(...buffers)
            for (const block of blocks) scan.output.giveBack(block)
          }
          return { part: { blocks: made, giveBack } satisfies SlicePart, damage }
        })
      return Stream.fromIterable(thenNull(ranges)).pipe(
        Stream.mapEffect((range) => (range === null ? Effect.succeed(null) : fetchRange(range)), {
          concurrency: connections + inflatedAtOnce
        }),
        Stream.map((fetched) => (fetched === null ? null : frame(fetched.range, fetched.buffer))),
        Stream.mapEffect((framed) => (framed === null ? Effect.succeed(finish) : inflate(framed)), {
          concurrency: inflatedAtOnce
        }),
        Stream.mapEffect((scanned) => scanned),
        Stream.takeUntil(({ damage }) => damage !== null),
        Stream.mapEffect(make, { concurrency: deflatedAtOnce }),
        Stream.flatMap(({ damage, part }) =>
          damage === null
            ? Stream.succeed(part)
            : Stream.concat(Stream.succeed(part), Stream.fail(new FileDamaged({ file, ...damage })))
        )
      )
    })
  )
