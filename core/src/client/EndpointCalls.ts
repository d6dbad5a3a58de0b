/** Turns the arguments of a client method into the request that the endpoint's declaration and note describe, and its reply into the payload. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import type * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as UrlParams from "effect/http/UrlParams"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import type { Choice, EndpointName, EndpointNote } from "../contract/EndpointNotes.ts"
import { declare, Note } from "../contract/Endpoints.ts"
import { type Enveloped, NotFound as WireNotFound } from "../contract/Envelope.ts"
import {
  type ChangeError,
  NotFound,
  type OutcomeUnknown,
  ReplyMalformed,
  readsOnly,
  type SessionError
} from "../Errors.ts"
import { JsonReply, PathTemplate, RepeatSafe } from "../session/RequestMarks.ts"
import { placeOfIssue } from "../text/IssuePlace.ts"
import { type ExpectedReply, makeJsonReader, payloadOf } from "./Reply.ts"
import { type PanelChoice, panelQuery } from "./ServiceMethods.ts"

/** What one call may say besides its arguments. */
export interface About {
  /** What a "not found" is about, where the arguments do not say it well. */
  readonly subject?: string
  /** The payload to use when the service reports success without one; absent, such a reply is "not found". */
  readonly whenNull?: Schema.Json
}

/** How a payload is handed over: decoded to its record, or the JSON as the service sent it. */
export type Reading = "decoded" | "json"

/** Calls an endpoint with the arguments of its method, and gives its payload: decoded, or as JSON. */
export type Call = (
  name: EndpointName,
  given: ReadonlyArray<unknown>,
  about?: About
) => Effect.Effect<unknown, ChangeError>

const declared = new Map<EndpointName, HttpApiEndpoint.Top>()

/** The declaration of an endpoint, made at the first call of it. */
export const endpointOf = (name: EndpointName): HttpApiEndpoint.Top => {
  const endpoint = declared.get(name) ?? (declare(name) as unknown as HttpApiEndpoint.Top)
  declared.set(name, endpoint)
  return endpoint
}

/** A call of an endpoint with the arguments of its method: the request, what is expected of the reply, and the words for both. */
export const callOf = (
  name: EndpointName,
  given: ReadonlyArray<unknown>,
  reading: Reading,
  { subject: said, ...about }: About = {}
) => {
  const endpoint = endpointOf(name)
  const note = Context.getUnsafe(endpoint.annotations as Context.Context<Note>, Note)
  const args = argumentsOf(note, given)
  const subject = said ?? subjectOf(note, args)
  const asked: ExpectedReply = {
    request: subject === null ? name : `${name} (${subject})`,
    subject,
    // 400 is also said of a body that is wrong.
    missing: [...(endpoint.error.has(WireNotFound) ? [404] : []), ...(endpoint.method === "GET" ? [400] : [])],
    endpoint: `${endpoint.method} ${endpoint.path}`,
    exactness: reading === "json" ? "all" : "integers",
    ...about
  }
  return { endpoint, note, args, asked, request: requestOf(endpoint, note, args, asked) }
}

/** Calls over the requests of one session. */
export const makeCall =
  (http: HttpClient.HttpClient.With<SessionError | OutcomeUnknown>, reading: Reading): Call =>
  (name, given, about) =>
    Effect.suspend(() => {
      const { args, asked, endpoint, note, request } = callOf(name, given, reading, about)
      const reader = makeJsonReader(asked.exactness)
      const ask = Effect.flatMap(request, http.execute).pipe(
        Effect.provideService(JsonReply, reader.judge),
        Effect.flatMap((response) => payloadOf(response, asked, reader))
      )
      const payload = asksForNothing(note, args) ? Effect.succeed([]) : ask
      const answer =
        reading === "json" ? payload : Effect.flatMap(payload, (json) => decoded(json, endpoint, asked.request))
      return answer.pipe(
        Effect.provideService(PathTemplate, endpoint.path),
        Effect.provideService(RepeatSafe, note.mutates !== true),
        note.mutates === true ? identity : readsOnly
      )
    }).pipe(Effect.withSpan(`svc.client.${name}`))

/** What a method was given: the arguments by the names of the note, and the choice that comes after them. */
const argumentsOf = ({ takes }: EndpointNote, given: ReadonlyArray<unknown>) => ({
  named: Object.fromEntries(
    takes.flatMap(({ name }, i) => (given[i] === undefined ? [] : [[name, given[i]] as const]))
  ),
  choice: given[takes.length] ?? {}
})
type Arguments = ReturnType<typeof argumentsOf>

