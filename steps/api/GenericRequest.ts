/** `request METHOD PATH`: sends any request and prints its reply as it is. A reply with an error status is printed too, and fails. */
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpMethod from "effect/http/HttpMethod"
import type { GenericReply } from "../../core/src/client/GenericRequest.ts"
import { ServiceClient } from "../../core/src/client/ServiceClient.ts"
import { toStandardOutput } from "../../platform/files/OutputFile.ts"
import { readInput } from "../../platform/inputs/InputFile.ts"
import type { Own } from "../main/Program.ts"
import { withErrorBody } from "./Answers.ts"
import type { Special } from "./ApiMethod.ts"
import { jsonText } from "./RecordChange.ts"

const methods: ReadonlyArray<string> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

const methodOf = (text: string): HttpMethod.HttpMethod | null => {
  const upper = text.toUpperCase()
  return methods.includes(upper) && HttpMethod.isHttpMethod(upper) ? upper : null
}

/** Percent-encodes the characters that an address cannot contain; all others are sent as the user wrote them. */
const addressOf = (path: string) => path.toWellFormed().replace(/[^\x21-\x7e]/gu, encodeURIComponent)

const check = ([method = "", path = ""]: ReadonlyArray<string>, own: Own): ReadonlyArray<string> => [
  ...(methodOf(method) === null
    ? [`Unknown method of a request: ${method}: expected one of ${methods.join(", ")}`]
    : []),
  ...(/^\/(?![/\\])/.test(path)
    ? []
    : ["The path of a request begins with one / and has no host, such as /person-list"]),
  ...(own.given("input") && ["GET", "HEAD"].includes(methodOf(method) ?? "")
    ? [`--input has no meaning for ${method.toUpperCase()}`]
    : [])
]

/** The body to send. JSON is checked and its byte order mark removed; anything else is sent as it is. */
const bodyOf = Effect.fnUntraced(function* (path: string, contentType: string) {
  const input = yield* readInput(path)
  if (!/[/+]json\b/i.test(contentType)) return input.bytes
  return new TextEncoder().encode(yield* jsonText(input))
})

const bytesOf = ({ body }: GenericReply): Uint8Array => {
  if (body._tag === "Bytes") return body.bytes
  if (body._tag === "Empty") return new Uint8Array()
  return encoder.encode(endLine(body.text))
}

const encoder = new TextEncoder()
const endLine = (text: string) => (text.endsWith("\n") ? text : `${text}\n`)

export const genericRequest: Special = {
  check,
  prepare: Effect.fnUntraced(function* ([method = "", path = ""], own) {
    const { "content-type": contentType, input } = own.values as Values
    const plain = HttpClientRequest.make(methodOf(method) ?? "GET")(addressOf(path))
    if (input === null) return send(plain)
    return send(HttpClientRequest.bodyUint8Array(plain, yield* bodyOf(input, contentType), contentType))
  })
}

type Values = {
  readonly "content-type": string
  readonly input: string | null
}

const send = Effect.fn("svc.step.sendRequest")(function* (request: HttpClientRequest.HttpClientRequest) {
  const { request: ask } = yield* ServiceClient
  const reply = yield* withErrorBody(ask(request), (body) => toStandardOutput(encoder.encode(endLine(body))))
  const empty = reply.body._tag === "Empty"
  if (reply.status !== 200 || empty) {
    yield* Effect.logInfo(`Status ${reply.status}${empty ? ", without a body" : ""}`)
  }
  return bytesOf(reply)
})
