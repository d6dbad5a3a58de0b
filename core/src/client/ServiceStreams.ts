/** Streams the payloads that may be larger than memory as they arrive, byte for byte, so that nothing is parsed and no number loses a digit. */

import * as Bytes from "effect/Bytes"
import * as Effect from "effect/Effect"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { EndpointName } from "../contract/EndpointNotes.ts"
import { ReplyMalformed, readsOnly, type ServiceError, Unavailable } from "../Errors.ts"
import { whyNotJson } from "../session/Recognition.ts"
import { JsonReply, PathTemplate } from "../session/RequestMarks.ts"
import type { Session } from "../session/Session.ts"
import { faultOfClientError } from "../session/TransportFault.ts"
import { type JsonFault, type JsonListener, JsonScanner } from "../text/JsonScanner.ts"
import { callOf } from "./EndpointCalls.ts"
import { type ExpectedReply, failOnStatus, openEnvelope, parseReply, tellRefusal, textOf } from "./Reply.ts"

/** The payload of a call as a stream of bytes; the arguments are those of the method of that name. */
export const payloadStream = (
  session: Session["Service"],
  name: EndpointName,
  given: ReadonlyArray<unknown>
): Stream.Stream<Uint8Array, ServiceError> =>
  streamedReply(session, name, given).pipe(
    Effect.map(checkedPayload),
    Effect.withSpan(`svc.client.${name}`),
    Stream.unwrap
  )

/** The payload of a reply as a stream that fails when the body is not complete JSON or its envelope reports a failure. */
const checkedPayload = ({ asked, response }: StreamedReply): Stream.Stream<Uint8Array, ServiceError> => {
  const passage = new JsonPassage()
  const malformed = (reason: string) => new ReplyMalformed({ request: asked.request, reason })
  const body = response.stream.pipe(
    Stream.mapError((error) => {
      const { host } = new URL(response.request.url)
      return new Unavailable({ host, reason: faultOfClientError(error).reason, attempts: 1 })
    }),
    Stream.mapEffect((chunk) => {
      const parts = passage.push(chunk)
      return typeof parts === "string" ? Effect.fail(malformed(parts)) : Effect.succeed(parts)
    }),
    Stream.flatMap((parts) => Stream.fromIterable(parts))
  )
  const verdict = Effect.gen(function* () {
    const end = passage.end()
    if (typeof end === "string") return yield* malformed(end)
    yield* openEnvelope(yield* parseReply(end.outline, asked.request), response.status, asked)
  })
  return Stream.concat(body, Stream.fromEffectDrain(verdict))
}

/** A reply whose status is checked, and whose body is left unread for the caller. */
export interface StreamedReply {
  readonly asked: ExpectedReply
  readonly response: HttpClientResponse.HttpClientResponse
}

/**
 * Sends the request that the declaration of the endpoint says. No other request of the session starts before the scope closes.
 *
 * @param given - the arguments of the client method of the same name
 */
export const streamedReply = (
  session: Session["Service"],
  name: EndpointName,
  given: ReadonlyArray<unknown>
): Effect.Effect<StreamedReply, ServiceError, Scope.Scope> =>
  Effect.gen(function* () {
    const { asked, endpoint, request } = callOf(name, given, "json")
    const response = yield* session
      .stream(yield* request)
      .pipe(Effect.provideService(PathTemplate, endpoint.path), Effect.provideService(JsonReply, whyNotJson), readsOnly)
    if (response.status >= 300) {
      const text = yield* textOf(response, asked.request)
      yield* tellRefusal(response.status, text)(failOnStatus(response, text, asked))
    }
    return { asked, response }
  })

/** The field names of an envelope. No record of the service has a field of such a name. */
const envelopeNames: ReadonlyArray<string> = [
  "success",
  "response",
  "errorMessageId",
  "errorExpected",
  "errorId",
  "additionalInformation"
]

/** Longest envelope without its `response`, in bytes: anything longer is not an envelope of this service. */
const longestEnvelope = 65_536

