/** What a step is to whoever calls it: its name, help and options. Plain data that loads nothing, so that `--help` costs next to nothing. */
import type { Combination } from "../../core/src/settings/Combinations.ts"
import type { Option, StepName } from "../../core/src/settings/Key.ts"
import type { KeyName } from "../../core/src/settings/Keys.ts"
import type { ValueOf } from "../../core/src/settings/Settings.ts"

/** An option of one step alone: only the command line gives it. */
export interface CommandOption extends Option {
  readonly required?: true
}

/** Options by their names without dashes. */
export type CommandOptions = Readonly<Record<string, CommandOption>>

/** The values of own options: null, false or an empty list where nothing was given and there is no default. */
export type ValuesOf<O extends CommandOptions> = {
  readonly [K in keyof O]: O[K] extends { readonly required: true } ? NonNullable<ValueOf<O[K]>> : ValueOf<O[K]>
}

export interface Operands {
  /** As in the usage line, such as `ID`. */
  readonly metavar: string
  readonly help: string
  readonly least: number
  readonly most: number
  /** The list option that bare words belong to, as if the option stood before each of them. */
  readonly setting?: KeyName
  /** A command of the user's that the step runs, which must stand behind `--`. */
  readonly isCommand?: true
}

export interface Step {
  readonly name: Exclude<StepName, "sandbox">
  /** Whether it needs the service: a target, and a destination that exists where it takes one. */
  readonly service: boolean
  /** It uses no network at all: its spans stay in the process too. */
  readonly offline?: true
  /** One sentence. */
  readonly summary: string
  readonly operands?: Operands
  readonly options?: CommandOptions
  /** Which of its own options, and of its operands by their metavar, do not go together. */
  readonly combinations?: ReadonlyArray<Combination>
  /** How long it may take to end after a signal, in ms; 10 s when absent. */
  readonly grace?: number
  /** Command lines without the program's name, with what they do. */
  readonly examples: ReadonlyArray<{ readonly command: string; readonly says: string }>
}

/** A step that is one of several under a common name, chosen by the first word of the command line. */
export interface Method extends Step {
  readonly method: string
  /** What other tools call it. */
  readonly otherNames?: ReadonlyArray<string>
  /** Heading in the list of methods. */
  readonly group: string
}

/** Steps under a common name; the settings are those of `name`. */
export interface StepFamily {
  readonly name: Step["name"]
  readonly summary: string
  readonly methods: ReadonlyArray<Method>
  /** Command lines that begin with the method. */
  readonly examples: Step["examples"]
}
