/**
 * What must hold under every fault, checked on `svc-download` as a process: final names hold only whole files; what was
 * there before stays; no secret is in any output; exit code, report and disk agree; nothing is left over but an unfinished
 * file with its journal; and the same run without the fault ends with 0 and the same bytes.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import type { FaultRule } from "../../sandbox/Faults.ts"
import { type Ground, ground, namesIn, type Report, readReport, sha256 } from "../DownloadGround.ts"
import type { Outcome } from "../Executables.ts"

/** The password of every trial: it must not be seen again. */
export const canary = "canary-Pa55%w&rd-7f3a"

export interface Trial {
  readonly exitCode: number
  readonly faults?: ReadonlyArray<FaultRule>
  /** What is downloaded. */
  readonly files?: ReadonlyArray<string>
  /** Options and variables of the run under the fault alone. */
  readonly options?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** In place of `log.txt`. */
  readonly log?: string
  /** What is done to the destination before, and undone before the run without the fault. */
  readonly plant?: (destination: string) => void
  readonly clear?: (destination: string) => void
  /** Runs and stops the process, in place of waiting for its end. */
  readonly run?: (place: Ground, args: ReadonlyArray<string>) => Effect.Effect<Outcome>
}

/** What a trial has shown, for what its fault demands beyond the rule. */
export interface Shown {
  readonly outcome: Outcome
  /** Null when the process was killed before it could write one. */
  readonly report: Report | null
  /** Counters after the run under the fault. */
  readonly stats: Effect.Success<Ground["stats"]>
  /** The report of the run without the fault, and the bytes it got from the link host. */
  readonly next: Report
  readonly nextBytes: number
}

const bystanders = { "notes.txt": "not ours", "awaiting.json": '[{"analysisId":"A9","fileName":"S9.bam","x":[1]}]\n' }

/** Everything below a folder but genomic data, as one text. */
export const writtenIn = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(bam|gz|part)$/.test(entry.name))
    .map((entry) => `${entry.name}\n${readFileSync(join(entry.parentPath, entry.name), "latin1")}`)
    .join("\n")

/** No password, signature, token or cookie in a text, in any encoding. */
export const assertSecretless = (text: string) => {
  for (const secret of [canary, encodeURIComponent(canary), Buffer.from(canary).toString("base64")]) {
    assert.notInclude(text, secret)
  }
  assert.notMatch(text, /X-Amz-(Signature|Credential|Security-Token)/i)
  assert.notMatch(text, /x-csrf-token\s*[:=]\s*[^\s*]/i)
  assert.notMatch(text, /SESSION=/)
}

const isHidden = (name: string) => name.startsWith(".")

/** Of hidden files only pairs: an unfinished file and its journal. */
const assertNoLeftovers = (names: ReadonlyArray<string>) => {
  for (const name of names.filter(isHidden)) {
    assert.match(name, /\.[0-9a-f]{8}\.part(\.json)?$/, names.join(" "))
    const other = name.endsWith(".json") ? name.slice(0, -".json".length) : `${name}.json`
    assert.include(names, other)
  }
}

/** Exit code, report and disk say the same. */
const assertHonest = (report: Report, exitCode: number, folder: string, names: ReadonlyArray<string>) => {
  assert.strictEqual(report.exitCode, exitCode)
  for (const { action, error, fileName, sha256: digest } of report.files) {
    if (fileName === null) continue
    if (action === "downloaded") assert.strictEqual(sha256(folder, fileName), digest, fileName)
    assert.strictEqual(error !== null, action === "failed", fileName)
  }
  const downloaded = report.files.filter(({ action }) => action === "downloaded").map(({ fileName }) => fileName)
  for (const name of names) {
    if (!isHidden(name) && !(name in bystanders)) assert.include(downloaded, name)
  }
}

const undisturbedRuns = new Map<string, ReadonlyMap<string, string>>()

