/**
 * One writer per part file, also between processes.
 *
 * The interface only; `platform/locks/PartClaim.ts` does it with lock files beside the part. A claim is advice: a transfer
 * stays correct when two processes hold the same one (see `PartJournal.writer`).
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Busy, CannotCreate, LocalIo } from "../Errors.ts"
import type { PartPlace } from "./PartFiles.ts"

export class PartClaim extends Context.Service<
  PartClaim,
  {
    /** Claims the part until the scope closes; `Busy` at once when a living run has it. */
    readonly claim: (place: PartPlace) => Effect.Effect<void, Busy | CannotCreate | LocalIo, Scope.Scope>
    /** Removes the claim of a run that was killed. */
    readonly clear: (place: PartPlace) => Effect.Effect<void>
  }
>()("svc-steps/core/transfer/PartClaim") {}
