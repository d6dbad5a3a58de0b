/** The program of `svc-doctor`: one check after the other, each said as soon as it is known; and the checks of this computer. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { UsageError } from "../../core/src/Errors.ts"
import { makeSessionProfile } from "../../core/src/session/SessionSettings.ts"
import { secretKeys } from "../../core/src/settings/Keys.ts"
import type { LocalSettings } from "../../core/src/settings/Settings.ts"
import { ignoredVariable } from "../../core/src/settings/Target.ts"
import { baseUrlOf, complete, proxyOf } from "../../core/src/settings/Validation.ts"
import { tryFolder, tryLocks } from "../../platform/files/FolderProbe.ts"
import { exposure, withSecretFiles } from "../../platform/inputs/PrivateFile.ts"
import { findLockFolder } from "../../platform/locks/LockFolder.ts"
import * as LogOutput from "../../platform/terminal/LogOutput.ts"
import { makeProgram, valuesOf } from "../main/Program.ts"
import { printDocument, printProse } from "../main/StandardOutput.ts"
import type { ValuesOf } from "../main/Step.ts"
import { version } from "../main/Version.ts"
import { adviceOn } from "./Advice.ts"
import {
  type Check,
  checksJson,
  checkText,
  exitCodeOf,
  fail,
  holds,
  judgeFolder,
  judgeSecret,
  ok,
  settingLines,
  skipped,
  summary,
  warn
} from "./Check.ts"
import type { options } from "./DoctorStep.ts"
import { checkNetwork, noNetwork } from "./NetworkChecks.ts"
import { checkService, noService } from "./ServiceChecks.ts"

export const program = makeProgram(
  (_settings, _operands, own) => Result.succeed(valuesOf<typeof options>(own)),
  Effect.fnUntraced(function* (settings: LocalSettings, { analysisIds, format }: ValuesOf<typeof options>) {
    const checks: Array<Check> = []
    const say = (...more: ReadonlyArray<Check>) =>
      Effect.forEach(
        more,
        (check) => {
          checks.push(check)
          return format === "text" ? printProse(checkText(check)) : Effect.void
        },
        { discard: true }
      )
    // An old one has been refused before.
    const node = ok("node", `Node ${process.versions.node}`)
    yield* say(node, checkSettings(settings), yield* checkConfig(settings))
    yield* say(yield* checkDestination(settings), yield* checkLocks(settings))
    const target = targetCheck(settings)
    yield* say(target)
    const network = yield* networkOf(settings, target)
    yield* say(...network)
    yield* serviceOf(settings, target, network, analysisIds[0] ?? null, say)
    const code = exitCodeOf(checks)
    if (format === "json") yield* printDocument(checksJson(version, checks))
    yield* code === 0 ? Effect.logInfo(summary(checks)) : LogOutput.failure(failureOf(checks))
    return code
  })
)

/** `Checks that failed: tls, login (12 ok, 2 failed)`. */
const failureOf = (checks: ReadonlyArray<Check>): string => {
  const failed = checks.filter(({ status }) => status === "fail").map(({ name }) => name)
  return `Checks that failed: ${failed.join(", ")} (${summary(checks)})`
}

const targetCheck = (settings: LocalSettings): Check =>
  Result.match(baseUrlOf(settings), {
    onFailure: (message) =>
      fail("target", new UsageError({ message }), "Set --target (SVC_TARGET) to the address of the service"),
    onSuccess: (url) => ok("target", `the base URL is ${url.href}`)
  })

const networkOf = (settings: LocalSettings, target: Check) =>
  Effect.gen(function* () {
    const baseUrl = baseUrlOf(settings)
    const proxy = proxyOf(settings)
    if (!holds(target) || Result.isFailure(baseUrl) || Result.isFailure(proxy)) return noNetwork("needs target")
    const { userAgent } = makeSessionProfile(version)
    const way = {
      baseUrl: baseUrl.success,
      proxy: proxy.success,
      caFile: settings.caFile,
      userAgent,
      ignored: ignoredVariable(process.env, baseUrl.success)
    }
    return yield* Effect.catch(checkNetwork(way), (error) =>
      Effect.succeed([
        fail("tls", error, adviceOn("tls", error)),
        ...noNetwork("needs the CA file").filter(({ name }) => name !== "tls")
      ])
    )
  })

