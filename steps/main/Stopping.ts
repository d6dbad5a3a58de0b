/** What a signal means for the exit code of a step. */
import { Context, type Effect } from "effect"
import type { ExitCode } from "../../core/src/Errors.ts"

/**
 * A step that has done its part and only waits tells so: stopped by a signal from then on, the process ends with the
 * given code instead of that of the signal. Null takes it back.
 */
export class Stopping extends Context.Service<
  Stopping,
  {
    readonly endWith: (code: ExitCode | null) => Effect.Effect<void>
  }
>()("svc-steps/steps/main/Stopping") {}
