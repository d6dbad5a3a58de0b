/**
 * The methods of `ServiceClient` for callers that pass the JSON on. The payload is what the service sent, without its envelope:
 * same key names, unknown fields, identifiers as text or number, and all digits (`JSON.rawJSON` keeps those beyond the precision
 * of a `number`). Errors are the same as those of `ServiceClient`; records are not checked.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
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
