/** How a failure stands in the log: its sentence, and for programs its name and the exit code that it would mean. */
import * as Effect from "effect/Effect"
import { codeOf, mostSevere } from "./Errors.ts"

/**
 * Logs a failure at level error, in a JSON log with `code`, such as `NotFound`, and `exit`.
 *
 * @param text - the message of the error when absent
 */
export const logFailure = (
  error: { readonly _tag: string; readonly message: string },
  text: string = error.message
): Effect.Effect<void> => Effect.annotateLogs(Effect.logError(text), { code: codeOf(error), exit: mostSevere([error]) })
