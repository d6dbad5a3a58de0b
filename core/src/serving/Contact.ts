/**
 * Whether the service can be reached, by what became of the last request to it.
 *
 * A service that is slow is not away: a reader waits as long as its question is there. When the last request had no answer, the first
 * page is asked for now and then, without a session, so that a server that nobody asks learns that the service is back.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import { serviceLook } from "../Schedules.ts"

/** A service that takes a look and never answers it must not end the looking. */
const lookTime = "15 seconds"
/** Who asks whether it answers now does not wait longer, and is told the same for as long. */
const promptly = "3 seconds"

export class Contact extends Context.Service<
  Contact,
  {
    /** Whether the last request to the service had an answer; not before the first one had. */
    readonly isUp: () => boolean
    /** Whether it is up and answers now: a service that stands still takes requests, and says nothing. */
    readonly answers: Effect.Effect<boolean>
  }
>()("svc-steps/core/serving/Contact") {
  /** Watches the client that it is given, and gives the watched one on. */
  static readonly layer = (baseUrl: URL): Layer.Layer<Contact | HttpClient.HttpClient, never, HttpClient.HttpClient> =>
    Layer.effectContext(
      Effect.gen(function* () {
        const client = yield* HttpClient.HttpClient
        /** Null until the service has answered or failed for the first time: who logs in then looks already. */
        let up: boolean | null = null
        const watched = HttpClient.transformResponse(client, (response) =>
          response.pipe(
            Effect.tap(({ status }) =>
              Effect.sync(() => {
                up = status < 500
              })
            ),
            Effect.tapError(() =>
              Effect.sync(() => {
                up = false
              })
            )
          )
        )
        const look = Effect.suspend(() =>
          up === false ? Effect.ignore(Effect.timeout(Effect.scoped(watched.head(baseUrl)), lookTime)) : Effect.void
        )
        yield* Effect.forkScoped(Effect.repeat(look, serviceLook))
        // Not by the watched client: a service that is slow is not away.
        const page = client
          .head(baseUrl)
          .pipe(
            Effect.scoped,
            Effect.timeout(promptly),
            Effect.match({ onSuccess: ({ status }) => status < 500, onFailure: () => false })
          )
        const answered = yield* Effect.cachedWithTTL(page, promptly)
        const answers = Effect.suspend(() => (up === true ? answered : Effect.succeed(false)))
        return Context.make(Contact, Contact.of({ isUp: () => up === true, answers })).pipe(
          Context.add(HttpClient.HttpClient, watched)
        )
      })
    )
}