/** Whether an optional list is given and empty. The service could read an empty list in the address as "all", so nothing is sent. */
const asksForNothing = ({ takes }: EndpointNote, { named }: Arguments): boolean =>
  takes.some(({ name, optional }) => optional === true && Array.isArray(named[name]) && named[name].length === 0)

/**
 * The request that the arguments of a method mean, by the declaration and the note of the endpoint. Fails for an identifier that
 * would change the path itself, such as `..`: percent-encoding leaves dots as they are.
 */
const requestOf = Effect.fnUntraced(function* (
  endpoint: HttpApiEndpoint.Top,
  { choices = [] }: EndpointNote,
  { choice, named }: Arguments,
  { request: name, subject }: ExpectedReply
): Effect.fn.Return<HttpClientRequest.HttpClientRequest, NotFound> {
  const segments = endpoint.path.split("/").map((segment) => {
    if (!segment.startsWith(":")) return segment
    const id = String(named[segment.slice(1)])
    return id === "" || id === "." || id === ".." || !id.isWellFormed() ? null : encodeURIComponent(id)
  })
  if (segments.includes(null)) {
    return yield* new NotFound({ what: subject ?? name, detail: "no such identifier can exist" })
  }
  let request = HttpClientRequest.make(endpoint.method)(segments.join("/"))
  const { payload, query } = endpoint
  if (query !== undefined) {
    const params = yield* encoded(query, { ...named, ...choiceQuery(choices, choice) })
    request = HttpClientRequest.setUrlParams(request, params as UrlParams.Input)
  }
  for (const { encoding, schemas } of payload.values()) {
    const body = yield* encoded(schemas[0], named["payload"])
    request =
      encoding._tag === "FormUrlEncoded"
        ? HttpClientRequest.bodyUrlParams(request, body as UrlParams.Input)
        : HttpClientRequest.bodyJsonUnsafe(request, body)
  }
  return request
})

/** What does not fit is a defect: the types of the methods are those of the schemas. */
const encoded = (schema: Schema.Constraint, value: unknown) =>
  Effect.orDie(Schema.encodeUnknownEffect(schema as Schema.Codec<unknown>)(value))

const choiceQuery = (choices: ReadonlyArray<Choice>, chosen: object): Readonly<Record<string, unknown>> =>
  Object.assign(
    {},
    ...choices.map((choice) =>
      choice.kind === "virtualPanel"
        ? panelQuery(chosen as PanelChoice)
        : isSet(chosen, choice.name)
          ? { [choice.name]: "true" }
          : {}
    )
  )

const isSet = (chosen: object, name: string): boolean => (chosen as Readonly<Record<string, unknown>>)[name] === true

/**
 * What a "not found" is about: the subject of the note with the arguments filled in. A flag that is set appears as its name, a
 * list as `analysis A1` or `analyses A1, A2`. Null when the note has no subject, or when an argument that it names was not given.
 */
const subjectOf = ({ choices = [], subject }: EndpointNote, { choice, named }: Arguments): string | null => {
  if (subject === undefined) return null
  let complete = true
  const text = subject.replaceAll(/\{(\w+)(?:\.(\w+))?\}/g, (_, name: string, field?: string) => {
    if (choices.some((flag) => flag.name === name)) return isSet(choice, name) ? `${name} ` : ""
    const value = field === undefined ? named[name] : (named[name] as Readonly<Record<string, unknown>>)[field]
    if (value === undefined || value === null) complete = false
    return Array.isArray(value) ? analysesText(value) : String(value)
  })
  return complete ? text : null
}

/** `analysis A1`, or `analyses A1, A2`. */
export const analysesText = (ids: ReadonlyArray<unknown>): string =>
  `${ids.length === 1 ? "analysis" : "analyses"} ${ids.join(", ")}`

const decoded = (payload: Schema.Json, endpoint: HttpApiEndpoint.Top, request: string) =>
  Schema.decodeEffect(payloadSchema(endpoint))(payload).pipe(
    Effect.mapError((error) => new ReplyMalformed({ request, reason: placeOfIssue(error) }))
  )

/** The schema of an endpoint's payload: its declared success without the envelope. */
export const payloadSchema = ({ success }: HttpApiEndpoint.Top) => {
  const [schema] = success
  return (
    schema !== undefined && "payload" in schema ? (schema as Enveloped<Schema.Top>).payload : schema
  ) as Schema.Codec<unknown>
}
