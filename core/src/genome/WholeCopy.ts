/**
 * Copies all of one reference without looking inside: the tail of its first block, then whole blocks as they are, then the
 * head of its last block. Its first record and the one behind its last prove, with the order of the file, that all between
 * is wanted; the index of the source moves along. The content of the whole blocks is not inflated, so damage inside them
 * passes, as it would in a download of the file.
 */
import { Result } from "effect"
import * as Bgzf from "./Bgzf.ts"
import type { BgzfWriter } from "./BgzfWriter.ts"
import type { IndexBuilder } from "./IndexBuilder.ts"
import type { SliceCursor } from "./SliceCursor.ts"
import type { Stretch } from "./Stretches.ts"
import * as VirtualOffset from "./VirtualOffset.ts"

/** Where a run of the source lies in the output. */
interface Anchor {
  readonly block: number
  readonly within: number
  readonly outBlock: number
  /** True for blocks copied as they are, false for a part of one block. */
  readonly blocks: boolean
}

export interface WholeCopy {
  /** True when the blocks at the cursor can be copied unread. */
  readonly unread: (stretch: Stretch) => boolean
  /** Copies blocks as far as they came; true when it moved. The failure is a phrase for a person. */
  readonly copyBlocks: (stretch: Stretch) => Result.Result<boolean, string>
  /** Takes the inflated first or last block of the reference. */
  readonly edge: (stretch: Stretch, size: number, data: Uint8Array) => Result.Result<void, string>
  readonly records: () => number
  /** Bytes of blocks that passed as they were. */
  readonly copied: () => number
}

/** Reference of the record at `at`; `null` when it does not lie in this block. */
const referenceAt = (data: Uint8Array, at: number): number | null =>
  at + 8 > data.length ? null : new DataView(data.buffer, data.byteOffset).getInt32(at + 4, true)

export const make = (cursor: SliceCursor, writer: BgzfWriter, index: IndexBuilder): WholeCopy => {
  let anchors: Array<Anchor> = []
  /** Number of the stretch whose first record was seen. */
  let proven = -1
  let records = 0
  let copied = 0

  const anchor = (blocks: boolean, within: number) => {
    writer.flush()
    anchors.push({ block: cursor.block, within, outBlock: writer.block(), blocks })
  }

  /** Where an offset of the source lies in the output. */
  const moved =
    ({ begin, end }: Stretch) =>
    (offset: VirtualOffset.VirtualOffset): readonly [number, number] => {
      // Some writers let windows without records point outside of the reference.
      const inside = offset < begin ? begin : offset > end ? end : offset
      const block = VirtualOffset.block(inside)
      const within = VirtualOffset.within(inside)
      const last = anchors.findLast((one) => one.block < block || (one.block === block && one.within <= within))
      if (last === undefined) return [0, 0]
      return last.blocks ? [block - last.block + last.outBlock, within] : [last.outBlock, within - last.within]
    }

  const writePart = (data: Uint8Array, from: number, to: number) => {
    for (let at = from; at < to; at += Bgzf.maxPayload) {
      anchor(false, at)
      writer.write(data.subarray(at, Math.min(to, at + Bgzf.maxPayload)))
    }
  }

  const finish = (stretch: Stretch) => {
    anchor(false, cursor.within)
    const { ref, whole } = stretch
    if (whole !== null && whole.counts !== null) {
      index.adopt(ref, whole, whole.counts, moved(stretch))
      records += whole.counts.mapped + whole.counts.unmapped
    }
    anchors = []
    cursor.nextStretch()
  }

  return {
    unread: ({ begin, end }) =>
      cursor.within === 0 &&
      (proven === cursor.current() || cursor.block > VirtualOffset.block(begin)) &&
      cursor.block < VirtualOffset.block(end),
    copyBlocks: ({ end }) => {
      const from = cursor.block
      const stop = VirtualOffset.block(end)
      const to = cursor.blocksUntil(stop)
      if (to === -1 || to > stop) return Result.fail(`its blocks behind byte ${from} do not lead to byte ${stop}`)
      if (to === from) return Result.succeed(false)
      if (anchors[anchors.length - 1]?.blocks !== true) anchor(true, 0)
      writer.copy(cursor.bytes(from, to))
      copied += to - from
      cursor.block = to
      return Result.succeed(true)
    },
    edge: (stretch, size, data) => {
      const last = VirtualOffset.block(stretch.end) === cursor.block
      const to = last ? VirtualOffset.within(stretch.end) : data.length
      if (cursor.within > to || to > data.length) {
        return Result.fail(`the block at byte ${cursor.block} holds fewer bytes than it says`)
      }
      if (proven !== cursor.current()) {
        const first = referenceAt(data, cursor.within)
        if (first !== null && first !== stretch.ref) {
          return Result.fail(`no record of reference ${stretch.ref + 1} begins at byte ${cursor.block}`)
        }
        proven = cursor.current()
        writer.flush()
        index.close(writer.block(), 0)
        // All of it is wanted: it is copied with the blocks behind it.
        if (cursor.within === 0 && !last) return Result.void
      }
      writePart(data, cursor.within, to)
      cursor.within = to
      if (!last) {
        cursor.block += size
        cursor.within = 0
        return Result.void
      }
      if (referenceAt(data, to) === stretch.ref) {
        return Result.fail(`reference ${stretch.ref + 1} goes on where it ends, at byte ${cursor.block}`)
      }
      finish(stretch)
      return Result.void
    },
    records: () => records,
    copied: () => copied
  }
}
