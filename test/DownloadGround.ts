/** `svc-download` as a user's process against a sandbox inside the test, so that its faults and counters are at hand. */
import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { type RunningSandbox, type SandboxOptions, start as startSandbox } from "../sandbox/Sandbox.ts"
import { type Outcome, start, untilOrEnd } from "./Executables.ts"
import { fits } from "./Schemas.ts"
import { temporaryFolder } from "./TemporaryFolder.ts"
import { runWarm } from "./WarmExecutables.ts"

export interface Ground extends RunningSandbox {
  /** Working folder of the commands; `out` is a folder in it. */
  readonly folder: string
  /** The environment that names the service and the account. */
  readonly env: Readonly<Record<string, string>>
  /** Runs `svc-download` in `folder`. */
  readonly download: (args: ReadonlyArray<string>, env?: Readonly<Record<string, string>>) => Effect.Effect<Outcome>
}

/** Until the scope closes. */
export const ground = Effect.fnUntraced(function* (options: SandboxOptions = {}) {
  const sandbox = yield* Effect.provide(startSandbox(options), NodeServices.layer)
  const folder = yield* temporaryFolder("svc-download-")
  mkdirSync(join(folder, "out"))
  const env = {
    SVC_TARGET: sandbox.url,
    SVC_USER: sandbox.user,
    SVC_PASSWORD: sandbox.password,
    SVC_LOCK_DIR: join(folder, "locks")
  }
  const download: Ground["download"] = (args, more = {}) =>
    runWarm("svc-download", args, { cwd: folder, env: { ...env, ...more } })
  return { ...sandbox, folder, env, download } satisfies Ground
})

/** Names in a folder, hidden ones too, sorted. */
export const namesIn = (...path: ReadonlyArray<string>): ReadonlyArray<string> => readdirSync(join(...path)).sort()

export const sha256 = (...path: ReadonlyArray<string>): string =>
  createHash("sha256")
    .update(readFileSync(join(...path)))
    .digest("hex")

export interface ReportFile {
  readonly analysisId: string | null
  readonly fileName: string | null
  readonly path: string | null
  readonly action: string
  readonly reason: string | null
  readonly bytes: number | null
  readonly listedBytes: number | null
  readonly resumedFrom: number
  readonly sha256: string | null
  readonly provenBy: string | null
  readonly warnings: ReadonlyArray<string>
  readonly regions: ReadonlyArray<string> | null
  readonly records: number | null
  readonly index: { readonly path: string; readonly bytes: number; readonly sha256: string } | null
  readonly fetched: number | null
  readonly attempts: number
  readonly renewals: number
  readonly seconds: number
  readonly error: { readonly tag: string; readonly message: string; readonly advice?: string | null } | null
}

export interface Report {
  readonly schema: string
  readonly exitCode: number | null
  readonly totals: {
    readonly downloaded: number
    readonly skipped: number
    readonly failed: number
    readonly bytes: number
  }
  readonly files: ReadonlyArray<ReportFile>
}

export const readReport = (...path: ReadonlyArray<string>): Report =>
  fits("report", JSON.parse(readFileSync(join(...path), "utf8")))

/** What happens to which requests. */
export { fault } from "./SandboxFaults.ts"

/** Bytes of the unfinished files in a folder. */
export const partBytes = (...path: ReadonlyArray<string>): number =>
  namesIn(...path)
    .filter((name) => name.endsWith(".part"))
    .reduce((sum, name) => sum + (statSync(join(...path, name), { throwIfNoEntry: false })?.size ?? 0), 0)

/** Starts a step in the ground's folder, ends it with `signal` when some bytes are in an unfinished file in `into`, and gives its end. */
export const stoppedInMidFile = Effect.fnUntraced(function* (
  { env, folder }: Ground,
  step: string,
  args: ReadonlyArray<string>,
  signal: NodeJS.Signals,
  into = "out"
) {
  const running = yield* start(step, args, { cwd: folder, env })
  yield* untilOrEnd(
    running,
    "bytes are in a part",
    Effect.sync(() => partBytes(folder, into) > 0)
  )
  yield* running.kill(signal)
  return yield* running.outcome
}, Effect.scoped)
