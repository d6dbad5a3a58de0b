/** Makes one call for each identifier. A call that fails does not stop the others; the most severe failure sets the exit code. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Outage from "../../core/src/client/Outage.ts"
import { type CannotCreate, type LocalIo, mostSevere, type ServiceError } from "../../core/src/Errors.ts"
import { bodyRetry } from "../../core/src/Schedules.ts"
import type { Output } from "../../platform/files/OutputFile.ts"
import type { StepExit } from "../main/Step.ts"
import { makeAnswers } from "./Answers.ts"
import type { ServiceCalls, Work } from "./ApiMethod.ts"

type Each = Extract<Work, { readonly kind: "each" }>
type Values = Readonly<Record<string, unknown>>
type MethodFailure = ServiceError | LocalIo | CannotCreate

/** Calls `work` once for each distinct id. The body of a single id is streamed where there is a stream and `format` is `json`. */
export const askEach = (
  work: Each,
  service: ServiceCalls,
  ids: ReadonlyArray<string>,
  values: Values,
  format: "json" | "jsonl",
  output: Output
): Effect.Effect<StepExit, MethodFailure> => {
  const distinct = [...new Set(ids)]
  const [first = ""] = distinct
  return work.stream !== undefined && distinct.length === 1 && format === "json"
    ? writeStream(work.stream(service, first, values), output)
    : writeAnswers(work, service, distinct, values, format, output)
}

const writeAnswers = Effect.fnUntraced(function* (
  work: Each,
  service: ServiceCalls,
  ids: ReadonlyArray<string>,
  values: Values,
  format: "json" | "jsonl",
  output: Output
) {
  const answers = makeAnswers(output, format, ids.length > 1)
  const { errors, left } = yield* Outage.askEach(
    ids,
    (id) => work.call(service, id, values),
    (answer, id) => answers.add(id, answer)
  )
  // When every call failed, nothing is printed and no file appears.
  if (errors.length + left < ids.length) yield* Effect.andThen(answers.end, output.commit)
  return mostSevere(errors)
})

/** Writes bytes as they arrive. A body that breaks is asked for again when the output can be rewound: nobody has read it yet. */
const writeStream = (
  payload: Stream.Stream<Uint8Array, ServiceError>,
  output: Output
): Effect.Effect<StepExit, MethodFailure> =>
  Stream.runForEach(payload, output.write).pipe(
    Effect.catchTag("SvcUnavailable", (error) =>
      Effect.flatMap(output.rewind(0), (again) => Effect.fail(again ? ({ _tag: "Broken", error } as const) : error))
    ),
    Effect.tapErrorTag("Broken", ({ error }) => Effect.logWarning(`${error.message}: asking again`)),
    Effect.retry({ schedule: bodyRetry, while: (error) => error._tag === "Broken" }),
    Effect.catchTag("Broken", ({ error }) => Effect.fail(error)),
    Effect.andThen(output.write(new TextEncoder().encode("\n"))),
    Effect.andThen(output.commit),
    Effect.as(0 as const)
  )
