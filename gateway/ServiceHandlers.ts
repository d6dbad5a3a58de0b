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
import { AdviceOf, sentenceOf } from "../core/src/Errors.ts"
import { LinkStore } from "../core/src/serving/LinkStore.ts"
import { Reader } from "../core/src/serving/Questions.ts"
import { printable } from "../core/src/text/Printable.ts"
import { Scrubber } from "../core/src/text/Scrubber.ts"
import { makeReaderOutput } from "../platform/http/ReaderOutput.ts"
import { beginReading, CurrentReading, longestValue, nowhere } from "./AccessLog.ts"
import { Caller, type Denied, failureOf, json, mustMay, openUrl } from "./Answers.ts"
import { readListing } from "./FileListing.ts"
import { GatewaySettings } from "./GatewaySettings.ts"
import { makeServicePassage, type PassageError, type PassedAnswer, readShort } from "./ServicePassage.ts"
import { makeServiceRoutes } from "./ServiceRoutes.ts"
import { makeServiceSessions } from "./ServiceSessions.ts"

/** Where the service stands. */
export const servicePrefix = "/service"

/** Largest body of a change. */
const longestBody = ByteSize.mebibytes(16)
/** At a time, to a reader, in bytes. */
const portion = 64 * 1024
/** A list of links is read whole, as by a client. Bytes. */
const longestListing = 64 * 1024 * 1024

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

    const told = (error: PassageError | Denied) => {
      switch (error._tag) {
        case "SpoolFull":
          return { status: 503, error: error._tag, message: error.reason }
        case "BrokenOff":
          return { status: 502, error: error._tag, message: error.reason }
        case "Refused":
          return { status: error.reply.status, error: "Forbidden", message: sentenceOf(adviceOf)(error.error) }
        default:
          return failureOf(error, adviceOf)
      }
    }

    const failed = Effect.fnUntraced(function* (error: PassageError | Denied) {
      const { message, status, ...body } = told(error)
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

    /** What is listed is known from now on; where the gateway relays, links lead to it. What is not understood is not passed on. */
    const sendListing = Effect.fnUntraced(function* (answer: PassedAnswer, analysisId: string) {
      const body = yield* readShort(answer, longestListing)
      const listing = yield* readListing(body, answer.status)
      if (listing !== null) yield* store.learn(analysisId, listing.files, answer.askedAt)
      if (listing === null || !relay) return HttpServerResponse.uint8Array(body, headOf(answer))
      const [caller, now] = [yield* Caller, yield* Clock.currentTimeMillis]
      return json(
        answer.status,
        listing.withLinks((name) => openUrl(caller, signedLinks, analysisId, name, now))
      )
    })

    /** As it comes, at the reader's pace. */
    const send = Effect.fnUntraced(function* (answer: PassedAnswer, request: HttpServerRequest.HttpServerRequest) {
      const response = NodeHttpServerRequest.toServerResponse(request) as ServerResponse
      // There an answer that is cut looks like one that has ended, unless its length was told.
      const size = response.req.httpVersion === "1.0" ? yield* answer.ended : answer.size
      const { headers, status } = headOf({ ...answer, size })
      const reading = yield* CurrentReading
      const output = makeReaderOutput(response, { status, headers }, () => {
        reading.cut = true
      })
      const body = Effect.gen(function* () {
        for (let at = 0; ; reading.bytes = at) {
          const bytes = yield* answer.read(at, portion)
          if (bytes.length === 0) return yield* output.end
          yield* output.write(bytes)
          at += bytes.length
        }
      })
      yield* request.method === "HEAD"
        ? output.end
        : Effect.catch(body, (error) =>
            output.begun()
              ? Effect.andThen(
                  Effect.logWarning(`an answer of the service was cut: ${printable(told(error).message)}`),
                  output.cut
                )
              : Effect.fail(error)
          )
      return HttpServerResponse.empty({ status })
    })

    const invalid = (message: string) =>
      json(400, { success: false, errorMessageId: "INVALID_INPUT", error: "InvalidInput", message })

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
      const [fields, form] = [new URLSearchParams(query), isForm(contentType) ? body.value : ""]
      const analyses = route?.analyses(fields, form) ?? null
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
      if ((caller.reader?.scopes ?? null) !== null) {
        if (analyses?.every(mayRead) !== true) return unknown(`${route.name}: not found`)
        const more = route.unknown(fields, form)
        if (more !== null)
          return invalid(`this token is limited to analyses, and ${printable(more)} may be about others`)
      }
      // Nobody could say which, neither here nor in the log.
      if (route.right === "restore" && analyses === null) {
        return invalid("a restoration names its analyses in a form that is its body, and nowhere else")
      }
      const asked = HttpClientRequest.make(route.method as "GET" | "POST" | "PUT")(
        `${path}${query === "" ? "" : `?${query}`}`
      ).pipe(body.value === "" ? (same) => same : HttpClientRequest.bodyText(body.value, contentType))
      const passed = yield* passage.pass(asked, route, body.value)
      // What the gateway knew of these analyses is old now.
      if (route.right !== "read") yield* Effect.forEach(analyses ?? [], store.forget, { discard: true })
      const [analysis] = analyses ?? []
      const links = route.name === "getFileDownloadLinks" && passed.status < 300
      if (!links || analysis === undefined || request.method === "HEAD") return yield* send(passed, request)
      return yield* sendListing(passed, analysis)
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
          return sessions.missing(request, readers, `${(yield* Caller).origin}${servicePrefix}`, now)
        }
        const as = yield* (yield* Caller).as(reader)
        return yield* as(Effect.catch(answer(request, path, query), failed))
      }).pipe(Effect.scoped)
    )
  })
)

const headOf = ({ contentType, size, status }: PassedAnswer) => ({
  status,
  headers: {
    "cache-control": "no-store",
    ...(size === null ? {} : { "content-length": String(size) }),
    ...(contentType === null ? {} : { "content-type": contentType })
  }
})

/** As the service reads it too: in another character set the same bytes would be other fields. */
const isForm = (contentType: string | undefined): boolean =>
  /^application\/x-www-form-urlencoded\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(contentType ?? "")
