/** What a row of the table of settings is made of. Plain data that loads nothing, so that `--help` costs next to nothing. */

/**
 * - `text` one string, as given; `secret` the same, kept `Redacted`; `path` a path, relative to the working folder
 * - `list` comma-separated or repeated; with `choices` each item is one of them
 * - `lines` repeated only, because an item may hold a comma
 * - `flag` true, false, 1, 0, yes, no, on or off in any case; the bare option means true
 * - `choice` one of `choices`; `int` within `least` and `most`; `duration` a number with ms, s, m, h or d
 * - `rate` bytes per second, with k, M or G for powers of 1000; 0 for none
 */
export type OptionType = "text" | "secret" | "path" | "list" | "lines" | "flag" | "choice" | "int" | "duration" | "rate"

/** What a file that an option names is to the command, as in `the log file`. */
export interface FileUse {
  readonly what: string
  readonly use: "read" | "written"
  /** What is written may be a data file. */
  readonly mayBeData?: true
}

/** What an option takes and says, whoever it belongs to. */
export interface Option {
  readonly type: OptionType
  /** One sentence, without the default and the environment variable: the help adds them. */
  readonly help: string
  /** One letter. */
  readonly short?: string
  /** The raw text of the default, decoded like any other. */
  readonly default?: string
  readonly choices?: ReadonlyArray<string>
  readonly least?: number
  readonly most?: number
  /** What stands for the value in the help. */
  readonly metavar?: string
  /** Start of the message for a value outside `choices`; the value follows. */
  readonly invalid?: string
  /** Spellings of other tools: never accepted, but answered with the right one. */
  readonly otherSpellings?: ReadonlyArray<string>
  /** A value `@FILE` stands for the lines of that file, `@-` for those of standard input. */
  readonly fromFile?: true
  /** For a path of a file. */
  readonly file?: FileUse
}

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
  /** No key of the configuration file. */
  readonly notInFile?: true
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
/** Those that a gateway can serve. */
export const readerSteps = serviceSteps.filter((step) => step !== "gateway")
/** The steps that write a log. */
export const loggingSteps = [...serviceSteps, "verify", "restorations"] as const satisfies ReadonlyArray<StepName>

/** What a key says of itself in a group, whose heading and usual steps it need not repeat. */
type Row = Omit<Key, "group" | "steps"> & Partial<Pick<Key, "steps">>

export const inGroup = <const Rows extends Readonly<Record<string, Row>>>(
  group: Group,
  steps: Key["steps"],
  rows: Rows
): { readonly [Name in keyof Rows]: Rows[Name] & Pick<Key, "group" | "steps"> } =>
  // The compiler does not follow names through a loop.
  Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, { group, steps, ...row }])) as never
