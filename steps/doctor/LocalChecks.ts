/** Checks of this computer: program, settings, folders. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import { type Check, fail, ok, warn } from "../../core/src/doctor/Check.ts"
import { judgeConfig, judgeFolder, judgeNode, settingLines } from "../../core/src/doctor/CheckRules.ts"
import type { LocalSettings } from "../../core/src/settings/Settings.ts"
import { tryFolder, tryLocks } from "../../platform/files/FolderProbe.ts"
import { folderOf, unusable } from "../../platform/locks/AccountLockFiles.ts"

export const checkNode: Effect.Effect<Check> = Effect.sync(() => judgeNode(process.versions.node))

export const checkSettings = (settings: LocalSettings): Check => {
  const lines = settingLines("doctor", settings)
  return ok("settings", lines.length === 0 ? "none are given" : "in force, and where they come from:", lines)
}

export const checkConfig = Effect.fn("svc.step.checkConfig")(function* (settings: LocalSettings) {
  const path = settings.config
  if (path === null) return ok("config", "no --config is used")
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.option(fs.stat(path))
  if (Option.isNone(info) || info.value.type !== "File") return ok("config", `${path} is no file on the disk`)
  const isThere = (key: "password" | "proxyPassword") => settings.source(key) === "configuration file"
  return judgeConfig(path, info.value.mode, isThere("password") || isThere("proxyPassword"))
})

const destinationAdvice = "Give a folder that exists and that you may write to with --destination"

export const checkDestination = ({ destination }: LocalSettings): Effect.Effect<Check> =>
  Effect.match(tryFolder(destination), {
    onFailure: (error) => fail("destination", error, destinationAdvice),
    onSuccess: (tried) => judgeFolder(destination, tried)
  })

/** Steps work without a lock folder, each with a warning. So the usual folder is a warning here when it cannot be used, one that was asked for a failure. */
export const checkLocks = Effect.fn("svc.step.checkLocks")(function* ({ lockDir }: LocalSettings) {
  const name = "lock folder"
  const folder = yield* folderOf({ lockDir })
  const advice = "Set SVC_LOCK_DIR to a private folder that all steps of this account can write to"
  const reason = yield* unusable(folder, lockDir !== null)
  if (reason !== null && lockDir === null) return warn(name, `${folder} cannot be used (${reason})`, advice)
  return yield* Effect.match(tryLocks(folder), {
    onFailure: (error) => (lockDir === null ? warn(name, error.message, advice) : fail(name, error, advice)),
    onSuccess: ({ held, stale }) => {
      const old = stale === 0 ? "" : `; ${stale} left by steps that have ended, which the next step takes over`
      const now = held.length === 0 ? "" : `; at work: ${held.join(", ")}`
      return ok(name, `${folder} can be used${now}${old}`)
    }
  })
})
