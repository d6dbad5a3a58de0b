/**
 * What the version before took and this one does not, with what does its job now. A person who still writes it is told so wherever it is
 * written: an option on the command line, a key of the configuration file, a variable. A row leaves with the next version.
 */
import type { StepName } from "./Key.ts"

interface Gone {
  /** As it was written, without dashes: an option with its letter, a key, or a variable. */
  readonly names: ReadonlyArray<string>
  /** The steps that took it. */
  readonly steps: ReadonlyArray<Exclude<StepName, "sandbox">>
  /** What to write or to do, as the end of a sentence. */
  readonly instead: string
}

export const gone: ReadonlyArray<Gone> = [
  {
    names: ["gene", "genes"],
    steps: ["fetch-annotations"],
    instead:
      "write --filters 'Gene = BRCA1', with the column that the service has for it (~= where it names several genes)"
  },
  {
    names: ["range", "g", "bed", "b"],
    steps: ["fetch-annotations"],
    instead:
      "write -F 'Chr = 17' -F 'Pos >= 43044295' -F 'Pos <= 43125364', with columns and chromosome as the service spells them"
  },
  {
    names: ["links", "writeLinks", "fromLinks", "U", "list-urls", "listUrls", "url-file", "urlFile", "linksFile"],
    steps: ["download"],
    instead:
      "svc-gateway -- COMMAND holds one session for all that COMMAND starts; for a script svc-api get-file-download-links prints links"
  },
  {
    names: ["analysisIds", "a"],
    steps: ["doctor"],
    instead:
      "svc-doctor looks at no analysis: svc-download -a ID --plan does, and a download says what is wrong with its link host"
  }
]

/** The end of a sentence about a word that is no option of a step, or no key or variable at all; null for what never was one. */
export const goneSince = (word: string, step?: StepName): string | null => {
  const row = gone.find(
    ({ names, steps }) => names.includes(word) && (step === undefined || steps.some((it) => it === step))
  )
  return row === undefined ? null : ` is not taken: ${row.instead}`
}
