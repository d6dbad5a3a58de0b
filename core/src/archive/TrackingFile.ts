/** The restoration file of a run (docs/dev/service.md 2.3); `platform/files/TrackingFile.ts` keeps it on a disk. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { TrackingError, TrackingReadError } from "../Errors.ts"
import type { TrackingDocument } from "./TrackingDocument.ts"

/** Keeps the requests that wait for a restoration. */
export class TrackingFile extends Context.Service<
  TrackingFile,
  {
    /** As the user gave it. */
    readonly path: string
    /** What it holds now; empty when it does not exist. A file that cannot be read or trusted is never changed. */
    readonly read: Effect.Effect<TrackingDocument, TrackingReadError>
    /**
     * Applies `edit` to what the file holds at that moment, whoever changed it since it was read, and returns what it
     * holds then. Durable when it returns; on failure the file is as it was. `edit` may be applied several times, and
     * returning the same document means nothing is to be written.
     */
    readonly change: (
      edit: (document: TrackingDocument) => TrackingDocument
    ) => Effect.Effect<TrackingDocument, TrackingError>
    /** Makes an empty one when there is none. */
    readonly ensure: Effect.Effect<void, TrackingError>
  }
>()("svc-steps/core/archive/TrackingFile") {}
