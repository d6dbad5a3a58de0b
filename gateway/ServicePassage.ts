/**
 * Questions of many to a service that answers one at a time, passed on as they are. A question takes its turn in the line of the
 * gateway; its answer is taken at full speed, so that a slow reader never holds the account, and kept until the last who asked for it
 * has it. Equal questions that are under way at the same time are asked once.
 */
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type Spool, Spools } from "../core/src/annotations/Spool.ts"
import type { CannotCreate, LocalIo, SessionError } from "../core/src/Errors.ts"
import { type ServiceAway, ServiceQueue } from "../core/src/serving/Questions.ts"
import { type AccessLost, ServiceAccess } from "../core/src/serving/ServiceAccess.ts"
import { PathTemplate, RefusedReplies, type RefusedReply } from "../core/src/session/RequestMarks.ts"
import type { ServiceRoute } from "./ServiceRoutes.ts"

/** There is no room for the answer now. */
export class SpoolFull extends Data.TaggedError("SpoolFull")<{ readonly reason: string }> {
  readonly retryable = true
  readonly scope = "run"
}

/** The service has said no; this is what it said. */
export class Refused extends Data.TaggedError("Refused")<{
  readonly reply: RefusedReply
  readonly error: SessionError
}> {
  readonly retryable = false
  readonly scope = "analysis"
}

/** The answer broke off; asked again, it may be whole. */
class BrokenOff extends Data.TaggedError("BrokenOff")<{ readonly reason: string }> {
  readonly retryable = true
  readonly scope = "run"
}

type AskError = AccessLost | SessionError | SpoolFull | Refused | BrokenOff

export type PassageError = AskError | ServiceAway

/** An answer of the service, whole. */
export interface PassedAnswer {
  readonly status: number
  readonly contentType: string | null
  /** Bytes. */
  readonly size: number
  /** The bytes from `offset` on, at most `most` of them. */
  readonly read: (offset: number, most: number) => Effect.Effect<Uint8Array, LocalIo>
}

interface UnderWay {
  readonly answer: Deferred.Deferred<PassedAnswer, AskError>
  readonly scope: Scope.Closeable
  /** Who wait for the answer, or take it. */
  users: number
}

/** Of a short answer, read at a time. Bytes. */
const small = 1024 * 1024
/** How often an answer that broke off is asked for again. */
const tries = 2

