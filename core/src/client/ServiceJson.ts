/**
 * The methods of `ServiceClient` for those who hand on what they get: the payload is the JSON of the service, out of its
 * envelope, with its key names, unknown fields, forms of identifiers and digits of numbers (those that no number of a
 * program has are kept by `JSON.rawJSON`). Errors are the same; records are not checked.
 */
import { Context, Effect, Layer } from "effect"
import { Session } from "../session/Session.ts"
import { makeCall } from "./EndpointCalls.ts"
import { makeMethods } from "./Methods.ts"
import type { ServiceMethods } from "./ServiceMethods.ts"

/** Download links are plain text here: print them only where they were asked for. */
export class ServiceJson extends Context.Service<ServiceJson, ServiceMethods<"json">>()(
  "svc-steps/core/client/ServiceJson"
) {
  static readonly layer: Layer.Layer<ServiceJson, never, Session> = Layer.effect(
    ServiceJson,
    Effect.gen(function* () {
      const { http } = yield* Session
      return ServiceJson.of(makeMethods<"json">(makeCall(http, "json"), makeCall(http, "decoded")))
    })
  )
}
