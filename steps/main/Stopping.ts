/** What a signal means for the exit code of a step. */
import { Context, type Effect } from "effect"
import type { ExitCode } from "../../core/src/Errors.ts"

/**
 * Sets the exit code of a process that a signal stops from now on, in place of that of the signal; for a step that has done
 * its work and only waits. Null restores the code of the signal.
 */
export class Stopping extends Context.Service<
  Stopping,
  {
    readonly endWith: (code: ExitCode | null) => Effect.Effect<void>
  }
>()("svc-steps/steps/main/Stopping") {}
