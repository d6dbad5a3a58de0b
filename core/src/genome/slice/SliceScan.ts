/**
 * The heart of a slice: takes fetched bytes in file order, judges every record in the stretches of a piece, and writes what
 * is kept. Every block is inflated and its checksum compared. One of which everything is kept passes as it is; only the
 * others are deflated again.
 *
 * The code is synchronous, knows nothing of where bytes come from or go to, and loads nothing of Effect: it runs on several
 * threads. The index is only a hint to it: where a stretch does not begin or end with a record, where records are out of
 * order, or where bytes are missing, it fails.
 *
 * Long on purpose: it is one state machine. Each function below changes the same few variables, and
 * passing them between modules for every record costs time in the one loop that counts.
 */
import * as Bgzf from "../bgzf/Bgzf.ts"
import type { BgzfWriter } from "../bgzf/BgzfWriter.ts"
import type { Codec } from "../bgzf/Codec.ts"
import { bytesOf, comment, largestRecord, type RecordSpan } from "../formats/RecordFormats.ts"
import type { IndexFragment } from "../index/IndexFragment.ts"
import { type FetchedRange, isBefore, type OpenSlice, type PieceDamage, type PieceStretch } from "./PieceJob.ts"
import * as RecordOrder from "./RecordOrder.ts"
import * as SliceCursor from "./SliceCursor.ts"
import * as SliceOutput from "./SliceOutput.ts"

export interface ScanOptions {
  readonly slice: OpenSlice
  readonly stretches: ReadonlyArray<PieceStretch>
  readonly codec: Codec["Service"]
  readonly writer: BgzfWriter
  readonly index: IndexFragment
}

export interface Scan {
  /** Takes the next fetched bytes. */
  readonly push: (range: FetchedRange) => PieceDamage | null
  /** The bytes of the last range may be used again. */
  readonly release: () => void
  /** Byte offset of the block that is needed next, `null` when no stretch is left. */
  readonly missingFrom: () => number | null
  /** All bytes came: checks that no stretch is left. */
  readonly end: () => PieceDamage | null
  readonly records: () => number
  /** Bytes of blocks that passed as they were. */
  readonly copied: () => number
  /** Reference and start of the first and of the last record that was looked at. */
  readonly first: () => RecordOrder.Rank | null
  readonly last: () => RecordOrder.Rank | null
}

/** The start of a record that ends in a later block. */
interface Open {
  bytes: Uint8Array
  length: number
  /** Where it begins in the first held block. */
  readonly from: number
  /** It begins before the stretch does: another piece has it. */
  readonly skipped: boolean
}

