/**
 * The heart of a slice: takes fetched bytes in file order, judges every record in the stretches, and passes on what is kept. Every
 * block comes inflated, its checksum compared. One of which everything is kept passes as it is; only the others are deflated again.
 *
 * The code is synchronous and knows nothing of where bytes come from or go to. The index is only a hint to it: where a stretch does not
 * begin or end with a record, where records are out of order, or where bytes are missing, it fails.
 *
 * It is one state machine: of each stretch it judges the records, and then proves by the next one that the stretch ends there. Each
 * function below changes the same few variables, and passing them between modules for every record costs time in the one loop that
 * counts. Where a function is false for damage, the damage has been said.
 */
import * as Bgzf from "../bgzf/Bgzf.ts"
import type { Codec } from "../bgzf/Codec.ts"
import { isBefore } from "../bgzf/VirtualOffset.ts"
import { type Bytes, bytesOf, comment, type RecordFormat, type RecordSpan } from "../formats/RecordFormats.ts"
import { OpenRecord } from "../formats/RecordWalk.ts"
import type { FileOrder, Leads } from "../index/Tiling.ts"
import * as RecordOrder from "./RecordOrder.ts"
import * as SliceCursor from "./SliceCursor.ts"
import * as SliceDamage from "./SliceDamage.ts"
import * as SliceOutput from "./SliceOutput.ts"
import type { Stretch, Stretches } from "./StretchPlan.ts"

export interface ScanOptions {
  readonly stretches: Stretches
  /** Where bins of the wanted references begin. */
  readonly leads: Leads
  /** Where the references stand in the file. */
  readonly order: FileOrder
  readonly format: RecordFormat
  /** Names of the references, in the order of the index. */
  readonly names: ReadonlyArray<string>
  /** What is wanted of a reference, by its number: starts and ends in turn, sorted, not touching. */
  readonly wanted: ReadonlyMap<number, ArrayLike<number>>
  /** True when the unplaced reads are wanted. */
  readonly takeUnplaced: boolean
  /** Where the blocks of the file end and its end-of-file block begins (bytes). */
  readonly dataEnd: number
  /** Records must end at or before this position. */
  readonly limit: number
  readonly codec: Codec["Service"]
  readonly form: SliceOutput.OutputForm
}

export interface Scan {
  /**
   * Takes the next fetched bytes. They may be used again after `keep`, when the blocks that came of them are written. What was kept before
   * a damage is passed on.
   */
  readonly push: (range: SliceCursor.FetchedRange) => SliceDamage.ScanDamage | null
  readonly keep: () => void
  /** Byte offset of the block that is needed next, `null` when no stretch is left. */
  readonly missingFrom: () => number | null
  /** All bytes came: checks that no stretch is left. */
  readonly end: () => SliceDamage.ScanDamage | null
  /** Number of records that were kept. */
  readonly records: () => number
  /** Number of unplaced reads among them. */
  readonly unplaced: () => number
  readonly output: Pick<SliceOutput.SliceOutput, "take" | "giveBack" | "copied">
}

/** The start of a record that ends in a later block. */
interface Open {
  readonly record: OpenRecord
  /** Where it begins in the first held block. */
  readonly from: number
  /** It proves nothing, and is not looked at. */
  readonly skipped: boolean
}

