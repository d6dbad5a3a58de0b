/**
 * The heart of a slice: takes the fetched bytes in file order, judges every record in the planned stretches, and writes
 * what is kept. A block of which everything is kept passes as it is; only the others are deflated again.
 *
 * The code is synchronous and knows nothing of where bytes come from or go to. The index is only a hint to it: where a
 * stretch does not begin with a record, where records are out of order, or where bytes are missing, it fails.
 */
import { Result } from "effect"
import { FileDamaged } from "../Errors.ts"
import * as Bgzf from "./Bgzf.ts"
import type { BgzfWriter } from "./BgzfWriter.ts"
import { badBlock } from "./Blocks.ts"
import type { Codec } from "./Codec.ts"
import type { FetchedRange } from "./FetchedRange.ts"
import type { IndexBuilder } from "./IndexBuilder.ts"
import type { Lookahead } from "./Lookahead.ts"
import { bytesOf, comment, largestRecord, type Place, type RecordFormat } from "./RecordFormat.ts"
import type { ReferenceRegions } from "./Regions.ts"
import * as SliceCursor from "./SliceCursor.ts"
import * as SliceOutput from "./SliceOutput.ts"
import type { Stretch, Stretches } from "./Stretches.ts"
import * as VirtualOffset from "./VirtualOffset.ts"
import * as WholeCopy from "./WholeCopy.ts"

export interface ScanOptions {
  readonly file: string
  /** Of the file, in bytes. */
  readonly size: number
  readonly codec: Codec["Service"]
  readonly lookahead: Lookahead
  readonly format: RecordFormat
  readonly stretches: Stretches
  readonly regions: ReadonlyArray<ReferenceRegions>
  readonly writer: BgzfWriter
  readonly index: IndexBuilder
}

export interface Scan {
  /** Takes the next fetched bytes. */
  readonly push: (range: FetchedRange) => Result.Result<void, FileDamaged>
  /** Byte offset of the block that is needed next, `null` when no stretch is left. */
  readonly missingFrom: () => number | null
  /** All bytes came: checks that no stretch is left. */
  readonly end: () => Result.Result<void, FileDamaged>
  readonly records: () => number
  /** Bytes of blocks that passed as they were. */
  readonly copied: () => number
}

/** The start of a record that ends in a later block. */
interface Open {
  bytes: Uint8Array
  length: number
  /** Where it begins in the first held block. */
  readonly from: number
}

