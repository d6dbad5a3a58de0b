/** A session on the virtual clock, and the service it talks to, without sockets. */
import { assert } from "@effect/vitest"
import { Cause, Clock, Duration, Effect, Exit, Fiber, Layer, Redacted, type Scope, Stream } from "effect"
import { Cookies, Headers, HttpClient, HttpClientError } from "effect/http"
import { TestClock } from "effect/testing"
import type { ConfigUnusable, SessionError } from "../../core/src/Errors.ts"
import { AccountLock } from "../../core/src/session/Gate.ts"
import { ReplyResponse } from "../../core/src/session/ReplyReading.ts"
import { Session } from "../../core/src/session/Session.ts"
import { makeSessionProfile, type SessionSettings } from "../../core/src/session/SessionSettings.ts"
import { TransportFault } from "../../core/src/session/TransportFault.ts"

interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** When it came, in ms. */
  readonly at: number
}

export interface Said {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly cookies?: ReadonlyArray<string>
  readonly body?: string
  /** Sent after `body`, then the body ends, breaks or stays open. */
  readonly after?: "end" | "break" | "silence"
  readonly delay?: Duration.Input
  /** After `body` so many pieces of `size` bytes, one in a while. */
  readonly pieces?: { readonly count: number; readonly every: Duration.Input; readonly size: number }
}

export type Answer = (asked: Asked, count: number) => Said | TransportFault | null

export const loginPage = '<!DOCTYPE html><html><form><input type="password"></form></html>'

const piecesOf = ({ count, every, size }: NonNullable<Said["pieces"]>) =>
  Stream.range(1, count).pipe(Stream.mapEffect(() => Effect.as(Effect.sleep(every), new Uint8Array(size).fill(0x20))))

const mostRequests = 2000

/**
 * The service without sockets: `answer` first, and where it returns null the usual behaviour. Every reply takes 10 ms;
 * `overlaps` counts requests that met another one or the body of its reply, `atWork` those that met the work on one that the client had left. A session that asks for ever is a defect at {@link mostRequests}.
 */
export const makeService = (answer: Answer) => {
  const asked: Array<Asked> = []
  const counts = new Map<string, number>()
  const served = { inFlight: 0, overlaps: 0, logins: 0, logouts: 0, atWork: 0 }
  let busyUntil = 0
  let session = 0
  const usual = (request: Asked): Said => {
    if (request.method === "HEAD" || ["/", "/authenticate"].includes(request.path)) {
      session++
      return { headers: { "x-csrf-token": `first-${session}` }, cookies: [`sid=anonymous-${session}; Path=/`] }
    }
    if (request.path.endsWith("/login")) {
      served.logins++
      const form = new URLSearchParams(request.body)
      if (form.get("_csrf") !== `first-${session}` || request.headers["cookie"] !== `sid=anonymous-${session}`) {
        return { status: 302, body: loginPage }
      }
      if (form.get("password") !== "right") return { body: loginPage }
      return { headers: { "x-csrf-token": `token-${session}` }, cookies: [`sid=user-${session}; Path=/`] }
    }
    if (request.headers["cookie"] !== `sid=user-${session}`) return { status: 403, body: loginPage }
    if (request.path.endsWith("/logout")) {
      served.logouts++
      return { status: 302 }
    }
    return { body: `{"path":${JSON.stringify(request.path)}}` }
  }
  const client = HttpClient.make((request, url) =>
    Effect.gen(function* () {
      const body = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : ""
      const at = yield* Clock.currentTimeMillis
      const ask: Asked = { method: request.method, path: url.pathname, headers: request.headers, body, at }
      asked.push(ask)
      if (asked.length > mostRequests)
        return yield* Effect.die(new Error(`it has sent more than ${mostRequests} requests`))
      const key = `${ask.method} ${ask.path}`
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      if (++served.inFlight > 1) served.overlaps++
      const said = answer(ask, count) ?? usual(ask)
      if (at < busyUntil) served.atWork++
      busyUntil = at + (said instanceof TransportFault ? 0 : Duration.toMillis(said.delay ?? 0))
      yield* Effect.sleep(said instanceof TransportFault ? 10 : (said.delay ?? 10))
      if (said instanceof TransportFault) {
        return yield* new HttpClientError.HttpClientError({
          reason: new HttpClientError.TransportError({ request, cause: said })
        })
      }
      const bytes = Stream.succeed(new TextEncoder().encode(said.body ?? ""))
      const broken = new TransportFault({ kind: "Broken", reason: "connection reset" })
      const meeting = Effect.acquireRelease(
        Effect.sync(() => served.inFlight++),
        () => Effect.sync(() => served.inFlight--)
      )
      const untilRead = (body: Stream.Stream<Uint8Array, HttpClientError.HttpClientError>) =>
        Stream.unwrap(Effect.as(meeting, body))
      const response: ReplyResponse = new ReplyResponse(
        request,
        {
          url: url.href,
          status: said.status ?? 200,
          headers: Headers.fromInput({
            ...said.headers,
            "set-cookie": (said.cookies ?? []).map((line) => `${line}\n`).join("")
          }),
          cookies: Cookies.empty
        },
        untilRead(
          said.after === "break"
            ? Stream.concat(
                bytes,
                Stream.suspend(() =>
                  Stream.fail(
                    new HttpClientError.HttpClientError({
                      reason: new HttpClientError.DecodeError({ request, response, cause: broken })
                    })
                  )
                )
              )
            : said.after === "silence"
              ? Stream.concat(bytes, Stream.never)
              : said.pieces === undefined
                ? bytes
                : Stream.concat(bytes, piecesOf(said.pieces))
        )
      )
      return response
    }).pipe(Effect.ensuring(Effect.sync(() => served.inFlight--)))
  )
  const requests = () => asked.map(({ method, path }) => `${method} ${path}`)
  return { asked, served, requests, layer: Layer.succeed(HttpClient.HttpClient, client) }
}

