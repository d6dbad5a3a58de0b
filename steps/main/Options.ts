/** The options of a step: its own, which only the command line gives, the settings it takes, and what every command has. */

import type { Key, Option } from "../../core/src/settings/Key.ts"
import { keysOf, table } from "../../core/src/settings/Keys.ts"
import type { Operands, Step, StepFamily } from "./Step.ts"

export interface NamedOption {
  readonly name: string
  /** That of a setting has a variable too. */
  readonly option: Option & Pick<Key, "env">
}

/** The flags that stand for a log level, as most tools have them. */
export const loglevelFlags = {
  quiet: { type: "flag", short: "q", level: "error", help: "Say errors only: --loglevel error" },
  verbose: { type: "flag", level: "debug", help: "Say everything: --loglevel debug" }
} as const satisfies Readonly<Record<string, Option & { readonly level: string }>>

/** What every command takes besides its own options and settings. */
export const generalOptions: Readonly<Record<string, Option>> = {
  ...loglevelFlags,
  help: {
    type: "flag",
    short: "h",
    help: "Show a short help; --help all has every option, --help regions or --help range what there is to say of these"
  },
  version: { type: "flag", short: "v", help: "Show the version" },
  completions: {
    type: "choice",
    choices: ["bash", "zsh", "fish", "powershell"],
    metavar: "SHELL",
    help: "Print completions for bash, zsh, fish or powershell"
  }
}

export const namedOptions = (options: Readonly<Record<string, Option>>): ReadonlyArray<NamedOption> =>
  Object.entries(options).map(([name, option]) => ({ name, option }))

/** Analyses as bare words, which are the same as with `--analysisIds`. */
export const analysisOperands: Operands = {
  metavar: "ID",
  help: "An analysis, as with --analysisIds",
  least: 0,
  most: 100_000,
  setting: "analysisIds"
}

/** What has a command line: a step, a family, or the sandbox, which is none and has its own options alone. */
export type About = Step | StepFamily | { readonly name: "sandbox"; readonly options: Readonly<Record<string, Option>> }

/** Own options first, then the settings in the order of their table; of a family the settings alone. */
export const optionsOf = (about: About): ReadonlyArray<NamedOption> => [
  ...namedOptions("options" in about ? about.options : {}),
  ...keysOf(about.name).map((name) => ({ name, option: table[name] }))
]

/** All that a command line may hold. */
export const everyOptionOf = (about: About): ReadonlyArray<NamedOption> => [
  ...optionsOf(about),
  ...namedOptions(generalOptions)
]

/** The words of a command line that may be options. */
export const beforeDashes = (argv: ReadonlyArray<string>): ReadonlyArray<string> =>
  argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv

/** The option that a word names as `--name` or `-n`, with or without `=VALUE`. */
export const optionIn = (options: ReadonlyArray<NamedOption>, word = ""): NamedOption | undefined => {
  const [, long, short] = /^(?:--([^=]+)|-([^-=]))(?:=|$)/.exec(word) ?? []
  return options.find(({ name, option }) => name === long || (short !== undefined && option.short === short))
}

/** Whether the next word is the value of the option that `word` names. */
export const takesNext = (options: ReadonlyArray<NamedOption>, word = ""): boolean => {
  const found = optionIn(options, word)
  return found !== undefined && found.option.type !== "flag" && !word.includes("=")
}
