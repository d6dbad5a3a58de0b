/**
 * Sends one request with the newest cookies and token, and receives its reply. Every wait has a limit.
 *
 * This module knows nothing of logins (`SessionState.ts`). Only one exchange runs at a time, so its state needs no lock.
 */

import * as Bytes from "effect/Bytes"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Cookies from "effect/http/Cookies"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ProxyRefused, TlsRefused } from "../Errors.ts"
import { countRequest } from "../telemetry/Counters.ts"
import { monotonicMillis } from "../telemetry/MonotonicTime.ts"
import { type BodyWaits, inTime, longWait, makeArrival, type Patience } from "./Arrival.ts"
import { cookieHeader, emptyJar, takeCookie } from "./CookieJar.ts"
import { isUndecided } from "./Recognition.ts"
import { headersInUtf8, inUtf8, type SessionReply } from "./ReplyReading.ts"
import { PathTemplate } from "./RequestMarks.ts"
import type { SessionProfile } from "./SessionSettings.ts"
import { brokenSetback, faultSetback, type Setback } from "./Setback.ts"
import { faultOfClientError, refusalOf, type TransportFault } from "./TransportFault.ts"

/**
 * The `Set-Cookie` lines of a reply. Ours come as they were sent, each with a line feed at its end: joined by commas, as other headers
 * are, they could not be separated again, because the date in `Expires` contains a comma. Of another `HttpClient` we have what it parsed.
 */
const setCookieLines = ({ cookies, headers }: HttpClientResponse.HttpClientResponse): ReadonlyArray<string> => {
  const sent = headers["set-cookie"] ?? ""
  return sent.includes("\n")
    ? sent.split("\n").filter((line) => line.trim() !== "")
    : Cookies.toSetCookieHeaders(cookies)
}

/** The value that a `Set-Cookie` line sets, whether it is kept or not. */
const valueIn = (line: string): string => {
  const [pair = ""] = line.split(";")
  return pair
    .slice(pair.indexOf("=") + 1)
    .trim()
    .replace(/^"(.*)"$/, "$1")
}

/** The tokens that a reply carries, the newest last. A field that comes twice, as behind some proxies, is one with a comma; no token has one. */
export const tokensIn = (headers: Headers.Headers, { tokenHeader }: SessionProfile): ReadonlyArray<string> =>
  (headers[tokenHeader.toLowerCase()] ?? "")
    .split(",")
    .map((token) => token.trim())
    .filter((token) => token !== "")

export interface Waits extends BodyWaits {
  /**
   * True where a proxy that waits no longer leaves the service at work, as silence does: for questions to the service itself. A login
   * goes on with its next path, and a gateway takes care of its service.
   */
  readonly overtakes?: boolean
}

/**
 * What a load balancer answers that waits no longer (504; 524 by Cloudflare), most after 30 to 100 s. The service goes on with its
 * work, as after a silence. One that comes at once says that the service was not reached.
 */
const overtaken = { statuses: [504, 524], milliseconds: 5000 }

export interface Exchange {
  /** Sends `request`, whose URL is absolute; the connection belongs to the scope. */
  readonly send: (
    request: HttpClientRequest.HttpClientRequest,
    waits: Waits
  ) => Effect.Effect<SessionReply, Setback | TlsRefused | ProxyRefused, Scope.Scope>
  /** The newest token that any reply carried. */
  readonly token: Effect.Effect<Option.Option<Redacted.Redacted>>
  /** Whether a cookie would go with a request to `url`. */
  readonly hasCookieFor: (url: string) => Effect.Effect<boolean>
  readonly hasCookies: Effect.Effect<boolean>
  /** Forgets all cookies and the token. */
  readonly forget: Effect.Effect<void>
}

/**
 * @param protect - learns every cookie and token, so that no message repeats one
 * @param unanswered - becomes true when an answer is given up or left, so that the service may still be at work on it
 */
