/**
 * The client of a service that may be down when a server starts: callers wait until the first login has worked.
 *
 * A step ends when the service does not answer; a server goes on and tries again. Only an error that retrying cannot mend, such as
 * a refused password, ends the server.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { ServiceClient } from "../client/ServiceClient.ts"
import { type ConfigUnusable, LoginRefused, type SessionError } from "../Errors.ts"
import { serviceReturn } from "../Schedules.ts"
import { Session } from "../session/Session.ts"
import { warnOf } from "../telemetry/FailureLog.ts"

/** Why there will never be a client. */
export type AccessLost = SessionError | ConfigUnusable

/** The client, and the session below it for requests whose answers are passed on as they are. */
export interface Connected {
  readonly client: ServiceClient["Service"]
  readonly session: Session["Service"]
}

export class ServiceAccess extends Context.Service<
  ServiceAccess,
  {
    /** Asks as soon as there is a client. A login that is refused then says that the password has changed: access is lost as well. */
    readonly ask: <A, E extends { readonly _tag: string }, R>(
      question: (connected: Connected) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | AccessLost, R>
    /** Fails when no later login can work, such as after a refused password; never succeeds. */
    readonly lost: Effect.Effect<never, AccessLost>
  }
>()("svc-steps/core/serving/ServiceAccess") {
  /** @param service - logs in while it is built and out when its scope closes */
  static readonly layer = (service: Layer.Layer<ServiceClient | Session, AccessLost>): Layer.Layer<ServiceAccess> =>
    Layer.effect(
      ServiceAccess,
      Effect.gen(function* () {
        const scope = yield* Effect.scope
        const connected = yield* Deferred.make<Connected, AccessLost>()
        const lost = yield* Deferred.make<never, AccessLost>()

        const attempt = Effect.gen(function* () {
          const inner = yield* Scope.fork(scope)
          const built = yield* Layer.buildWithScope(service, inner).pipe(
            Effect.onError((cause) => Scope.close(inner, Exit.failCause(cause)))
          )
          return { client: Context.get(built, ServiceClient), session: Context.get(built, Session) }
        })
        yield* attempt.pipe(
          Effect.tapError((error) =>
            isFinal(error) ? Effect.void : warnOf(error, (sentence) => `${sentence}; the login is tried again`)
          ),
          Effect.retry({ schedule: serviceReturn, while: (error) => !isFinal(error) }),
          Effect.tapError((error) => Deferred.fail(lost, error)),
          Deferred.into(connected),
          Effect.forkScoped
        )
        return ServiceAccess.of({
          ask: (question) =>
            Effect.flatMap(Deferred.await(connected), question).pipe(
              Effect.tapError((error) => (isRefusal(error) ? Deferred.fail(lost, error) : Effect.void))
            ),
          lost: Deferred.await(lost)
        })
      })
    )
}

const isRefusal = Schema.is(LoginRefused)

/** A service that is away, under repair or used by somebody else may come back; a password does not become right. */
const isFinal = (error: AccessLost): boolean => !error.retryable && error.scope === "run"
