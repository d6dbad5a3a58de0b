/**
 * Calls the endpoints of `Endpoints.ts`: builds the request from the declaration and the note of the endpoint, has `Reply.ts` read
 * the reply, and decodes the payload with the declared schema. No endpoint is described a second time here.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import type { Choice, EndpointName, EndpointNote } from "../contract/EndpointNotes.ts"
import { declare, Note } from "../contract/Endpoints.ts"
import type { Enveloped } from "../contract/Envelope.ts"
import { NotFound, ReplyMalformed, type ServiceError, type SessionError } from "../Errors.ts"
import { JsonReply, PathTemplate, RepeatSafe } from "../session/RequestMarks.ts"
import { placeOfIssue } from "../text/IssuePlace.ts"
import { type ExpectedReply, makeJsonReader, payloadOf } from "./Reply.ts"
import { type PanelChoice, panelQuery, type Reading } from "./ServiceMethods.ts"

/** The parts of a request: path parameters, query and body. */
export interface CallRequest {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly payload?: unknown
}

/**
 * The request that the arguments of a method mean, by the note on the endpoint.
 *
 * @param path - with `:name` for each path parameter
 * @param given - the arguments that the note names, then the choice
 */
export const requestOf = (
  path: string,
  { choices = [], takes }: EndpointNote,
  given: ReadonlyArray<unknown>
): CallRequest => {
  const named = takes.flatMap(({ name }, i) => (given[i] === undefined ? [] : [[name, given[i]] as const]))
  const inPath = (name: string) => path.split("/").includes(`:${name}`)
  const payload = named.find(([name]) => name === "payload")
  return {
    params: Object.fromEntries(
      named.flatMap(([name, value]) => (inPath(name) ? [[name, String(value)] as const] : []))
    ),
    query: {
      ...Object.fromEntries(named.filter(([name]) => name !== "payload" && !inPath(name))),
      ...choiceQuery(choices, given[takes.length] ?? {})
    },
    ...(payload === undefined ? {} : { payload: payload[1] })
  }
}

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
export const subjectOf = (
  { choices = [], subject, takes }: EndpointNote,
  given: ReadonlyArray<unknown>
): string | null => {
  if (subject === undefined) return null
  const named: Readonly<Record<string, unknown>> = Object.fromEntries(takes.map(({ name }, i) => [name, given[i]]))
  const chosen = given[takes.length] ?? {}
  let complete = true
  const text = subject.replaceAll(/\{(\w+)(?:\.(\w+))?\}/g, (_, name: string, field?: string) => {
    if (choices.some((choice) => choice.name === name)) return isSet(chosen, name) ? `${name} ` : ""
    const value = field === undefined ? named[name] : (named[name] as Readonly<Record<string, unknown>>)[field]
    if (value === undefined || value === null) complete = false
    return Array.isArray(value) ? analysesText(value) : String(value)
  })
  return complete ? text : null
}

/** `analysis A1`, or `analyses A1, A2`. */
export const analysesText = (ids: ReadonlyArray<unknown>): string =>
  `${ids.length === 1 ? "analysis" : "analyses"} ${ids.join(", ")}`

type Decodable = Schema.ConstraintDecoder<unknown>
type Send = (request: object) => Effect.Effect<HttpClientResponse.HttpClientResponse, SessionError>

/** The parts of an endpoint's declaration that a call needs while it runs. */
export interface Declared {
  readonly identifier: string
  readonly method: string
  readonly path: string
  readonly success: ReadonlySet<Schema.Constraint>
  readonly annotations: Context.Context<never>
}

/** What one call may say besides its arguments. */
export interface About {
  /** What a "not found" is about, where the arguments do not say it well. */
  readonly subject?: string
  /** The payload to use when the service reports success without one; absent, such a reply is "not found". */
  readonly whenNull?: Schema.Json
}

/** Calls an endpoint with the arguments of its method, and gives its payload: decoded, or as JSON. */
export type Call = (
  name: EndpointName,
  given: ReadonlyArray<unknown>,
  about?: About
) => Effect.Effect<unknown, ServiceError>

/** Turns a payload into what a reading hands over. */
interface Reader {
  readonly reading: Reading
  readonly read: (payload: Schema.Json, schema: Decodable, request: string) => Effect.Effect<unknown, ReplyMalformed>
}

const readers: Readonly<Record<Reading, Reader>> = {
  decoded: {
    reading: "decoded",
    read: (payload, schema, request) =>
      Schema.decodeEffect(schema)(payload).pipe(
        Effect.mapError((error) => new ReplyMalformed({ request, reason: placeOfIssue(error) }))
      )
  },
  json: { reading: "json", read: Effect.succeed }
}

