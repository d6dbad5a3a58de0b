/** How a failure stands in the log: its sentence, and for programs its name and the exit code that it would mean. */
import * as Effect from "effect/Effect"
import { AdviceOf, type Advised, codeOf, mostSevere, sentenceOf } from "../Errors.ts"

/**
 * Logs a failure at level error with what to do about it, in a JSON log with `code`, such as `NotFound`, and `exit`.
 *
 * @param text - makes the line of the sentence
 */
export const logFailure = (
  error: Advised & { readonly _tag: string; readonly message: string },
  text: (sentence: string) => string = (sentence) => sentence
): Effect.Effect<void> =>
  Effect.flatMap(AdviceOf, (adviceOf) =>
    Effect.annotateLogs(Effect.logError(text(sentenceOf(adviceOf)(error))), {
      code: codeOf(error),
      exit: mostSevere([error])
    })
  )

/** Warns of a failure that stops nothing yet. */
export const warnOf = (
  error: Advised & { readonly message: string },
  text: (sentence: string) => string = (sentence) => sentence
): Effect.Effect<void> => Effect.flatMap(AdviceOf, (adviceOf) => Effect.logWarning(text(sentenceOf(adviceOf)(error))))
