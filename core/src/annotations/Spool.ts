/** Where rows wait until their header is known. The interface only; `platform/files/SpoolFiles.ts` does it on Node. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { CannotCreate, LocalIo } from "../Errors.ts"

/** Bytes written once from first to last, then read. */
export interface Spool {
  /** Bytes written. */
  readonly size: () => number
  /** Takes a copy. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, CannotCreate | LocalIo>
  /** Fills `into` from `offset` on; fewer bytes than fit, but at least one before the end. */
  readonly read: (offset: number, into: Uint8Array) => Effect.Effect<number, LocalIo>
}

/** Gives empty spools: `svc-steps/node` has them in files without a name. */
export class Spools extends Context.Service<
  Spools,
  {
    /** An empty spool that is gone with the scope, and with the process. */
    readonly open: Effect.Effect<Spool, never, Scope.Scope>
  }
>()("svc-steps/core/annotations/Spools") {}