export const make = ({
  codec,
  file,
  format,
  index,
  lookahead,
  regions,
  size,
  stretches,
  writer
}: ScanOptions): Scan => {
  const wanted = new Map(regions.map(({ bounds, ref }) => [ref, bounds]))
  const { unplaced: wantsUnplaced, wholes } = stretches
  const cursor = SliceCursor.make(stretches)
  const output = SliceOutput.make(writer, index)
  const wholeCopy = WholeCopy.make(cursor, writer, index)
  const place: Place = { ref: 0, start: 0, end: 0, mapped: false }
  /** What a block inflates into, each after the other. */
  const room = new Uint8Array(Bgzf.maxBlock)

  let held: Array<SliceOutput.Held> = []
  let open: Open | null = null

  // The order of records, and the interval that the next record is compared with.
  let lastRef = -1
  let lastStart = -1
  let bounds: ArrayLike<number> = []
  let interval = 0

  let records = 0
  let damage: FileDamaged | null = null

  const fail = (error: FileDamaged): false => {
    damage = error
    return false
  }
  const lies = (reason: string): false =>
    fail(new FileDamaged({ file, fault: "IndexMismatch", reason: `its index does not fit: ${reason}` }))
  const damaged = (reason: string): false => fail(badBlock(file, cursor.block, reason))
  const badRecord = () => damaged("it holds no sound record where the next one should begin")

  /** Fills `place` from a record; false when it is damaged, out of order, or longer than any reference can be. */
  const read = (data: Uint8Array, view: DataView, at: number, size: number): boolean => {
    const sound =
      format.place({ bytes: data, view }, at, size, place) &&
      (place.ref < 0 || place.ref > lastRef || (place.ref === lastRef && place.start >= lastStart))
    if (!sound) return badRecord()
    return place.ref < 0 || place.end <= index.limit
      ? true
      : damaged(`a record in it claims to end at base ${place.end}, which no index of the file can hold`)
  }

  /** True when the record in `place` is wanted. Called once per record, in file order. */
  const judge = (): boolean => {
    if (place.ref === comment) return false
    if (place.ref < 0) {
      // They end the file: a record with a place behind them is out of order.
      lastRef = Number.POSITIVE_INFINITY
      return wantsUnplaced
    }
    if (place.ref !== lastRef) {
      lastRef = place.ref
      bounds = wanted.get(place.ref) ?? []
      interval = 0
    }
    lastStart = place.start
    while (interval < bounds.length && bounds[interval + 1]! <= place.start) interval += 2
    return interval < bounds.length && place.end > bounds[interval]!
  }

  /** True when the stretch ends with the record in `place`: what it is read for lies before it. */
  const beyond = ({ ref, until }: Stretch): boolean =>
    place.ref === ref ? place.start >= until : ref !== -1 && place.ref > ref

  /** Leaves the stretch when it ends with the record in `place`, and with it the others of the same interval. */
  const leaveStretch = () => {
    const stretch = cursor.stretch()
    if (stretch === undefined || !beyond(stretch)) return
    do cursor.nextStretch()
    while (cursor.stretch()?.ref === place.ref && beyond(cursor.stretch()!))
  }

  const writeHeld = () => {
    for (const one of held) output.write(one)
    held = []
  }

  /** Goes on with the record that the blocks before began; false when it goes on behind this block too, or for damage. */
  const closeOpen = (target: SliceOutput.Held, record: Open): boolean => {
    const length = record.length + target.data.length
    if (length > record.bytes.length) {
      const larger = new Uint8Array(length * 2)
      larger.set(record.bytes.subarray(0, record.length))
      record.bytes = larger
    }
    record.bytes.set(target.data, record.length)
    const { bytes, view } = bytesOf(record.bytes.subarray(0, length))
    const size = format.size({ bytes, view }, 0)
    if (size === -1 || (size === 0 && length > largestRecord)) return badRecord()
    if (size === 0) {
      record.length = length
      return false
    }
    if (!read(bytes, view, 0, size)) return false
    const first = held[0] ?? target
    open = null
    // The stretch of a whole reference begins with its first record, so nothing else comes to it in the middle of one.
    if (wholes.has(place.ref)) return lies(`records of reference ${place.ref + 1} begin where it has none`)
    const rest = size - record.length
    if (judge()) {
      records++
      SliceOutput.note(first, record.from, place)
      SliceOutput.keep(first, record.from, first.data.length)
      for (const one of held.slice(1)) SliceOutput.keep(one, 0, one.data.length)
      SliceOutput.keep(target, 0, rest)
    }
    cursor.within = rest
    leaveStretch()
    return true
  }

  /** Judges the records of one inflated block from the cursor on; false for damage. */
  const scanBlock = (raw: Uint8Array, data: Uint8Array): boolean => {
    const start = cursor.block
    const target = SliceOutput.hold(start, raw, data)
    const leave = () => {
      cursor.block = start + raw.length
      cursor.within = 0
    }
    if (open !== null && !closeOpen(target, open)) {
      if (damage !== null) return false
      held.push(SliceOutput.own(target))
      leave()
      return true
    }
    held.push(target)
    const { view } = bytesOf(data)
    let stretch = cursor.stretch()
    while (stretch !== undefined && stretch.whole === null && cursor.block === start) {
      const { within } = cursor
      const endBlock = VirtualOffset.block(stretch.end)
      if (within > data.length) return lies(`the block at byte ${start} holds fewer bytes than it says`)
      if (endBlock < start || (endBlock === start && within >= VirtualOffset.within(stretch.end))) {
        cursor.nextStretch()
        stretch = cursor.stretch()
        continue
      }
      if (within === data.length) {
        leave()
        break
      }
      const size = format.size({ bytes: data, view }, within)
      if (size === -1) return badRecord()
      if (size === 0) {
        open = { bytes: data.slice(within), length: data.length - within, from: within }
        held.pop()
        writeHeld()
        held.push(SliceOutput.own(target))
        leave()
        return true
      }
      if (!read(data, view, within, size)) return false
      if (wholes.has(place.ref)) {
        cursor.nextStretch()
        break
      }
      if (judge()) {
        records++
        SliceOutput.keep(target, within, within + size)
        SliceOutput.note(target, within, place)
      }
      cursor.within += size
      leaveStretch()
      stretch = cursor.stretch()
    }
    writeHeld()
    return true
  }

  /** The next block of a whole reference; false when more bytes are needed, or for damage. */
  const stepWhole = (stretch: Stretch, size: number): boolean => {
    if (wholeCopy.unread(stretch)) {
      return Result.match(wholeCopy.copyBlocks(stretch), { onFailure: lies, onSuccess: (moved) => moved })
    }
    const { block } = cursor
    const inflated = Bgzf.inflateBlock(codec, cursor.bytes(block, block + size), 0, size, room)
    if (Result.isFailure(inflated)) return fail(badBlock(file, block, `it ${inflated.failure}`))
    lastRef = stretch.ref
    lastStart = Number.POSITIVE_INFINITY
    return Result.match(wholeCopy.edge(stretch, size, inflated.success), { onFailure: lies, onSuccess: () => true })
  }

  /** One step; false when more bytes are needed, everything is done, or for damage. */
  const step = (): boolean => {
    const stretch = cursor.stretch()
    if (stretch === undefined || damage !== null) return false
    if (open === null && stretch.whole === null) {
      const end = VirtualOffset.block(stretch.end)
      if (cursor.block > end || (cursor.block === end && cursor.within >= VirtualOffset.within(stretch.end))) {
        cursor.nextStretch()
        return true
      }
    }
    const size = cursor.blockSize()
    if (size === SliceCursor.missing) return false
    if (size < 0) return lies(`no block begins at byte ${cursor.block}`)
    if (stretch.whole !== null) return stepWhole(stretch, size)
    const raw = cursor.bytes(cursor.block, cursor.block + size)
    const ahead = lookahead.take(cursor.block)
    if (ahead !== null) return scanBlock(raw, ahead)
    const inflated = Bgzf.inflateBlock(codec, raw, 0, size, room)
    if (Result.isFailure(inflated)) return fail(badBlock(file, cursor.block, `it ${inflated.failure}`))
    return scanBlock(raw, inflated.success)
  }

  const outcome = (): Result.Result<void, FileDamaged> => (damage === null ? Result.void : Result.fail(damage))

  return {
    push: (range) => {
      cursor.push(range)
      lookahead.reached(range, cursor)
      while (step()) {}
      return outcome()
    },
    missingFrom: () => (cursor.stretch() === undefined ? null : cursor.block),
    end: () => {
      const atEnd = cursor.block >= size - Bgzf.eofBlock.length
      if (damage === null && open !== null && format.terminator !== null && atEnd) {
        // A last line without its line feed; elsewhere a line goes on in bytes that the index does not point to.
        scanBlock(Bgzf.deflateBlock(codec, format.terminator, 1), format.terminator)
      }
      while (step()) {}
      if (damage === null && (open !== null || cursor.stretch() !== undefined))
        lies("bytes are missing where it points")
      if (damage === null) writeHeld()
      index.close(writer.block(), writer.within())
      return outcome()
    },
    records: () => records + wholeCopy.records(),
    copied: () => output.copied() + wholeCopy.copied()
  }
}
