/**
 * Downloads the BAM file of an analysis into this folder.
 *
 *     export SVC_TARGET=https://lab.example.org SVC_USER=ada SVC_PASSWORD=...
 *     node shortest.ts
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect } from "effect"
import { Downloads } from "svc-steps"
import { Service } from "svc-steps/node"

const program = Downloads.Downloads.use((downloads) => downloads.fetch({ analysisIds: ["A1"] }))

program.pipe(Effect.provide(Service.layerConfig()), NodeRuntime.runMain)
