/**
 * What steps print. All text goes to standard output through here, except data that the user wants byte for byte.
 *
 * Names, ids, sizes and paths are printed as they are. Sentences, alone or inside of a document, lose the secrets of this
 * process on the way.
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { printableJson } from "../../core/src/text/Printable.ts"
import { Scrubber } from "../../core/src/text/Scrubber.ts"

/** Lines of names, ids, sizes and paths. */
export const printLines = (text: string): Effect.Effect<void> => Console.log(text)

/** Sentences. */
export const printProse = (text: string): Effect.Effect<void> =>
  Effect.flatMap(Scrubber, ({ prose }) => Console.log(prose(text)))

/** Prints one of our JSON documents. */
export const printDocument = (document: unknown): Effect.Effect<void> =>
  Effect.flatMap(Scrubber, (scrubber) => Console.log(printableJson(scrubber.document(document))))
