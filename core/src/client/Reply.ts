/**
 * Reads every reply in the same way: from status and body it gives the payload, or the reason why there is none.
 *
 * The service says "not found" and "no" in several ways, and which one differs by endpoint (docs/dev/service.md 7, 12
 * and 16). Here they become one `ServiceError`. Reasons name places in a body, never values: a value may be personal
 * data.
 */
import * as Effect from "effect/Effect"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { ExactNumber, type Exactness, parseExactly } from "../contract/ExactNumber.ts"
import { Forbidden, NotFound, ReplyMalformed, RequestRejected, Unavailable } from "../Errors.ts"
import { whyNotJson } from "../session/Recognition.ts"
import { RefusedReplies } from "../session/RequestMarks.ts"
import { deepest, tooDeep } from "../text/JsonScanner.ts"
import { isDeeper } from "../text/JsonText.ts"
import { titleOf } from "../text/Markup.ts"

/** How messages name a request, and how the service answers it when the thing asked for does not exist. */
export interface ExpectedReply {
  /** For example `getPerson (person L1)`. */
  readonly request: string
  /** What a "not found" is about, such as `person L1`; null when the request names nothing that could be missing. */
  readonly subject: string | null
  /** Whether the message of a "not found" names the HTTP status. */
  readonly sayStatus?: boolean
  /** Statuses that mean "not found" here, whatever stands in the body. */
  readonly missing: ReadonlyArray<number>
  /** As `GET /api/analysis/:analysisId/annotations`; absent where the service need not have what was asked for. */
  readonly endpoint?: string
  /** The payload to use when the service reports success without one; absent, such a reply is "not found" too. */
  readonly whenNull?: Schema.Json
  /** Which numbers keep their digits where a `number` would lose some; integers when absent. */
  readonly exactness?: Exactness
}

/** The body as text; a leading byte order mark is dropped. */
export const textOf = (response: HttpClientResponse.HttpClientResponse, request: string) =>
  response.text.pipe(
    Effect.map((text) => (text.startsWith("\uFEFF") ? text.slice(1) : text)),
    Effect.mapError(
      ({ reason }) =>
        new ReplyMalformed({ request, reason: reason.description ?? "its body cannot be read to the end" })
    )
  )

/** `text` as JSON (H17, H18, H19). */
export const parseReply = Effect.fnUntraced(function* (
  text: string,
  request: string,
  reader = makeJsonReader()
): Effect.fn.Return<Schema.Json, ReplyMalformed> {
  const malformed = (reason: string) => new ReplyMalformed({ request, reason })
  if (isDeeper(text)) return yield* malformed(tooDeep(deepest))
  return yield* Effect.try({
    try: () => reader.read(text),
    // The parser's own message quotes the body.
    catch: () => malformed(whyNotJson(text) ?? "not JSON")
  })
})

/** Reads JSON, and gives it again to whoever wants it of the same text. */
export const makeJsonReader = (exactness: Exactness = "integers") => {
  let last: { readonly text: string; readonly json: Schema.Json } | null = null
  return {
    /** For the session: why a text is no JSON. */
    judge: (text: string): string | null => {
      const read = Result.try(() => parseExactly(text, exactness))
      last = Result.isSuccess(read) ? { text, json: read.success } : null
      return last === null ? whyNotJson(text) : null
    },
    read: (text: string): Schema.Json => (last?.text === text ? last.json : parseExactly(text, exactness))
  }
}

/**
 * The reply to a typed call: its payload, taken out of the envelope if there is one.
 *
 * @param reader - the one that has judged the reply already
 */
export const payloadOf = Effect.fnUntraced(function* (
  response: HttpClientResponse.HttpClientResponse,
  asked: ExpectedReply,
  reader = makeJsonReader(asked.exactness)
): Effect.fn.Return<Schema.Json, NotFound | RequestRejected | ReplyMalformed | Forbidden | Unavailable> {
  const text = yield* textOf(response, asked.request)
  const { status } = response
  return yield* failOnStatus(response, text, asked).pipe(
    Effect.andThen(parseReply(text, asked.request, reader)),
    Effect.flatMap((json) => openEnvelope(json, status, asked)),
    tellRefusal(status, text)
  )
})

/** Tells the listener in `RefusedReplies` status and body when `effect` fails, which means that the reply was a refusal. */
export const tellRefusal =
  (status: number, body: string) =>
  <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.tapError(effect, () => Effect.flatMap(RefusedReplies, (tell) => tell({ status, body })))

type JsonObject = { readonly [key: string]: Schema.Json }

const isObject = (json: Schema.Json): json is JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json)

/**
 * Takes the payload out of its envelope. For some endpoints it is not known whether they use one, so the body decides: no
 * record has a field named as those of an envelope.
 *
 * - `success` false, or no `success` and no response but an `errorMessageId`: rejected.
 * - `success` true and no response, or a bare null: not found.
 */
