/**
 * Sends one request with the newest cookies and token, and receives its reply. Every wait has a limit.
 *
 * This module knows nothing of logins (`SessionState.ts`). Only one exchange runs at a time, so its state needs no lock.
 */
import {
  Array as Arr,
  Cause,
  Clock,
  Context,
  Data,
  Duration,
  Effect,
  Option,
  Pull,
  Redacted,
  Ref,
  type Scope,
  Stream
} from "effect"
import { Headers, HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { countBytes, countRequest } from "../Counters.ts"
import { ProxyRefused, ReplyTooLarge, TlsRefused } from "../Errors.ts"
import { waitAsked } from "../Schedules.ts"
import { CookieJars, setCookieLines, valueIn } from "./CookieJars.ts"
import { isUndecided } from "./Recognition.ts"
import { type ReplyHead, ReplyResponse } from "./ReplyResponse.ts"
import { PathTemplate } from "./RequestMarks.ts"
import type { SessionProfile } from "./SessionProfile.ts"
import { faultOfClientError, TransportFault } from "./TransportFault.ts"

/** An exchange that brought no usable answer; the session decides whether the request is sent again. */
export class Setback extends Data.TaggedError("Setback")<{
  /**
   * `notSent`: the service never received the request. `broken`: it may have received it and acted on it. `status`: it answered
   * with a status that asks for another try. `unreadable`: its answer cannot be read, and the next one could not be either.
   */
  readonly kind: "notSent" | "broken" | "status" | "unreadable"
  readonly reason: string
  readonly status: number | null
  readonly retryAfter: Duration.Duration | null
}> {
  override get message() {
    return this.reason
  }
}

/** A reply whose head and first body bytes have arrived. */
export interface SessionReply extends ReplyHead {
  readonly request: HttpClientRequest.HttpClientRequest
  /** The first bytes of the body; empty only when the body is. */
  readonly start: Uint8Array
  /** The next bytes after `start`, null at the end. */
  readonly next: Effect.Effect<Uint8Array | null, Setback>
}

export interface Waits {
  readonly headers: Duration.Duration
  readonly idle: Duration.Duration
}

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

/** The setback of a reply whose status asks for another try, with the wait that `Retry-After` names. */
export const statusSetback = (reply: ReplyHead, detail: string): Effect.Effect<Setback> =>
  Effect.map(
    Clock.currentTimeMillis,
    (now) =>
      new Setback({
        kind: "status",
        reason: `status ${reply.status}${detail === "" ? "" : ` (${detail})`}`,
        status: reply.status,
        retryAfter: waitAsked(reply.headers["retry-after"], now)
      })
  )

/** @param protect - learns every cookie and token, so that no message repeats one */
export const makeExchange = Effect.fnUntraced(function* (
  client: HttpClient.HttpClient,
  profile: SessionProfile,
  host: string,
  protect: (secret: string) => void
) {
  const { make: freshJar } = yield* CookieJars
  const jar = yield* Effect.flatMap(freshJar, Ref.make)
  const token = yield* Ref.make(Option.none<Redacted.Redacted>())
  const tokenHeader = profile.tokenHeader.toLowerCase()

  const cookiesFor = (url: string) =>
    Effect.zipWith(Ref.get(jar), Clock.currentTimeMillis, (jar, now) => jar.headerFor(url, now))

  const dress = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
    const known = yield* Ref.get(token)
    const cookie = yield* cookiesFor(request.url)
    return HttpClientRequest.setHeaders(request, {
      ...(Headers.has(request.headers, "accept") ? {} : { accept: "*/*" }),
      ...profile.headers,
      "user-agent": profile.userAgent,
      ...(Option.isSome(known) ? { [tokenHeader]: Redacted.value(known.value) } : {}),
      ...(cookie === null ? {} : { cookie })
    })
  })

  const judge = (fault: TransportFault): Setback | TlsRefused | ProxyRefused => {
    if (fault.kind === "Tls") return new TlsRefused({ host: fault.proxy ?? host, reason: fault.reason })
    if (fault.kind === "Proxy" && fault.status !== undefined && fault.status < 500) {
      return new ProxyRefused({ proxy: fault.proxy ?? "", status: fault.status })
    }
    return setbackOf(fault)
  }

  const silence = (wait: Duration.Duration, what: string) => () =>
    Effect.fail(broken(`${what} within ${Duration.format(wait)}`))

  const send: Exchange["send"] = Effect.fn("svc.session.exchange", { kind: "client" })(function* (request, waits) {
    const dressed = yield* dress(request)
    const template = yield* PathTemplate
    yield* Effect.annotateCurrentSpan({
      "http.request.method": request.method,
      "server.address": host,
      ...(template === null ? {} : { "url.template": template })
    })
    yield* countRequest("api")
    const response = yield* client.execute(dressed).pipe(
      Effect.provideContext(
        Context.empty().pipe(
          // The span of the HTTP client would record the whole address, which holds ids of persons.
          Context.add(HttpClient.TracerDisabledWhen, () => true),
          Context.add(HttpClient.TracerPropagationEnabled, false)
        )
      ),
      Effect.mapError((error) => judge(faultOfClientError(error))),
      Effect.timeoutOrElse({ duration: waits.headers, orElse: silence(waits.headers, "no answer") })
    )
    yield* Effect.annotateCurrentSpan({ "http.response.status_code": response.status })
    const fresh = response.headers[tokenHeader]
    if (fresh !== undefined && fresh !== "") {
      protect(fresh)
      yield* Ref.set(token, Option.some(Redacted.make(fresh)))
    }
    const [current, now] = [yield* Ref.get(jar), yield* Clock.currentTimeMillis]
    for (const line of setCookieLines(response.headers["set-cookie"])) {
      protect(valueIn(line))
      current.take(line, request.url, now)
    }

    // Some HTTP clients report a reply without a body, as after HEAD or with 204, as an error.
    const body = response.stream.pipe(
      Stream.catchIf(
        (error) => error.reason._tag === "EmptyBodyError",
        () => Stream.empty
      ),
      Stream.mapError((error) => {
        const fault = faultOfClientError(error)
        return fault.kind === "Encoding" ? setbackOf(fault) : broken(fault.reason)
      })
    )
    const pull = yield* Stream.toPull(body)
    let held: ReadonlyArray<Uint8Array> = []
    const next: SessionReply["next"] = Effect.suspend(() => {
      const chunk = held[0]
      if (chunk !== undefined) {
        held = held.slice(1)
        return Effect.succeed(chunk)
      }
      return Pull.matchEffect(pull, {
        onSuccess: ([first, ...rest]): Effect.Effect<Uint8Array | null, Setback> => {
          held = rest
          const count = rest.reduce((sum, chunk) => sum + chunk.length, first.length)
          return Effect.as(countBytes("api", count), first)
        },
        onFailure: Effect.failCause,
        onDone: () => Effect.succeed(null)
      }).pipe(
        Effect.timeoutOrElse({ duration: waits.idle, orElse: silence(waits.idle, "no further byte of the answer") })
      )
    })

    let start: Uint8Array = new Uint8Array(0)
    while (isUndecided(start) && start.length < undecidedLimit) {
      const chunk = yield* next
      if (chunk === null) break
      start = start.length === 0 ? chunk : concatenated([start, chunk])
    }
    const { url, status, headers, cookies } = response
    return { request, url, status, headers, cookies, start, next }
  })

  const exchange: Exchange = {
    send,
    token: Ref.get(token),
    hasCookies: Effect.map(Ref.get(jar), (cookies) => !cookies.isEmpty()),
    hasCookieFor: (url) => Effect.map(cookiesFor(url), (cookies) => cookies !== null),
    forget: Effect.andThen(
      Effect.flatMap(freshJar, (fresh) => Ref.set(jar, fresh)),
      Ref.set(token, Option.none())
    )
  }
  return exchange
})

