/** The programs of the methods of `svc-api`: each opens one session, makes the calls one after the other, and writes the answers. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Outage from "../../core/src/client/Outage.ts"
import { ServiceClient } from "../../core/src/client/ServiceClient.ts"
import { serversChoice } from "../../core/src/client/ServiceMethods.ts"
import { PanelId } from "../../core/src/contract/Ids.ts"
import { openApiDocument } from "../../core/src/contract/OpenApiDocument.ts"
import {
  type CannotCreate,
  type ChangeError,
  type LocalIo,
  mostSevere,
  NotFound,
  type ServiceError
} from "../../core/src/Errors.ts"
import { bodyRetry } from "../../core/src/Schedules.ts"
import { makeSessionProfile } from "../../core/src/session/SessionSettings.ts"
import type { LocalSettings, Settings } from "../../core/src/settings/Settings.ts"
import { logFailure } from "../../core/src/telemetry/FailureLog.ts"
import * as Clients from "../../platform/Clients.ts"
import { type Output, openOutput } from "../../platform/files/OutputFile.ts"
import {
  makeProgram,
  makeServiceProgram,
  type Own,
  type Program,
  type StepExit,
  type StepFailure,
  valuesOf,
  withProblems
} from "../main/Program.ts"
import { version } from "../main/Version.ts"
import { documentOf, logErrorBody, makeAnswers, withErrorBody } from "./Answers.ts"
import type {
  ApiMethod,
  output as outputOption,
  ServiceCalls,
  Special,
  SpecialName,
  Values,
  Work
} from "./ApiMethod.ts"
import { methodTable } from "./ApiStep.ts"
import { genericRequest } from "./GenericRequest.ts"
import { createPanel, updatePanel } from "./Panels.ts"
import { savePerson } from "./SavePerson.ts"

/** The part that needs the service, after all local checks: makes the calls and writes the answers to `output`. */
type Perform = (output: Output) => Effect.Effect<StepExit, StepFailure, ServiceClient>

interface Performer {
  readonly check: (operands: ReadonlyArray<string>, own: Own) => ReadonlyArray<string>
  readonly prepare: (operands: ReadonlyArray<string>, own: Own) => Effect.Effect<Perform, StepFailure>
}

/** The program of a method that logs in. */
const programOf = ({ operands: declared, work }: ApiMethod): Program => {
  const { check, prepare } = performerOf(work)
  return makeServiceProgram(
    (_settings, operands, own) =>
      withProblems(Result.succeed({ operands, own }), [
        ...(operands.includes("") ? [`${declared?.metavar ?? "An argument"} must not be empty`] : []),
        ...check(operands, own)
      ]),
    Effect.fnUntraced(function* (settings: Settings, { operands, own }) {
      const perform = yield* prepare(operands, own)
      const { "include-error-body": verbose, output: path } = own.values as Common
      const output = yield* openOutput(path)
      const work = verbose === true ? withErrorBody(perform(output), logErrorBody) : perform(output)
      return yield* Effect.provide(work, Clients.layer(settings, makeSessionProfile(version)))
    }, Effect.scoped)
  )
}

type Common = {
  readonly output: string | null
  readonly "include-error-body"?: boolean
  readonly format: "json" | "jsonl"
  readonly "virtual-panel-id"?: string
}

const specials: Readonly<Record<SpecialName, Special>> = {
  savePerson,
  createPanel,
  updatePanel,
  request: genericRequest
}

const performerOf = (work: Work): Performer => {
  if (work.kind === "special") {
    const { check, prepare } = specials[work.which]
    return {
      check,
      prepare: (operands, own) =>
        Effect.map(prepare(operands, own), (ask) => (output) => Effect.as(Effect.flatMap(ask, writeWhole(output)), 0))
    }
  }
  return {
    check: (_, own) => (work.kind === "one" ? (work.check?.(own.values) ?? []) : []),
    prepare: (operands, { values }) => {
      const { format, "include-error-body": verbose, "virtual-panel-id": panel } = values as Common
      return Effect.succeed((output) =>
        Effect.flatMap(serviceCalls(panel), (service) => {
          switch (work.kind) {
            case "each":
              return askEach(verbose === true ? withErrorBodies(work) : work, service, operands, values, format, output)
            case "list":
              return askList(work, service, operands, values, format, output)
            case "one": {
              const answer = Effect.map(work.call(service, operands, values), (payload) => documentOf(payload, "json"))
              return Effect.as(Effect.flatMap(answer, writeWhole(output)), 0)
            }
          }
        })
      )
    }
  }
}

/** The same work, which logs the error body of each failed call: a failure does not end the list, so each is shown at once. */
const withErrorBodies = (work: Extract<Work, { readonly kind: "each" }>): typeof work => ({
  ...work,
  call: (...about) => withErrorBody(work.call(...about), logErrorBody)
})

/** Writes all bytes at once and commits the output. */
const writeWhole = (output: Output) => (bytes: Uint8Array) => Effect.andThen(output.write(bytes), output.commit)

const serviceCalls = Effect.fnUntraced(function* (panel: string | undefined) {
  const virtualPanelId = panel === "none" ? serversChoice : PanelId.make(panel ?? "1")
  return { api: yield* ServiceClient, panel: { virtualPanelId } } satisfies ServiceCalls
})

/** Makes one call whose payload is a list. An identifier that was asked for and has no item in it is reported as not found. */
const askList = Effect.fnUntraced(function* (
  work: Extract<Work, { readonly kind: "list" }>,
  service: ServiceCalls,
  operands: ReadonlyArray<string>,
  values: Values,
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

type Each = Extract<Work, { readonly kind: "each" }>
type MethodFailure = ChangeError | LocalIo | CannotCreate

/** Calls `work` once for each distinct operand. The body of a single one is streamed where there is a stream and `format` is `json`. */
export const askEach = Effect.fnUntraced(function* (
  work: Each,
  service: ServiceCalls,
  operands: ReadonlyArray<string>,
  values: Values,
  format: "json" | "jsonl",
  output: Output
): Effect.fn.Return<StepExit, MethodFailure> {
  const ids = [...new Set(operands)]
  const [first = ""] = ids
  if (work.stream !== undefined && ids.length === 1 && format === "json") {
    return yield* writeStream(work.stream(service, first, values), output)
  }
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

/** `openapi`: the declaration of the API, without a request to the service. */
const openApi = makeProgram(
  (_settings, _operands, own) => Result.succeed(valuesOf<{ readonly output: typeof outputOption }>(own).output),
  Effect.fn("svc.step.openapi")(function* (_: LocalSettings, path: string | null) {
    const { commit, write } = yield* openOutput(path)
    yield* write(documentOf(openApiDocument(version), "json"))
    yield* commit
    return 0 as const
  }, Effect.scoped)
)

/** By method. */
export const programs: Readonly<Record<string, Program>> = {
  ...Object.fromEntries(methodTable.map((row) => [row.method, programOf(row)])),
  openapi: openApi
}
