/** `--api`: the interface of the service below `/service/`, for as many programs at once as there are. */
import type { ServerResponse } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as ByteSize from "effect/ByteSize"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { AdviceOf, sentenceOf } from "../core/src/Errors.ts"
import { LinkStore } from "../core/src/serving/LinkStore.ts"
import { Reader } from "../core/src/serving/Questions.ts"
import { printable } from "../core/src/text/Printable.ts"
import { Scrubber } from "../core/src/text/Scrubber.ts"
import { makeReaderOutput } from "../platform/terminal/ReaderOutput.ts"
import { beginReading, CurrentReading, longestValue, nowhere } from "./AccessLog.ts"
import { Caller, type CallerView, type Denied, failureOf, json, mustMay, openUrl } from "./Answers.ts"
import { GatewaySettings } from "./GatewaySettings.ts"
import { makeServicePassage, type PassageError, type PassedAnswer, readAll } from "./ServicePassage.ts"
import { makeServiceRoutes } from "./ServiceRoutes.ts"
import { makeServiceSessions } from "./ServiceSessions.ts"

/** Where the service stands. */
export const servicePrefix = "/service"

/** Largest body of a change. */
const longestBody = ByteSize.mebibytes(16)
/** At a time, to a reader, in bytes. */
const portion = 64 * 1024
/** A list of links is read whole. Bytes. */
const longestListing = 256 * 1024 * 1024

const decodeListing = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      response: Schema.Struct({
        apiFileLinks: Schema.Array(
          Schema.Struct({
            fileName: Schema.optionalKey(Schema.NullOr(Schema.String)),
            downloadLink: Schema.optionalKey(Schema.NullOr(Schema.String))
          })
        )
      })
    })
  )
)

