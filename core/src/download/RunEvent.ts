/** What is told of a run, as values that programs match, and that are JSON on their way to others. The steps need the types alone, as of `RunFile`. */
import * as Schema from "effect/Schema"
import { AnalysisId, LimsId, SampleId } from "../contract/Ids.ts"
import { named } from "../contract/Record.ts"
import { FileError } from "../Errors.ts"
import { RunFile } from "../selection/RunFile.ts"
import { SliceIndex } from "../transfer/SliceRequest.ts"
import { TransferProgress } from "../transfer/TransferRequest.ts"
import { FileResult, skipReasons } from "./FileResult.ts"

const Awaited = Schema.Struct({
  /** When it is expected, as written; null when unknown. */
  estimate: Schema.NullOr(Schema.String),
  /** Whether the service reports it. */
  underWay: Schema.Boolean
})
/**
 * A restoration that was asked for.
 *
 * @category models
 * @since 0.1.0
 */
export interface Awaited extends Schema.Schema.Type<typeof Awaited> {}

const AnalysisOwner = Schema.Struct({
  sampleId: Schema.NullOr(SampleId),
  limsId: Schema.NullOr(LimsId)
})
/**
 * Whose analysis it is, as the service says with its files.
 *
 * @category models
 * @since 0.1.0
 */
export interface AnalysisOwner extends Schema.Schema.Type<typeof AnalysisOwner> {}

const existing = Schema.optionalKey(Schema.Int)

/**
 * What a run does with one file.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Decision = Schema.TaggedUnion({
  Fetch: {},
  /** `existing`: bytes of the whole file that is kept; `index`: of the slice that is kept. */
  Skip: { reason: Schema.Literals(skipReasons), existing, index: Schema.optionalKey(SliceIndex) },
  /** `existing`: bytes of the file that is in the way because its size differs. */
  Fail: { error: FileError, existing }
})
export type Decision = typeof Decision.Type

/** The service has told of these analyses; in JSON a list of pairs. */
export class Listed extends named<Listed>()(
  Schema.TaggedStruct("Listed", { owners: Schema.toCodecJson(Schema.ReadonlyMap(AnalysisId, AnalysisOwner)) })
) {}

/** An analysis, or the selection, failed as a whole. */
export class Failed extends named<Failed>()(Schema.TaggedStruct("Failed", { result: FileResult.cases.Failed })) {}

/** The files the run is about, before anything becomes of them. */
export class Planned extends named<Planned>()(
  Schema.TaggedStruct("Planned", {
    files: Schema.Array(Schema.Struct({ ...RunFile.fields, decision: Decision })),
    destination: Schema.String
  })
) {}

/** The restorations that are awaited now; replaces those of the event before. */
export class Awaiting extends named<Awaiting>()(
  Schema.TaggedStruct("Awaiting", { restorations: Schema.Array(Awaited) })
) {}

/** Transfers begin; `bytes` is the sum of the sizes that are known. Each of `files` will have a result. */
export class Begun extends named<Begun>()(
  Schema.TaggedStruct("Begun", { files: Schema.Array(RunFile), bytes: Schema.Int })
) {}

/** A transfer goes on; left out while many events wait. */
export class Progress extends named<Progress>()(
  Schema.TaggedStruct("Progress", { file: RunFile, progress: TransferProgress })
) {}

/** Once per file of the plan, skipped and refused ones too. */
export class Finished extends named<Finished>()(
  Schema.TaggedStruct("Finished", { file: RunFile, result: FileResult })
) {}

/**
 * What happens in a run. We put no link into it; the words of the service are in it as they came.
 *
 * **Example** (A line that another program wrote)
 *
 * ```ts
 * import { Effect, Schema } from "effect"
 * import { Downloads } from "svc-steps"
 *
 * const read = Schema.decodeEffect(Schema.fromJsonString(Downloads.RunEvent))
 * const pathOf = (line: string) =>
 *   Effect.map(read(line), (event) => (Downloads.RunEvent.guards.Finished(event) ? event.result.path : null))
 * ```
 *
 * @category schemas
 * @since 0.1.0
 */
export const RunEvent = Schema.Union([Listed, Failed, Planned, Awaiting, Begun, Progress, Finished]).pipe(
  Schema.toTaggedUnion("_tag")
)
export type RunEvent = typeof RunEvent.Type
