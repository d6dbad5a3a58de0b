/**
 * The session of one account: login when the scope opens, logout when it closes, one API request in flight.
 *
 * Everything that goes to the API goes through here; docs/dev/service.md 3, 5, 7 and 8. A request waits for the
 * gate (a semaphore here, a lock between processes), logs in if the session is gone, and has its whole reply before
 * the gate opens again. So the service never sees two requests of the account at once, which would end its session.
 *
 * `Gate.ts` is that gate, `Exchange.ts` sends one request, `ReplyReading.ts` reads its answer, `SessionState.ts` logs in,
 * `Recognition.ts` holds the rules by which a reply is judged, `Witnesses.ts` tells a lost session from a missing permission,
 * `Setback.ts` says what a missing answer leaves in doubt. This module calls them in order.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import {
  type ConfigUnusable,
  Forbidden,
  givenTimes,
  LoginProtocol,
  LoginRefused,
  OutcomeUnknown,
  ReplyMalformed,
  readsOnly,
  type SessionError,
  Unavailable
} from "../Errors.ts"
import { apiRetry } from "../Schedules.ts"
import { countRetry } from "../telemetry/Counters.ts"
import { Scrubber } from "../text/Scrubber.ts"
import { makeExchange } from "./Exchange.ts"
import { type AccountLock, makeGate, openGate } from "./Gate.ts"
import { makeLogin, urlBelow } from "./Login.ts"
import { errorDetail, pageReason, passwordPage, type Recognised, recognise, whyNotJson } from "./Recognition.ts"
import {
  notUtf8,
  type ReplyResponse,
  readBeginning,
  readStreaming,
  readWhole,
  type SessionReply
} from "./ReplyReading.ts"
import { JsonReply, RefusedReplies, RepeatSafe } from "./RequestMarks.ts"
import { type SessionSettings, usualTimeouts } from "./SessionSettings.ts"
import { makeSessionState, makeTokenState } from "./SessionState.ts"
import { brokenSetback, doubt, leavesDoubt, type Setback, statusSetback } from "./Setback.ts"
import { makeWitnesses } from "./Witnesses.ts"

/**
 * The session of one account, through which every request to the API goes.
 *
 * **Example** (An endpoint of your own)
 *
 * ```ts
 * import { Effect } from "effect"
 * import { Session } from "svc-steps"
 *
 * const status = Session.Session.use(({ http }) => http.get("/api/status")).pipe(
 *   Effect.flatMap((response) => response.json)
 * )
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export class Session extends Context.Service<Session, Conversation>()("svc-steps/core/session/Session") {
  /**
   * Logs in while building and logs out when its scope closes, also on failure and interruption. The logout never changes the
   * outcome. The `HttpClient` must not follow redirects: they are how the service says that a session is lost.
   */
  static readonly layer = (
    settings: SessionSettings
  ): Layer.Layer<Session, SessionError | ConfigUnusable, HttpClient.HttpClient | AccountLock> =>
    Layer.effect(Session, makeConversation(settings))
}

/**
 * What a session offers.
 *
 * @category services
 * @since 0.1.0
 */
export interface Conversation {
  /**
   * Requests with paths relative to the base URL; the reply is in memory when the next request may start.
   *
   * 302, HTML, 403 and the words for an ended session are recognised before decoding: one login serves all requests that wait, and each
   * is then sent again where that is safe. A 403 that stays is `Forbidden` when something else is answered by the same session. Statuses 2xx and the
   * other 4xx come back as they are; 408, 425, 429 and 5xx end as `Unavailable`. A
   * page of HTML that comes again after a new login is handed over, as that endpoint serves HTML; where the answer must be JSON it ends as `Unavailable`. An answer that is no
   * JSON there is asked for again as after an outage, and ends as `ReplyMalformed`.
   */
  readonly http: HttpClient.HttpClient.With<SessionError | OutcomeUnknown>
  /**
   * The same for bodies too large for memory. No other request starts until the scope closes: a request by the same fiber
   * inside that scope is a defect, and one that the reading waits for in another fiber waits for ever, with a warning after five minutes. When the scope closes before the end of the body, the connection is cut.
   */
  readonly stream: (
    request: HttpClientRequest.HttpClientRequest
  ) => Effect.Effect<HttpClientResponse.HttpClientResponse, SessionError | OutcomeUnknown, Scope.Scope>
}

