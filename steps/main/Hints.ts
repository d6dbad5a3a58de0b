/** What to do next, in lines below the message of a failure. */
import * as Result from "effect/Result"
import { UsageError } from "../../core/src/Errors.ts"
import { fileTypes } from "../../core/src/genome/formats/FileNames.ts"
import { table } from "../../core/src/settings/Keys.ts"
import type { LocalSettings } from "../../core/src/settings/Settings.ts"
import { ignoredVariable } from "../../core/src/settings/Target.ts"
import { baseUrlOf } from "../../core/src/settings/Validation.ts"
import { shellWord } from "../../core/src/text/Printable.ts"
import { nearest } from "../../core/src/text/Spelling.ts"
import type { StepFailure } from "./Program.ts"

/**
 * @param calledAs - how the user called the step
 * @param settings - null as long as they are not known
 */
export const hintsFor = (
  error: StepFailure,
  calledAs: string,
  settings: LocalSettings | null
): ReadonlyArray<string> => {
  if (error instanceof UsageError) {
    const hints = explained.flatMap(([said, hint]) => {
      const found = said.exec(error.message)
      return found === null ? [] : [hint(found[1] ?? "")]
    })
    // An entry is of the service that it was asked of, which no variable may decide.
    const idle = calledAs.endsWith("restorations add")
    return [...(idle ? [] : hints), `See ${calledAs} --help`]
  }
  if (error._tag !== "SvcUnavailable" || settings === null) return []
  const variable = ignoredProxy(settings)
  return [
    ...(variable === null ? [] : [`${variable} is set, but only SVC_PROXY (--proxy) is used`]),
    "Run svc-doctor to find the cause"
  ]
}

/** What a sentence leaves open, such as the four that the specification gives letter for letter. The hint gets what `said` captured. */
const explained: ReadonlyArray<readonly [said: RegExp, hint: (what: string) => string]> = [
  [
    /^Missing required argument --target$/m,
    () =>
      "Name the service with -t URL, in SVC_TARGET, or as target in the configuration file; without one, svc-sandbox starts one to try"
  ],
  [/^Destination directory does not exist: (.+)$/m, (folder) => `mkdir -p ${shellWord(folder)} creates it`],
  [/^Invalid log level: (.*)$/m, (level) => choice("Log levels are", logLevels, nearest(level, logLevels))],
  [/^Unsupported file type: (.*)$/m, (type) => choice("File types are", fileTypes, typeMeant(type))],
  // Other tools resume only with an option; ours do it always, and the option of that name is about the archive.
  [
    /^Unknown option --(?:resume|continue)\b/m,
    () => "A download that was stopped goes on where it was, when the same command is run again"
  ],
  [
    /^Unknown option --linksFile\b/m,
    () => "Write --writeLinks FILE to write links, and --fromLinks FILE to download by them"
  ],
  [/^Unknown option --once\b/m, () => "Without --wait it looks once"]
]

const logLevels = table.loglevel.choices ?? []

const choice = (are: string, names: ReadonlyArray<string>, meant: string | null) =>
  `${meant === null ? "" : `Did you mean ${meant}? `}${are} ${names.join(", ")}`

/** `vcf` is meant as `vcf.gz`, `bai` as `bam.bai`. */
const typeMeant = (type: string): string | null => {
  const typed = type.toLowerCase()
  return (
    fileTypes.find((it) => it === typed) ??
    fileTypes.find((it) => it.startsWith(`${typed}.`)) ??
    fileTypes.find((it) => it.endsWith(`.${typed}`)) ??
    nearest(type, fileTypes)
  )
}

const ignoredProxy = (settings: LocalSettings): string | null => {
  const url = baseUrlOf(settings)
  return settings.proxy !== null || Result.isFailure(url) ? null : ignoredVariable(process.env, url.success)
}
