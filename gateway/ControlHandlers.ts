/** `/healthz` and `/metrics`, for the operators of the gateway. */
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Metric from "effect/Metric"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import { LinkStore } from "../core/src/serving/LinkStore.ts"
import * as Counters from "./Counters.ts"
import { GatewayApi } from "./GatewayApi.ts"

export const controlHandlers = HttpApiBuilder.group(
  GatewayApi,
  "control",
  Effect.fn(function* (handlers) {
    const store = yield* LinkStore

    /** What changes by itself is looked at when somebody asks. */
    const measure = Effect.gen(function* () {
      const { linksHeld, queue } = yield* store.state
      yield* Metric.update(Counters.queueLength, queue.length)
      yield* Metric.update(Counters.queueOldestWait, queue.oldestWait / 1000)
      yield* Metric.update(Counters.linksHeld, linksHeld)
    })

    return handlers
      .handleRaw("healthz", () => Effect.succeed(HttpServerResponse.text("ok\n")))
      .handleRaw("metrics", () =>
        Effect.map(Effect.andThen(measure, PrometheusMetrics.format()), (text) =>
          HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
        )
      )
  })
)