/** How often a host is asked for that no name server knows and that has never answered: some two seconds. */
const triesOfName = 3

/** Which doubtful answers one request has had. The first of a kind may come from a lost session; the second is believed. */
interface Met {
  readonly forbidden: boolean
  readonly html: boolean
}

/** `Lost`: the session is gone; `undone` says that the service refused the request, so it cannot have taken effect. */
type Outcome<A> =
  | { readonly _tag: "Answer"; readonly answer: A }
  | { readonly _tag: "Lost"; readonly met: Met; readonly undone: boolean }
  | { readonly _tag: "Failed"; readonly error: SessionError | OutcomeUnknown }

/** Runs an attempt in a scope that closes with the attempt, or with the scope of the caller. */
type Scoping<R> = <A>(attempt: Effect.Effect<Outcome<A>, Setback, Scope.Scope>) => Effect.Effect<Outcome<A>, Setback, R>

const closeAtOnce: Scoping<never> = (attempt) => Effect.scoped(attempt)

const keepOpen: Scoping<Scope.Scope> = (attempt) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const inner = yield* Scope.fork(yield* Effect.scope)
      const exit = yield* Effect.exit(restore(Scope.provide(attempt, inner)))
      if (Exit.isFailure(exit) || exit.value._tag !== "Answer") yield* Scope.close(inner, exit)
      return yield* exit
    })
  )

