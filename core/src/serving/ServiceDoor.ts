/**
 * The client of a service that may be down when a server starts: callers wait until the first login has worked.
 *
 * A step ends when the service does not answer; a server goes on and tries again. Only an error that retrying cannot mend, such as
 * a refused password, ends the server.
 */
import { Context, Deferred, Effect, Exit, Layer, Scope } from "effect"
import { ServiceClient } from "../client/ServiceClient.ts"
import type { ConfigUnusable, LoginRefused, SessionError } from "../Errors.ts"
import { serviceReturn } from "../Schedules.ts"

/** Why there will never be a client. */
export type DoorShut = SessionError | ConfigUnusable

export class ServiceDoor extends Context.Service<
  ServiceDoor,
  {
    /** The client, as soon as there is one. */
    readonly client: Effect.Effect<ServiceClient["Service"], DoorShut>
    /** Fails when the service will never let us in (again), and never succeeds. */
    readonly shut: Effect.Effect<never, DoorShut>
    /** The client was refused a later login: the password is another one by now, which shuts the door as well. */
    readonly refused: (error: LoginRefused) => Effect.Effect<void>
  }
>()("svc-steps/core/serving/ServiceDoor") {
  /** @param service - logs in while it is built and out when its scope closes */
  static readonly layer = (service: Layer.Layer<ServiceClient, DoorShut>): Layer.Layer<ServiceDoor> =>
    Layer.effect(
      ServiceDoor,
      Effect.gen(function* () {
        const scope = yield* Effect.scope
        const opened = yield* Deferred.make<ServiceClient["Service"], DoorShut>()
        const shut = yield* Deferred.make<never, DoorShut>()

        const attempt = Effect.gen(function* () {
          const inner = yield* Scope.fork(scope)
          const context = yield* Layer.buildWithScope(service, inner).pipe(
            Effect.onError((cause) => Scope.close(inner, Exit.failCause(cause)))
          )
          return Context.get(context, ServiceClient)
        })
        yield* attempt.pipe(
          Effect.tapError((error) =>
            isFinal(error) ? Effect.void : Effect.logWarning(`${error.message}; the login is tried again`)
          ),
          Effect.retry({ schedule: serviceReturn, while: (error) => !isFinal(error) }),
          Effect.tapError((error) => Deferred.fail(shut, error)),
          Deferred.into(opened),
          Effect.forkScoped
        )
        return ServiceDoor.of({
          client: Deferred.await(opened),
          shut: Deferred.await(shut),
          refused: (error) => Effect.asVoid(Deferred.fail(shut, error))
        })
      })
    )
}

/** A service that is away, under repair or used by somebody else may come back; a password does not become right. */
const isFinal = (error: DoorShut): boolean => !error.retryable && error.scope === "run"
