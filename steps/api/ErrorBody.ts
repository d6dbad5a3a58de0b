/** Shows the body that came with an error status, on request and without the secrets of the session. */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import { RefusedReplies, type RefusedReply } from "../../core/src/session/RequestMarks.ts"
import { Scrubber } from "../../core/src/text/Scrubber.ts"

/** When `call` fails, gives `show` the body of the last refused reply, with secrets removed. */
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

/** Logs the body, after a line's beginning that names the status. */
export const logErrorBody = (body: string, status: number): Effect.Effect<void> =>
  Effect.logError(`Body of the reply with status ${status}: ${body.trimEnd()}`)
