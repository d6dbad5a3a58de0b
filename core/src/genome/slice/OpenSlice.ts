/** A slice whose pieces are being made, with what each piece looks up. A thread makes it once: a VCF may name 100,000 references. */
import type { RecordFormat } from "../formats/RecordFormat.ts"
import { recordFormat } from "../formats/RecordFormats.ts"
import type { SliceJob } from "./PieceJob.ts"

export interface OpenSlice extends SliceJob {
  readonly format: RecordFormat
  /** What is wanted of a reference, by its number: starts and ends in turn, as in `regions`. */
  readonly wanted: ReadonlyMap<number, ArrayLike<number>>
}

export const open = (job: SliceJob): OpenSlice => ({
  ...job,
  format: recordFormat(job.records),
  wanted: new Map(job.regions.map(({ bounds, ref }) => [ref, bounds]))
})
