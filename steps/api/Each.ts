/** One call for each identifier. What fails for one does not stop the others, and decides the exit code. */

import { Effect, Result, Stream } from "effect"
import * as Outage from "../../core/src/client/Outage.ts"
import { type CannotCreate, type LocalIo, mostSevere, type ServiceError } from "../../core/src/Errors.ts"
import { bodyRetry } from "../../core/src/Schedules.ts"
import type { Output } from "../../platform/OutputFile.ts"
import type { StepExit } from "../main/Step.ts"
import { makeAnswers } from "./Answers.ts"
import type { Door, Work } from "./ApiMethod.ts"

type Each = Extract<Work, { readonly kind: "each" }>
type Values = Readonly<Record<string, unknown>>
type Failure = ServiceError | LocalIo | CannotCreate

/** Calls `work` for all `ids`, each once. A single body may be larger than memory when it is not made into lines. */
export const askEach = (
  work: Each,
  door: Door,
  ids: ReadonlyArray<string>,
  values: Values,
  format: "json" | "jsonl",
  output: Output
): Effect.Effect<StepExit, Failure> => {
  const distinct = [...new Set(ids)]
  const [first = ""] = distinct
  return work.stream !== undefined && distinct.length === 1 && format === "json"
    ? streamed(work.stream(door, first, values), output)
    : answered(work, door, distinct, values, format, output)
}

const answered = Effect.fnUntraced(function* (
  work: Each,
  door: Door,
  ids: ReadonlyArray<string>,
  values: Values,
  format: "json" | "jsonl",
  output: Output
) {
  const answers = makeAnswers(output, format, ids.length > 1)
  const errors: Array<ServiceError> = []
  let asked = 0
  const outage = yield* Outage.make
  for (const id of ids) {
    asked++
    const result = yield* Effect.result(work.call(door, id, values))
    if (Result.isSuccess(result)) {
      yield* outage.answered
      yield* answers.add(id, result.success)
    } else {
      const error = result.failure
      if (ids.length === 1) return yield* error
      errors.push(error)
      yield* Effect.logError(error.message)
      if (yield* outage.failed(error)) break
    }
  }
  const left = ids.length - asked
  if (left > 0) yield* Effect.logError(`Not asked for the last ${left} of ${ids.length}, as that would fail too`)
  // Where nothing was found, nothing is printed and no file appears.
  if (errors.length < asked) yield* Effect.andThen(answers.end, output.commit)
  return mostSevere(errors)
})

/** Bytes as they come. A body that breaks is asked for again, where none of it has been seen. */
const streamed = (payload: Stream.Stream<Uint8Array, ServiceError>, output: Output): Effect.Effect<StepExit, Failure> =>
  Stream.runForEach(payload, output.write).pipe(
    Effect.catchTag("Unavailable", (error) =>
      Effect.flatMap(output.rewind(0), (again) => Effect.fail(again ? ({ _tag: "Broken", error } as const) : error))
    ),
    Effect.tapErrorTag("Broken", ({ error }) => Effect.logWarning(`${error.message}: asking again`)),
    Effect.retry({ schedule: bodyRetry, while: (error) => error._tag === "Broken" }),
    Effect.catchTag("Broken", ({ error }) => Effect.fail(error)),
    Effect.andThen(output.write(new TextEncoder().encode("\n"))),
    Effect.andThen(output.commit),
    Effect.as(0 as const)
  )