export const serviceHandlers = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const settings = yield* GatewaySettings
    const { publicUrl, readers: known, relay, signedLinks, spoolLimit } = settings
    const passage = yield* makeServicePassage(spoolLimit)
    const store = yield* LinkStore
    const { prose } = yield* Scrubber
    const adviceOf = yield* AdviceOf
    const routeOf = makeServiceRoutes()
    const base = `${publicUrl === null ? "" : new URL(publicUrl).pathname.replace(/\/+$/, "")}${servicePrefix}`
    const sessions = makeServiceSessions(base, publicUrl?.startsWith("https:") === true)

    const failed = (error: PassageError | Denied) =>
      Effect.gen(function* () {
        const { message, status, ...body } =
          error._tag === "SpoolFull" || error._tag === "BrokenOff"
            ? { status: error._tag === "SpoolFull" ? 503 : 502, error: error._tag, message: error.reason }
            : error._tag === "Refused"
              ? { status: error.reply.status, error: "Forbidden", message: sentenceOf(adviceOf)(error.error) }
              : failureOf(error, adviceOf)
        yield* Effect.logWarning(`service: ${status}, ${printable(message)}`)
        // As the service wrote it, where it is the service that says no.
        if (error._tag === "Refused")
          return HttpServerResponse.text(error.reply.body, { status, contentType: "application/json" })
        const said = prose(message)
        return json(status, {
          success: false,
          errorMessageId: body.error,
          additionalInformation: said,
          ...body,
          message: said
        })
      })

    /** Links lead to the gateway, for readers who cannot reach the link host. */
    const withOwnLinks = Effect.fnUntraced(function* (answer: PassedAnswer, analysisId: string, caller: CallerView) {
      const text = new TextDecoder().decode(yield* Effect.orDie(readAll(answer)))
      const files = Option.getOrNull(decodeListing(text))?.response.apiFileLinks ?? []
      const now = yield* Clock.currentTimeMillis
      const linked = files.filter(({ downloadLink }) => typeof downloadLink === "string")
      let at = 0
      return text.replace(/("downloadLink"\s*:\s*)"(?:[^"\\]|\\.)*"/g, (_found, before: string) => {
        const name = linked[at++]?.fileName ?? ""
        return `${before}${JSON.stringify(openUrl(caller, signedLinks, analysisId, name, now))}`
      })
    })

    /** At the reader's pace. */
    const send = Effect.fnUntraced(function* (answer: PassedAnswer, request: HttpServerRequest.HttpServerRequest) {
      const { contentType, size, status } = answer
      const response = NodeHttpServerRequest.toServerResponse(request) as ServerResponse
      const reading = yield* CurrentReading
      const headers = {
        "cache-control": "no-store",
        "content-length": String(size),
        ...(contentType === null ? {} : { "content-type": contentType })
      }
      const output = makeReaderOutput(response, { status, headers }, undefined, () => {
        reading.cut = true
      })
      for (let at = 0; at < size; ) {
        const bytes = yield* Effect.orDie(answer.read(at, portion))
        yield* output.hand(bytes)
        at += bytes.length
        reading.bytes = at
      }
      yield* output.end
      return HttpServerResponse.empty({ status })
    })

    const unknown = (what: string) =>
      json(404, { success: false, errorMessageId: "NOT_FOUND", error: "NotFound", message: what })

    const answer = Effect.fnUntraced(function* (
      request: HttpServerRequest.HttpServerRequest,
      path: string,
      query: string
    ) {
      const caller = yield* Caller
      const route = routeOf(request.method === "HEAD" ? "GET" : request.method, path)
      // A question is its address: equal ones are asked once, whatever else comes with one of them.
      const body = yield* route?.method === "GET"
        ? Effect.succeedSome("")
        : request.text.pipe(Effect.provideService(HttpIncomingMessage.MaxBodySize, longestBody), Effect.option)
      if (Option.isNone(body))
        return json(413, { success: false, error: "PayloadTooLarge", message: "the body has more than 16 MiB" })
      const contentType = request.headers["content-type"]
      const analyses = route?.analyses(new URLSearchParams(query), isForm(contentType) ? body.value : "") ?? null
      yield* beginReading({
        what:
          route === null || route.right === "read" ? "service" : route.right === "restore" ? "restoration" : "change",
        analyses,
        file: null,
        range: `${request.method} ${path}${query === "" ? "" : `?${query}`}`
      })
      // Of a restoration, each analysis must stand in the log.
      if (analyses !== null && analyses.join(",").length > longestValue)
        return json(413, {
          success: false,
          error: "PayloadTooLarge",
          message: "these are too many analyses for one request"
        })
      if (route === null) return unknown("the interface of the service has nothing at this address")
      yield* mustMay(route.right)
      const { mayRead } = yield* Reader
      if ((caller.reader?.scopes ?? null) !== null && !(analyses?.every(mayRead) === true)) {
        return unknown(`${route.name}: not found`)
      }
      // Nobody could say which, neither here nor in the log.
      if (route.right === "restore" && analyses === null) {
        const message = "a restoration names its analyses in a form that is its body, and nowhere else"
        return json(400, { success: false, errorMessageId: "INVALID_INPUT", error: "InvalidInput", message })
      }
      const asked = HttpClientRequest.make(route.method as "GET" | "POST" | "PUT")(
        `${path}${query === "" ? "" : `?${query}`}`
      ).pipe(body.value === "" ? (same) => same : HttpClientRequest.bodyText(body.value, contentType))
      const passed = yield* passage.pass(asked, route)
      // What the gateway knew of these analyses is old now.
      if (route.right !== "read") yield* Effect.forEach(analyses ?? [], store.forget, { discard: true })
      const [analysis] = analyses ?? []
      const links = route.name === "getFileDownloadLinks" && passed.status < 300 && passed.size <= longestListing
      if (!(links && relay) || analysis === undefined) return yield* send(passed, request)
      const text = yield* withOwnLinks(passed, analysis, caller)
      return HttpServerResponse.text(text, {
        status: passed.status,
        headers: { "cache-control": "no-store" },
        contentType: passed.contentType ?? "application/json"
      })
    })

    yield* router.add("*", `${servicePrefix}/*`, (request) =>
      Effect.gen(function* () {
        const [, path = "", query = ""] = /^\/service(\/[^?#]*)(?:\?([^#]*))?/.exec(request.url) ?? []
        const readers = known === null ? null : yield* Ref.get(known)
        const shown = (yield* Caller).reader
        const reading = yield* CurrentReading
        if (shown === null) {
          const page = yield* sessions.answer(request, path, readers)
          if (page !== null) {
            reading.place = nowhere("session")
            return page
          }
        }
        const now = yield* Clock.currentTimeMillis
        const reader = shown ?? (readers === null ? null : sessions.readerOf(request, readers, now))
        if (readers !== null && reader === null) {
          reading.place = nowhere("refused")
          return sessions.missing(request)
        }
        const as = yield* (yield* Caller).as(reader)
        return yield* as(Effect.catch(answer(request, path, query), failed))
      }).pipe(Effect.scoped)
    )
  })
)

/** As the service reads it too: in another character set the same bytes would be other fields. */
const isForm = (contentType: string | undefined): boolean =>
  /^application\/x-www-form-urlencoded\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(contentType ?? "")
