/** A collector of OpenTelemetry on loopback that takes JSON and keeps what came. */
import http from "node:http"
import { Effect, type Scope } from "effect"
import { listening } from "./StrictService.ts"

export interface SeenSpan {
  readonly name: string
  readonly id: string
  /** Of the parent; empty for a root. */
  readonly parent: string
  readonly trace: string
  readonly attributes: Readonly<Record<string, unknown>>
}

export interface Collector {
  readonly url: string
  readonly spans: () => ReadonlyArray<SeenSpan>
  /** The last value of each counter, by name and plane. */
  readonly counters: () => Readonly<Record<string, number>>
  /** Path and content type of all requests. */
  readonly asked: ReadonlyArray<string>
  readonly bodies: ReadonlyArray<string>
}

// biome-ignore lint/suspicious/noExplicitAny: decoded JSON of the wire, judged by the tests
type Any = any

const plainOf = (value: Any): unknown =>
  value.stringValue ??
  value.boolValue ??
  value.doubleValue ??
  (value.intValue === undefined ? null : Number(value.intValue))

const attributesOf = (list: ReadonlyArray<Any> = []) =>
  Object.fromEntries(list.map(({ key, value }) => [key, plainOf(value)]))

export const collector = (): Effect.Effect<Collector, never, Scope.Scope> =>
  Effect.gen(function* () {
    const asked: Array<string> = []
    const bodies: Array<string> = []
    const server = http.createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        asked.push(`${request.url} ${request.headers["content-type"]}`)
        bodies.push(Buffer.concat(chunks).toString())
        response.writeHead(200, { "content-type": "application/json" }).end("{}")
      })
    })
    const port = yield* listening(server)
    const documents = (path: string): ReadonlyArray<Any> =>
      bodies.flatMap((body, index) => (asked[index]?.startsWith(`${path} application/json`) ? [JSON.parse(body)] : []))
    return {
      url: `http://127.0.0.1:${port}`,
      asked,
      bodies,
      spans: () =>
        documents("/v1/traces")
          .flatMap(({ resourceSpans }) => resourceSpans)
          .flatMap(({ scopeSpans }) => scopeSpans)
          .flatMap(({ spans }) => spans)
          .map((span) => ({
            name: span.name,
            id: span.spanId,
            parent: span.parentSpanId ?? "",
            trace: span.traceId,
            attributes: attributesOf(span.attributes)
          })),
      counters: () =>
        Object.fromEntries(
          documents("/v1/metrics")
            .flatMap(({ resourceMetrics }) => resourceMetrics)
            .flatMap(({ scopeMetrics }) => scopeMetrics)
            .flatMap(({ metrics }) => metrics)
            .filter(({ name }) => name.startsWith("svc."))
            .flatMap(({ name, sum }) =>
              sum.dataPoints.map((point: Any) => {
                const { plane } = attributesOf(point.attributes)
                return [plane === undefined ? name : `${name} ${plane}`, Number(point.asInt ?? point.asDouble)]
              })
            )
        )
    }
  })