type Endpoint = ReturnType<typeof declare>

const declared = new Map<EndpointName, Endpoint>()

/** The declaration of an endpoint, made at the first call of it, and its note. */
export const endpointOf = (name: EndpointName) => {
  const endpoint = declared.get(name) ?? declare(name)
  declared.set(name, endpoint)
  return { endpoint, note: Context.getUnsafe(endpoint.annotations as Context.Context<Note>, Note) }
}

/** What a call expects of its reply, and the words with which messages name the call. */
export const expectedReplyOf = (
  { identifier, method }: Declared,
  subject: string | null,
  reading: Reading
): ExpectedReply => ({
  request: subject === null ? identifier : `${identifier} (${subject})`,
  subject,
  missing: method === "GET" ? [404, 400] : [404],
  exactness: reading === "json" ? "all" : "integers"
})

/** Calls over the requests of one session. */
export const makeCall = (http: HttpClient.HttpClient.With<SessionError>, reading: Reading): Call => {
  const { read } = readers[reading]
  const sends = new Map<string, Send>()
  /** Each endpoint's client is built at its first call: building takes time, and a job calls only one or two endpoints. */
  const sendOf = Effect.fnUntraced(function* (endpoint: Endpoint) {
    const known = sends.get(endpoint.identifier)
    if (known !== undefined) return known
    const api = HttpApi.make("service").add(HttpApiGroup.make("call").add(endpoint))
    // `never`: the note names the parameters that the endpoint declares, which the types cannot follow here.
    const about = { group: "call", endpoint: endpoint.identifier, httpClient: http } as never
    // The built client keeps the context it is built in. The context of the first call would keep that call's span in memory.
    const made = HttpApiClient.endpoint(api, about) as Effect.Effect<Send>
    const send = yield* Effect.updateContext(made, (_: Context.Context<never>) => Context.empty())
    sends.set(endpoint.identifier, send)
    return send
  })

  const ask = Effect.fnUntraced(function* (endpoint: Endpoint, request: CallRequest, asked: ExpectedReply) {
    if (!fitsPath(request)) {
      return yield* new NotFound({ what: asked.subject ?? asked.request, detail: "no such identifier can exist" })
    }
    const send = yield* sendOf(endpoint)
    const reader = makeJsonReader(asked.exactness)
    const sent = send({ ...request, responseMode: "response-only" })
    return yield* payloadOf(yield* Effect.provideService(sent, JsonReply, reader.judge), asked, reader)
  })

  return (name, given, { subject, ...about } = {}) =>
    Effect.suspend(() => {
      const { endpoint, note } = endpointOf(name)
      const asked = { ...expectedReplyOf(endpoint, subject ?? subjectOf(note, given), reading), ...about }
      const answer = asksForNothing(note, given)
        ? Effect.succeed([])
        : ask(endpoint, requestOf(endpoint.path, note, given), asked)
      return Effect.flatMap(answer, (payload) => read(payload, payloadSchema(endpoint), asked.request)).pipe(
        Effect.provideService(PathTemplate, endpoint.path),
        Effect.provideService(RepeatSafe, note.mutates !== true)
      )
    }).pipe(Effect.withSpan(`svc.client.${name}`))
}

/** Whether an optional list is given and empty. The service could read an empty list in the address as "all", so nothing is sent. */
const asksForNothing = ({ takes }: EndpointNote, given: ReadonlyArray<unknown>): boolean =>
  takes.some(({ optional }, i) => optional === true && Array.isArray(given[i]) && given[i].length === 0)

/** The schema of an endpoint's payload: its declared success without the envelope. */
export const payloadSchema = ({ success }: Declared): Decodable => {
  const [schema] = success
  return (schema !== undefined && isEnveloped(schema) ? schema.payload : schema) as Decodable
}

/** Whether the answer to an endpoint is declared as an envelope around its payload. */
export const hasEnvelope = ({ success }: Declared): boolean => [...success].some(isEnveloped)

const isEnveloped = (schema: Schema.Constraint): schema is Enveloped<Schema.Top> => "payload" in schema

/** False for path parameters that would change the path itself, such as `..`: percent-encoding leaves dots as they are. */
export const fitsPath = ({ params }: Pick<CallRequest, "params">): boolean =>
  Object.values(params).every((id) => id !== "" && id !== "." && id !== ".." && id.isWellFormed())
