/** What to do next, in lines below the message of a failure. */
import { Effect, Result } from "effect"
import { UsageError } from "../../core/src/Errors.ts"
import { fileTypes } from "../../core/src/genome/formats/FileNames.ts"
import type { LocalSettings } from "../../core/src/settings/Settings.ts"
import { baseUrlOf } from "../../core/src/settings/Validation.ts"
import type { StepFailure } from "./Step.ts"

/**
 * @param program - how the user called the step
 * @param settings - null as long as they are not known
 */
export const hintsFor = Effect.fnUntraced(function* (
  error: StepFailure,
  program: string,
  settings: LocalSettings | null
): Effect.fn.Return<ReadonlyArray<string>> {
  if (error instanceof UsageError) {
    const types = error.message.includes("Unsupported file type: ") ? [`File types are ${fileTypes.join(", ")}`] : []
    // Other tools must be told to go on; with ours the option of that name is about the archive.
    const goesOn = /^Unknown option --(resume|continue)\b/m.test(error.message)
      ? ["A download that was stopped goes on where it was, when the same command is run again"]
      : []
    return [...types, ...goesOn, `See ${program} --help`]
  }
  if (error._tag !== "Unavailable" || settings === null) return []
  const variable = yield* ignoredProxy(settings)
  return [
    ...(variable === null ? [] : [`${variable} is set, but only SVC_PROXY (--proxy) is used`]),
    "svc-doctor says where the way to the service ends"
  ]
})

const ignoredProxy = Effect.fnUntraced(function* (settings: LocalSettings) {
  const url = baseUrlOf(settings)
  if (settings.proxy !== null || Result.isFailure(url)) return null
  const { ignoredVariable } = yield* Effect.promise(() => import("../../platform/ProxyVariables.ts"))
  return ignoredVariable(process.env, url.success)
})
