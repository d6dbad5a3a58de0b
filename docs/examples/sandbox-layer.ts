/**
 * A layer for tests: the client in front of a service that runs inside the test, with invented data.
 *
 *     node sandbox-layer.ts
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Layer, Redacted } from "effect"
import { LimsId, ServiceClient } from "svc-steps"
import { Service } from "svc-steps/node"
import { type SandboxOptions, startSandbox } from "svc-steps/sandbox"

/** Strict: the session ends when two requests overlap, as that of the real service does. */
export const sandboxLayer = (options: SandboxOptions = { switches: { strict: true } }) =>
  Layer.unwrap(
    Effect.map(startSandbox(options), ({ password, url, user }) =>
      Service.layer({ baseUrl: new URL(url), username: user, password: Redacted.make(password) })
    )
  ).pipe(Layer.provide(NodeServices.layer))

/** Runs at the same time on purpose: the session puts the requests into a row. */
const program = Effect.gen(function* () {
  const client = yield* ServiceClient
  const persons = ["LIMS-0001", "LIMS-0002"].map((id) => LimsId.make(id))
  const analyses = yield* Effect.forEach(persons, client.getPersonAnalyses, { concurrency: "unbounded" })
  yield* Console.log(analyses.flat().length)
})

if (import.meta.main) program.pipe(Effect.provide(sandboxLayer()), NodeRuntime.runMain)
