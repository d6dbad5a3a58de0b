/** Makes one call whose payload is a list. An identifier that was asked for and has no item in it is reported as not found. */
import * as Effect from "effect/Effect"
import { mostSevere, NotFound } from "../../core/src/Errors.ts"
import { logFailure } from "../../core/src/FailureLog.ts"
import type { Output } from "../../platform/files/OutputFile.ts"
import { documentOf } from "./Answers.ts"
import type { ServiceCalls, Work } from "./ApiMethod.ts"

export const askList = Effect.fnUntraced(function* (
  work: Extract<Work, { readonly kind: "list" }>,
  service: ServiceCalls,
  operands: ReadonlyArray<string>,
  values: Readonly<Record<string, unknown>>,
  format: "json" | "jsonl",
  output: Output
) {
  const distinct = [...new Set(operands)]
  const payload = yield* work.call(service, distinct, values)
  yield* Effect.andThen(output.write(documentOf(payload, format)), output.commit)
  const absent = (work.absent?.(payload, distinct) ?? []).map((id) => new NotFound({ what: `analysis ${id}` }))
  yield* Effect.forEach(absent, (error) => logFailure(error), { discard: true })
  return mostSevere(absent)
})