export const openEnvelope = Effect.fnUntraced(function* (
  json: Schema.Json,
  status: number,
  asked: ExpectedReply
): Effect.fn.Return<Schema.Json, NotFound | RequestRejected | ReplyMalformed> {
  if (!isEnvelope(json)) return json ?? (yield* absentPayload(asked))
  const response = json["response"] ?? null
  switch (json["success"] ?? null) {
    case true:
    case "true":
      return response ?? (yield* absentPayload(asked))
    case false:
    case "false":
      return yield* rejectionOf(status, json, asked)
    case null:
      if (response !== null) return response
      if (json["errorMessageId"] != null) return yield* rejectionOf(status, json, asked)
      return yield* absentPayload(asked)
    default:
      return yield* new ReplyMalformed({ request: asked.request, reason: "success: expected true or false" })
  }
})

const isEnvelope = (json: Schema.Json): json is JsonObject =>
  isObject(json) && ["success", "response", "errorMessageId"].some((key) => Object.hasOwn(json, key))

const absentPayload = Effect.fnUntraced(function* ({
  request,
  subject,
  whenNull
}: ExpectedReply): Effect.fn.Return<Schema.Json, NotFound | ReplyMalformed> {
  if (whenNull !== undefined) return whenNull
  if (subject === null) return yield* new ReplyMalformed({ request, reason: "null where a result is due" })
  return yield* new NotFound({ what: subject, ...adviceOn(subject) })
})

/** Identifiers are typed by hand, and for the service `a1` is not `A1`. */
const adviceOn = (subject: string) => (/^(?:analysis|person) \S+$/.test(subject) ? ({ next: "findId" } as const) : {})

/** The error that a body with `success: false` means, whatever the status around it. */
const rejectionOf = (status: number, body: JsonObject, { request }: ExpectedReply) =>
  new RequestRejected({
    request,
    status,
    errorMessageId: fieldText(body["errorMessageId"]),
    errorId: fieldText(body["errorId"]),
    additionalInformation: fieldText(body["additionalInformation"])
  })

/** Fails with the error that a status of 300 or above means; a lower status passes. */
export const failOnStatus = Effect.fnUntraced(function* (
  response: HttpClientResponse.HttpClientResponse,
  text: string,
  asked: ExpectedReply
): Effect.fn.Return<void, NotFound | RequestRejected | Forbidden | Unavailable> {
  if (response.status >= 300) return yield* refusal(response, yield* errorBody(text), asked)
})

/** Fails when `json` is an envelope that says `success: false`; anything else passes. */
export const failOnEnvelope = Effect.fnUntraced(function* (
  status: number,
  json: Schema.Json,
  asked: ExpectedReply
): Effect.fn.Return<void, RequestRejected> {
  if (isEnvelope(json) && (json["success"] === false || json["success"] === "false"))
    return yield* rejectionOf(status, json, asked)
})

/**
 * What the service does not know it says by the statuses of its contract, or in the words of an envelope. A 404 that is neither comes from
 * a service, or from something on the way, that lacks the endpoint: nothing is known of what was asked for.
 */
const refusal = (
  { request, status }: HttpClientResponse.HttpClientResponse,
  body: JsonObject,
  asked: ExpectedReply
) => {
  const { endpoint, missing, subject } = asked
  const detail = fieldText(body["errorMessageId"]) ?? fieldText(body["additionalInformation"])
  if (status === 403) return new Forbidden({ what: subject ?? asked.request, status })
  const isMissing = missing.includes(status)
  if (status === 404 && !isMissing && endpoint !== undefined && !isEnvelope(body)) {
    const said = detail === null ? "" : `; ${detail}`
    const reason = `it answers 404 to ${endpoint}, as if it had no such endpoint${said}`
    return new Unavailable({ host: new URL(request.url).host, reason, attempts: 1 })
  }
  return subject !== null && (isMissing || status === 404)
    ? new NotFound({
        what: subject,
        ...(detail === null ? {} : { detail }),
        ...(asked.sayStatus ? { status } : {}),
        ...adviceOn(subject)
      })
    : rejectionOf(status, body, asked)
}

/**
 * The fields of an error body. Of a page, which may be of a proxy that has lost the service, its title; an empty object when the body
 * is empty or anything else but a JSON object.
 */
const errorBody = (text: string): Effect.Effect<JsonObject> =>
  parseReply(text, "").pipe(
    Effect.map((json) => (isObject(json) ? json : {})),
    Effect.orElseSucceed((): JsonObject => {
      const title = titleOf(text)
      return title === null ? {} : { additionalInformation: `a page says ${title}` }
    })
  )

/** Most characters of a text of the service that a message repeats. */
const longestSaid = 500

/** A field of an error body as one printable line, or null when it says nothing. */
const fieldText = (value: Schema.Json | undefined): string | null => {
  if (typeof value !== "string" && typeof value !== "number" && !(value instanceof ExactNumber)) return null
  const line = String(value)
    .replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim()
  // Cut between two words: half of a secret would no longer be recognised and hidden.
  return line.length > longestSaid ? `${line.slice(0, longestSaid).replace(/\S+$/, "")}...` : line || null
}
