/** What to do next, in lines below the message of a failure. */
import * as Result from "effect/Result"
import { UsageError } from "../../core/src/Errors.ts"
import { fileTypes } from "../../core/src/genome/formats/FileNames.ts"
import { type KeyName, keysOf, table } from "../../core/src/settings/Keys.ts"
import type { LocalSettings } from "../../core/src/settings/Settings.ts"
import { ignoredVariable } from "../../core/src/settings/Target.ts"
import { baseUrlOf } from "../../core/src/settings/Validation.ts"
import { shellWord } from "../../core/src/text/Printable.ts"
import { nearest } from "../../core/src/text/Spelling.ts"
import { gatewayPlaces, type StepFailure } from "./Program.ts"
import type { Step, StepFamily } from "./Step.ts"

/** What was called: the step or family, null for `svc-steps` itself, and how the user called it. */
export interface Called {
  readonly step: Step | StepFamily | null
  readonly calledAs: string
}

/** @param settings - null as long as they are not known */
export const hintsFor = (
  error: StepFailure,
  { calledAs, step }: Called,
  settings: LocalSettings | null,
  environment: Readonly<Record<string, string | undefined>>
): ReadonlyArray<string> => {
  if (error instanceof UsageError) {
    const taken: ReadonlyArray<string> = step === null ? [] : keysOf(step.name)
    const hints = explained.flatMap(([said, needs, hint]) => {
      const found = needs === null || taken.includes(needs) ? said.exec(error.message) : null
      return found === null ? [] : [hint(found[1] ?? "")]
    })
    return [...hints, `See ${calledAs} --help`]
  }
  if (error._tag !== "SvcUnavailable" || settings === null) return []
  const variable = ignoredProxy(settings, environment)
  return [
    ...gatewayPlaces(settings),
    ...(variable === null ? [] : [`${variable} is set, but only SVC_PROXY (--proxy) is used`]),
    "Run svc-doctor to find the cause"
  ]
}

/**
 * What a sentence leaves open, such as the four that the specification gives letter for letter. The hint gets what `said` captured, and
 * is given only where the step takes the setting `needs`: what it speaks of must be there. An own option of that name is none, as no
 * variable and no file gives it.
 */
const explained: ReadonlyArray<readonly [said: RegExp, needs: KeyName | null, hint: (what: string) => string]> = [
  [
    /^Missing required argument --target$/m,
    "target",
    () =>
      "Name the service with -t URL, in SVC_TARGET, or as target in the configuration file (~/.config/svc-steps/config.json); without one, svc-sandbox starts one to try"
  ],
  [/^Destination directory does not exist: (.+)$/m, null, (folder) => `mkdir -p ${shellWord(folder)} creates it`],
  [/^Invalid log level: (.*)$/m, null, (level) => choice("Log levels are", logLevels, nearest(level, logLevels))],
  [/^Unsupported file type: (?:all|\*)$/im, null, () => `Write ${fileTypes.join(",")} for all of them`],
  [
    /^Unsupported file type: (?!(?:all|\*)$)(.*)$/im,
    null,
    (type) => choice("File types are", fileTypes, typeMeant(type))
  ],
  [/: it means the unplaced reads:/, null, () => "svc-download takes them with --unmapped"],
  // Other tools resume only with an option; ours do it always, and the option of that name is about the archive.
  [
    /^Unknown option --(?:resume|continue)\b/m,
    "connections",
    () => "A download that was stopped goes on where it was, when the same command is run again"
  ],
  [/^-v must stand alone$/m, null, () => "It shows the version; --verbose says more of a run"],
  [/^Unknown option --once\b/m, "wait", () => "Without --wait it looks once"]
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

const ignoredProxy = (settings: LocalSettings, environment: Readonly<Record<string, string | undefined>>) => {
  const url = baseUrlOf(settings)
  return settings.proxy !== null || Result.isFailure(url) ? null : ignoredVariable(environment, url.success)
}
