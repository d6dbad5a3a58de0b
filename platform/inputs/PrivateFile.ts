/** Small files that may hold a password: the settings of a run, or nothing but the password, as secrets are mounted into containers. */

import { constants, createReadStream, fstatSync, open } from "node:fs"
import { Socket } from "node:net"
import { promisify } from "node:util"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { ConfigUnusable, errnoOf, meaningOf, PasswordFileUnusable, TokenFileUnusable } from "../../core/src/Errors.ts"
import { configLayer } from "../../core/src/settings/ConfigLayer.ts"
import { secretKeys } from "../../core/src/settings/Keys.ts"
import { type Layer, type LocalSettings, nameAt, type Source } from "../../core/src/settings/Settings.ts"
import { faultText, readJson } from "../../core/src/text/JsonText.ts"
import { textIn } from "./InputFile.ts"

export interface SmallFile {
  readonly bytes: Buffer
  readonly mode: number
  /** Numeric id (uid) of its owner. */
  readonly owner: number
}

/**
 * The file, one byte more than `limit` when it is longer; a pipe is read to its end. Fails with an errno for `meaningOf`. It is
 * opened once: whatever has its name next, the mode is that of what was read.
 */
export const readSmallFile = (path: string, limit: number): Effect.Effect<SmallFile, string> =>
  Effect.tryPromise({
    try: async (signal) => {
      const fd = await promisify(open)(path, constants.O_RDONLY | constants.O_NONBLOCK)
      const info = fstatSync(fd)
      // In a pipe, such as `--config <(vault read ...)`, nothing may ever come. As a file it would take one of Node's four threads until
      // then, and no interruption gives that back.
      const stream = info.isFIFO()
        ? new Socket({ fd, readable: true, writable: false, signal })
        : createReadStream("", { fd, end: limit, signal })
      const chunks: Array<Uint8Array> = []
      let length = 0
      for await (const chunk of stream) {
        chunks.push(chunk)
        length += chunk.length
        if (length > limit) break
      }
      return { bytes: Buffer.concat(chunks).subarray(0, limit + 1), mode: info.mode, owner: info.uid }
    },
    catch: (error) => errnoOf(error, "it cannot be read")
  })

/**
 * What others could do with a file that holds a password (docs/dev/service.md 5), as sentences for the log. One of root's is readable
 * by a service through its group alone, and the service cannot change that.
 */
export const exposure = (
  path: string,
  { mode, owner }: Pick<SmallFile, "mode" | "owner">,
  user = process.getuid?.()
): ReadonlyArray<string> => {
  const warnings: Array<string> = []
  const others = owner === 0 && user !== 0 ? 0o004 : 0o044
  if ((mode & others) !== 0) {
    warnings.push(`${path} holds a secret and other users can read it: make it private with chmod 600`)
  }
  if (user !== undefined && owner !== user && owner !== 0) {
    warnings.push(`${path} holds a secret and belongs to another user (uid ${owner})`)
  }
  return warnings
}

/** A longer first line is no password but another file. Bytes. */
const longest = 64 * 1024

const ranks: ReadonlyArray<Source> = ["default", "configuration file", "environment", "command line"]

/** Settings with what their files hold, and what others could do with those files, as sentences for the log. */
export interface WithSecrets {
  readonly settings: LocalSettings
  readonly warnings: ReadonlyArray<string>
}

/**
 * The settings with the token of `tokenFile`, or without a token with the password of `passwordFile`. The order is: command line,
 * variables, configuration file, and in each the secret itself before its file.
 */
export const withSecretFiles = Effect.fn("svc.platform.withSecretFiles")(function* (
  settings: LocalSettings
): Effect.fn.Return<WithSecrets, PasswordFileUnusable | TokenFileUnusable> {
  const { passwordFile, tokenFile } = settings
  const rank = (key: "token" | "tokenFile" | "password" | "passwordFile") => ranks.indexOf(settings.source(key))
  if (tokenFile !== null && (settings.token === null || rank("token") < rank("tokenFile"))) {
    const { secret, warnings } = yield* secretIn(
      tokenFile,
      (reason) => new TokenFileUnusable({ path: tokenFile, reason })
    )
    return { settings: { ...settings, token: secret }, warnings }
  }
  const known = settings.password !== null && rank("password") >= rank("passwordFile")
  if (passwordFile === null || settings.token !== null || known) return { settings, warnings: [] }
  const origin = nameAt("passwordFile", settings.source("passwordFile"))
  const unusable = (reason: string) => new PasswordFileUnusable({ path: passwordFile, origin, reason })
  const { secret, warnings } = yield* secretIn(passwordFile, unusable)
  return { settings: { ...settings, password: secret }, warnings }
})

