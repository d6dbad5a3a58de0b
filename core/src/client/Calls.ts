/**
 * Calls of the endpoints of `ServiceApi` by name: the request is made as declared there, the reply read by `Reply.ts`
 * and decoded as declared there. Nothing about an endpoint is said a second time.
 */
import { Effect, Schema } from "effect"
import type { HttpClient, HttpClientResponse } from "effect/http"
import { HttpApiClient, type HttpApiEndpoint } from "effect/http-api"
import type { Enveloped } from "../contract/Envelope.ts"
import { ServiceApi } from "../contract/ServiceApi.ts"
import { NotFound, ReplyMalformed, type ServiceError, type SessionError } from "../Errors.ts"
import { payloadOf, placeOfIssue } from "./Reply.ts"
import type { Asked } from "./ReplyText.ts"

type Groups = (typeof ServiceApi)["groups"]
type GroupName = Exclude<keyof Groups, "session">
type EndpointName<G extends GroupName> = keyof Groups[G]["endpoints"] & string
type Endpoint<G extends GroupName, N extends EndpointName<G>> = Extract<
  Groups[G]["endpoints"][N],
  HttpApiEndpoint.ConstraintRequest
>

/** Path parameters, query and body of a call, as far as its endpoint has them. */
type RequestOf<G extends GroupName, N extends EndpointName<G>> = Part<"params", Endpoint<G, N>["~Params"]> &
  Part<"query", Endpoint<G, N>["~Query"]> &
  Part<"payload", Endpoint<G, N>["~Payload"]>

type Part<Name extends string, S extends Schema.Constraint> = [S["Type"]] extends [never]
  ? object
  : { readonly [K in Name]: S["Type"] }

/** What a call gives: the declared success, without its envelope. */
type PayloadOf<G extends GroupName, N extends EndpointName<G>> =
  Endpoint<G, N>["~Success"] extends Enveloped<infer S>
    ? S["Type"]
    : Endpoint<G, N>["~Success"] extends Schema.Constraint
      ? Endpoint<G, N>["~Success"]["Type"]
      : never

/** How a payload is handed over: decoded to its record, or the JSON as the service sent it. */
export type Reading = "decoded" | "json"

/** The reply to a call in one of the readings. */
export type Reply<R extends Reading, A> = Effect.Effect<R extends "json" ? Schema.Json : A, ServiceError>

/** What the declaration of an endpoint does not say about a call. */
export interface About {
  /** What a "not found" is about, such as `person L1`; absent when the call names nothing that could be missing. */
  readonly subject?: string
  /** The payload when the service reports success and none; without it, that is "not found". */
  readonly whenNull?: Schema.Json
  /** The payload when it is clear without asking. */
  readonly known?: Schema.Json
}

/** Calls in one reading. */
export interface Calls<R extends Reading> {
  readonly call: <G extends GroupName, N extends EndpointName<G>>(
    group: G,
    name: N,
    request: RequestOf<G, N>,
    about?: About
  ) => Reply<R, PayloadOf<G, N>>
}

type Decodable = Schema.ConstraintDecoder<unknown>
type Send = (request: object) => Effect.Effect<HttpClientResponse.HttpClientResponse, SessionError>

/** Turns a payload into what a reading hands over. */
interface Reader<R extends Reading> {
  readonly reading: R
  readonly read: (payload: Schema.Json, schema: Decodable, request: string) => Effect.Effect<unknown, ReplyMalformed>
}

export const decodedReading: Reader<"decoded"> = {
  reading: "decoded",
  read: (payload, schema, request) =>
    Schema.decodeEffect(schema)(payload).pipe(
      Effect.mapError((error) => new ReplyMalformed({ request, reason: placeOfIssue(error) }))
    )
}

export const jsonReading: Reader<"json"> = { reading: "json", read: Effect.succeed }

/** Calls over the requests of one session. */
export const makeCalls = <R extends Reading>(
  http: HttpClient.HttpClient.With<SessionError>,
  { read, reading }: Reader<R>
): Calls<R> => {
  const sends = new Map<Declared, Send>()
  /** Made at the first call: a job calls one or two endpoints of them all, and each takes its time to be made. */
  const sendOf = Effect.fnUntraced(function* (group: GroupName, endpoint: Declared) {
    const known = sends.get(endpoint)
    if (known !== undefined) return known
    const name = endpoint.identifier as never
    // `RequestOf` says for all names what the type of the client says for each; its further errors come of decoding only.
    const send = (yield* HttpApiClient.endpoint(ServiceApi, { group, endpoint: name, httpClient: http })) as Send
    sends.set(endpoint, send)
    return send
  })

  const payload = Effect.fnUntraced(function* (
    group: GroupName,
    endpoint: Declared,
    request: object,
    { known, subject, whenNull }: About
  ) {
    const { identifier, method } = endpoint
    const asked: Asked = {
      request: subject === undefined ? identifier : `${identifier} (${subject})`,
      subject: subject ?? null,
      missing: method === "GET" ? [404, 400] : [404],
      exactness: reading === "json" ? "all" : "integers",
      ...(whenNull === undefined ? {} : { whenNull })
    }
    if (known !== undefined) return { asked, payload: known }
    if (!fitsPath(request)) {
      return yield* new NotFound({ what: subject ?? identifier, detail: "no such identifier can exist" })
    }
    const send = yield* sendOf(group, endpoint)
    const response = yield* send({ ...request, responseMode: "response-only" })
    return { asked, payload: yield* payloadOf(response, asked) }
  })

  const run = (
    group: GroupName,
    name: string,
    request: object,
    about: About = {}
  ): Effect.Effect<unknown, ServiceError> => {
    const endpoint = endpointOf(group, name)
    if (endpoint === undefined) return Effect.die(`no endpoint ${group}.${name}`)
    return payload(group, endpoint, request, about).pipe(
      Effect.flatMap(({ asked, payload }) => read(payload, payloadSchema(endpoint), asked.request)),
      Effect.withSpan(`ServiceClient.${name}`)
    )
  }

  // `run` gives what `Reply` says: `read` decodes to the type of the schema that belongs to group and name.
  return { call: run } as Calls<R>
}

/** As much of the declaration of an endpoint as a call needs while it runs. */
interface Declared {
  readonly identifier: string
  readonly method: string
  readonly success: ReadonlySet<Schema.Constraint>
}

const endpointOf = (group: GroupName, name: string): Declared | undefined =>
  (ServiceApi.groups[group].endpoints as Readonly<Record<string, Declared>>)[name]

/** The declared success of an endpoint, without its envelope. */
const payloadSchema = ({ success }: Declared): Decodable => {
  const [schema] = success
  return (schema !== undefined && isEnveloped(schema) ? schema.payload : schema) as Decodable
}

const isEnveloped = (schema: Schema.Constraint): schema is Enveloped<Schema.Top> => "payload" in schema

/** False for path parameters that would change the path itself; encoding does not help against dots. */
export const fitsPath = (request: { readonly params?: Readonly<Record<string, string>> }): boolean =>
  Object.values(request.params ?? {}).every((id) => id !== "" && id !== "." && id !== ".." && id.isWellFormed())
