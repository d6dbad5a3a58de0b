/** The body that came with an error status, for those who want to see it: without the secrets of the session. */
import { Effect, Ref } from "effect"
import { RefusedReplies, type RefusedReply } from "../../core/src/session/RequestMarks.ts"
import { Scrubber } from "../../core/src/text/Scrubber.ts"

/** Gives `show` the body of the last reply that was refused, scrubbed, when `call` fails on one. */
export const withErrorBody = <A, E, R, R2>(
  call: Effect.Effect<A, E, R>,
  show: (body: string, status: number) => Effect.Effect<void, never, R2>
): Effect.Effect<A, E, R | R2> =>
  Effect.gen(function* () {
    const last = yield* Ref.make<RefusedReply | null>(null)
    const showLast = Effect.gen(function* () {
      const reply = yield* Ref.get(last)
      if (reply !== null && reply.body !== "") yield* show((yield* Scrubber).prose(reply.body), reply.status)
    })
    return yield* call.pipe(
      Effect.provideService(RefusedReplies, (reply) => Ref.set(last, reply)),
      Effect.tapError(() => showLast)
    )
  })

/** Says it among the messages, in one line. */
export const logErrorBody = (body: string, status: number): Effect.Effect<void> =>
  Effect.logError(`Body of the reply with status ${status}: ${body.trimEnd()}`)
