import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { openApiDocument } from "../core/src/contract/OpenApiDocument.ts"
import product from "../package.json" with { type: "json" }
import { FaultRules } from "./Faults.ts"
import { apiPage, pagePolicy } from "./Pages.ts"
import { State } from "./State.ts"
import { decodeJson, strictly } from "./WireJson.ts"

/** The sandbox's own addresses; they need no session and are not counted. */
export const controlRoutes = Layer.effectDiscard(
  Effect.gen(function* () {
    const router = yield* HttpRouter.HttpRouter
    const { faults, reset, stats, storage, world } = yield* State

    yield* router.add(
      "GET",
      "/__sandbox/stats",
      Effect.sync(() => HttpServerResponse.jsonUnsafe(stats))
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
        HttpServerResponse.html(apiPage(world.accounts[0])).pipe(
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
      Effect.as(storage.thaw, HttpServerResponse.jsonUnsafe({ thawed: true }))
    )
    yield* router.add(
      "POST",
      "/__sandbox/reset",
      Effect.as(Effect.sync(reset), HttpServerResponse.jsonUnsafe({ reset: true }))
    )
  })
)