export const settings: SessionSettings = {
  baseUrl: new URL("https://svc.example"),
  username: "ana",
  password: Redacted.make("right"),
  profile: makeSessionProfile("1.2.3")
}

/** Runs `use` with a session of `service`, the clock moving by itself as far as it takes. */
export const withSession = <A, E>(
  service: ReturnType<typeof makeService>,
  use: (session: Session["Service"]) => Effect.Effect<A, E, Scope.Scope>,
  changed: Partial<SessionSettings> = {},
  clock: Clock.Clock | null = null
): Effect.Effect<Exit.Exit<A, E | SessionError | ConfigUnusable>> =>
  Effect.gen(function* () {
    const layer = Session.layer({ ...settings, ...changed }).pipe(Layer.provide([service.layer, AccountLock.layerNone]))
    const program = Effect.flatMap(Session, use).pipe(Effect.scoped, Effect.provide(layer))
    return yield* inVirtualTime(clock === null ? program : Effect.provideService(program, Clock.Clock, clock))
  })

/** Moves the clock by `by` until the fiber has ended, at most `steps` times; says whether it has. */
const passTime = Effect.fnUntraced(function* <A, E>(fiber: Fiber.Fiber<A, E>, steps: number, by: Duration.Input) {
  for (let step = 0; step < steps && fiber.pollUnsafe() === undefined; step++) yield* TestClock.adjust(by)
  return fiber.pollUnsafe() !== undefined
})

/** Runs `program` to its end, the clock moving by itself: in small steps for two and a half minutes, then in large ones for half an hour. */
export const inVirtualTime = <A, E>(program: Effect.Effect<A, E>): Effect.Effect<Exit.Exit<A, E>> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkDetach(program)
    const ended = (yield* passTime(fiber, 3000, "50 millis")) || (yield* passTime(fiber, 360, "5 seconds"))
    if (ended) return yield* Fiber.await(fiber)
    // Not waited for: what hangs may hang at its end too.
    fiber.interruptUnsafe()
    yield* passTime(fiber, 10, "5 seconds")
    return assert.fail("it had not ended after half an hour of virtual time")
  })

export const get = (session: Session["Service"], path: string) =>
  Effect.flatMap(session.http.get(path), (response) => Effect.orDie(response.text))

export const failed = <A, E>(exit: Exit.Exit<A, E>): E => {
  if (Exit.isSuccess(exit)) return assert.fail("it succeeded")
  const failure = exit.cause.reasons.find(Cause.isFailReason)
  return failure === undefined ? assert.fail(Cause.pretty(exit.cause)) : failure.error
}

export const succeeded = <A, E>(exit: Exit.Exit<A, E>): A =>
  Exit.isSuccess(exit) ? exit.value : assert.fail(Cause.pretty(exit.cause))

export const call =
  (path: string): Answer =>
  (asked) =>
    asked.path === path ? { body: '{"called":true}' } : null
