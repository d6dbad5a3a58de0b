/** What the gateway tells its operators: `/healthz`, and `/metrics` for Prometheus. The metrics of links are in `core/src/serving/LinkStore.ts`. */
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Metric from "effect/Metric"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import { LinkStore } from "../core/src/serving/LinkStore.ts"
import { GatewayApi } from "./GatewayApi.ts"

export const requests = Metric.counter("svc_gateway_requests_total", {
  description: "Requests that were answered, by route and status",
  incremental: true
})

export const bytes = Metric.counter("svc_gateway_relayed_bytes_total", {
  description: "Bytes of files that went through the gateway",
  incremental: true
})

export const inFlight = Metric.gauge("svc_gateway_requests_in_flight", {
  description: "Requests that are being answered"
})

export const logins = Metric.counter("svc_gateway_logins_total", {
  description: "Logins that were sent to the service",
  incremental: true
})

const queueLength = Metric.gauge("svc_gateway_queue_length", {
  description: "Questions that wait for an answer of the service"
})

const queueOldestWait = Metric.gauge("svc_gateway_queue_oldest_wait_seconds", {
  description: "How long the first of the waiting questions has waited"
})

const linksHeld = Metric.gauge("svc_gateway_links_held", {
  description: "Links that are given out without a question to the service"
})

export const controlHandlers = HttpApiBuilder.group(
  GatewayApi,
  "control",
  Effect.fn(function* (handlers) {
    const store = yield* LinkStore

    /** What changes by itself is looked at when somebody asks. */
    const measure = Effect.gen(function* () {
      const state = yield* store.state
      yield* Metric.update(queueLength, state.queue.length)
      yield* Metric.update(queueOldestWait, state.queue.oldestWait / 1000)
      yield* Metric.update(linksHeld, state.linksHeld)
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
