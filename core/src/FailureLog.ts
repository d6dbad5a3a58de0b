/** How a failure stands in the log: its sentence, and for programs its name and the exit code that it would mean. */
import * as Effect from "effect/Effect"
import { mostSevere } from "./Errors.ts"

/**
 * Logs a failure at level error, in a JSON log with `code`, the tag of the error, and `exit`.
 *
 * @param text - the message of the error when absent
 */
export const logFailure = (
  error: { readonly _tag: string; readonly message: string },
  text: string = error.message
): Effect.Effect<void> => Effect.annotateLogs(Effect.logError(text), { code: error._tag, exit: mostSevere([error]) })