/** @param spoolLimit - bytes of all answers that are kept at a time */
export const makeServicePassage = Effect.fnUntraced(function* (spoolLimit: number) {
  const access = yield* ServiceAccess
  const queue = yield* ServiceQueue
  const spools = yield* Spools
  const outer = yield* Effect.scope
  const underWay = new Map<string, UnderWay>()
  let spooled = 0

  const noRoom = (error: CannotCreate | LocalIo) => new SpoolFull({ reason: error.message })

  /** Takes what the service sends; the bytes count until the scope closes. */
  const take = Effect.fnUntraced(function* (body: Stream.Stream<Uint8Array, SessionError | BrokenOff>) {
    const spool: Spool = yield* spools.open
    let counted = 0
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        spooled -= counted
      })
    )
    yield* Stream.runForEach(body, (bytes) =>
      Effect.suspend((): Effect.Effect<void, SpoolFull> => {
        if (spooled + bytes.length > spoolLimit) {
          return Effect.fail(
            new SpoolFull({ reason: "answers that others have not taken yet fill the room (--spoolLimit)" })
          )
        }
        spooled += bytes.length
        counted += bytes.length
        return Effect.mapError(spool.write(bytes), noRoom)
      })
    )
    // The last of it may still be on its way to the disk, and not fit: what is read waits for that.
    yield* Effect.mapError(spool.read(0, new Uint8Array(1)), noRoom)
    return spool
  })

  const ask = Effect.fnUntraced(function* (
    request: HttpClientRequest.HttpClientRequest,
    { template }: ServiceRoute,
    scope: Scope.Closeable
  ) {
    let refused: RefusedReply | null = null
    const attempt = Effect.gen(function* () {
      const response = yield* access.ask(({ session }) => session.stream(request))
      const body = Stream.mapError(
        response.stream,
        (error) => new BrokenOff({ reason: `the answer of the service broke off: ${error.reason._tag}` })
      )
      // A try that broke off keeps no room.
      const own = yield* Scope.fork(scope)
      const spool = yield* Scope.provide(take(body), own).pipe(
        Effect.onError((cause) => Scope.close(own, Exit.failCause(cause)))
      )
      return { response, spool }
    }).pipe(
      Effect.scoped,
      Effect.provideService(PathTemplate, template),
      Effect.provideService(RefusedReplies, (reply) =>
        Effect.sync(() => {
          refused = reply
        })
      )
    )
    const repeatable = request.method === "GET" || request.method === "HEAD"
    const { response, spool } = yield* attempt.pipe(
      Effect.retry({ times: tries, while: (error) => repeatable && error._tag === "BrokenOff" }),
      Effect.mapError(
        (error): AskError =>
          error._tag === "SvcForbidden" && refused !== null ? new Refused({ reply: refused, error }) : error
      )
    )
    const size = spool.size()
    const read: PassedAnswer["read"] = (offset, most) =>
      Effect.gen(function* () {
        const into = new Uint8Array(Math.min(most, size - offset))
        return into.subarray(0, yield* spool.read(offset, into))
      })
    return { status: response.status, contentType: response.headers["content-type"] ?? null, size, read }
  })

  const begin = Effect.fnUntraced(function* (
    request: HttpClientRequest.HttpClientRequest,
    route: ServiceRoute,
    key: string | null
  ): Effect.fn.Return<UnderWay> {
    const scope = yield* Scope.make()
    const answer = yield* Deferred.make<PassedAnswer, AskError>()
    const entry: UnderWay = { answer, scope, users: 1 }
    const left = new BrokenOff({ reason: "nobody waits for the answer any more" })
    // In the scope of the server: a change is made, and a question that was begun is answered, although its reader may have gone.
    const turn = Effect.suspend(() => (key !== null && entry.users === 0 ? left : ask(request, route, scope)))
    yield* queue.ask(true, turn).pipe(Deferred.into(answer), Effect.forkIn(outer))
    return entry
  })

  const leave = (key: string | null, entry: UnderWay) =>
    Effect.suspend(() => {
      entry.users--
      if (entry.users > 0) return Effect.void
      if (key !== null && underWay.get(key) === entry) underWay.delete(key)
      // Not before the answer is whole: what is still written would go to a file that was closed, and perhaps to another one by then.
      const close = Effect.andThen(Effect.exit(Deferred.await(entry.answer)), Scope.close(entry.scope, Exit.void))
      return Effect.asVoid(Effect.forkIn(close, outer, { startImmediately: true }))
    })

  return {
    /** The answer, for as long as the scope is open. */
    pass: Effect.fnUntraced(function* (
      request: HttpClientRequest.HttpClientRequest,
      route: ServiceRoute
    ): Effect.fn.Return<PassedAnswer, PassageError, Scope.Scope> {
      const key = request.method === "GET" ? request.url : null
      const entry = yield* Effect.acquireRelease(
        Effect.gen(function* () {
          const known = key === null ? undefined : underWay.get(key)
          if (known !== undefined) {
            known.users++
            return known
          }
          const entry = yield* begin(request, route, key)
          if (key !== null) underWay.set(key, entry)
          return entry
        }),
        (entry) => leave(key, entry)
      )
      const whole = Deferred.await(entry.answer)
      const answer = yield* request.method === "GET" ? queue.wait(whole) : whole
      // From here on the answer is an old one: who asks now asks anew.
      if (key !== null && underWay.get(key) === entry) underWay.delete(key)
      return answer
    })
  }
})

/** All of it, of an answer that is known to be short. */
export const readAll = Effect.fnUntraced(function* ({ read, size }: PassedAnswer) {
  const whole = new Uint8Array(size)
  for (let at = 0; at < size; ) {
    const bytes = yield* read(at, small)
    whole.set(bytes, at)
    at += bytes.length
  }
  return whole
})