/** Name and sha256 of each file of a run without faults. Every sandbox of the same seed has the same bytes. */
const undisturbed = Effect.fnUntraced(function* ({ download, folder }: Ground, wanted: ReadonlyArray<string>) {
  const known = undisturbedRuns.get(wanted.join())
  if (known !== undefined) return known
  mkdirSync(join(folder, "calm"))
  const calm = yield* download([...wanted, "-d", "calm"])
  assert.strictEqual(calm.exitCode, 0, calm.stderr)
  const files = new Map(namesIn(folder, "calm").map((name) => [name, sha256(folder, "calm", name)]))
  undisturbedRuns.set(wanted.join(), files)
  return files
})

/** Runs the trial and checks the rule. */
export const holds = Effect.fnUntraced(function* (trial: Trial): Effect.fn.Return<Shown, never, Scope.Scope> {
  const place = yield* Effect.orDie(ground({ world: { accounts: [{ user: "ann", password: canary }] } }))
  const { download, folder, setFaults } = place
  const out = join(folder, "out")
  const wanted = trial.files ?? ["-a", "A1", "-f", "bam,bam.bai"]
  const own = ["--restorationFile", "out/awaiting.json", "--reportfile", "r.json"]

  const good = yield* undisturbed(place, wanted)
  const untouched = () => {
    for (const [name, text] of Object.entries(bystanders)) {
      assert.strictEqual(readFileSync(join(out, name), "utf8"), text, name)
    }
  }
  const whole = () => {
    for (const name of namesIn(out)) {
      if (!isHidden(name) && good.has(name)) assert.strictEqual(sha256(out, name), good.get(name), name)
    }
  }

  for (const [name, text] of Object.entries(bystanders)) writeFileSync(join(out, name), text, { mode: 0o600 })
  trial.plant?.(out)
  const planted = namesIn(out)
  yield* place.reset
  yield* setFaults(trial.faults ?? [])
  const args = [
    ...wanted,
    "-d",
    "out",
    ...own,
    "--loglevel",
    "debug",
    "--logfile",
    trial.log ?? "log.txt",
    ...(trial.options ?? [])
  ]
  const outcome = yield* trial.run === undefined ? download(args, trial.env) : trial.run(place, args)
  const stats = yield* place.stats
  assert.strictEqual(outcome.exitCode, trial.exitCode, outcome.stderr)
  if (trial.faults !== undefined) assert.isAbove(stats.faultsFired, 0)

  const killed = outcome.exitCode === 137
  const names = namesIn(out).filter((name) => trial.plant === undefined || !planted.includes(name))
  if (trial.plant === undefined) whole()
  untouched()
  if (!killed) assertNoLeftovers(names)
  const report = readdirSync(folder).includes("r.json") && !killed ? readReport(folder, "r.json") : null
  if (report !== null && report.exitCode !== null) assertHonest(report, outcome.exitCode, out, names)
  const streams = `${outcome.stdout}${outcome.stderr}`
  assert.notMatch(streams, /\n\s+at /)
  assert.notInclude(streams, "\u001b")
  assertSecretless(`${streams}${writtenIn(folder)}`)
  assert.deepStrictEqual(
    [stats.cookiesSeenByLinkHost, stats.tokensSeenByLinkHost, stats.referersSeenByLinkHost, stats.maxApiInFlight],
    [0, 0, 0, Math.min(1, stats.maxApiInFlight)]
  )

  yield* setFaults([])
  trial.clear?.(out)
  const again = yield* download([...wanted, "-d", "out", ...own])
  assert.strictEqual(again.exitCode, 0, again.stderr)
  assert.deepStrictEqual(namesIn(out), [...good.keys(), ...Object.keys(bystanders)].sort())
  whole()
  untouched()
  assert.deepStrictEqual(namesIn(folder, "locks"), [])
  const nextBytes = (yield* place.stats).linkBytes - stats.linkBytes
  return { outcome, report, stats, next: readReport(folder, "r.json"), nextBytes }
})
