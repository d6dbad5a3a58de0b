/** What a row of the table of settings is made of. Plain data that loads nothing, so that `--help` costs next to nothing. */
import type { Option } from "./Option.ts"

/** The steps, by the name `svc-steps` knows them under. */
export const stepNames = [
  "download",
  "fetch-annotations",
  "request-restore",
  "resume-restore",
  "restorations",
  "api",
  "verify",
  "doctor",
  "gateway",
  "sandbox"
] as const
export type StepName = (typeof stepNames)[number]

/** The headings of the help, in order. */
export const groups = ["Selection", "Files", "Regions", "Archive", "Service", "Network", "Log and report"] as const
export type Group = (typeof groups)[number]

/** An option that can also be set by a variable or in the configuration file. */
export interface Key extends Option {
  readonly group: Group
  readonly steps: ReadonlyArray<StepName>
  readonly env?: string
  /** A second name in the configuration file. */
  readonly configAlias?: string
  /** Only an option: neither a configuration key nor a variable. */
  readonly optionOnly?: true
  /** In the short help too, with the first clause of what there is to say. */
  readonly common?: true
  /** Not specified in docs/dev/service.md 2.4. */
  readonly beyond?: true
}

/** The steps that talk to the service. */
export const serviceSteps = [
  "download",
  "fetch-annotations",
  "request-restore",
  "resume-restore",
  "api",
  "doctor",
  "gateway"
] as const satisfies ReadonlyArray<StepName>
/** The steps that take a selection of analyses. */
export const selectionSteps = ["download", "request-restore"] as const satisfies ReadonlyArray<StepName>
/** The steps that deliver files, now or later. */
export const fileSteps = ["download", "request-restore", "resume-restore"] as const satisfies ReadonlyArray<StepName>
/** The steps that fetch files. */
export const fetchingSteps = ["download", "resume-restore"] as const satisfies ReadonlyArray<StepName>
export const downloadSteps = ["download"] as const satisfies ReadonlyArray<StepName>
/** The steps that write a log. */
export const loggingSteps = [...serviceSteps, "verify", "restorations"] as const satisfies ReadonlyArray<StepName>
