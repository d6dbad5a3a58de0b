/**
 * Questions of many to a service that answers one at a time, passed on as they are. A question takes its turn in the line of the
 * gateway. Its answer is taken at full speed, so that a slow reader never holds the account, and goes out as it comes. Who asks the
 * same meanwhile joins it; who left before the end, and comes back soon, finds it.
 */

import * as Bytes from "effect/Bytes"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type Spool, Spools } from "../core/src/annotations/Spool.ts"
import {
  type CannotCreate,
  type LocalIo,
  type OutcomeUnknown,
  ReplyTooLarge,
  type SessionError
} from "../core/src/Errors.ts"
import { Reader, type ServiceAway, ServiceQueue } from "../core/src/serving/Questions.ts"
import { type AccessLost, ServiceAccess } from "../core/src/serving/ServiceAccess.ts"
import { PathTemplate, RefusedReplies, type RefusedReply } from "../core/src/session/RequestMarks.ts"
import { faultOfClientError } from "../core/src/session/TransportFault.ts"
import { monotonicMillis } from "../core/src/telemetry/MonotonicTime.ts"
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

type AskError = AccessLost | SessionError | OutcomeUnknown | ServiceAway | SpoolFull | Refused | BrokenOff

export type PassageError = AskError | LocalIo

interface AnswerHead {
  readonly status: number
  readonly contentType: string | null
  /** Bytes, where the service says how many there will be. */
  readonly size: number | null
  /** When the service was asked, in ms since 1970. */
  readonly askedAt: number
}

/** An answer of the service, which may still be coming. */
export interface PassedAnswer extends AnswerHead {
  /** The bytes from `offset` on as soon as there are any, at most `most` of them; none at the end. */
  readonly read: (offset: number, most: number) => Effect.Effect<Uint8Array, PassageError>
  /** Its size, when it has ended. */
  readonly ended: Effect.Effect<number, PassageError>
}

interface UnderWay {
  readonly begun: Deferred.Deferred<AnswerHead & { readonly spool: Spool }, AskError>
  readonly scope: Scope.Closeable
  /** Done with the next bytes, and at the end. */
  more: Deferred.Deferred<void>
  /** How it ended; null while it is asked for or comes. */
  end: Exit.Exit<void, AskError> | null
  /** How long the service took to give it, in ms. */
  took: number
  /** Who wait for it, or take it. */
  users: number
  /** Keys of readers who left before they had it whole. */
  readonly missed: Set<string>
}

/** Of a short answer, read at a time. Bytes. */
const small = 1024 * 1024
/** An answer that was missed is kept as long as it took the service: asked for again, it would be no sooner there. At most so long, in ms. */
const longestKept = 600_000

