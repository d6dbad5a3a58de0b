import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { openApiDocument } from "../core/src/contract/OpenApiDocument.ts"
import product from "../package.json" with { type: "json" }
import { Archive } from "./Archive.ts"
import { Counters } from "./Counters.ts"
import { FaultRules, Faults } from "./Faults.ts"
import { Files } from "./Files.ts"
import { Links } from "./Links.ts"
import { apiPage, pagePolicy } from "./Pages.ts"
import { Registry } from "./Registry.ts"
import { Sessions } from "./Sessions.ts"
import { World } from "./World.ts"
import { decodeJson, strictly } from "./WorldFile.ts"

/** Everything as it was at the start: no sessions, the faults of the start, zero counters, archived files archived. */
export const resetAll = Effect.gen(function* () {
  const state = [
    yield* Sessions,
    yield* Faults,
    yield* Files,
    yield* Links,
    yield* Archive,
    yield* Registry,
    yield* Counters
  ]
  for (const one of state) one.reset()
})

/** The sandbox's own addresses; they need no session and are not counted. */
export const controlRoutes = Layer.effectDiscard(
  Effect.gen(function* () {
    const router = yield* HttpRouter.HttpRouter
    const counters = yield* Counters
    const faults = yield* Faults
    const [account] = (yield* World).accounts
    const services = yield* Effect.context<Archive | Counters | Faults | Files | Links | Registry | Sessions>()

    yield* router.add(
      "GET",
      "/__sandbox/stats",
      Effect.sync(() => HttpServerResponse.jsonUnsafe(counters.snapshot()))
    )
    yield* router.add(
      "GET",
      "/__sandbox/openapi.json",
      Effect.sync(() => HttpServerResponse.jsonUnsafe(openApiDocument(product.version, "/")))
    )
    yield* router.add(
      "GET",
      "/__sandbox/docs",
      Effect.sync(() =>
        HttpServerResponse.html(apiPage(account)).pipe(
          HttpServerResponse.setHeader("content-security-policy", pagePolicy)
        )
      )
    )
    yield* router.add("POST", "/__sandbox/faults", (request) =>
      request.text.pipe(
        Effect.mapError(() => "the body cannot be read to its end, or is larger than 8 MiB"),
        Effect.flatMap((text) => decodeJson(text, FaultRules, strictly)),
        Effect.map((rules) => {
          faults.replace(rules)
          return HttpServerResponse.jsonUnsafe({ rules: rules.length })
        }),
        Effect.catch((reason) =>
          Effect.succeed(
            HttpServerResponse.text(`Fault rules: ${reason}. They are described in docs/sandbox.md\n`, { status: 400 })
          )
        )
      )
    )
    yield* router.add(
      "POST",
      "/__sandbox/thaw",
      Effect.as((yield* Archive).thaw, HttpServerResponse.jsonUnsafe({ thawed: true }))
    )
    yield* router.add(
      "POST",
      "/__sandbox/reset",
      Effect.as(Effect.provideContext(resetAll, services), HttpServerResponse.jsonUnsafe({ reset: true }))
    )
  })
)
