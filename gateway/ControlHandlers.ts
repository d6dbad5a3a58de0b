/** `/healthz` and `/metrics`, for the operators of the gateway. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { PrometheusMetrics } from "effect/observability"
import { GatewayApi } from "./GatewayApi.ts"

export const controlHandlers = HttpApiBuilder.group(
  GatewayApi,
  "control",
  Effect.fn(function* (handlers) {
    return handlers
      .handleRaw("healthz", () => Effect.succeed(HttpServerResponse.text("ok\n")))
      .handleRaw("metrics", () =>
        Effect.map(PrometheusMetrics.format(), (text) =>
          HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
        )
      )
  })
)