const makeConversation = Effect.fnUntraced(function* (settings: SessionSettings) {
  const { baseUrl, bodyLimit = 64 * 1024 * 1024, tries = 7 } = settings
  const timeouts = yield* givenTimes({ ...settings.timeouts, apiTimeout: settings.apiTimeout }, usualTimeouts)
  const scrubber = yield* Scrubber
  scrubber.protect(settings.password)
  const host = baseUrl.host
  const token = settings.token ?? null
  if (token !== null) scrubber.protect(token)
  const profile =
    token === null
      ? settings.profile
      : {
          ...settings.profile,
          headers: { ...settings.profile.headers, authorization: `Bearer ${Redacted.value(token)}` }
        }
  const waits = { headers: timeouts.headers, idle: timeouts.idle }
  const questions = { ...waits, headers: timeouts.apiTimeout, overtakes: token === null }

  const unanswered = yield* Ref.make(false)
  const client = yield* HttpClient.HttpClient
  const exchange = yield* makeExchange(client, profile, host, scrubber.protectPassing, unanswered)
  const wire = makeLogin(settings, exchange, waits)
  const base = urlBelow(baseUrl, "").slice(0, -1)
  const account = `${baseUrl.href}\n${settings.username}`
  const gate = token === null ? yield* makeGate(account, timeouts.grace, unanswered) : openGate
  const session = token === null ? yield* makeSessionState(settings, account, wire) : yield* makeTokenState
  const witnesses = yield* makeWitnesses(exchange, waits)

  /** What a reply that is no answer means: a failure, or that perhaps only the session is gone. */
  const refused = Effect.fnUntraced(function* (
    reply: SessionReply,
    recognised: Exclude<Recognised, "answer">,
    label: string,
    met: Met,
    hangUp: Effect.Effect<void>
  ) {
    const { headers, status } = reply
    const beginning = yield* readBeginning(reply)
    yield* (yield* RefusedReplies)({ status, body: beginning })
    switch (recognised) {
      case "transient":
        return yield* yield* statusSetback(reply, errorDetail(parsed(beginning)))
      case "page":
        return yield* brokenSetback(pageReason(beginning), "page")
      case "broken":
        return yield* brokenSetback(whyNotJson(beginning) ?? "not JSON", "garbled")
      case "lost": {
        const page = passwordPage(headers["location"] ?? "")
        if (page !== null) return yield* new LoginRefused({ user: settings.username, host, expired: true, page })
        if (token !== null) {
          return yield* new LoginProtocol({ host, reason: "it redirects, as no gateway does", token: true })
        }
        yield* session.lost
        yield* Effect.logDebug(`${label}: the session is gone (status ${status})`)
        return { _tag: "Lost", met: { ...met, html: met.html || status < 300 }, undone: false } as const
      }
      case "forbidden": {
        if (token !== null && status === 401) return yield* new LoginRefused({ user: "", host, token: true })
        // Witnesses are asked by requests of their own.
        yield* hangUp
        if ((yield* session.forbidden(met.forbidden, witnesses.ask(reply))) === "forbidden") {
          return yield* new Forbidden({ what: label, status, ...(token === null ? {} : { token: true }) })
        }
        yield* Effect.logDebug(`${label}: forbidden, perhaps because the session is gone`)
        return { _tag: "Lost", met: { ...met, forbidden: true }, undone: true } as const
      }
    }
  })

  /** Logs in where that is due, sends the request once, and gives its reply to `use`. */
  const attempt = <A>(
    request: HttpClientRequest.HttpClientRequest,
    label: string,
    met: Met,
    use: (reply: SessionReply) => Effect.Effect<A, Setback | SessionError>
  ): Effect.Effect<Outcome<A>, Setback | SessionError, Scope.Scope> =>
    Effect.gen(function* () {
      yield* session.ensureLogin
      const connection = yield* Scope.fork(yield* Effect.scope)
      const reply = yield* Scope.provide(exchange.send(request, questions), connection)
      const json = (yield* JsonReply) !== null
      const recognised = recognise(reply, { json, htmlAgain: met.html || !(yield* session.mayLogIn) })
      if (recognised !== "answer" && (recognised !== "page" || json)) {
        return yield* refused(reply, recognised, label, met, Scope.close(connection, Exit.void))
      }
      const answer = yield* use(reply)
      if (recognised === "answer") yield* session.answered(met.forbidden)
      return { _tag: "Answer", answer }
    })

  /** Repeats `attempt` as often as its setbacks and `repeatable` allow, and says how it ended for good. */
  const persist = <A, R>(
    label: string,
    repeatable: boolean,
    scoping: Scoping<R>,
    attempt: Effect.Effect<Outcome<A>, Setback | SessionError, Scope.Scope>
  ): Effect.Effect<Outcome<A>, never, R> =>
    Effect.suspend(() => {
      let sent = 0
      const failed = (error: SessionError | OutcomeUnknown): Outcome<A> => ({ _tag: "Failed", error })
      // What took too long twice will take too long again, and each time costs the patience of everybody.
      const mayRepeat = ({ kind, noSuchHost }: Setback) =>
        kind === "notSent"
          ? noSuchHost !== true || sent < triesOfName
          : repeatable && kind !== "unreadable" && (kind !== "silent" || sent < 2)
      return Effect.suspend(() => {
        sent++
        return scoping(gate.inside(Effect.catchIf(attempt, isSessionError, (error) => Effect.succeed(failed(error)))))
      }).pipe(
        Effect.tapError((setback) =>
          mayRepeat(setback) && sent < tries
            ? Effect.andThen(
                countRetry("api"),
                Effect.logWarning(`${host}: ${setback.reason}; trying again (${sent} of ${tries})`)
              )
            : Effect.void
        ),
        Effect.retry({ schedule: apiRetry(tries), while: mayRepeat }),
        Effect.catch((setback) =>
          Effect.succeed(
            failed(
              setback.kind === "unreadable" || setback.kind === "garbled"
                ? new ReplyMalformed({ request: label, reason: setback.reason, garbled: setback.kind === "garbled" })
                : repeatable || !leavesDoubt(setback)
                  ? new Unavailable({ host, reason: setback.reason, attempts: sent })
                  : new OutcomeUnknown({ request: label, reason: doubt(setback) })
            )
          )
        )
      )
    })

  const request = Effect.fn("svc.session.request")(function* <A, R>(
    asked: HttpClientRequest.HttpClientRequest,
    scoping: Scoping<R>,
    use: (label: string) => (reply: SessionReply) => Effect.Effect<A, Setback | SessionError>
  ) {
    const url = asked.url.startsWith(`${base}/`) ? asked.url : urlBelow(baseUrl, asked.url)
    const label = `${asked.method} ${url.slice(baseUrl.origin.length).replace(/[?#].*$/s, "")}`
    const repeatable = asked.method === "GET" || asked.method === "HEAD" || (yield* RepeatSafe)
    const absolute = HttpClientRequest.setUrl(asked, url)
    let met: Met = { forbidden: false, html: false }
    yield* Effect.annotateCurrentSpan({ "http.request.method": asked.method })
    if (yield* session.closed)
      return yield* Effect.die(new Error("The session is closed: the scope of its layer has ended"))
    while (true) {
      const outcome = yield* persist(label, repeatable, scoping, attempt(absolute, label, met, use(label)))
      if (outcome._tag === "Answer") return outcome.answer
      if (outcome._tag === "Failed") return yield* outcome.error
      if (!repeatable && !outcome.undone) return yield* new OutcomeUnknown({ request: label })
      met = outcome.met
    }
  })

  const logout = Effect.gen(function* () {
    yield* session.close
    // What was left may still be worked on; the session then ends by itself.
    if (yield* Ref.get(unanswered)) return
    yield* gate.enter
    if (yield* session.loggedIn) yield* wire.logout
  }).pipe(
    Effect.scoped,
    Effect.interruptible,
    Effect.timeoutOption(timeouts.logout),
    Effect.catchCause((cause) => Effect.logDebug("The logout failed", cause))
  )
  yield* Effect.addFinalizer(() => logout)

  const begun = yield* persist(
    "login",
    true,
    closeAtOnce,
    Effect.as(session.ensureLogin, { _tag: "Answer", answer: undefined } as const)
  )
  if (begun._tag === "Failed") return yield* readsOnly(Effect.fail(begun.error))

  const conversation: Conversation = {
    http: HttpClient.makeWith<never, never, SessionError | OutcomeUnknown, never>(
      Effect.flatMap((asked) =>
        request(
          asked,
          closeAtOnce,
          (label) => (reply) =>
            readWhole(reply, label, bodyLimit).pipe(
              Effect.tap(mustBeJson),
              Effect.tap((response) => witnesses.remember(reply, response))
            )
        )
      ),
      Effect.succeed
    ),
    stream: (asked) =>
      Effect.tap(
        request(asked, keepOpen, () => (reply) => Effect.succeed(readStreaming(reply))),
        () => gate.tellWhoWaits
      )
  }
  return conversation
})

/** Fails where the answer must be JSON and is none: cut by somebody on the way, for example. */
const mustBeJson = Effect.fnUntraced(function* (response: ReplyResponse) {
  const judge = yield* JsonReply
  if (response.status >= 300 || judge === null) return
  const text = yield* Effect.mapError(response.text, () => brokenSetback(notUtf8, "unreadable"))
  const reason = judge(text)
  if (reason !== null) return yield* brokenSetback(reason, "garbled")
})

const isSessionError = (error: Setback | SessionError): error is SessionError => error._tag !== "Setback"

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))
const parsed = (text: string): unknown => Option.getOrNull(decodeJson(text))
