import type { ServerResponse } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as ByteSize from "effect/ByteSize"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Cookies from "effect/http/Cookies"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { BehaviourValues } from "./Behaviour.ts"
import { endpointOf } from "./Endpoints.ts"
import type { Fault } from "./Faults.ts"
import { awaitOthers, takeRequest } from "./InFlight.ts"
import { emptyApplication, htmlPage } from "./Pages.ts"
import type { SessionRecord } from "./Sessions.ts"
import { State } from "./State.ts"
import { refusal } from "./WireJson.ts"
import { atHead, changesBody, close, deliver, replacement, type WireReply } from "./WireReply.ts"

export const tokenHeader = "x-csrf-token"

/** Forced logout: 302 to the base address with an HTML body that shows nothing (docs/dev/service.md 11.6). */
export const forcedLogout = (host: string) =>
  HttpServerResponse.html(emptyApplication).pipe(
    HttpServerResponse.setStatus(302),
    HttpServerResponse.setHeader("location", `http://${host}/`)
  )

/** The answer to a dead session, an unknown cookie or a wrong token. */
export const forbiddenAnswer = ({ forbiddenBody, forbiddenStatus: status }: BehaviourValues) =>
  forbiddenBody === "empty"
    ? HttpServerResponse.empty({ status })
    : forbiddenBody === "json"
      ? HttpServerResponse.jsonUnsafe({ status, error: "Forbidden" }, { status })
      : HttpServerResponse.setStatus(HttpServerResponse.html(htmlPage("Forbidden", "Access is denied.")), status)

const publicEndpoints: ReadonlySet<string> = new Set(["initialSession", "authenticate", "login"])

const analysesIn = (url: string): ReadonlyArray<string> => {
  const [path = "", query = ""] = url.split("?", 2)
  const values = [...new URLSearchParams(query).values()].flatMap((value) => value.split(","))
  return [...path.split("/"), ...values]
}

const bodyOf = ({ body }: HttpServerResponse.HttpServerResponse): WireReply["body"] =>
  body._tag === "Uint8Array"
    ? Stream.make(body.body)
    : body._tag === "Stream"
      ? Stream.mapError(body.stream, (cause) => new Error("the body broke off", { cause }))
      : Stream.empty

const asReply = (response: HttpServerResponse.HttpServerResponse): WireReply => {
  const cookies = Cookies.toSetCookieHeaders(response.cookies)
  return {
    status: response.status,
    headers: cookies.length === 0 ? response.headers : { ...response.headers, "set-cookie": cookies },
    body: bodyOf(response)
  }
}

const tooLarge = refusal(413, "BODY_TOO_LARGE", "The body of a request may have 8 MiB")
const largestBody = ByteSize.mebibytes(8)

/** Under --strict, ms before an answer: other requests sent at the same time arrive meanwhile, on a busy machine too. */
const hold = 10

const touchesAnswer = (fault: Fault) => changesBody(fault) || fault.headers !== undefined

/** The living session a request came with. */
export const Caller = Context.Reference<SessionRecord | null>("svc-steps/sandbox/RequestMiddleware/Caller", {
  defaultValue: () => null
})

/** Counts the request under way among those of an account; true when it overlaps with one of them and may not go on. */
export const JoinAccount = Context.Reference<(account: string) => boolean>(
  "svc-steps/sandbox/RequestMiddleware/JoinAccount",
  { defaultValue: () => () => false }
)

/**
 * What stands between the socket and the handlers on the API: counting, one account's overlaps, faults, and the check
 * of cookie and token (on every request but the first one and the login). Requests to `/__sandbox/` pass freely.
 */
