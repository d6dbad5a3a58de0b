/** The HTTP server of the gateway: its routes on one port, and how it shuts down. */
import type { Server } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { addressOf, handleInTurn, listen, onUnread } from "../platform/http/Listener.ts"
import { logUnread } from "./AccessLog.ts"
import { fileHandlers } from "./FileHandlers.ts"
import { GatewayApi } from "./GatewayApi.ts"
import { GatewaySettings } from "./GatewaySettings.ts"
import { controlHandlers } from "./Metrics.ts"
import { pageHandlers } from "./PageHandlers.ts"
import { makeRequestMiddleware } from "./RequestMiddleware.ts"
import { serviceHandlers } from "./ServiceHandlers.ts"
import { ticketHandlers } from "./TicketHandlers.ts"

/** Most connections at a time; each idle one costs some kB of memory. Further ones are closed at once. */
const mostConnections = 16_384

/**
 * Times in ms. Who needs half a minute for a small request head is an attack (Slowloris) or dead. Less is too short: browsers open
 * connections ahead of need, and on a machine that stood still for 10 s one of 48,000 readers got 408 for its request.
 */
const limits = {
  headersTimeout: 30_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16 * 1024
}

/**
 * Serves until the scope closes, and gives its address. When the scope closes, the gateway accepts no more connections, lets requests
 * in flight end within the time that is set for it, and cuts the rest.
 */
export const start = Effect.gen(function* () {
  const { accessLog, address, api, drain: drainTime } = yield* GatewaySettings
  const middleware = yield* makeRequestMiddleware
  const routes = HttpApiBuilder.layer(GatewayApi).pipe(
    Layer.provide([fileHandlers, pageHandlers, ticketHandlers, controlHandlers]),
    Layer.provide(NodeHttpServer.layerHttpServices),
    Layer.merge(api ? serviceHandlers : Layer.empty)
  )
  const app = yield* HttpRouter.toHttpEffect(routes)
  const server = yield* listen(address, limits)
  server.maxConnections = mostConnections
  server.maxHeadersCount = 100
  const requests = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  const handle = yield* NodeHttpServer.makeHandler(Effect.interruptible(middleware.apply(app)), { scope: requests })
  handleInTurn(server, handle)
  const run = yield* FiberSet.makeRuntime<never>()
  onUnread(server, (address, status) => void run(logUnread(accessLog, address, status)))
  yield* Effect.addFinalizer(() => drain(server, middleware, drainTime))
  return addressOf(server, address)
}).pipe(Effect.withSpan("svc.gateway.start"))

/** How often it is checked whether the last request has ended. */
const drainPoll = Schedule.spaced("50 millis")

const drain = (
  server: Server,
  middleware: Effect.Success<typeof makeRequestMiddleware>,
  drainTime: Duration.Duration
) =>
  Effect.gen(function* () {
    middleware.close()
    server.close()
    const left = middleware.inFlight()
    if (left > 0) yield* Effect.logInfo(`Finishing ${left} requests, for ${Duration.format(drainTime)} at most`)
    const ended = Effect.void.pipe(Effect.repeat({ schedule: drainPoll, while: () => middleware.inFlight() > 0 }))
    yield* Effect.timeoutOption(ended, drainTime)
    middleware.cut()
    // Until each has its line in the access log.
    yield* Effect.timeoutOption(ended, "1 second")
  })