export const makeExchange = Effect.fnUntraced(function* (
  client: HttpClient.HttpClient,
  profile: SessionProfile,
  host: string,
  protect: (secret: string) => void,
  unanswered: Ref.Ref<boolean>
) {
  const jar = yield* Ref.make(emptyJar)
  const token = yield* Ref.make(Option.none<Redacted.Redacted>())
  const heard = yield* Ref.make(false)
  const left = Ref.set(unanswered, true)
  const patience: Patience = {
    giveUp: (reason) => Effect.andThen(left, Effect.fail(brokenSetback(reason, "silent"))),
    sayLong: (wait) =>
      Effect.logInfo(
        `${host}: no answer for ${Duration.format(longWait)}; it may take ${Duration.format(wait)} (apiTimeout)`
      )
  }

  const cookiesFor = (url: string) =>
    Effect.zipWith(Ref.get(jar), Clock.currentTimeMillis, (jar, now) => cookieHeader(jar, url, now))

  const dress = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
    const known = yield* Ref.get(token)
    const cookie = yield* cookiesFor(request.url)
    return HttpClientRequest.setHeaders(request, {
      ...(Headers.has(request.headers, "accept") ? {} : { accept: "*/*" }),
      ...profile.headers,
      "user-agent": profile.userAgent,
      ...(Option.isSome(known) ? { [profile.tokenHeader]: Redacted.value(known.value) } : {}),
      ...(cookie === null ? {} : { cookie })
    })
  })

  /** The failure that a fault before the answer is. */
  const judge = (fault: TransportFault) =>
    Effect.map(
      Ref.get(heard),
      (known) => refusalOf(host, fault) ?? faultSetback({ ...fault, noSuchHost: fault.noSuchHost === true && !known })
    )

  /** Asks, and waits for the head of the answer. */
  const ask = (request: HttpClientRequest.HttpClientRequest, { headers: wait }: Waits) =>
    client.execute(request).pipe(
      Effect.provideContext(
        Context.empty().pipe(
          // The span of the HTTP client would record the whole address, which holds ids of persons.
          Context.add(HttpClient.TracerDisabledWhen, () => true),
          Context.add(HttpClient.TracerPropagationEnabled, false)
        )
      ),
      Effect.catch((error) => Effect.flatMap(judge(faultOfClientError(error)), Effect.fail)),
      Effect.onInterrupt(() => left),
      inTime(patience, wait, `no answer within ${Duration.format(wait)}`, true)
    )

  /** Keeps the cookies and the newest token that a reply from `url` carries. */
  const learn = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse, url: string) {
    yield* Ref.set(heard, true)
    for (const fresh of tokensIn(response.headers, profile)) {
      protect(fresh)
      yield* Ref.set(token, Option.some(Redacted.make(fresh)))
    }
    const now = yield* Clock.currentTimeMillis
    for (const line of setCookieLines(response)) {
      protect(valueIn(line))
      yield* Ref.update(jar, (jar) => takeCookie(jar, line, url, now))
    }
  })

  /** The body of a reply, in UTF-8, as it arrives. */
  const arrivalOf = (response: HttpClientResponse.HttpClientResponse, waits: Waits) => {
    const body = response.stream.pipe(
      // Some HTTP clients report a reply without a body, as after HEAD or with 204, as an error.
      Stream.catchIf(
        (error) => error.reason._tag === "EmptyBodyError",
        () => Stream.empty
      ),
      Stream.mapError((error) => {
        const fault = faultOfClientError(error)
        return fault.kind === "Encoding" ? faultSetback(fault) : brokenSetback(fault.reason)
      })
    )
    return Effect.map(
      makeArrival(inUtf8(body, response.headers), waits, patience),
      Effect.onInterrupt(() => left)
    )
  }

  const send: Exchange["send"] = Effect.fn("svc.session.send", { kind: "client" })(function* (request, waits) {
    const template = yield* PathTemplate
    yield* Effect.annotateCurrentSpan({
      "http.request.method": request.method,
      "server.address": host,
      ...(template === null ? {} : { "url.template": template })
    })
    yield* countRequest("api")
    const asked = yield* monotonicMillis
    const response = yield* ask(yield* dress(request), waits)
    const waited = (yield* monotonicMillis) - asked
    yield* Effect.annotateCurrentSpan({ "http.response.status_code": response.status })
    yield* learn(response, request.url)
    if (waits.overtakes === true && overtaken.statuses.includes(response.status) && waited >= overtaken.milliseconds) {
      return yield* patience.giveUp(`status ${response.status}, of a proxy that waits no longer for the answer`)
    }
    const next = yield* arrivalOf(response, waits)
    const start = yield* beginningOf(next)
    const { url, status, headers, cookies } = response
    return { request, url, status, headers: headersInUtf8(headers), cookies, start, next }
  })

  const exchange: Exchange = {
    send,
    token: Ref.get(token),
    hasCookies: Effect.map(Ref.get(jar), ({ given }) => given),
    hasCookieFor: (url) => Effect.map(cookiesFor(url), (cookies) => cookies !== null),
    forget: Effect.andThen(Ref.set(jar, emptyJar), Ref.set(token, Option.none()))
  }
  return exchange
})

/** At most this many bytes of white space and byte order marks are skipped before a body. */
const undecidedLimit = 64 * 1024

/** What a body begins with, as far as it takes to tell what it is. */
const beginningOf = Effect.fnUntraced(function* <E>(next: Effect.Effect<Uint8Array | null, E>) {
  let start: Uint8Array = new Uint8Array(0)
  while (isUndecided(start) && start.length < undecidedLimit) {
    const chunk = yield* next
    if (chunk === null) break
    start = start.length === 0 ? chunk : Bytes.concat([start, chunk])
  }
  return start
})