/** The first line of a file that holds a secret. */
const secretIn = Effect.fnUntraced(function* <E>(path: string, unusable: (reason: string) => E) {
  const file = yield* Effect.mapError(readSmallFile(path, longest), (errno) => unusable(meaningOf(errno)))
  const end = file.bytes.indexOf("\n")
  const line = end < 0 ? file.bytes : file.bytes.subarray(0, end)
  if (line.length > longest) return yield* Effect.fail(unusable("its first line is longer than 64 kB"))
  const text = yield* textIn(line, unusable)
  // Editors of Windows end the line with two characters.
  const secret = text.replace(/\r$/, "")
  if (secret === "") return yield* Effect.fail(unusable("its first line is empty"))
  return { secret: Redacted.make(secret), warnings: exposure(path, file) }
})

export interface ConfigFile {
  readonly layer: Layer
  /** Sentences for the log. */
  readonly warnings: ReadonlyArray<string>
}

/** Settings are short: a larger file is another file. Bytes. */
const largestConfig = 1024 * 1024

export const noConfigFile: ConfigFile = { layer: {}, warnings: [] }

/** The file that somebody named. Fails with ConfigUnusable; the message names the place of a fault but never repeats what stands there. */
export const readConfigFile = Effect.fn("svc.platform.readConfigFile")(function* (
  path: string
): Effect.fn.Return<ConfigFile, ConfigUnusable> {
  const reading = readSmallFile(path, largestConfig)
  const file = yield* Effect.mapError(reading, (errno) => new ConfigUnusable({ path, reason: meaningOf(errno) }))
  return yield* configIn(path, file)
})

/**
 * The file of the user's configuration folder, which nobody need have. One that cannot be read, as in the home of another user, is said,
 * and the run goes on without it. It stands among its own settings, as nothing else says that it was read.
 */
export const findConfigFile = Effect.fn("svc.platform.findConfigFile")(function* (
  path: string
): Effect.fn.Return<ConfigFile, ConfigUnusable> {
  const file = yield* Effect.result(readSmallFile(path, largestConfig))
  if (Result.isSuccess(file)) {
    const { layer, warnings } = yield* configIn(path, file.success)
    return { layer: { config: [path], ...layer }, warnings }
  }
  if (file.failure === "ENOENT" || file.failure === "ENOTDIR") return noConfigFile
  return { layer: {}, warnings: [`Configuration file ${path}: ${meaningOf(file.failure)}; no settings come from it`] }
})

/** One JSON object whose keys are setting names (docs/dev/service.md 2.4). */
const configIn = Effect.fnUntraced(function* (
  path: string,
  file: SmallFile
): Effect.fn.Return<ConfigFile, ConfigUnusable> {
  const unusable = (reason: string) => new ConfigUnusable({ path, reason })
  const { bytes } = file
  if (bytes.length > largestConfig) return yield* unusable("it is larger than 1 MB")
  const text = yield* textIn(bytes, unusable)
  const read = readJson(text)
  if (Result.isFailure(read)) return yield* unusable(faultText(read.failure))
  const { duplicates, value } = read.success
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return yield* unusable('it must hold one JSON object, such as {"target": "https://lab.example.org"}')
  }
  const { layer, problems, warnings } = configLayer(value as Readonly<Record<string, unknown>>)
  if (problems.length > 0) return yield* unusable(problems.join("; "))
  const secret = secretKeys.some((key) => layer[key] !== undefined)
  return {
    layer,
    warnings: [
      ...(secret ? exposure(path, file) : []),
      ...duplicates.map((name) => `${path}: ${name} is given more than once, the last one counts`),
      ...warnings.map((warning) => `${path}: ${warning}`)
    ]
  }
})
