/** The Prometheus metrics of the gateway. Those of links are in `core/src/serving/LinkStore.ts`. */
import * as Metric from "effect/Metric"

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

export const queueLength = Metric.gauge("svc_gateway_queue_length", {
  description: "Questions that wait for an answer of the service"
})

export const queueOldestWait = Metric.gauge("svc_gateway_queue_oldest_wait_seconds", {
  description: "How long the first of the waiting questions has waited"
})

export const linksHeld = Metric.gauge("svc_gateway_links_held", {
  description: "Links that are given out without a question to the service"
})
