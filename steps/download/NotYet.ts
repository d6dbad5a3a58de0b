/**
 * What this version of the download cannot do: refused before anything happens.
 */
import type { LocalSettings } from "../../core/src/settings/Settings.ts"

/** One sentence per setting that was given and is not available. */
export const notYet = (settings: LocalSettings): ReadonlyArray<string> => [
  ...refusal(settings.reportfile?.toLowerCase().endsWith(".html") === true, "--reportfile", "a report is JSON only")
]

const refusal = (given: boolean, option: string, why: string): ReadonlyArray<string> =>
  given ? [`${option} is not available in this version: ${why}`] : []