export const make = ({ codec, index, slice, stretches, writer }: ScanOptions): Scan => {
  const { format, names } = slice
  const order = RecordOrder.make(slice)
  const cursor = SliceCursor.make(stretches)
  const output = SliceOutput.make(writer, index)
  const span: RecordSpan = { ref: 0, start: 0, end: 0, reach: 0, mapped: false }
  /** What a block inflates into, each after the other. */
  const buffer = new Uint8Array(Bgzf.maxBlock)

  let held: Array<SliceOutput.Held> = []
  let open: Open | null = null

  let records = 0
  let first: RecordOrder.Rank | null = null
  /** True when the record that the stretch must come through was met. */
  let cameThrough = false
  /** All records of the stretch were judged; now the first one of a later block is looked at. */
  let proving = false
  /** The last line of the file ended without its line feed: no index can point past that. */
  let lastLine = false
  let damage: PieceDamage | null = null

  const failIndex = (reason: string): false => {
    damage = { fault: "IndexMismatch", reason: `its index does not fit: ${reason}` }
    return false
  }
  const failBlock = (reason: string): false => {
    damage = { fault: "BadBlock", reason: Bgzf.damageText(cursor.block, reason) }
    return false
  }
  const failRecord = () => failBlock("it holds no sound record where the next one should begin")

  /** Fills `span` from a record; false when it is damaged, out of order, or longer than any reference can be. */
  const read = (data: Uint8Array, view: DataView, at: number, size: number): boolean => {
    if (!format.readSpan({ bytes: data, view }, at, size, span)) return failRecord()
    if (!order.allows(span)) {
      damage = RecordOrder.notSorted(slice, [span.ref, span.start])
      return false
    }
    if (span.ref !== comment) first ??= [RecordOrder.rankOf(span.ref), span.start]
    return span.ref < 0 || span.reach <= index.limit
      ? true
      : failBlock(`a record in it claims to end at base ${span.reach}, which no index can hold`)
  }

  const nextStretch = () => {
    cameThrough = false
    proving = false
    cursor.nextStretch()
  }

  /**
   * Leaves the stretch when a block lies past its interval and the next one goes on in order, and with it the others of the same
   * interval. The first record past the interval is not enough: where that block and the next one have changed places, the
   * records of the interval follow.
   */
  const leaveStretch = () => {
    const stretch = cursor.stretch()
    if (stretch === undefined || !order.isBeyond(stretch)) return
    do nextStretch()
    while (cursor.stretch()?.ref === order.lastRef() && order.isBeyond(cursor.stretch()!))
  }

  /** True when the cursor stands where the stretch ends, or past it. */
  const atEnd = ({ end }: PieceStretch): boolean => !isBefore([cursor.block, cursor.within], end)

  /** Leaves the stretch at its end; false when that is not where a record begins. */
  const passEnd = ({ end, through }: PieceStretch): boolean => {
    const came = through === null ? !isBefore(end, [cursor.block, cursor.within]) : cameThrough
    if (cursor.comesThrough() && !came && !lastLine) {
      return failIndex(`no record begins where it points to in the block at byte ${(through ?? end)[0]}`)
    }
    const following = cursor.following()
    // Where a piece is cut, or the next stretch begins in this block, the records past the end are read anyway.
    proving = through === null && (following === undefined || following.from[0] > cursor.block)
    if (!proving) nextStretch()
    return true
  }

  /** True when there is nothing more to prove: the file ends, the next stretch begins, or what follows was not fetched. */
  const isProven = (fetched: boolean): boolean => {
    const following = cursor.following()
    const here = [cursor.block, cursor.within] as const
    return !fetched || cursor.block >= slice.dataEnd || (following !== undefined && !isBefore(here, following.from))
  }

  const writeHeld = () => {
    for (const one of held) output.write(one)
    held = []
  }

  /** Goes on with the record that the blocks before began; false when it goes on past this block too, or for damage. */
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
    if (size === -1 || (size === 0 && length > largestRecord)) return failRecord()
    if (size === 0) {
      record.length = length
      return false
    }
    open = null
    const rest = size - record.length
    if (record.skipped) {
      cursor.within = rest
      return true
    }
    if (!format.fits({ bytes, view }, 0, size)) return failRecord()
    if (!read(bytes, view, 0, size)) return false
    const beginning = held[0] ?? target
    if (proving) {
      cursor.within = rest
      nextStretch()
      return true
    }
    if (order.judge(span, beginning.offset, target.offset)) {
      records++
      SliceOutput.note(beginning, record.from, span)
      SliceOutput.keep(beginning, record.from, beginning.data.length)
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
    const target = output.hold(start, raw, data)
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
    const content = bytesOf(data)
    let stretch = cursor.stretch()
    while (stretch !== undefined && cursor.block === start) {
      const { within } = cursor
      if (within > data.length) return failIndex(`the block at byte ${start} holds fewer bytes than it says`)
      const { through } = stretch
      if (through !== null && start === through[0] && within === through[1]) cameThrough = true
      if (proving && isProven(true)) {
        nextStretch()
        stretch = cursor.stretch()
        continue
      }
      if (!proving && atEnd(stretch)) {
        if (stretch.whole && goesOn(stretch, content, within)) {
          return failIndex(`reference ${names[stretch.ref]} goes on where it ends, at byte ${start}`)
        }
        if (!passEnd(stretch)) return false
        stretch = cursor.stretch()
        continue
      }
      if (within === data.length) {
        leave()
        break
      }
      const skipped = isBefore([start, within], stretch.begin) || (proving && start <= order.lastBlock())
      const size = format.size(content, within)
      if (size === -1) return failRecord()
      if (size === 0) {
        open = { bytes: data.slice(within), length: data.length - within, from: within, skipped }
        held.pop()
        writeHeld()
        held.push(SliceOutput.own(target))
        leave()
        return true
      }
      if (skipped) {
        cursor.within += size
        continue
      }
      if (!read(data, content.view, within, size)) return false
      if (proving) {
        nextStretch()
        stretch = cursor.stretch()
        continue
      }
      if (order.judge(span, start, start)) {
        records++
        SliceOutput.keep(target, within, within + size)
        SliceOutput.note(target, within, span)
      }
      cursor.within += size
      leaveStretch()
      stretch = cursor.stretch()
    }
    writeHeld()
    return true
  }

  /** True when a record of the same reference follows at `at`; one that does not lie whole in this block proves nothing. */
  const goesOn = ({ ref }: PieceStretch, content: ReturnType<typeof bytesOf>, at: number): boolean => {
    const size = at < content.bytes.length ? format.size(content, at) : 0
    return size > 0 && format.readSpan(content, at, size, span) && span.ref === ref
  }

  /** One step; false when more bytes are needed, everything is done, or for damage. */
  const step = (): boolean => {
    const stretch = cursor.stretch()
    if (stretch === undefined || damage !== null) return false
    // What follows a whole reference is looked at, if there is anything.
    const look = stretch.whole && cursor.block === stretch.end[0] && cursor.block < slice.dataEnd
    if (open === null && !proving && atEnd(stretch) && !look) return passEnd(stretch)
    const size = cursor.blockSize()
    if (proving && isProven(size !== SliceCursor.lost)) {
      open = null
      nextStretch()
      return true
    }
    if (size === SliceCursor.missing) return false
    if (size < 0) return failIndex(`no block begins at byte ${cursor.block}`)
    const raw = cursor.bytes(cursor.block, cursor.block + size)
    const inflated = Bgzf.inflateBlock(codec, raw, 0, size, buffer)
    return typeof inflated === "string" ? failBlock(`it ${inflated}`) : scanBlock(raw, inflated)
  }

  return {
    push: (range) => {
      cursor.push(range)
      while (step()) {}
      return damage
    },
    release: cursor.keep,
    missingFrom: () => (damage !== null || cursor.stretch() === undefined ? null : cursor.block),
    end: () => {
      const ended = cursor.block >= slice.dataEnd
      if (damage === null && open !== null && format.terminator !== null && ended) {
        // A last line without its line feed; elsewhere a line goes on in bytes that the index does not point to.
        lastLine = true
        scanBlock(Bgzf.deflateBlock(codec, format.terminator, 1), format.terminator)
      }
      while (step()) {}
      // Of a long record that goes on past what was fetched, no more is asked for.
      if (proving) {
        open = null
        nextStretch()
      }
      if (damage === null && (open !== null || cursor.stretch() !== undefined))
        failIndex("bytes are missing where it points")
      if (damage === null) writeHeld()
      writer.flush()
      index.close(writer.block(), 0)
      return damage
    },
    records: () => records,
    copied: () => output.copied(),
    first: () => first,
    last: order.last
  }
}
