/** What to do next, in lines below the message of a failure. */
import * as Result from "effect/Result"
import { UsageError } from "../../core/src/Errors.ts"
import { fileTypes } from "../../core/src/genome/formats/FileNames.ts"
import type { LocalSettings } from "../../core/src/settings/Settings.ts"
import { baseUrlOf } from "../../core/src/settings/Validation.ts"
import { nearest } from "../../core/src/text/Spelling.ts"
import { ignoredVariable } from "../../platform/http/ProxyVariables.ts"
import type { StepFailure } from "./Step.ts"

/**
 * @param program - how the user called the step
 * @param settings - null as long as they are not known
 */
export const hintsFor = (
  error: StepFailure,
  program: string,
  settings: LocalSettings | null
): ReadonlyArray<string> => {
  if (error instanceof UsageError) {
    const [, type] = /Unsupported file type: (.*)$/m.exec(error.message) ?? []
    const types = type === undefined ? [] : [`${typeMeant(type)}File types are ${fileTypes.join(", ")}`]
    const more = explained.flatMap(([said, hint]) => (said.test(error.message) ? [hint] : []))
    return [...types, ...more, `See ${program} --help`]
  }
  if (error._tag !== "SvcUnavailable" || settings === null) return []
  const variable = ignoredProxy(settings)
  return [
    ...(variable === null ? [] : [`${variable} is set, but only SVC_PROXY (--proxy) is used`]),
    "Run svc-doctor to find the cause"
  ]
}

/** What the right name alone does not say. */
const explained: ReadonlyArray<readonly [said: RegExp, hint: string]> = [
  // Other tools resume only with an option; ours do it always, and the option of that name is about the archive.
  [
    /^Unknown option --(resume|continue)\b/m,
    "A download that was stopped goes on where it was, when the same command is run again"
  ],
  [
    /^Unknown option --linksFile\b/m,
    "Write --writeLinks FILE to write links, and --fromLinks FILE to download by them"
  ],
  [/^Unknown option --once\b/m, "Without --wait it looks once"]
]

/** `vcf` is meant as `vcf.gz`, `bai` as `bam.bai`. */
const typeMeant = (type: string): string => {
  const typed = type.toLowerCase()
  const found =
    fileTypes.find((it) => it === typed) ??
    fileTypes.find((it) => it.startsWith(`${typed}.`)) ??
    fileTypes.find((it) => it.endsWith(`.${typed}`)) ??
    nearest(type, fileTypes)
  return found === null ? "" : `Did you mean ${found}? `
}

const ignoredProxy = (settings: LocalSettings): string | null => {
  const url = baseUrlOf(settings)
  return settings.proxy !== null || Result.isFailure(url) ? null : ignoredVariable(process.env, url.success)
}
