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
import * as Scope from "effect/Scope"
import { ServiceClient } from "../client/ServiceClient.ts"
import type { ConfigUnusable, LoginRefused, SessionError } from "../Errors.ts"
import { warnOf } from "../FailureLog.ts"
import { serviceReturn } from "../Schedules.ts"
import { Session } from "../session/Session.ts"

/** Why there will never be a client. */
export type AccessLost = SessionError | ConfigUnusable

export class ServiceAccess extends Context.Service<
  ServiceAccess,
  {
    /** The client, as soon as there is one. */
    readonly client: Effect.Effect<ServiceClient["Service"], AccessLost>
    /** The session below that client, for requests whose answers are passed on as they are. */
    readonly session: Effect.Effect<Session["Service"], AccessLost>
    /** Fails when no later login can work, such as after a refused password; never succeeds. */
    readonly lost: Effect.Effect<never, AccessLost>
    /** Says that a later login of the client was refused: the password has changed, so access is lost as well. */
    readonly loginRefused: (error: LoginRefused) => Effect.Effect<void>
  }
>()("svc-steps/core/serving/ServiceAccess") {
  /** @param service - logs in while it is built and out when its scope closes */
  static readonly layer = (service: Layer.Layer<ServiceClient | Session, AccessLost>): Layer.Layer<ServiceAccess> =>
    Layer.effect(
      ServiceAccess,
      Effect.gen(function* () {
        const scope = yield* Effect.scope
        const client = yield* Deferred.make<Context.Context<ServiceClient | Session>, AccessLost>()
        const lost = yield* Deferred.make<never, AccessLost>()

        const attempt = Effect.gen(function* () {
          const inner = yield* Scope.fork(scope)
          return yield* Layer.buildWithScope(service, inner).pipe(
            Effect.onError((cause) => Scope.close(inner, Exit.failCause(cause)))
          )
        })
        yield* attempt.pipe(
          Effect.tapError((error) =>
            isFinal(error) ? Effect.void : warnOf(error, (sentence) => `${sentence}; the login is tried again`)
          ),
          Effect.retry({ schedule: serviceReturn, while: (error) => !isFinal(error) }),
          Effect.tapError((error) => Deferred.fail(lost, error)),
          Deferred.into(client),
          Effect.forkScoped
        )
        return ServiceAccess.of({
          client: Effect.map(Deferred.await(client), Context.get(ServiceClient)),
          session: Effect.map(Deferred.await(client), Context.get(Session)),
          lost: Deferred.await(lost),
          loginRefused: (error) => Effect.asVoid(Deferred.fail(lost, error))
        })
      })
    )
}

/** A service that is away, under repair or used by somebody else may come back; a password does not become right. */
const isFinal = (error: AccessLost): boolean => !error.retryable && error.scope === "run"
