/**
 * Spans and counters for a collector that speaks OTLP, set by the variables that all programs of OpenTelemetry know
 * (docs/report.md). Loaded only when one of them names a collector.
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as OtlpMetrics from "effect/observability/OtlpMetrics"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import * as Schema from "effect/Schema"
import * as ApiHttp from "./http/ApiHttp.ts"

const text = (name: string) => Config.String(name).pipe(Config.withDefault(""))

const variables = Config.all({
  endpoint: text("OTEL_EXPORTER_OTLP_ENDPOINT"),
  protocol: text("OTEL_EXPORTER_OTLP_PROTOCOL"),
  headers: Config.Record(Schema.String, Schema.StringFromUriComponent, "OTEL_EXPORTER_OTLP_HEADERS").pipe(
    Config.withDefault({})
  ),
  serviceName: text("OTEL_SERVICE_NAME")
})

/** The parts of a span that are read here. */
type Traces = Parameters<OtlpSerialization.OtlpSerialization["Service"]["traces"]>[0]

/**
 * The spans with the names of their errors and without the sentences: these tell people what happened to whom, and a service may
 * repeat a secret in them. A trace leaves for people who must not know either.
 */
const withoutMessages = ({ resourceSpans }: Traces): Traces => ({
  resourceSpans: resourceSpans.map(({ scopeSpans, ...resource }) => ({
    ...resource,
    scopeSpans: scopeSpans.map(({ spans, ...scope }) => ({
      ...scope,
      spans: spans.map((span) => {
        const events = span.events.map((event) => ({
          ...event,
          attributes: event.attributes.filter(({ key }) => key === "exception.type")
        }))
        return { ...span, events, status: { code: span.status.code } }
      })
    }))
  }))
})

const serialization = (protocol: string) =>
  Layer.effect(
    OtlpSerialization.OtlpSerialization,
    Effect.map(OtlpSerialization.OtlpSerialization, ({ logs, metrics, traces }) => ({
      logs,
      metrics,
      traces: (data) => traces(withoutMessages(data))
    }))
  ).pipe(Layer.provide(protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf))

/**
 * Sends spans and counters while it is there, and what is left when its scope closes, for a few seconds at most. A collector
 * that is away stops nothing.
 *
 * @param name - such as `svc-download`; `OTEL_SERVICE_NAME` wins
 */
export const layer = (name: string, version: string): Layer.Layer<never> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { endpoint, headers, protocol, serviceName } = yield* variables
      const url = (signal: string) => `${endpoint.replace(/\/+$/, "")}/v1/${signal}`
      if (!URL.canParse(endpoint)) return yield* nothing("it is no URL")
      const resource = { serviceName: serviceName === "" ? name : serviceName, serviceVersion: version }
      return Layer.mergeAll(
        OtlpTracer.layer({ url: url("traces"), headers, resource }),
        OtlpMetrics.layer({ url: url("metrics"), headers, resource })
      ).pipe(
        Layer.provide([serialization(protocol), ApiHttp.layer({ proxy: null, caFile: null, noProxy: "*" })]),
        Layer.orDie
      )
    }).pipe(Effect.catchTag("ConfigError", () => nothing("a variable beside it cannot be read")))
  )

const nothing = (reason: string) =>
  Effect.as(Effect.logWarning(`OTEL_EXPORTER_OTLP_ENDPOINT: ${reason}, so nothing is exported`), Layer.empty)
