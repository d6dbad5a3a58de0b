/** What ends a slice: the first thing that was found wrong, in the words of a `FileDamaged`. */
import * as Bgzf from "../bgzf/Bgzf.ts"
import { type Bytes, type RecordFormat, type RecordSpan, unlisted } from "../formats/RecordFormats.ts"
import type { SliceCursor } from "./SliceCursor.ts"

/** Why a slice cannot be made. */
export interface ScanDamage {
  readonly fault: "BadBlock" | "BadRecord" | "IndexMismatch"
  readonly reason: string
}

/** Each says what is wrong where the cursor stands, and is `false`: the slice does not go on. */
export interface SliceDamage {
  readonly found: () => ScanDamage | null
  readonly ofIndex: (reason: string) => false
  /** No record begins where the index points to in this block. */
  readonly ofPlace: (block: number) => false
  readonly ofBlock: (reason: string) => false
  /** There is no record where the next one should begin. */
  readonly noRecord: () => false
  /** The record `[at, at + size)`, which begins in this block and ends in it, cannot be read. */
  readonly unread: (data: Bytes, at: number, size: number) => false
  readonly unsorted: (span: RecordSpan) => false
  /** The record, which begins in the block at byte `block`, lies outside of the bin that begins there. */
  readonly misled: (span: RecordSpan, block: number) => false
  /** The record `[at, at + size)` begins in the block at byte `block`; tools of its format refuse it. */
  readonly refused: (data: Bytes, at: number, size: number, span: RecordSpan, block: number, flaw: string) => false
}

/** An index is not that of the file by the record that it meets in the block at byte `block`. */
export const misledText = (
  names: ReadonlyArray<string>,
  { ref, start }: Pick<RecordSpan, "ref" | "start">,
  block: number
): string => {
  const found = ref < 0 ? "none of that reference" : `one at ${names[ref] ?? ""}:${start + 1}`
  return unfitText(
    `where it leads to records in the block at byte ${block}, there is ${found}, so it is of another file`
  )
}

const unfitText = (reason: string): string => `its index does not fit: ${reason}`

/** @param names - of the references, in the order of the index */
export const make = (format: RecordFormat, names: ReadonlyArray<string>, cursor: SliceCursor): SliceDamage => {
  let damage: ScanDamage | null = null
  const say = (fault: ScanDamage["fault"], reason: string): false => {
    damage = { fault, reason }
    return false
  }
  const ofIndex = (reason: string) => say("IndexMismatch", unfitText(reason))
  const ofBlock = (reason: string) => say("BadBlock", Bgzf.damageText(cursor.block, reason))
  const noRecord = () => ofBlock("it holds no sound record where the next one should begin")
  const place = ({ ref, start }: RecordSpan) => `${names[ref] ?? ""}:${start + 1}`
  return {
    found: () => damage,
    ofIndex,
    ofPlace: (block) => ofIndex(`no record begins where it points to in the block at byte ${block}`),
    ofBlock,
    noRecord,
    unread: (data, at, size) => {
      // Where the index leads to the first byte of a block, only the index says that a line begins there: it may go on from the block
      // before, and is then short of columns.
      const isPointedTo = at === 0 && cursor.stretch()?.begin[0] === cursor.block
      const ref = isPointedTo && !format.fits(data, at, size) ? null : format.refAt(data, at)
      const where = `in the BGZF block at byte ${cursor.block}`
      if (ref === unlisted) return ofIndex(`it does not name the reference of a record ${where}`)
      const name = names[ref ?? -1]
      return name === undefined ? noRecord() : say("BadRecord", `a record on ${name}, ${where}, cannot be read`)
    },
    unsorted: (span) => say("BadRecord", `its records are not coordinate-sorted at ${place(span)}`),
    misled: (span, block) => say("IndexMismatch", misledText(names, span, block)),
    refused: (data, at, size, span, block, flaw) => {
      const where = span.ref < 0 ? "unplaced" : `at ${place(span)}`
      const record = `the record ${format.nameOf(data, at, size)} ${where}`
      return say("BadRecord", `${record}, in the BGZF block at byte ${block}, ${flaw}`)
    }
  }
}
