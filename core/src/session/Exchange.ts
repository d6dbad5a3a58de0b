/**
 * Sends one request with the newest cookies and token, and receives its reply. Every wait has a limit.
 *
 * This module knows nothing of logins (`SessionState.ts`). Only one exchange runs at a time, so its state needs no lock.
 */
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
import * as Pull from "effect/Pull"
import * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { countBytes, countRequest } from "../Counters.ts"
import type { ProxyRefused, TlsRefused } from "../Errors.ts"
import { joinBytes } from "../JoinedBytes.ts"
import { monotonicMillis } from "../MonotonicTime.ts"
import { makeCookieJar } from "./CookieJar.ts"
import { isUndecided } from "./Recognition.ts"
import type { SessionReply } from "./ReplyReading.ts"
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

export interface Waits {
  /** Until the headers of the answer, and then until the first byte of its body. */
  readonly headers: Duration.Duration
  /** Between two pieces of the body. */
  readonly idle: Duration.Duration
  /**
   * True where a proxy that waits no longer leaves the service at work, as silence does: for questions to the service itself. A login
   * goes on with its next path, and a gateway takes care of its service.
   */
  readonly overtakes?: boolean
}

/** An answer that brings fewer `bytes` than these in `milliseconds` of waiting for it is given up, as at link hosts. */
const slowest = { bytes: 120 * 1024, milliseconds: 120_000 }

/**
 * What a load balancer answers that waits no longer (504; 524 by Cloudflare), most after 30 to 100 s. The service goes on with its
 * work, as after a silence. One that comes at once says that the service was not reached.
 */
const overtaken = { statuses: [504, 524], milliseconds: 5000 }

/** A line says that an answer takes long after this time. */
const long = Duration.minutes(1)

export interface Exchange {
  /** Sends `request`, whose URL is absolute; the connection belongs to the scope. */
  readonly send: (
    request: HttpClientRequest.HttpClientRequest,
    waits: Waits
  ) => Effect.Effect<SessionReply, Setback | TlsRefused | ProxyRefused, Scope.Scope>
  /** Whether an answer was given up or left since it was asked last, so that the service may still be at work on it. */
  readonly leftAtWork: Effect.Effect<boolean>
  /** The newest token that any reply carried. */
  readonly token: Effect.Effect<Option.Option<Redacted.Redacted>>
  /** Whether a cookie would go with a request to `url`. */
  readonly hasCookieFor: (url: string) => Effect.Effect<boolean>
  readonly hasCookies: Effect.Effect<boolean>
  /** Forgets all cookies and the token. */
  readonly forget: Effect.Effect<void>
}

