/**
 * Lists what two accounts see, both at once: each has a session of its own, and neither waits for the other.
 *
 *     export SECOND_USER=ben SECOND_PASSWORD=...
 *     node two-accounts.ts
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Config, Console, Effect } from "effect"
import { Client, Settings } from "svc-steps"
import { Service } from "svc-steps/node"

/** The second account has its own name and password, and everything else in common with the first. */
const second = Config.map(
  Config.all([Settings.serviceConfig, Config.NonEmptyString("SECOND_USER"), Config.Redacted("SECOND_PASSWORD")]),
  ([settings, username, password]) => ({ ...settings, username, password })
)

/** With a layer for each account, around its requests: a session lasts as long as they do. */
const listed = (config: typeof Settings.serviceConfig) =>
  Effect.gen(function* () {
    const { username } = yield* config
    const { getAnalyses } = yield* Client.ServiceClient
    for (const { id } of yield* getAnalyses()) yield* Console.log(`${username}\t${id}`)
  }).pipe(Effect.provide(Service.layerConfig(config)))

Effect.forEach([Settings.serviceConfig, second], listed, { concurrency: "unbounded", discard: true }).pipe(
  NodeRuntime.runMain
)
