/** The password out of a file of its own, as secrets are mounted into containers and handed out by schedulers. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { PasswordFileUnusable } from "../../core/src/Errors.ts"
import { type LocalSettings, nameAt, type Source } from "../../core/src/settings/Settings.ts"
import { exposure, readSmallFile } from "./PrivateFile.ts"

/** A longer first line is no password but another file. Bytes. */
const longest = 64 * 1024

const ranks: ReadonlyArray<Source> = ["default", "configuration file", "environment", "command line"]

/**
 * The settings with the password of `passwordFile`, when no password stands before it in the order: command line, variables,
 * configuration file, and in each the password itself before its file. Logs a warning when others may read the file.
 */
export const withPasswordFile = Effect.fn("svc.platform.withPasswordFile")(function* (
  settings: LocalSettings
): Effect.fn.Return<LocalSettings, PasswordFileUnusable> {
  const { passwordFile: path } = settings
  const rank = (key: "password" | "passwordFile") => ranks.indexOf(settings.source(key))
  if (path === null || (settings.password !== null && rank("password") >= rank("passwordFile"))) return settings
  const origin = nameAt("passwordFile", settings.source("passwordFile"))
  const unusable = (reason: string) => new PasswordFileUnusable({ path, origin, reason })
  return { ...settings, password: yield* secretIn(path, unusable) }
})

/** The first line of a file that holds a secret. Logs a warning when others may read the file. */
export const secretIn = Effect.fnUntraced(function* <E>(
  path: string,
  unusable: (reason: string) => E
): Effect.fn.Return<Redacted.Redacted, E> {
  const file = yield* Effect.mapError(readSmallFile(path, longest), unusable)
  yield* Effect.forEach(exposure(path, file), (warning) => Effect.logWarning(warning), { discard: true })
  const end = file.bytes.indexOf("\n")
  const line = end < 0 ? file.bytes : file.bytes.subarray(0, end)
  if (line.length > longest) return yield* Effect.fail(unusable("its first line is longer than 64 kB"))
  const text = yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(line),
    catch: () => unusable("it is not UTF-8 text")
  })
  // Editors of Windows end the line with two characters.
  const secret = text.replace(/\r$/, "")
  return secret === "" ? yield* Effect.fail(unusable("its first line is empty")) : Redacted.make(secret)
})
