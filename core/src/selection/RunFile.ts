/** What programs are told of a file of a run. The steps need the type alone, so that no start builds the schema. */
import * as Schema from "effect/Schema"
import { AnalysisId } from "../contract/Ids.ts"
import { fileTypes } from "../genome/formats/FileNames.ts"
import { SliceEstimate } from "../transfer/SliceRequest.ts"

/**
 * A file of the service, with its place.
 *
 * @category schemas
 * @since 0.1.0
 */
export class RunFile extends Schema.Opaque<RunFile>()(
  Schema.Struct({
    analysisId: AnalysisId,
    /** As the service lists it. */
    fileName: Schema.String,
    /** Folder inside the destination; empty for the destination itself. */
    folder: Schema.String,
    type: Schema.Literals(fileTypes),
    /** Bytes; of a slice null until it is estimated. */
    size: Schema.NullOr(Schema.Int),
    /** The file, or the index that its slice needs, is in the archive. */
    archived: Schema.Boolean,
    estimatedRestoreTime: Schema.NullOr(Schema.String),
    /**
     * Null for the whole file. `name`: the one that the slice gets; its index has the same with `.bai`, `.csi` or `.tbi`.
     * `estimate`: what it would fetch, where that was asked for.
     */
    slice: Schema.NullOr(Schema.Struct({ name: Schema.String, estimate: Schema.NullOr(SliceEstimate) })),
    /** No index comes with the whole file: one is made. */
    makesIndex: Schema.optionalKey(Schema.Literal(true))
  })
) {}
