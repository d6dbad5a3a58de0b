/** A sandbox with an archive, the two steps for it, and the restoration file between them. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Clock, Duration, Effect } from "effect"
import type { SandboxOptions } from "../sandbox/Sandbox.ts"
import { type Ground, ground, sha256 } from "./DownloadGround.ts"
import { start, untilOrEnd } from "./Executables.ts"
import { makeForwardClock } from "./servers/ForwardClock.ts"
import { runWarm } from "./WarmExecutables.ts"

export const tracked = (...path: ReadonlyArray<string>): ReadonlyArray<Record<string, unknown>> =>
  JSON.parse(readFileSync(join(...path), "utf8"))
export const file = "awaiting-restoration.json"

/** A sandbox whose archived files come back after `delay`. */
export const archive = Effect.fnUntraced(function* (delay: Duration.Input, options: SandboxOptions = {}) {
  const here = yield* ground({
    ...options,
    behaviour: { restoreDelay: delay, ...options.behaviour }
  })
  const step =
    (name: string) =>
    (args: ReadonlyArray<string>, cwd = here.folder) =>
      runWarm(name, args, { cwd, env: here.env })
  return { ...here, request: step("svc-request-restore"), resume: step("svc-resume-restore") }
})

/** Entries for analyses that exist only in the file. */
export const entry = (analysisId: string, options: object = {}, more: object = {}) => ({
  analysisId,
  fileName: "S3.bam",
  restoreEstimation: "2026-01-01T00:00:00Z",
  options: { destination: "out", overwrite: false, filetypes: ["bam"], ...options },
  ...more
})
export const store = (folder: string, ...entries: ReadonlyArray<object>) =>
  writeFileSync(join(folder, file), JSON.stringify(entries), { mode: 0o600 })

/** The sandbox's own bytes of a file, fetched after everything has thawed. */
export const reference = Effect.fnUntraced(function* ({ download, folder }: Pick<Ground, "download" | "folder">) {
  mkdirSync(join(folder, "reference"))
  const outcome = yield* download(["-a", "A3", "-f", "bam,bam.bai", "-d", "reference"])
  assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
  return sha256(folder, "reference", "S3.bam")
})

/** Restorations whose estimate is now, while the service, an hour behind, works on them until they are thawed. */
export const overdueArchive = Effect.fnUntraced(function* (behaviour: SandboxOptions["behaviour"] = {}) {
  const { clock } = yield* makeForwardClock(-Duration.toMillis(Duration.hours(1)))
  // Links that have not ended before they are used.
  const options: SandboxOptions = { behaviour: { linkLifetime: "2 hours", ...behaviour } }
  const here = yield* Effect.provideService(archive("1 hour", options), Clock.Clock, clock)
  return { ...here, thaw: Effect.provideService(here.thaw, Clock.Clock, clock) }
})

/** Starts a step that waits for restorations, and returns when it has looked once in vain. */
export const startWaiting = Effect.fnUntraced(function* (
  { env, folder }: Pick<Ground, "env" | "folder">,
  step: string,
  args: ReadonlyArray<string>
) {
  const running = yield* start(step, args, { cwd: folder, env })
  yield* untilOrEnd(
    running,
    "it waits",
    Effect.sync(() => running.stderr().includes("looking again at"))
  )
  return running
})

/** Runs a step that waits for restorations; all of them end when it has looked once in vain. */
export const thawedWhenItWaits = Effect.fnUntraced(function* (here: Ground, step: string, args: ReadonlyArray<string>) {
  const running = yield* startWaiting(here, step, [...args, "--wait", "60s", "--poll", "1s"])
  yield* here.thaw
  return yield* running.outcome
}, Effect.scoped)
