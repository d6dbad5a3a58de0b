/**
 * Asks for the restoration of the archived files of an analysis and waits until all of them are back.
 *
 *     export SVC_TARGET=https://lab.example.org SVC_USER=ada SVC_PASSWORD=...
 *     node restore-and-wait.ts A3
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Duration, Effect } from "effect"
import { AnalysisId, RestorationsPending, ServiceClient, untilRestored } from "svc-steps"
import { Service } from "svc-steps/node"

/** Told before each sleep: how many files are missing, and how long the sleep is. */
type Asleep = (missing: number, sleep: Duration.Duration) => Effect.Effect<unknown>

const logged: Asleep = (missing, sleep) =>
  Effect.logInfo(`${missing} still archived; looking again in ${Math.ceil(Duration.toSeconds(sleep))} s`)

export const restored = Effect.fn("restored")(function* (analysis: AnalysisId, asleep: Asleep = logged) {
  const client = yield* ServiceClient
  const look = Effect.map(client.getFileDownloadLinks(analysis), ({ apiFileLinks }) => {
    const archived = apiFileLinks.filter((file) => file.currentlyArchived === true)
    return { value: archived, awaited: archived.map((file) => file.estimatedRestoreTime ?? null) }
  })

  const { value } = yield* look
  // It costs money, so it is asked for once, and not again when the answer gets lost.
  if (value.length > 0) yield* client.requestRestore([analysis])
  const missing = yield* untilRestored(
    look,
    { wait: Duration.hours(12), poll: Duration.minutes(1) },
    ({ length }, sleep) => Effect.asVoid(asleep(length, sleep))
  )
  if (missing.length > 0) {
    const rerun = `node restore-and-wait.ts ${analysis}`
    return yield* new RestorationsPending({ count: missing.length, nextEstimate: null, rerun })
  }
  yield* Console.log(`all files of ${analysis} are back`)
})

if (import.meta.main) {
  const [analysis = ""] = process.argv.slice(2)
  restored(AnalysisId.make(analysis)).pipe(Effect.provide(Service.layerConfig()), NodeRuntime.runMain)
}
