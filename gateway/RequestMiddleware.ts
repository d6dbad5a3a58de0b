/**
 * What every request passes before its handler: admission, the address by which the caller reaches the gateway, metrics, and the log.
 */
import type { ServerResponse } from "node:http"
import { isIP } from "node:net"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { errorBody, mediaType } from "../core/src/htsget/Ticket.ts"
import { Reader } from "../core/src/serving/Questions.ts"
import { monotonicMillis } from "../core/src/telemetry/MonotonicTime.ts"
import { printable } from "../core/src/text/Printable.ts"
import { CurrentReading, makeReading, nowhere, type Reading } from "./AccessLog.ts"
import { admit, crossOrigin, preflight } from "./Admission.ts"
import { Caller, type CallerView, json } from "./Answers.ts"
import { type GatewayOptions, GatewaySettings } from "./GatewaySettings.ts"
import * as Metrics from "./Metrics.ts"
import { refusalPage } from "./PageHandlers.ts"
import { type NamedReader, type Right, readerOf } from "./Readers.ts"

type App<E = never> = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

export const makeRequestMiddleware = Effect.gen(function* () {
  const settings = yield* GatewaySettings
  const inFlight = new Set<UnderWay>()
  let closing = false

  /** Ends what is read with a token that was revoked meanwhile, has come to its end, or is no longer for that analysis. */
  const revoke = Effect.gen(function* () {
    if (settings.readers === null) return
    const readers = yield* Ref.get(settings.readers)
    const now = yield* Clock.currentTimeMillis
    for (const { cut, reader, reading } of inFlight) {
      if (reader === null) continue
      const known = readerOf(readers, reader.digest, now)
      const { analyses } = reading.place
      const good = known !== null && (analyses === null || analyses.every(known.mayRead))
      if (good) continue
      yield* Effect.logWarning(
        `a reading of ${printable(reader.name ?? "the token")} was cut: it may no longer read this`
      )
      cut()
    }
  })
  yield* Effect.forkScoped(Effect.repeat(revoke, Schedule.spaced("1 second")))

  const answer = <E>(
    app: App<E>,
    request: HttpServerRequest.HttpServerRequest,
    response: ServerResponse,
    underWay: UnderWay
  ): App =>
    Effect.gen(function* () {
      const { headers, method, url } = request
      const { reading } = underWay
      const shared = crossOrigin(settings, headers["origin"])
      for (const [name, value] of Object.entries(shared ?? {})) response.setHeader(name, value)
      response.setHeader("x-content-type-options", "nosniff")
      if (method === "OPTIONS" && shared !== null) {
        reading.silent = true
        const allowed = preflight(headers["access-control-request-headers"])
        return HttpServerResponse.empty({ status: 204, headers: allowed })
      }
      if (response.req.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host").length > 1) {
        return failure(url, 400, "InvalidInput", "the request names two hosts")
      }
      const readers = settings.readers === null ? null : yield* Ref.get(settings.readers)
      const at = yield* Clock.currentTimeMillis
      const verdict = admit({ ...settings, readers }, { method, url, headers, at })
      if (verdict._tag === "Refused") {
        reading.place = nowhere("refused")
        const fields = verdict.headers ?? {}
        yield* Effect.logWarning(`${routeOf(url)}: ${verdict.status}, ${printable(verdict.message)}`)
        const page = verdict.status === 401 ? refusalPage(url, headers["accept"], verdict.message) : null
        return page === null
          ? failure(url, verdict.status, verdict.error, verdict.message, fields)
          : HttpServerResponse.setHeaders(page, fields)
      }
      const { prefix, reader, token } = verdict
      const origin = settings.publicUrl ?? `http://${headers["host"] ?? ""}`
      const fields = token === null ? {} : { Authorization: `Bearer ${Redacted.value(token)}` }
      /** Of whoever it turns out to be: who may do what, whose turn it takes, and whose name stands in the log. */
      const as = (reader: NamedReader | null) =>
        Effect.sync(() => {
          underWay.reader = reader
          reading.name = reader?.name ?? null
          const caller: CallerView = {
            base: `${origin}${prefix}`,
            headers: fields,
            may: (right) => mayDo(reader, right, settings),
            origin,
            reader,
            as
          }
          const key = reader?.name ?? underWay.address
          return <A, E, R>(work: Effect.Effect<A, E, R>) =>
            work.pipe(
              Effect.provideService(Caller, caller),
              Effect.provideService(Reader, { key, mayRead: reader?.mayRead ?? (() => true) })
            )
        })
      const known = yield* as(reader)
      return yield* app.pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, request.modify({ url: verdict.url })),
        known,
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
      const address = clientOf(addressOf(response), headers["x-forwarded-for"], settings.trusts)
      const reading = yield* makeReading(settings.accessLog, { method, range: headers["range"], address }, response)
      const cut = () => {
        reading.cut = true
        response.destroy()
      }
      const underWay: UnderWay = { address, cut, reading, reader: null }
      inFlight.add(underWay)
      response.once("close", () => inFlight.delete(underWay))
      yield* Metric.update(Metrics.inFlight, inFlight.size)
      const answered = yield* answer(app, request, response, underWay)
      // Also of what was asked before: the next request would come to a connection that is about to be closed.
      if (closing) response.setHeader("connection", "close")
      const status = String(answered.status)
      yield* Metric.update(Metric.withAttributes(Metrics.requests, { route, status }), 1)
      const took = Math.round((yield* monotonicMillis) - begun)
      yield* Metric.update(Metric.withAttributes(Metrics.latency, { route }), took / 1000)
      // Only the route is logged: a path may hold the token, and names analyses of patients. Answers.ts names what it refuses.
      yield* Effect.logDebug(`${method} ${route}: ${status}, ${took} ms`)
      return answered
    })

  return {
    apply,
    /** Requests that are being answered. */
    inFlight: () => inFlight.size,
    /** From now on every answer closes its connection. */
    close: () => {
      closing = true
    },
    /** Cuts the connections of all that are being answered. */
    cut: () => {
      for (const { cut } of inFlight) cut()
    }
  }
})