/** At most this many bytes of white space and byte order marks are skipped before a body. */
const undecidedLimit = 64 * 1024

const setbackOf = ({ kind, reason }: TransportFault) =>
  new Setback({
    kind: kind === "Encoding" ? "unreadable" : kind === "Broken" ? "broken" : "notSent",
    reason,
    status: null,
    retryAfter: null
  })

const broken = (reason: string) => new Setback({ kind: "broken", reason, status: null, retryAfter: null })

const concatenated = (chunks: ReadonlyArray<Uint8Array>): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

/** Reads a reply to its end, at most `limit` bytes. `label` names the request in the error. */
export const readWhole = Effect.fnUntraced(function* (reply: SessionReply, label: string, limit: number) {
  const chunks = [reply.start]
  let size = reply.start.length
  while (true) {
    if (size > limit) return yield* new ReplyTooLarge({ request: label, limit })
    const chunk = yield* reply.next
    if (chunk === null) return new ReplyResponse(reply.request, reply, concatenated(chunks))
    chunks.push(chunk)
    size += chunk.length
  }
})

/** The reply with its body as a stream. When the connection breaks, the stream fails with a {@link TransportFault} as cause. */
export const readStreaming = (reply: SessionReply): ReplyResponse => {
  const rest = Stream.fromPull(
    Effect.succeed(
      Effect.flatMap(reply.next, (chunk) => (chunk === null ? Cause.done() : Effect.succeed(Arr.of(chunk))))
    )
  )
  const response: ReplyResponse = new ReplyResponse(
    reply.request,
    reply,
    Stream.mapError(
      reply.start.length === 0 ? rest : Stream.concat(Stream.succeed(reply.start), rest),
      (setback) =>
        new HttpClientError.HttpClientError({
          reason: new HttpClientError.DecodeError({
            request: reply.request,
            response,
            description: setback.reason,
            cause: new TransportFault({ kind: "Broken", reason: setback.reason })
          })
        })
    )
  )
  return response
}

/** Reads an error page: its beginning as text. The rest is read and dropped, so that the connection can be used again. */
export const readBeginning = (reply: SessionReply): Effect.Effect<string> =>
  Effect.gen(function* () {
    let text = reply.start
    let size = text.length
    while (size < discardLimit) {
      const chunk = yield* reply.next
      if (chunk === null) break
      if (text.length < beginningLimit) text = concatenated([text, chunk])
      size += chunk.length
    }
    return text
  }).pipe(
    Effect.catch(() => Effect.succeed(reply.start)),
    Effect.map((bytes) => new TextDecoder().decode(bytes))
  )

/** At most this many bytes of an error page are kept. */
const beginningLimit = 64 * 1024
/** At most this many bytes of an error page are read; after that the connection is closed, as it cannot be used again. */
const discardLimit = 1024 * 1024
