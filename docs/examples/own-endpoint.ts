/**
 * Asks an endpoint that the client has no method for, through the same session, and sends spans and counters to a collector.
 *
 *     export OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318
 *     node own-endpoint.ts FBN1
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Config, Console, Effect, Layer, Schema } from "effect"
import { HttpClientRequest, HttpClientResponse } from "effect/http"
import { Otlp } from "effect/observability"
import { Client, Session } from "svc-steps"
import { Service } from "svc-steps/node"

const Variants = Schema.Struct({ data: Schema.Array(Schema.Unknown) })

const program = Effect.fn("program")(function* (gene: string) {
  const request = HttpClientRequest.get(`/search/griddata?gene=${encodeURIComponent(gene)}`)
  // With the errors of the methods, such as `SvcNotFound`, and a body by what is in it.
  const { body } = yield* Client.ServiceClient.use((client) => client.request(request))
  yield* Console.log(body._tag)
  // As Effect's own HttpClient: statuses are yours to judge. Turns, logins and repeats are those of the session here too.
  const { http } = yield* Session.Session
  const reply = yield* http.execute(request).pipe(Effect.flatMap(HttpClientResponse.schemaBodyJson(Variants)))
  yield* Console.log(`${reply.data.length} variants in ${gene}`)
})

const tracing = Layer.unwrap(
  Effect.map(Config.String("OTEL_EXPORTER_OTLP_ENDPOINT"), (baseUrl) =>
    Otlp.layerJson({ baseUrl, resource: { serviceName: "own-endpoint" } })
  )
).pipe(Layer.provide(NodeHttpClient.layerNodeHttp))

// The collector is there before the session begins and after it ends, so that it hears of login and logout.
const layer = Service.layerConfig().pipe(Layer.provideMerge(tracing))
program(process.argv[2] ?? "").pipe(Effect.provide(layer), NodeRuntime.runMain)
