/** What the gateway tells its operators: `/healthz`, `/readyz`, and `/metrics` for Prometheus. The metrics of links are in `core/src/serving/LinkStore.ts`. */
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Metric from "effect/Metric"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import * as Ref from "effect/Ref"
import { Contact } from "../core/src/serving/Contact.ts"
import { LinkStore } from "../core/src/serving/LinkStore.ts"
import { linesLost, unlogged } from "./AccessLog.ts"
import { json } from "./Answers.ts"
import { GatewayApi } from "./GatewayApi.ts"
import { GatewaySettings } from "./GatewaySettings.ts"

export const requests = Metric.counter("svc_gateway_requests_total", {
  description: "Requests that were answered, by route and status",
  incremental: true
})

export const bytes = Metric.counter("svc_gateway_relayed_bytes_total", {
  description: "Bytes of files that went through the gateway",
  incremental: true
})

/** Seconds. */
export const latency = Metric.histogram("svc_gateway_request_duration_seconds", {
  description: "How long requests took to their answer, and of a file that goes through to its last byte",
  boundaries: [0.005, 0.025, 0.1, 0.5, 1, 5, 30, 120, 600]
})

export const inFlight = Metric.gauge("svc_gateway_requests_in_flight", {
  description: "Requests that are being answered"
})

export const tokenFileRefused = Metric.gauge("svc_gateway_token_file_refused", {
  description: "1 when the token file could not be used when it was read last, so that the readers of before stay"
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

const serviceUp = Metric.gauge("svc_gateway_service_up", {
  description: "1 when the service answered last, 0 when it did not"
})

const tokens = Metric.gauge("svc_gateway_tokens", { description: "Tokens that the token file names" })

const memory = Metric.gauge("svc_gateway_resident_memory_bytes", { description: "Memory of the process" })

const processCpu = Metric.counter("svc_gateway_cpu_seconds_total", {
  description: "CPU time of the process",
  incremental: true
})

/** What core counts for telemetry, whose names have no ending (docs/report.md). */
const metricNameMapper = (name: string) => (name.startsWith("svc.") ? `${name}_total` : name)

export const controlHandlers = HttpApiBuilder.group(
  GatewayApi,
  "control",
  Effect.fn(function* (handlers) {
    const store = yield* LinkStore
    const contact = yield* Contact
    const { readers } = yield* GatewaySettings
    // An alert on a number that is not there never fires.
    for (const counter of [bytes, linesLost]) yield* Metric.update(counter, 0)
    yield* Metric.update(tokenFileRefused, 0)
    let cpuCounted = 0

    /** What changes by itself is looked at when somebody asks. */
    const measure = Effect.gen(function* () {
      const state = yield* store.state
      yield* Metric.update(queueLength, state.queue.length)
      yield* Metric.update(queueOldestWait, state.queue.oldestWait / 1000)
      yield* Metric.update(linksHeld, state.linksHeld)
      yield* Metric.update(serviceUp, contact.isUp() ? 1 : 0)
      yield* Metric.update(memory, process.memoryUsage.rss())
      const { system, user } = process.cpuUsage()
      const cpu = (system + user) / 1e6
      yield* Metric.update(processCpu, cpu - cpuCounted)
      cpuCounted = cpu
      if (readers !== null) yield* Metric.update(tokens, (yield* Ref.get(readers)).size)
    })

    return handlers
      .handleRaw("healthz", () => unlogged(Effect.succeed(HttpServerResponse.text("ok\n"))))
      .handleRaw("readyz", () =>
        unlogged(
          Effect.map(contact.answers, (answers) =>
            answers
              ? HttpServerResponse.text("ready\n")
              : json(503, { error: "ServiceAway", message: "the service cannot be reached, or stands still" })
          )
        )
      )
      .handleRaw("metrics", () =>
        unlogged(
          Effect.map(Effect.andThen(measure, PrometheusMetrics.format({ metricNameMapper })), (text) =>
            HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
          )
        )
      )
  })
)