/** @param spoolLimit - bytes of all answers that are kept at a time */
export const makeServicePassage = Effect.fnUntraced(function* (spoolLimit: number) {
  const access = yield* ServiceAccess
  const queue = yield* ServiceQueue
  const spools = yield* Spools
  const outer = yield* Effect.scope
  /** By what is asked; a change, which nobody joins, by itself. */
  const underWay = new Map<unknown, UnderWay>()
  let spooled = 0

  const drop = (key: unknown, entry: UnderWay) =>
    Effect.suspend(() => {
      if (underWay.get(key) === entry) underWay.delete(key)
      return Scope.close(entry.scope, Exit.void)
    })

  /** Nobody is given what ended before; what nobody takes now makes room. */
  const dropEnded = Effect.suspend(() =>
    Effect.forEach(
      [...underWay].filter(([, { end }]) => end !== null),
      ([key, entry]) => (entry.users === 0 ? drop(key, entry) : Effect.sync(() => underWay.delete(key))),
      { discard: true }
    )
  )

  const roomFor = Effect.fnUntraced(function* (size: number) {
    if (spooled + size > spoolLimit) yield* dropEnded
    if (spooled + size > spoolLimit) {
      return yield* new SpoolFull({ reason: "answers that others have not taken yet fill the room (--spoolLimit)" })
    }
  })

  const noRoom = (error: CannotCreate | LocalIo) => new SpoolFull({ reason: error.message })

  /** Asks, and takes the answer to its end; its bytes count until the scope of `entry` closes. */
  const ask = Effect.fnUntraced(function* (
    request: HttpClientRequest.HttpClientRequest,
    { template }: ServiceRoute,
    entry: UnderWay
  ) {
    let refused: RefusedReply | null = null
    const askedAt = yield* Clock.currentTimeMillis
    const { headers, status, stream } = yield* access
      .ask(({ session }) => session.stream(request))
      .pipe(
        Effect.provideService(PathTemplate, template),
        Effect.provideService(RefusedReplies, (reply) =>
          Effect.sync(() => {
            refused = reply
          })
        ),
        Effect.mapError(
          (error): AskError =>
            error._tag === "SvcForbidden" && refused !== null ? new Refused({ reply: refused, error }) : error
        )
      )
    const stated = headers["content-length"]
    const size = stated === undefined ? null : Number(stated)
    yield* roomFor(size ?? 0)
    const spool = yield* Scope.provide(spools.open, entry.scope)
    let counted = 0
    yield* Scope.addFinalizer(
      entry.scope,
      Effect.sync(() => {
        spooled -= counted
      })
    )
    const begin = Deferred.succeed(entry.begun, {
      status,
      contentType: headers["content-type"] ?? null,
      size,
      askedAt,
      spool
    })
    const take = Effect.fnUntraced(function* (bytes: Uint8Array) {
      yield* roomFor(bytes.length)
      spooled += bytes.length
      counted += bytes.length
      yield* Effect.mapError(spool.write(bytes), noRoom)
      yield* begin
      tell(entry)
    })
    yield* Stream.runForEach(
      Stream.mapError(
        stream,
        (error) => new BrokenOff({ reason: `the answer of the service broke off: ${faultOfClientError(error).reason}` })
      ),
      take
    )
    // The last of it may still be on its way to the disk, and not fit: what is read waits for that.
    yield* Effect.mapError(spool.read(0, new Uint8Array(1)), noRoom)
    yield* begin
  }, Effect.scoped)

  /** Drops what nobody takes and nobody has missed, when it has ended. */
  const settle = (key: unknown, entry: UnderWay): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (entry.users > 0 || entry.end === null) return Effect.void
      if (Exit.isFailure(entry.end) || entry.missed.size === 0 || underWay.get(key) !== entry) return drop(key, entry)
      const later = Effect.suspend(() => (entry.users > 0 ? Effect.void : drop(key, entry)))
      return Effect.asVoid(
        Effect.forkIn(Effect.delay(later, Math.min(entry.took, longestKept)), outer, { startImmediately: true })
      )
    })

  const begin = Effect.fnUntraced(function* (
    request: HttpClientRequest.HttpClientRequest,
    route: ServiceRoute,
    key: unknown
  ): Effect.fn.Return<UnderWay> {
    const scope = yield* Scope.make()
    const entry: UnderWay = {
      begun: Deferred.makeUnsafe(),
      scope,
      more: Deferred.makeUnsafe(),
      end: null,
      took: 0,
      users: 1,
      missed: new Set()
    }
    underWay.set(key, entry)
    // In the scope of the server: a change is made, and a question that was begun is answered, although its reader may have gone.
    const turn = Effect.gen(function* () {
      if (route.right === "read" && entry.users === 0) {
        underWay.delete(key)
        return yield* new BrokenOff({ reason: "nobody waits for the answer any more" })
      }
      if (route.right !== "read") yield* dropEnded
      const since = yield* monotonicMillis
      yield* ask(request, route, entry)
      entry.took = (yield* monotonicMillis) - since
    })
    yield* queue.ask(true, turn).pipe(
      Effect.onExit((exit) => {
        entry.end = exit
        if (Exit.isFailure(exit)) Deferred.doneUnsafe(entry.begun, Exit.failCause(exit.cause))
        tell(entry)
        return settle(key, entry)
      }),
      Effect.exit,
      Effect.forkIn(outer)
    )
    return entry
  })

  return {
    /** The answer as soon as it begins, for as long as the scope is open. */
    pass: Effect.fnUntraced(function* (
      request: HttpClientRequest.HttpClientRequest,
      route: ServiceRoute,
      body: string
    ): Effect.fn.Return<PassedAnswer, PassageError, Scope.Scope> {
      const reader = (yield* Reader).key
      const key = route.right === "change" ? request : `${request.url}\n${body}`
      let whole = false
      const entry = yield* Effect.acquireRelease(
        Effect.gen(function* () {
          const known = underWay.get(key)
          if (known !== undefined && (known.end === null || known.missed.has(reader))) {
            known.users++
            return known
          }
          if (known?.users === 0) yield* drop(key, known)
          return yield* begin(request, route, key)
        }),
        (entry) => {
          entry.users--
          if (whole) entry.missed.delete(reader)
          else if (route.right !== "change") entry.missed.add(reader)
          return settle(key, entry)
        }
      )
      const begun = Deferred.await(entry.begun)
      const { spool, ...head } = yield* route.right === "read" ? queue.wait(begun) : begun
      const read: PassedAnswer["read"] = (offset, most) =>
        Effect.suspend(() => {
          const { end, more } = entry
          // The last byte of a stated length goes out when the answer has ended: whoever has them all asks anew.
          const left = spool.size() - (end === null && spool.size() === head.size ? 1 : 0) - offset
          if (left > 0) {
            const into = new Uint8Array(Math.min(most, left))
            return Effect.map(spool.read(offset, into), (count) => into.subarray(0, count))
          }
          if (end === null) return Effect.andThen(Deferred.await(more), read(offset, most))
          whole = true
          return Effect.as(end, new Uint8Array(0))
        })
      const ended: Effect.Effect<number, PassageError> = Effect.suspend(() =>
        entry.end === null
          ? Effect.andThen(Deferred.await(entry.more), ended)
          : Effect.map(entry.end, () => spool.size())
      )
      return { ...head, read, ended }
    })
  }
})

const tell = (entry: UnderWay) => {
  const { more } = entry
  entry.more = Deferred.makeUnsafe()
  Deferred.doneUnsafe(more, Exit.void)
}

/** All of it, of an answer that has to be short. */
export const readShort = Effect.fnUntraced(function* ({ read }: PassedAnswer, limit: number) {
  const pieces: Array<Uint8Array> = []
  for (let at = 0; ; ) {
    const bytes = yield* read(at, small)
    if (bytes.length === 0) return Bytes.concat(pieces)
    at += bytes.length
    if (at > limit) return yield* new ReplyTooLarge({ request: "a list of files", limit })
    pieces.push(bytes)
  }
})