/** A request that is being answered. */
interface UnderWay {
  readonly address: string
  readonly reading: Reading
  /** Whose token let it in. */
  reader: NamedReader | null
  /** Cuts its connection. */
  readonly cut: () => void
}

/** Of the other end; nobody else can be behind a socket file but its owner. */
const addressOf = ({ req }: ServerResponse): string => req.socket.remoteAddress ?? "socket"

/** The last address that a proxy we trust has seen; whoever is no such proxy can make the field up. */
export const clientOf = (
  address: string,
  forwarded: string | undefined,
  trusts: (address: string) => boolean
): string => {
  const seen = [...(forwarded ?? "").split(","), address].map((each) => plainAddress(each.trim()))
  return seen.findLast((each) => !trusts(each)) ?? seen[0] ?? address
}

/** Without a port, brackets, or the form in which IPv6 writes an IPv4 address; what is no address is worth nothing. */
const plainAddress = (text: string): string => {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  const plain = bare.replace(/^::ffff:(?=\d+\.)/i, "")
  return isIP(plain) > 0 || plain === "socket" ? plain : "unknown"
}

/** Rights that the token file does not name: reading, and restoring where the gateway allows it to all. */
const mayDo = (reader: NamedReader | null, right: Right, { allowRestore, readers }: GatewayOptions): boolean =>
  reader === null
    ? readers === null && (right === "restore" ? allowRestore : true)
    : (reader.may?.has(right) ?? (right === "read" || (right === "restore" && allowRestore)))

/** The first segment of a path, without token and identifiers, for logs and metrics. */
const routeOf = (url: string): string => {
  const [, route] =
    /^(?:\/t\/[^/?#]+)?\/(files|page|genome|genes|reads|variants|service|healthz|readyz|metrics)(?=[/?#]|$)/.exec(
      url
    ) ?? []
  return route ?? "other"
}

const failure = (
  url: string,
  status: number,
  error: string,
  message: string,
  headers: Readonly<Record<string, string>> = {}
) => {
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
  if (reason === "RouteNotFound") {
    // A 404 would tell a step that the analysis is not there.
    return routeOf(url) === "service"
      ? failure(url, 403, "Forbidden", "this gateway gives files and no API: it was started without --api")
      : failure(url, 404, "NotFound", "nothing is served at this address")
  }
  if (reason === "RequestParseError") return failure(url, 400, "InvalidInput", "the request cannot be read")
  yield* Effect.logError(`a request to ${routeOf(url)} failed: ${printable(String(Cause.squash(cause)))}`)
  return failure(url, 500, "InternalError", "this is a defect of the gateway: its log tells more")
})

const isServerError = <E>(
  error: E | HttpServerError.HttpServerError | null
): error is HttpServerError.HttpServerError =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "HttpServerError"
