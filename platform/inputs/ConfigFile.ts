/** The configuration file of `--config`: one JSON object whose keys are setting names (docs/dev/service.md 2.4). */

import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { ConfigUnusable } from "../../core/src/Errors.ts"
import { configLayer } from "../../core/src/settings/ConfigLayer.ts"
import { secretKeys } from "../../core/src/settings/Keys.ts"
import type { Layer } from "../../core/src/settings/Settings.ts"
import { faultText, readJson } from "../../core/src/text/JsonText.ts"
import { textIn } from "./InputFile.ts"
import { exposure, readSmallFile } from "./PrivateFile.ts"

export interface ConfigFile {
  readonly layer: Layer
  readonly hasSchema: boolean
  /** Sentences for the log. */
  readonly warnings: ReadonlyArray<string>
}

/** Settings are short: a larger file is another file. Bytes. */
const largest = 1024 * 1024

/** Fails with ConfigUnusable; the message names the place of a fault but never repeats what stands there. */
export const readConfigFile = Effect.fn("svc.platform.readConfigFile")(function* (
  path: string
): Effect.fn.Return<ConfigFile, ConfigUnusable> {
  const unusable = (reason: string) => new ConfigUnusable({ path, reason })
  const file = yield* Effect.mapError(readSmallFile(path, largest), unusable)
  const { bytes } = file
  if (bytes.length > largest) return yield* unusable("it is larger than 1 MB")
  const text = yield* textIn(bytes, unusable)
  const read = readJson(text)
  if (Result.isFailure(read)) return yield* unusable(faultText(read.failure))
  const { duplicates, value } = read.success
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return yield* unusable('it must hold one JSON object, such as {"target": "https://lab.example.org"}')
  }
  const { hasSchema, layer, problems, warnings } = configLayer(value as Readonly<Record<string, unknown>>)
  if (problems.length > 0) return yield* unusable(problems.join("; "))
  const secret = secretKeys.some((key) => layer[key] !== undefined)
  return {
    layer,
    hasSchema,
    warnings: [
      ...(secret ? exposure(path, file) : []),
      ...duplicates.map((name) => `${path}: ${name} is given more than once, the last one counts`),
      ...warnings.map((warning) => `${path}: ${warning}`)
    ]
  }
})
