/** The configuration file of `--config`: one JSON object whose keys are setting names (docs/service.md 2.4). */

import { constants } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { Effect, Result } from "effect"
import { ConfigUnusable } from "../core/src/Errors.ts"
import { configLayer } from "../core/src/settings/ConfigLayer.ts"
import { readJson } from "../core/src/settings/JsonText.ts"
import type { Layer } from "../core/src/settings/Settings.ts"
import { errnoOf } from "./Errno.ts"

export interface ConfigFile {
  readonly layer: Layer
  /** Sentences for the log. */
  readonly warnings: ReadonlyArray<string>
}

/** Settings are short: a larger file is another file. Bytes. */
const largest = 1024 * 1024

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  EACCES: "permission denied",
  EISDIR: "it is a folder",
  ENOTDIR: "its folder is not a folder"
}

const reasonOf = (error: unknown): string => {
  const code = errnoOf(error, "it cannot be read")
  return reasons[code] ?? code
}

/** Reads to the end, or one byte further than allowed; works for pipes too, such as `--config <(vault read ...)`. */
const readUpTo = async (file: FileHandle, limit: number): Promise<Buffer> => {
  const buffer = Buffer.alloc(limit + 1)
  let length = 0
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}

/** What others could do with a file that holds a password (docs/service.md 5). */
const exposure = (path: string, mode: number, owner: number): ReadonlyArray<string> => {
  const warnings: Array<string> = []
  if ((mode & 0o044) !== 0) {
    warnings.push(`${path} holds a password and other users can read it: make it private with chmod 600`)
  }
  const user = process.getuid?.()
  if (user !== undefined && owner !== user && owner !== 0) {
    warnings.push(`${path} holds a password and belongs to another user (uid ${owner})`)
  }
  return warnings
}

/** Fails with ConfigUnusable; the message names the place of a fault but never repeats what stands there. */
export const readConfigFile = Effect.fn("ConfigFile.read")(function* (
  path: string
): Effect.fn.Return<ConfigFile, ConfigUnusable> {
  const unusable = (reason: string) => new ConfigUnusable({ path, reason })
  const { bytes, mode, owner } = yield* Effect.tryPromise({
    try: async () => {
      const file = await open(path, constants.O_RDONLY)
      try {
        const info = await file.stat()
        return { bytes: await readUpTo(file, largest), mode: info.mode, owner: info.uid }
      } finally {
        await file.close()
      }
    },
    catch: (error) => unusable(reasonOf(error))
  })
  if (bytes.length > largest) return yield* unusable("it is larger than 1 MB")
  const text = yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () => unusable("it is not UTF-8 text")
  })
  const read = readJson(text)
  if (Result.isFailure(read)) {
    const { column, expected, line } = read.failure
    return yield* unusable(`not JSON: expected ${expected} at line ${line}, column ${column}`)
  }
  const { duplicates, value } = read.success
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return yield* unusable('it must hold one JSON object, such as {"target": "https://lab.example.org"}')
  }
  const { layer, problems, warnings } = configLayer(value as Readonly<Record<string, unknown>>)
  if (problems.length > 0) return yield* unusable(problems.join("; "))
  const secret = layer.password !== undefined || layer.proxyPassword !== undefined
  return {
    layer,
    warnings: [
      ...(secret ? exposure(path, mode, owner) : []),
      ...duplicates.map((name) => `${path}: ${name} is given more than once, the last one counts`),
      ...warnings.map((warning) => `${path}: ${warning}`)
    ]
  }
})
