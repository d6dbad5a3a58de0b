/** The Prometheus metrics of the gateway. Those of links are in `core/src/serving/LinkStore.ts`. */
import { Metric } from "effect"

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