export const make = (options: ScanOptions): Scan => {
  const { codec, dataEnd, form, format, leads, limit, names, stretches, takeUnplaced, wanted } = options
  const order = RecordOrder.make(wanted, takeUnplaced, options.order)
  const cursor = SliceCursor.make(stretches, codec)
  const damage = SliceDamage.make(format, names, cursor)
  const output = SliceOutput.make(form)
  const span: RecordSpan = { ref: 0, start: 0, end: 0, mapped: false }

  let held: Array<SliceOutput.Held> = []
  let open: Open | null = null

  let records = 0
  let unplaced = 0
  /** A record began in the stretch, or before it. */
  let met = false
  /** All records of the stretch were judged; now the first one of a later block is looked at. */
  let proving = false
  /** The last line of the file ended without its line feed: no index can point past that. */
  let lastLine = false

  /**
   * Fills `span` from a record, which begins at (`block`, `from`) of the file; false when it is damaged, out of order, longer than any
   * reference can be, or not where its index says.
   *
   * @param isWhole - it lies in one block
   */
  const read = (data: Bytes, at: number, size: number, isWhole: boolean, block: number, from: number): boolean => {
    if (!format.readSpan(data, at, size, span)) return isWhole ? damage.unread(data, at, size) : damage.noRecord()
    met = true
    if (!order.allows(span)) return damage.unsorted(span)
    // Before a line an index may lead to a comment.
    if (span.ref !== comment && !leads.allow(block, from, span.ref, span.start)) return damage.misled(span, block)
    return span.ref < 0 || span.end <= limit
      ? true
      : damage.ofBlock(`a record in it claims to end at base ${span.end}, which no index can hold`)
  }

  /** Judges the record in `span`, which is kept and begins in this block, as the tools of its format do; false when they refuse it. */
  const isSound = (data: Bytes, at: number, size: number, block: number): boolean => {
    const flaw = format.flaw(data, at, size)
    return flaw === null || damage.refused(data, at, size, span, block, flaw)
  }

  const nextStretch = () => {
    proving = false
    cursor.nextStretch()
    const stretch = cursor.stretch()
    met = stretch === undefined || isBefore(stretch.begin, [cursor.block, cursor.within])
  }

  /**
   * Leaves the stretch when a block lies past its interval and the next one goes on in order, and with it the others of the same
   * interval. The first record past the interval is not enough: where that block and the next one have changed places, the
   * records of the interval follow.
   */
  const leaveIfPassed = () => {
    const stretch = cursor.stretch()
    if (stretch === undefined || !order.hasPassed(stretch)) return
    do nextStretch()
    while (cursor.stretch()?.ref === order.lastRef() && order.hasPassed(cursor.stretch()!))
  }

  /** True when the cursor stands where the stretch ends, or past it. */
  const atEnd = ({ end }: Stretch): boolean => !isBefore([cursor.block, cursor.within], end)

  /** Leaves the stretch at its end, or begins to prove it; false when that is not where a record begins, or when none began in it. */
  const passEnd = ({ begin, end, ref }: Stretch): boolean => {
    const isExact = !isBefore(end, [cursor.block, cursor.within])
    if (cursor.comesThrough() && !isExact && !lastLine) return damage.ofPlace(end[0])
    if (!met && ref !== -1 && isBefore(begin, end)) return damage.ofPlace(begin[0])
    const following = cursor.following()
    // Where the next stretch begins in this block, the records past the end are read anyway.
    proving = following === undefined || following.begin[0] > cursor.block
    if (!proving) nextStretch()
    return true
  }

  /** True when there is nothing more to prove: the file ends, the next stretch begins, or what follows was not fetched. */
  const isProven = (fetched: boolean): boolean => {
    const following = cursor.following()
    const here = [cursor.block, cursor.within] as const
    return !fetched || cursor.block >= dataEnd || (following !== undefined && !isBefore(here, following.begin))
  }

  /** False when a record of the reference begins at `at`, behind a stretch that should be all of it. */
  const endsReference = ({ ref, whole }: Stretch, data: Bytes, at: number, block: number): boolean =>
    whole && format.refAt(data, at) === ref
      ? damage.ofIndex(`reference ${names[ref] ?? ""} goes on where it ends, at byte ${block}`)
      : true

  const count = () => {
    records++
    if (span.ref < 0) unplaced++
  }

  const writeHeld = () => {
    for (const one of held) output.put(one)
    held = []
  }

  /** Judges the record of `size` bytes that the blocks before began, and whose `rest` came with this one; false for damage. */
  const close = ({ from, record, skipped }: Open, size: number, target: SliceOutput.Held, rest: number): boolean => {
    open = null
    cursor.within = rest
    if (skipped) return true
    const { data } = record
    if (!format.fits(data, 0, size)) return damage.noRecord()
    const beginning = held[0] ?? target
    if (!read(data, 0, size, false, beginning.offset, from)) return false
    if (proving) {
      nextStretch()
      return true
    }
    if (order.judge(span, beginning.offset, target.offset)) {
      if (!isSound(data, 0, size, beginning.offset)) return false
      count()
      SliceOutput.note(beginning, from, span)
      SliceOutput.keep(beginning, from, beginning.size)
      for (const one of held.slice(1)) SliceOutput.keep(one, 0, one.size)
      SliceOutput.keep(target, 0, rest)
    }
    leaveIfPassed()
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
    if (open !== null) {
      const { record } = open
      const { length } = record
      const rest = record.take(data)
      if (rest === -1) return damage.noRecord()
      if (rest === 0) {
        // What is only looked at is not kept.
        if (!proving) held.push(output.own(target, true))
        leave()
        return true
      }
      if (!close(open, length + rest, target, rest)) return false
      record.release()
    }
    held.push(target)
    const content = bytesOf(data)
    let stretch = cursor.stretch()
    while (stretch !== undefined && cursor.block === start) {
      const { within } = cursor
      if (within > data.length) return damage.ofIndex(`the block at byte ${start} holds fewer bytes than it says`)
      if (proving && isProven(true)) {
        nextStretch()
        stretch = cursor.stretch()
        continue
      }
      if ((proving || atEnd(stretch)) && !endsReference(stretch, content, within, start)) return false
      if (!proving && atEnd(stretch)) {
        if (!passEnd(stretch)) return false
        stretch = cursor.stretch()
        continue
      }
      if (within === data.length) {
        leave()
        break
      }
      // Another record of the block in which the last one ends does not prove that the stretch ends there.
      const skipped = proving && start <= order.lastBlock()
      const size = format.size(content, within)
      if (size === -1) return damage.noRecord()
      if (size === 0) {
        met = true
        open = { record: new OpenRecord(format, data.subarray(within)), from: within, skipped }
        held.pop()
        writeHeld()
        held.push(output.own(target, false))
        leave()
        return true
      }
      if (skipped) {
        // Where the stretch ends the index mostly leads to what follows it.
        const isRecord = format.readSpan(content, within, size, span) && span.ref !== comment
        if (isRecord && !leads.allow(start, within, span.ref, span.start)) return damage.misled(span, start)
        cursor.within += size
        continue
      }
      if (!read(content, within, size, true, start, within)) return false
      if (proving) {
        nextStretch()
        stretch = cursor.stretch()
        continue
      }
      if (order.judge(span, start, start)) {
        if (!isSound(content, within, size, start)) return false
        count()
        SliceOutput.keep(target, within, within + size)
        SliceOutput.note(target, within, span)
      }
      cursor.within += size
      leaveIfPassed()
      stretch = cursor.stretch()
    }
    writeHeld()
    return true
  }

  /** One step; false when more bytes are needed, everything is done, or for damage. */
  const step = (): boolean => {
    const stretch = cursor.stretch()
    if (stretch === undefined || damage.found() !== null) return false
    if (open === null && !proving && atEnd(stretch)) return passEnd(stretch)
    const size = cursor.blockSize()
    if (proving && isProven(size !== SliceCursor.lost)) {
      open = null
      nextStretch()
      return true
    }
    if (size === SliceCursor.missing) return false
    if (size < 0) return damage.ofIndex(`no block begins at byte ${cursor.block}`)
    const data = cursor.content(size)
    return typeof data === "string" ? damage.ofBlock(`it ${data}`) : scanBlock(cursor.raw(size), data)
  }

  return {
    push: (range) => {
      cursor.push(range)
      while (step()) {}
      if (damage.found() !== null) {
        writeHeld()
        output.flush()
      }
      return damage.found()
    },
    keep: cursor.keep,
    missingFrom: () => (damage.found() !== null || cursor.stretch() === undefined ? null : cursor.block),
    end: () => {
      const ended = cursor.block >= dataEnd
      if (damage.found() === null && open !== null && format.terminator !== null && ended) {
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
      if (damage.found() === null && (open !== null || cursor.stretch() !== undefined))
        damage.ofIndex("bytes are missing where it points")
      writeHeld()
      output.flush()
      return damage.found()
    },
    records: () => records,
    unplaced: () => unplaced,
    output
  }
}
