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