/** @param protect - learns every cookie and token, so that no message repeats one */
export const makeExchange = Effect.fnUntraced(function* (
  client: HttpClient.HttpClient,
  profile: SessionProfile,
  host: string,
  protect: (secret: string) => void
) {
  const jar = yield* Effect.flatMap(makeCookieJar, Ref.make)
  const token = yield* Ref.make(Option.none<Redacted.Redacted>())

  const cookiesFor = (url: string) =>
    Effect.zipWith(Ref.get(jar), Clock.currentTimeMillis, (jar, now) => jar.headerFor(url, now))

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

  const judge = (fault: TransportFault) => refusalOf(host, fault) ?? faultSetback(fault)

  const atWork = yield* Ref.make(false)
  const giveUp = (reason: string) => Effect.andThen(Ref.set(atWork, true), Effect.fail(brokenSetback(reason, "silent")))
  const silence = (wait: Duration.Duration, what: string) => () => giveUp(`${what} within ${Duration.format(wait)}`)

  /** Says once that `answer` takes long. */
  const sayLong = <A, E, R>(answer: Effect.Effect<A, E, R>, wait: Duration.Duration) =>
    Effect.raceFirst(
      answer,
      Effect.logInfo(
        `${host}: no answer for ${Duration.format(long)}; it may take ${Duration.format(wait)} (apiTimeout)`
      ).pipe(Effect.delay(long), Effect.andThen(Effect.never))
    )

  const send: Exchange["send"] = Effect.fn("svc.session.send", { kind: "client" })(function* (request, waits) {
    const dressed = yield* dress(request)
    const template = yield* PathTemplate
    yield* Effect.annotateCurrentSpan({
      "http.request.method": request.method,
      "server.address": host,
      ...(template === null ? {} : { "url.template": template })
    })
    yield* countRequest("api")
    const asked = yield* monotonicMillis
    const response = yield* client.execute(dressed).pipe(
      Effect.provideContext(
        Context.empty().pipe(
          // The span of the HTTP client would record the whole address, which holds ids of persons.
          Context.add(HttpClient.TracerDisabledWhen, () => true),
          Context.add(HttpClient.TracerPropagationEnabled, false)
        )
      ),
      Effect.mapError((error) => judge(faultOfClientError(error))),
      Effect.onInterrupt(() => Ref.set(atWork, true)),
      (answer) => sayLong(answer, waits.headers),
      Effect.timeoutOrElse({ duration: waits.headers, orElse: silence(waits.headers, "no answer") })
    )
    yield* Effect.annotateCurrentSpan({ "http.response.status_code": response.status })
    for (const fresh of tokensIn(response.headers, profile)) {
      protect(fresh)
      yield* Ref.set(token, Option.some(Redacted.make(fresh)))
    }
    const [current, now] = [yield* Ref.get(jar), yield* Clock.currentTimeMillis]
    for (const line of setCookieLines(response)) {
      protect(valueIn(line))
      current.take(line, request.url, now)
    }
    const waited = (yield* monotonicMillis) - asked
    if (waits.overtakes === true && overtaken.statuses.includes(response.status) && waited >= overtaken.milliseconds) {
      return yield* giveUp(`status ${response.status}, of a proxy that waits no longer for the answer`)
    }

    // Some HTTP clients report a reply without a body, as after HEAD or with 204, as an error.
    const body = response.stream.pipe(
      Stream.catchIf(
        (error) => error.reason._tag === "EmptyBodyError",
        () => Stream.empty
      ),
      Stream.mapError((error) => {
        const fault = faultOfClientError(error)
        return fault.kind === "Encoding" ? faultSetback(fault) : brokenSetback(fault.reason)
      })
    )
    const pull = yield* Stream.toPull(body)
    let held: ReadonlyArray<Uint8Array> = []
    let begun = false
    let window = { waited: 0, bytes: 0 }
    /** Fails when the answer has come too slowly for two minutes of waiting for it. */
    const tooSlow = (waited: number, bytes: number) =>
      Effect.suspend(() => {
        window = { waited: window.waited + waited, bytes: window.bytes + bytes }
        if (window.waited < slowest.milliseconds) return Effect.void
        if (window.bytes < slowest.bytes) return giveUp("the answer comes with less than 1 KiB per second")
        window = { waited: 0, bytes: 0 }
        return Effect.void
      })
    const next: SessionReply["next"] = Effect.suspend(() => {
      const chunk = held[0]
      if (chunk !== undefined) {
        held = held.slice(1)
        return Effect.succeed(chunk)
      }
      const wait = begun ? waits.idle : waits.headers
      const take = Pull.matchEffect(pull, {
        onSuccess: ([first, ...rest]): Effect.Effect<Uint8Array | null, Setback> => {
          held = rest
          const count = rest.reduce((sum, chunk) => sum + chunk.length, first.length)
          return Effect.as(countBytes("api", count), first)
        },
        onFailure: Effect.failCause,
        onDone: () => Effect.succeed(null)
      }).pipe(
        Effect.onInterrupt(() => Ref.set(atWork, true)),
        (piece) => (begun ? piece : sayLong(piece, wait)),
        Effect.timeoutOrElse({ duration: wait, orElse: silence(wait, "no further byte of the answer") })
      )
      return Effect.gen(function* () {
        const asked = yield* monotonicMillis
        const chunk = yield* take
        const waited = (yield* monotonicMillis) - asked
        if (chunk !== null && begun) yield* tooSlow(waited, chunk.length + held.reduce((sum, it) => sum + it.length, 0))
        begun = true
        return chunk
      })
    })

    let start: Uint8Array = new Uint8Array(0)
    while (isUndecided(start) && start.length < undecidedLimit) {
      const chunk = yield* next
      if (chunk === null) break
      start = start.length === 0 ? chunk : joinBytes([start, chunk])
    }
    const { url, status, headers, cookies } = response
    return { request, url, status, headers, cookies, start, next }
  })

  const exchange: Exchange = {
    send,
    leftAtWork: Ref.getAndSet(atWork, false),
    token: Ref.get(token),
    hasCookies: Effect.map(Ref.get(jar), (cookies) => !cookies.isEmpty()),
    hasCookieFor: (url) => Effect.map(cookiesFor(url), (cookies) => cookies !== null),
    forget: Effect.andThen(
      Effect.flatMap(makeCookieJar, (fresh) => Ref.set(jar, fresh)),
      Ref.set(token, Option.none())
    )
  }
  return exchange
})

/** At most this many bytes of white space and byte order marks are skipped before a body. */
const undecidedLimit = 64 * 1024
