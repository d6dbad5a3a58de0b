/**
 * Lists what two accounts see, both at once: each has a session of its own, and neither waits for the other.
 *
 *     export SVC_TARGET=https://lab.example.org SVC_USER=ada SVC_PASSWORD=... SECOND_USER=ben SECOND_PASSWORD=...
 *     node two-accounts.ts
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Config, Console, Effect } from "effect"
import { ServiceClient, type ServiceSettings, serviceConfig } from "svc-steps"
import { serviceLayer } from "svc-steps/node"

const second = Config.all({
  username: Config.NonEmptyString("SECOND_USER"),
  password: Config.Redacted("SECOND_PASSWORD")
})

/** With a layer for each account, around its requests: a session lasts as long as they do. */
const listed = (settings: ServiceSettings) =>
  Effect.gen(function* () {
    const { getAnalyses } = yield* ServiceClient
    for (const { id } of yield* getAnalyses()) yield* Console.log(`${settings.username}\t${id}`)
  }).pipe(Effect.provide(serviceLayer(settings)))

const program = Effect.gen(function* () {
  const settings = yield* serviceConfig
  const accounts = [settings, { ...settings, ...(yield* second) }]
  yield* Effect.forEach(accounts, listed, { concurrency: "unbounded", discard: true })
})

program.pipe(NodeRuntime.runMain)
