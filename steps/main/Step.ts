/** What a step is: its name and help, and a program that is loaded only when it really runs. */
import type * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Result from "effect/Result"
import type { ExitCode } from "../../core/src/Errors.ts"
import type { Option, StepName } from "../../core/src/settings/Key.ts"
import type { KeyName } from "../../core/src/settings/Keys.ts"
import type { Operator } from "../../core/src/settings/Operator.ts"
import type { LocalSettings, Settings, ValueOf } from "../../core/src/settings/Settings.ts"
import type { Screen } from "../../platform/terminal/Screen.ts"
import type { Stopping } from "./Stopping.ts"

/** What the runner gives to every step; a step provides the rest itself. */
export type StepServices = FileSystem.FileSystem | Path.Path | Operator | Screen | Stopping

/** Any error class of Errors.ts: the runner prints `Error: <message>` and exits with the code of the class. */
export interface StepFailure {
  readonly _tag: string
  readonly message: string
}

/** 0, or the code of a step that has already said on stderr what went wrong. */
export type StepExit = ExitCode

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

/** The own options of a command line. */
export interface Own {
  /** `ValuesOf` the options of the step. */
  readonly values: Readonly<Record<string, unknown>>
  /** Whether the command line gave it, so that it is not a default. */
  readonly given: (name: string) => boolean
}

/** The values of the options `O` of a step, with their types. */
export const valuesOf = <O extends CommandOptions>({ values }: Own): ValuesOf<O> => values as ValuesOf<O>

/** What is wrong with a command line: one sentence each, without `Error: `. */
export type Problems = ReadonlyArray<string>

/** What a step does with complete settings. */
export type Work<S> = (settings: S) => Effect.Effect<StepExit, StepFailure, StepServices>

/** Reads a command line before anything else happens: what is wrong with it, or the work that it asks for. */
export type Program<S> = (
  settings: LocalSettings,
  operands: ReadonlyArray<string>,
  own: Own
) => Result.Result<Work<S>, Problems>

/**
 * A program of two parts.
 *
 * @param parse - reads the command line into a request, by the rules of this step
 * @param run - gets that request, so that nothing is read twice
 */
export const makeProgram =
  <S, Request>(
    parse: (settings: LocalSettings, operands: ReadonlyArray<string>, own: Own) => Result.Result<Request, Problems>,
    run: (settings: S, request: Request) => Effect.Effect<StepExit, StepFailure, StepServices>
  ): Program<S> =>
  (...commandLine) =>
    Result.map(parse(...commandLine), (request) => (settings) => run(settings, request))

/** `parsed`, unless there are more problems. */
export const withProblems = <A>(parsed: Result.Result<A, Problems>, more: Problems): Result.Result<A, Problems> =>
  more.length === 0 ? parsed : Result.fail([...(Result.isFailure(parsed) ? parsed.failure : []), ...more])

export interface Operands {
  /** As in the usage line, such as `ID`. */
  readonly metavar: string
  readonly help: string
  readonly least: number
  readonly most: number
  /** The list option that bare words belong to, as if the option stood before each of them. */
  readonly setting?: KeyName
}

interface StepHelp {
  readonly name: StepName
  /** One sentence. */
  readonly summary: string
  readonly operands?: Operands
  readonly options?: CommandOptions
  /** How long it may take to end after a signal, in ms; 10 s when absent. */
  readonly grace?: number
  /** Command lines without the program's name, with what they do. */
  readonly examples: ReadonlyArray<{ readonly command: string; readonly says: string }>
}

/** A step that logs in: `target` and credentials are required. */
export interface ServiceStep extends StepHelp {
  readonly service: true
  readonly offline?: never
  readonly load: () => Promise<Program<Settings>>
  /** The form of the step that works without the service: nobody logs in. */
  readonly local?: {
    readonly when: (settings: LocalSettings) => boolean
    readonly load: () => Promise<Program<LocalSettings>>
  }
}

/** A step that works without the service, or looks after the service itself. */
export interface LocalStep extends StepHelp {
  readonly service: false
  /** It uses no network at all: its spans stay in the process too. */
  readonly offline?: true
  readonly load: () => Promise<Program<LocalSettings>>
}

export type Step = ServiceStep | LocalStep

/** A step that is one of several under a common name, chosen by the first word of the command line. */
export type Method = Step & {
  readonly method: string
  /** Heading in the list of methods. */
  readonly group: string
}

/** Steps under a common name; the settings are those of `name`. */
export interface StepFamily {
  readonly name: StepName
  readonly summary: string
  readonly methods: ReadonlyArray<Method>
  /** Command lines that begin with the method. */
  readonly examples: StepHelp["examples"]
}
