/** What signals mean for a step. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ExitCode } from "../../core/src/Errors.ts"

export class Stopping extends Context.Service<
  Stopping,
  {
    /**
     * Sets the exit code of a process that a signal stops from now on, in place of that of the signal; for a step that has done
     * its work and only waits. Null restores the code of the signal.
     */
    readonly endWith: (code: ExitCode | null) => Effect.Effect<void>
    /** Until the scope closes, SIGHUP stops nothing: it tells a server to read its files again, as it tells others. */
    readonly onHangup: (act: () => void) => Effect.Effect<void, never, Scope.Scope>
  }
>()("svc-steps/steps/main/Stopping") {}