/** What the body turned out to be, once it is complete. */
export interface Verdict {
  /** The body with `0` in place of the payload that was handed on: an envelope, `null`, or `0` alone. */
  readonly outline: string
}

const openBrace = 0x7b
const letterN = 0x6e
const zero = Uint8Array.of(0x30)
const decoder = new TextDecoder()

/**
 * Takes the payload out of the envelope of a reply while the reply arrives, byte for byte, and checks that the whole body is JSON.
 *
 * The first name of the outermost object shows whether it is an envelope. Bytes are handed on before the end of the body is
 * known to be sound: a caller that keeps them must wait for `end`.
 */
export class JsonPassage implements JsonListener {
  readonly #scanner = new JsonScanner(this, 1)
  #form: "unknown" | "bare" | "envelope" = "unknown"
  /** Where the bytes go that are read next; what surrounds the body is white space, and left out. */
  #target: "nowhere" | "outline" | "payload" = "nowhere"
  /** All of the body while its form is unknown. */
  #outline: Array<Uint8Array> = []
  #outlineSize = 0
  #payload: Array<Uint8Array> = []
  #chunk: Uint8Array = new Uint8Array()
  /** How far the chunk has been taken. */
  #taken = 0
  #name = ""
  #hasResponse = false
  /** The first byte of the body. */
  #root = 0

  /** Takes the next bytes of the body and gives the parts of the payload in them, or the reason why the body is not JSON. */
  push(chunk: Uint8Array): ReadonlyArray<Uint8Array> | string {
    this.#payload = []
    this.#chunk = chunk
    this.#taken = 0
    const fault = this.#scanner.push(chunk)
    if (fault !== null) return inWords(fault)
    this.#take(chunk.length)
    return this.#outlineSize > longestEnvelope ? "an envelope that is too large" : this.#payload
  }

  /** Call after the last byte: gives the verdict, or the reason when something is missing. */
  end(): Verdict | string {
    const fault = this.#scanner.end()
    if (fault !== null) return inWords(fault)
    return { outline: this.#form === "bare" ? "0" : decoder.decode(Bytes.concat(this.#outline)) }
  }

  began(at: number, byte: number, depth: number): string | null {
    if (depth === 0) {
      this.#take(at)
      this.#root = byte
      // `null` may mean that there is no payload, and an object may be an envelope; any other value is the payload.
      if (byte === openBrace || byte === letterN) this.#target = "outline"
      else this.#becomeBare()
    } else if (this.#form === "envelope" && this.#name === "response" && byte !== letterN) {
      if (this.#hasResponse) return "two payloads"
      this.#hasResponse = true
      this.#take(at)
      this.#keep(zero)
      this.#target = "payload"
    }
    return null
  }

  ended(at: number, depth: number): void {
    if (depth === 0 && this.#form === "unknown" && this.#root === openBrace) this.#becomeBare()
    if (depth === 0) {
      this.#take(at)
      this.#target = "nowhere"
    } else if (this.#form === "envelope" && this.#target === "payload") {
      this.#take(at)
      this.#target = "outline"
    }
  }

  named(name: string): null {
    this.#name = name
    if (this.#form !== "unknown") return null
    if (envelopeNames.includes(name)) this.#form = "envelope"
    else this.#becomeBare()
    return null
  }

  /** The whole body is the payload, also what has been read of it. */
  #becomeBare(): void {
    this.#form = "bare"
    this.#target = "payload"
    this.#payload.push(...this.#outline)
    this.#outline = []
    this.#outlineSize = 0
  }

  /** Takes the chunk up to `to`. */
  #take(to: number): void {
    const part = this.#chunk.subarray(this.#taken, to)
    this.#taken = to
    if (part.length === 0) return
    if (this.#target === "payload") this.#payload.push(part)
    else if (this.#target === "outline") this.#keep(part.slice())
  }

  #keep(part: Uint8Array): void {
    this.#outline.push(part)
    this.#outlineSize += part.length
  }
}

/** The fault as a message has it; the byte is counted from 1. */
const inWords = ({ at, reason }: JsonFault): string => `${reason}, at byte ${at + 1}`
