/** How a record of the service is changed: what `--input` and options give, and a look at the service when the answer is lost. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { parseExactly } from "../../core/src/contract/ExactNumber.ts"
import { type ChangeError, InputMalformed, type LocalIo, type NotFound, OutcomeUnknown } from "../../core/src/Errors.ts"
import { placeOfIssue } from "../../core/src/text/IssuePlace.ts"
import { faultText, readJson } from "../../core/src/text/JsonText.ts"
import { type Input, readInput, textIn } from "../../platform/inputs/InputFile.ts"

/** The input as JSON text without a byte order mark. An error names its place in the text. Fails when a name of the outermost object is given twice. */
export const jsonText = Effect.fnUntraced(function* ({ bytes, name }: Input): Effect.fn.Return<string, InputMalformed> {
  const malformed = (reason: string) => new InputMalformed({ input: name, reason })
  const text = yield* textIn(bytes, malformed)
  if (text.trim() === "") return yield* malformed("it is empty; one JSON value is expected")
  const read = readJson(text)
  if (Result.isFailure(read)) return yield* malformed(faultText(read.failure))
  const [twice] = read.success.duplicates
  if (twice !== undefined) return yield* malformed(`${twice} is given more than once`)
  return text
})

/** The record in `--input`. */
export const recordInput = Effect.fnUntraced(function* <S extends Schema.ConstraintDecoder<unknown>>(
  path: string,
  schema: S
): Effect.fn.Return<S["Type"], InputMalformed | NotFound | LocalIo> {
  const input = yield* readInput(path)
  const text = yield* jsonText(input)
  return yield* Schema.decodeUnknownEffect(schema)(parseExactly(text, "integers")).pipe(
    Effect.mapError((error) => new InputMalformed({ input: input.name, reason: placeOfIssue(error) }))
  )
})

/** The problem of options that say nothing: fields are given in `--input` or by options. */
export const inputProblems = (
  given: (name: string) => boolean,
  fields: ReadonlyArray<string>
): ReadonlyArray<string> =>
  ["input", ...fields].some(given)
    ? []
    : [`Nothing is given: use --input, or ${fields.map((name) => `--${name}`).join(", ")}`]

/** `done`: the change took effect, with the answer that was lost. `found`: it did not, with words about what is stored instead. */
export type Finding = { readonly done: unknown } | { readonly found: string }

/**
 * Gives the answer to `change`. When that is lost, `look` may supply it; otherwise the failure says what the look found. The change is
 * never sent again.
 *
 * @param subject - what is being changed, such as `Person L1`
 */
export const changeAndLook = <R1, E extends { readonly message: string }, R2>(
  change: Effect.Effect<unknown, ChangeError, R1>,
  look: Effect.Effect<Finding, E, R2>,
  subject: string
): Effect.Effect<unknown, ChangeError, R1 | R2> =>
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
