/** The program of `svc-doctor`: one check after the other, each said as soon as it is known; and the checks of this computer. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { secretKeys } from "../../core/src/settings/Keys.ts"
import type { LocalSettings } from "../../core/src/settings/Settings.ts"
import { complete, locateTarget } from "../../core/src/settings/Validation.ts"
import { tryFolder, tryLocks } from "../../platform/files/FolderProbe.ts"
import { exposure, withSecretFiles } from "../../platform/inputs/PrivateFile.ts"
import { findLockFolder } from "../../platform/locks/LockFolder.ts"
import * as LogOutput from "../../platform/terminal/LogOutput.ts"
import { makeProgram, valuesOf } from "../main/Program.ts"
import { printDocument, printProse } from "../main/StandardOutput.ts"
import type { ValuesOf } from "../main/Step.ts"
import { version } from "../main/Version.ts"
import {
  type Check,
  checksJson,
  checkText,
  exitCodeOf,
  fail,
  judgeDisk,
  judgeSettings,
  ok,
  skippedFor,
  summary,
  warn
} from "./Check.ts"
import type { options } from "./DoctorStep.ts"
import { checkNetwork, checkService } from "./ServiceChecks.ts"

export const program = makeProgram(
  (_settings, _operands, own) => Result.succeed(valuesOf<typeof options>(own)),
  Effect.fnUntraced(function* (settings: LocalSettings, { format }: ValuesOf<typeof options>) {
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
    const whole = yield* Effect.result(wholeSettings(settings))
    const found = Result.match(whole, { onFailure: (error) => error, onSuccess: ({ exposed }) => exposed })
    yield* say(judgeSettings(settings, found), yield* checkDisk(settings), yield* checkLocks(settings))
    const located = yield* Effect.option(locateTarget(settings))
    const way = Option.map(located, checkNetwork)
    yield* say(
      ...(yield* Option.getOrElse(way, () => Effect.succeed(skippedFor("settings", ["address", "tls", "clock"]))))
    )
    const bad = checks.find(({ name, status }) => status === "fail" && name !== "disk" && name !== "lock folder")
    if (bad !== undefined) yield* say(...skippedFor(bad.name, ["login", "gateway"]))
    else if (Result.isSuccess(whole)) yield* say(...(yield* checkService(whole.success.settings)))
    const code = exitCodeOf(checks)
    if (format === "json") yield* printDocument(checksJson(version, checks))
    yield* code === 0 ? Effect.logInfo(summary(checks)) : LogOutput.failure(failureOf(checks))
    return code
  })
)

/** `Checks that failed: tls, login (6 ok, 2 failed)`. */
const failureOf = (checks: ReadonlyArray<Check>): string => {
  const failed = checks.filter(({ status }) => status === "fail").map(({ name }) => name)
  return `Checks that failed: ${failed.join(", ")} (${summary(checks)})`
}

/** With what secret files hold, and what others could do with those files. Asks for what is missing when a person is there. */
const wholeSettings = Effect.fnUntraced(function* (settings: LocalSettings) {
  const { config } = settings
  const inConfig = config !== null && secretKeys.some((key) => settings.source(key) === "configuration file")
  const { stat } = yield* FileSystem.FileSystem
  const exposed = inConfig
    ? yield* Effect.match(stat(config), {
        onFailure: () => [],
        onSuccess: ({ mode, uid }) => exposure(config, { mode, owner: Option.getOrElse(uid, () => 0) })
      })
    : []
  const { settings: known, warnings } = yield* withSecretFiles(settings)
  return { settings: yield* complete(known), exposed: [...exposed, ...warnings] }
})

const checkDisk = ({ destination }: LocalSettings): Effect.Effect<Check> =>
  Effect.match(tryFolder(destination), {
    onFailure: (error) => fail("disk", error, "Give a folder that exists and that you may write to with --destination"),
    onSuccess: (tried) => judgeDisk(destination, tried)
  })

/** Steps also work without a lock folder, with a warning. So it is a failure only when a folder that was asked for cannot be used. */
const checkLocks = Effect.fn("svc.step.checkLocks")(function* ({ lockDir }: LocalSettings) {
  const name = "lock folder"
  const { chosen, insteadOf, path, reason } = yield* findLockFolder(lockDir)
  const advice = "Set SVC_LOCK_DIR to a private folder that all steps of this account can write to"
  if (reason !== null && !chosen) return warn(name, `${path} cannot be used (${reason})`, advice)
  return yield* Effect.match(tryLocks(path), {
    onFailure: (error) => (chosen ? fail(name, error, advice) : warn(name, error.message, advice)),
    onSuccess: ({ held, owner }) => {
      const says = `${path} of ${owner} can be used${held.length === 0 ? "" : `; at work: ${held.join(", ")}`}`
      if (insteadOf === null) return ok(name, says)
      return warn(name, `${says}, in place of ${insteadOf.path} (${insteadOf.reason})`, advice)
    }
  })
})
