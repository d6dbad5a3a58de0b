/** When the answer to a change is lost, asks the service whether the change took effect. The change is never sent again. */
import * as Effect from "effect/Effect"
import { OutcomeUnknown, type ServiceError } from "../../core/src/Errors.ts"

/** `done`: the change took effect, with the answer that was lost. `found`: it did not, with words about what is stored instead. */
export type Look = { readonly done: unknown } | { readonly found: string }

/**
 * Gives the answer to `change`. When that is lost, `look` may supply it; otherwise the failure says what the look found.
 *
 * @param subject - what is being changed, such as `Person L1`
 */
export const changeAndLook = <R1, E extends { readonly message: string }, R2>(
  change: Effect.Effect<unknown, ServiceError, R1>,
  look: Effect.Effect<Look, E, R2>,
  subject: string
): Effect.Effect<unknown, ServiceError, R1 | R2> =>
  Effect.catchTag(change, "SvcOutcomeUnknown", (error) =>
    Effect.gen(function* () {
      yield* Effect.logWarning(`${error.message}. Looking`)
      const result = yield* Effect.catch(look, ({ message }) =>
        Effect.succeed({ found: `a look failed as well: ${message}` })
      )
      if ("found" in result) {
        const { reason, request } = error
        return yield* new OutcomeUnknown({ request, ...(reason === undefined ? {} : { reason }), found: result.found })
      }
      yield* Effect.logInfo(`${subject}: it took effect`)
      return result.done
    })
  )
