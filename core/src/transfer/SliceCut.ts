/** The genome engine behind one door for BAM and VCF: what to read of a source, and the writing of it. */
import { Effect } from "effect"
import { type LocalIo, NotFound } from "../Errors.ts"
import { planBamSlice, writeBamSlice } from "../genome/BamSlice.ts"
import type { Codec } from "../genome/Codec.ts"
import type { FetchPlan } from "../genome/FetchPlan.ts"
import type { SliceOptions, SliceResult, SliceSink, SliceSource } from "../genome/Slice.ts"
import { planVcfSlice, writeVcfSlice } from "../genome/VcfSlice.ts"
import type { RemoteError } from "./RemoteRanges.ts"
import type { SliceTask } from "./SliceRequest.ts"

/** A planned slice. */
export interface SliceCut {
  /** The regions as the header of the slice will name them. */
  readonly regions: string
  /** What to read for records. */
  readonly ranges: FetchPlan
  readonly write: (sink: SliceSink<LocalIo>, options: SliceOptions) => Effect.Effect<SliceResult, RemoteError, Codec>
}

/**
 * Plans the slice of `source`. Regions that the file cannot have (an unknown reference, a place behind its end) are
 * `NotFound`: their form was good, it is this file that does not have them.
 */
export const planCut = (
  source: SliceSource<RemoteError>,
  { kind, unmapped, wanted }: Pick<SliceTask, "kind" | "unmapped" | "wanted">
): Effect.Effect<SliceCut, RemoteError, Codec> =>
  (kind === "bam" ? bamCut(source, wanted, unmapped) : vcfCut(source, wanted)).pipe(
    Effect.catchTag("UsageError", ({ message }) => new NotFound({ what: `regions in ${source.name}`, detail: message }))
  )

const bamCut = Effect.fnUntraced(function* (
  source: SliceSource<RemoteError>,
  wanted: SliceTask["wanted"],
  unmapped: boolean
) {
  const plan = yield* planBamSlice({ source, wanted, unmapped })
  const write: SliceCut["write"] = (sink, options) => writeBamSlice(source, plan, sink, options)
  return { regions: plan.key, ranges: plan.ranges, write }
})

const vcfCut = Effect.fnUntraced(function* (source: SliceSource<RemoteError>, wanted: SliceTask["wanted"]) {
  const plan = yield* planVcfSlice({ source, wanted })
  const write: SliceCut["write"] = (sink, options) => writeVcfSlice(source, plan, sink, options)
  return { regions: plan.key, ranges: plan.ranges, write }
})
