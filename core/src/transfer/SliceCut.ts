/** The genome engine as transfers see it: what to read of a source, and the writing of it. */
import * as Effect from "effect/Effect"
import { type LocalIo, NotFound } from "../Errors.ts"
import type { Codec } from "../genome/bgzf/Codec.ts"
import type { FetchPlan } from "../genome/slice/FetchPlan.ts"
import {
  planSlice,
  type SliceOptions,
  type SlicePlan,
  type SliceResult,
  type SliceSink,
  type SliceSource,
  writeSlice
} from "../genome/slice/Slice.ts"
import type { RemoteError } from "./RemoteRanges.ts"
import type { SliceTask } from "./SliceRequest.ts"

/** A planned slice. */
export interface SliceCut {
  /** The regions as the header of the slice will name them. */
  readonly regions: string
  /** What to read for records. */
  readonly ranges: FetchPlan
  /** That, and what else is read to write the slice. */
  readonly reads: SlicePlan<RemoteError>["reads"]
  readonly write: (sink: SliceSink<LocalIo>, options: SliceOptions) => Effect.Effect<SliceResult, RemoteError, Codec>
}

/**
 * Plans the slice of `source`. Regions that the file does not have (an unknown reference, a start beyond the end of one) are
 * `NotFound`; so are ambiguous ones, since it is the names of this file that make them so.
 */
export const planCut = (
  source: SliceSource<RemoteError>,
  { kind, unmapped, wanted }: Pick<SliceTask, "kind" | "unmapped" | "wanted">
): Effect.Effect<SliceCut, RemoteError, Codec> =>
  planSlice({ source, type: kind, wanted, takeUnplaced: unmapped }).pipe(
    Effect.map((plan): SliceCut => {
      const { key, ranges, reads } = plan
      return { regions: key, ranges, reads, write: (sink, options) => writeSlice(plan, sink, options) }
    }),
    Effect.catchTag(
      "SvcUsageError",
      ({ message }) => new NotFound({ what: `regions in ${source.name}`, detail: message })
    )
  )
