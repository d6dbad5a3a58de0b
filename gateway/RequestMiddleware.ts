/**
 * What every request passes before its handler: admission, the address by which the caller reaches the gateway, metrics, and the log.
 */
import type { ServerResponse } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import { errorBody, mediaType } from "../core/src/htsget/Ticket.ts"
import { monotonicMillis } from "../core/src/MonotonicTime.ts"
import { Reader } from "../core/src/serving/Questions.ts"
import { printable } from "../core/src/text/Printable.ts"
import { beginReading, CurrentReading, type Reading } from "./AccessLog.ts"
import { admit, crossOrigin, preflight } from "./Admission.ts"
import { Caller, json } from "./Answers.ts"
import { GatewaySettings } from "./GatewaySettings.ts"
import * as Metrics from "./Metrics.ts"

type App<E = never> = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

export interface RequestMiddleware {
  readonly apply: <E>(app: App<E>) => App
  /** Requests that are being answered. */
  readonly inFlight: () => number
  /** From now on every answer closes its connection. */
  readonly close: () => void
  /** Cuts the connections of all that are being answered. */
  readonly cut: () => void
}

export const makeRequestMiddleware = Effect.gen(function* () {
  const settings = yield* GatewaySettings
  /** Of each request that is being answered: what cuts its connection. */
  const inFlight = new Set<() => void>()
  let closing = false

  const answer = <E>(
    app: App<E>,
    request: HttpServerRequest.HttpServerRequest,
    response: ServerResponse,
    reading: Reading
  ): App =>
    Effect.gen(function* () {
      const { headers, method, url } = request
      const shared = crossOrigin(settings, headers["origin"])
      for (const [name, value] of Object.entries(shared ?? {})) response.setHeader(name, value)
      response.setHeader("x-content-type-options", "nosniff")
      if (closing) response.setHeader("connection", "close")
      if (method === "OPTIONS" && shared !== null) {
        const allowed = preflight(headers["access-control-request-headers"])
        return HttpServerResponse.empty({ status: 204, headers: allowed })
      }
      const readers = settings.readers === null ? null : yield* Ref.get(settings.readers)
      const verdict = admit({ ...settings, readers }, { method, url, headers })
      if (verdict._tag === "Refused") {
        const fields: Record<string, string> =
          verdict.status === 401
            ? { "www-authenticate": "Bearer" }
            : verdict.status === 405
              ? { allow: "GET, HEAD, POST" }
              : {}
        yield* Effect.logWarning(`${routeOf(url)}: ${verdict.status}, ${printable(verdict.message)}`)
        return failure(url, verdict.status, verdict.error, verdict.message, fields)
      }
      const { prefix, reader } = verdict
      reading.name = reader?.name ?? null
      const base = `${settings.publicUrl ?? `http://${headers["host"] ?? ""}`}${prefix}`
      const token = reader === null ? {} : { Authorization: `Bearer ${Redacted.value(reader.token)}` }
      const key = reader?.name ?? addressOf(response)
      return yield* app.pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, request.modify({ url: verdict.url })),
        Effect.provideService(Caller, { base, headers: token }),
        Effect.provideService(Reader, { key, mayRead: reader?.mayRead ?? (() => true) }),
        Effect.provideService(CurrentReading, reading),
        Effect.catchCause((cause) => answerOfCause(cause, verdict.url))
      )
    })

  const apply = <E>(app: App<E>): App =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const response = NodeHttpServerRequest.toServerResponse(request) as ServerResponse
      const { headers, method, url } = request
      const route = routeOf(url)
      const begun = yield* monotonicMillis
      const arrival = { method, url, range: headers["range"], address: addressOf(response) }
      const reading = yield* beginReading(settings.accessLog, arrival, response)
      const cut = () => {
        reading.cut = true
        response.destroy()
      }
      inFlight.add(cut)
      response.once("close", () => inFlight.delete(cut))
      yield* Metric.update(Metrics.inFlight, inFlight.size)
      const answered = yield* answer(app, request, response, reading)
      const status = String(answered.status)
      yield* Metric.update(Metric.withAttributes(Metrics.requests, { route, status }), 1)
      const took = Math.round((yield* monotonicMillis) - begun)
      // Only the route is logged: a path may hold the token, and names analyses of patients. Answers.ts names what it refuses.
      yield* Effect.logDebug(`${method} ${route}: ${status}, ${took} ms`)
      return answered
    })

  return {
    apply,
    inFlight: () => inFlight.size,
    close: () => {
      closing = true
    },
    cut: () => {
      for (const cut of inFlight) cut()
    }
  } satisfies RequestMiddleware
})

/** Of the other end; nobody else can be behind a socket file but its owner. Fields such as X-Forwarded-For can be made up. */
const addressOf = ({ req }: ServerResponse): string => req.socket.remoteAddress ?? "socket"

/** The first segment of a path, without token and identifiers, for logs and metrics. */
const routeOf = (url: string): string => {
  const [, route] = /^(?:\/t\/[^/?#]+)?\/(files|reads|variants|healthz|metrics)(?=[/?#]|$)/.exec(url) ?? []
  return route ?? "other"
}

const failure = (url: string, status: number, error: string, message: string, headers: Record<string, string> = {}) => {
  const route = routeOf(url)
  return route === "reads" || route === "variants"
    ? json(status, errorBody(error, message), { ...headers, "content-type": mediaType })
    : json(status, { error, message }, headers)
}

/** Answers what no handler has answered: an unknown address, parameters that cannot be decoded, a defect. */
const answerOfCause = Effect.fnUntraced(function* <E>(cause: Cause.Cause<E>, url: string) {
  if (Cause.hasInterruptsOnly(cause)) return yield* Effect.interrupt
  const error = Option.getOrNull(Cause.findErrorOption(cause))
  const reason = isServerError(error) ? error.reason._tag : null
  if (reason === "RouteNotFound") return failure(url, 404, "NotFound", "nothing is served at this address")
  if (reason === "RequestParseError") return failure(url, 400, "InvalidInput", "the request cannot be read")
  yield* Effect.logError(`a request to ${routeOf(url)} failed: ${printable(String(Cause.squash(cause)))}`)
  return failure(url, 500, "InternalError", "this is a defect of the gateway: its log tells more")
})

const isServerError = <E>(
  error: E | HttpServerError.HttpServerError | null
): error is HttpServerError.HttpServerError =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "HttpServerError"