/** Asks for what is missing when a person is there. */
const serviceOf = Effect.fnUntraced(function* (
  settings: LocalSettings,
  target: Check,
  network: ReadonlyArray<Check>,
  analysis: string | null,
  say: (...more: ReadonlyArray<Check>) => Effect.Effect<void>
) {
  if (!holds(target)) return yield* say(skipped("credentials", "needs target"), ...noService("needs target"))
  const bad = network.find(({ name, status }) => status === "fail" && name !== "clock")
  if (bad !== undefined) {
    const why = `needs ${bad.name}`
    return yield* say(skipped("credentials", why), ...noService(why))
  }
  const completed = yield* withSecretFiles(settings).pipe(
    Effect.flatMap(({ settings: known, warnings }) => Effect.map(complete(known), (whole) => ({ whole, warnings }))),
    Effect.result
  )
  if (completed._tag === "Failure") {
    const { failure } = completed
    return yield* say(fail("credentials", failure, adviceOn("credentials", failure)), ...noService("needs credentials"))
  }
  const { warnings, whole } = completed.success
  const given = whole.token === null ? `a user (${whole.username}) and a password are` : "a token is"
  yield* say(judgeSecret("credentials", `${given} given`, warnings))
  yield* say(...(yield* checkService(whole, analysis)))
})

const checkSettings = (settings: LocalSettings): Check => {
  const lines = settingLines("doctor", settings)
  return ok("settings", lines.length === 0 ? "none are given" : "in force, and where they come from:", lines)
}

const checkConfig = Effect.fn("svc.step.checkConfig")(function* (settings: LocalSettings) {
  const path = settings.config
  if (path === null) return ok("config", "no --config is used")
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.option(fs.stat(path))
  if (Option.isNone(info) || info.value.type !== "File") return ok("config", `${path} is no file on the disk`)
  const secret = secretKeys.some((key) => settings.source(key) === "configuration file")
  if (!secret) return ok("config", `${path} holds no secret`)
  const owner = Option.getOrElse(info.value.uid, () => 0)
  return judgeSecret("config", `${path} holds a secret`, exposure(path, { mode: info.value.mode, owner }))
})

const destinationAdvice = "Give a folder that exists and that you may write to with --destination"

const checkDestination = ({ destination }: LocalSettings): Effect.Effect<Check> =>
  Effect.match(tryFolder(destination), {
    onFailure: (error) => fail("destination", error, destinationAdvice),
    onSuccess: (tried) => judgeFolder(destination, tried)
  })

/** Steps also work without a lock folder, with a warning. So it is a failure only when a folder that was asked for cannot be used. */
const checkLocks = Effect.fn("svc.step.checkLocks")(function* ({ lockDir }: LocalSettings) {
  const name = "lock folder"
  const { chosen, insteadOf, path, reason } = yield* findLockFolder(lockDir)
  const advice = "Set SVC_LOCK_DIR to a private folder that all steps of this account can write to"
  if (reason !== null && !chosen) return warn(name, `${path} cannot be used (${reason})`, advice)
  return yield* Effect.match(tryLocks(path), {
    onFailure: (error) => (chosen ? fail(name, error, advice) : warn(name, error.message, advice)),
    onSuccess: ({ held, owner, stale }) => {
      const old = stale === 0 ? "" : `; ${stale} left by steps that have ended, which the next step takes over`
      const now = held.length === 0 ? "" : `; at work: ${held.join(", ")}`
      const says = `${path} of ${owner} can be used${now}${old}`
      if (insteadOf === null) return ok(name, says)
      return warn(name, `${says}, in place of ${insteadOf.path} (${insteadOf.reason})`, advice)
    }
  })
})