export const requestMiddleware = Effect.gen(function* () {
  const { behaviour, faults, sessions, stats } = yield* State
  const refusal = forbiddenAnswer(behaviour)
  const scope = yield* Effect.scope

  const count = (endpoint: string) => {
    stats.requests[endpoint] = (stats.requests[endpoint] ?? 0) + 1
    stats.apiInFlight++
    stats.maxApiInFlight = Math.max(stats.maxApiInFlight, stats.apiInFlight)
  }

  /** The session when cookie and token of the request are good. */
  const admit = (
    request: HttpServerRequest.HttpServerRequest,
    session: SessionRecord | null,
    form: string | undefined
  ) =>
    session !== null && session.account !== null && sessions.tokenIsGood(session, request.headers[tokenHeader] ?? form)

  const answer = Effect.fnUntraced(function* <E>(
    app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, HttpServerRequest.HttpServerRequest | Scope.Scope>,
    request: HttpServerRequest.HttpServerRequest,
    endpoint: string,
    session: SessionRecord | null,
    fault: Fault
  ) {
    const account = session?.account ?? null
    if (fault.invalidate !== undefined && account !== null) {
      sessions.invalidate(account)
      return fault.invalidate === "redirect" ? forcedLogout(request.headers["host"] ?? "") : refusal
    }
    if (!publicEndpoints.has(endpoint)) {
      // Logout is a form whose token may stand in the form alone.
      const form = endpoint === "logout" ? new URLSearchParams(yield* request.text).get("_csrf") : null
      if (!admit(request, session, form ?? undefined)) return refusal
    }
    const response = yield* app
    if (!behaviour.rotateToken || session === null || account === null || session.state === "dead") return response
    sessions.rotate(session)
    return HttpServerResponse.setHeader(response, tokenHeader, session.token)
  })

  /** Does the work on a request to its end, also when its client leaves; an answer that has begun ends with its connection. */
  const toItsEnd = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>, response: ServerResponse) {
    const fiber = yield* Effect.forkIn(Effect.interruptible(work), scope)
    response.once("close", () => {
      if (response.headersSent) fiber.interruptUnsafe()
    })
    return yield* Fiber.join(fiber)
  })

  return <E>(
    app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, HttpServerRequest.HttpServerRequest | Scope.Scope>
  ) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const safeApp = Effect.catchCause(app, (cause) =>
        Effect.map(HttpServerError.causeResponse(cause), ([response]) => response)
      )
      if (request.url.startsWith("/__sandbox/")) return yield* safeApp

      const node = NodeHttpServerRequest.toServerResponse(request) as ServerResponse
      const endpoint = endpointOf(request.method, request.url)
      count(endpoint)
      const leaves: Array<() => void> = [() => stats.apiInFlight--]
      const { began, worked } = takeRequest(node, {
        over: () => {
          for (const leave of leaves) leave()
        },
        abandoned: () => stats.abandoned++
      })
      /** Counts the request among those of the account; true when it may not go on. */
      const enterAccount = (account: string) => {
        const { leave, overlapped } = sessions.enter(account, began)
        leaves.push(leave)
        return overlapped
      }
      const work = Effect.gen(function* () {
        const session = sessions.find(request.headers["cookie"])
        const account = session?.account ?? null
        if (account !== null && enterAccount(account)) return forcedLogout(request.headers["host"] ?? "")
        if (yield* Effect.isFailure(request.arrayBuffer)) return tooLarge
        const fault = faults.take({
          plane: "api",
          endpoint,
          method: request.method,
          url: request.url,
          file: null,
          analyses: analysesIn(request.url),
          ranged: request.headers["range"] !== undefined
        })
        if (fault.delay !== undefined) yield* Effect.sleep(fault.delay)
        yield* atHead(fault, node)
        const instead = replacement(fault)
        const called = safeApp.pipe(
          Effect.provideService(Caller, session),
          Effect.provideService(JoinAccount, enterAccount)
        )
        const response = instead === null ? yield* answer(called, request, endpoint, session, fault) : null
        yield* awaitOthers(behaviour.strict ? hold : 0)
        if (fault.loseAnswer === true) return yield* close(node)
        if (response !== null && !touchesAnswer(fault)) return response
        yield* deliver(node, instead ?? asReply(response ?? HttpServerResponse.empty()), fault).pipe(Effect.orDie)
        // The answer is out; this one is not sent.
        return HttpServerResponse.empty()
      })
      return yield* toItsEnd(Effect.ensuring(work, Effect.sync(worked)), node)
    }).pipe(Effect.provideService(HttpIncomingMessage.MaxBodySize, largestBody))
})
