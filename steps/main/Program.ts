/** What a step does: a program, what the runner gives to it, and the own options that it reads. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Advised, ExitCode } from "../../core/src/Errors.ts"
import { combinationProblems, keyCombinations } from "../../core/src/settings/Combinations.ts"
import { type KeyName, table } from "../../core/src/settings/Keys.ts"
import type { Operator } from "../../core/src/settings/Operator.ts"
import { type LocalSettings, nameAt, type Origins, type Settings, valueIn } from "../../core/src/settings/Settings.ts"
import { complete, type Problems } from "../../core/src/settings/Validation.ts"
import { Scrubber } from "../../core/src/text/Scrubber.ts"
import { withSecretFiles } from "../../platform/inputs/PrivateFile.ts"
import { hint } from "../../platform/terminal/LogOutput.ts"
import type { Screen } from "../../platform/terminal/Screen.ts"
import type { Signal } from "./ProcessRun.ts"
import type { CommandOptions, Step, ValuesOf } from "./Step.ts"

/** What signals mean for a step. */
export class Stopping extends Context.Service<
  Stopping,
  {
    /**
     * Sets the exit code of a process that a signal stops from now on, in place of that of the signal; for a step that has done
     * its work and only waits. Null restores the code of the signal.
     */
    readonly endWith: (code: ExitCode | null) => Effect.Effect<void>
    /** Until the scope closes these signals stop nothing: SIGHUP tells a server to read its files again, as it tells others. */
    readonly onSignals: (
      some: ReadonlyArray<Signal>,
      act: (signal: Signal) => void
    ) => Effect.Effect<void, never, Scope.Scope>
  }
>()("svc-steps/steps/main/Stopping") {}

/** The command line as a person would type it again; passwords are `***`. */
export const CommandText = Context.Reference<string>("svc-steps/steps/main/CommandText", { defaultValue: () => "" })

/** What the runner gives to every step; a step provides the rest itself. */
export type StepServices = FileSystem.FileSystem | Path.Path | Operator | Screen | Stopping

/** Any error class of Errors.ts: the runner prints `Error: <message>` and exits with the code of the class. */
export interface StepFailure extends Advised {
  readonly _tag: string
  readonly message: string
}

/** 0, or the code of a step that has already said on stderr what went wrong, or that of a command which it ran. */
export type StepExit = number

/** What a step does, not started. */
export type Work = Effect.Effect<StepExit, StepFailure, StepServices>

/** Reads a command line before anything else happens: what is wrong with it, or the work that it asks for. */
export type Program = (
  settings: LocalSettings,
  operands: ReadonlyArray<string>,
  own: Own
) => Result.Result<Work, Problems>

/** Reads a command line into a request, by the rules of its step. */
export type Parse<Request> = (...commandLine: Parameters<Program>) => Result.Result<Request, Problems>

/**
 * A program of two parts, which needs no account.
 *
 * @param run - gets that request, so that nothing is read twice
 */
export const makeProgram =
  <Request>(parse: Parse<Request>, run: (settings: LocalSettings, request: Request) => Work): Program =>
  (...commandLine) =>
    Result.map(parse(...commandLine), (request) => run(commandLine[0], request))

/** The same for a program that logs in: `run` gets complete settings, whose password a person may have been asked for. */
export const makeServiceProgram = <Request>(
  parse: Parse<Request>,
  run: (settings: Settings, request: Request) => Work
): Program =>
  makeProgram(parse, (settings, request) =>
    Effect.gen(function* () {
      const { protect } = yield* Scrubber
      const { settings: known, warnings } = yield* withSecretFiles(settings)
      yield* Effect.forEach(warnings, (warning) => Effect.logWarning(warning), { discard: true })
      const completed = yield* complete(known)
      protect(completed.token)
      protect(completed.password)
      const code = yield* run(completed, request)
      if (code === 69) yield* Effect.forEach(gatewayPlaces(completed), hint, { discard: true })
      return code
    })
  )

/** Where a gateway that is not reached is known from. */
export const gatewayPlaces = ({ given, source }: Origins): ReadonlyArray<string> => {
  const placeOf = (key: KeyName) => nameAt(key, source(key))
  const token = (["token", "tokenFile"] as const).find(given)
  return token === undefined
    ? []
    : [`It is reached as a gateway: its address is from ${placeOf("target")}, the token from ${placeOf(token)}`]
}

/** `parsed`, unless there are more problems. */
export const withProblems = <A>(parsed: Result.Result<A, Problems>, more: Problems): Result.Result<A, Problems> =>
  more.length === 0 ? parsed : Result.fail([...(Result.isFailure(parsed) ? parsed.failure : []), ...more])

/** The own options of a command line. */
export interface Own {
  /** `ValuesOf` the options of the step. */
  readonly values: Readonly<Record<string, unknown>>
  /** Whether the command line gave it, so that it is not a default. */
  readonly given: (name: string) => boolean
}

/** The values of the options `O` of a step, with their types. */
export const valuesOf = <O extends CommandOptions>({ values }: Own): ValuesOf<O> => values as ValuesOf<O>

export type OwnTexts = Readonly<Record<string, ReadonlyArray<string>>>

/** Own options, decoded as settings are. */
export const decodeOwn = (
  options: CommandOptions,
  texts: OwnTexts
): { readonly own: Own; readonly problems: Problems } => {
  const problems: Array<string> = []
  const values = Object.fromEntries(
    Object.entries(options).map(([name, option]) => {
      const missing = option.required === true && texts[name] === undefined
      if (missing) problems.push(`Missing required argument --${name}`)
      return [name, valueIn(option, texts[name], `--${name}`, problems)]
    })
  )
  return { own: { values, given: (name) => texts[name] !== undefined }, problems }
}

/** Which options of a command line do not go together, by the table of the keys and that of the step. */
export const combinationsOf = (
  { combinations = [], name, operands: declared, options = {} }: Step,
  settings: LocalSettings,
  operands: ReadonlyArray<string>,
  own: Own
): Problems => {
  const isTaken = (key: string): key is KeyName => table[key as KeyName]?.steps.includes(name) === true
  const keys = combinationProblems(keyCombinations, {
    setTo: (key) => (isTaken(key) && settings.given(key) ? settings[key] : null),
    isTyped: (key) => isTaken(key) && settings.source(key) === "command line",
    called: (key) => (isTaken(key) ? nameAt(key, settings.source(key)) : null)
  })
  const owns = combinationProblems(combinations, {
    setTo: (option) =>
      option === declared?.metavar ? operands.length > 0 : own.given(option) ? own.values[option] : null,
    isTyped: own.given,
    called: (option) => (option === declared?.metavar ? option : options[option] === undefined ? null : `--${option}`)
  })
  return [...keys, ...owns].map(({ message }) => message)
}

/** The forms that the name of a file may say. */
const formNames = ["json", "jsonl", "ndjson", "tsv", "csv", "gz"]

/** A form alone is no name of an output; a name that says another form than what is written into it is worth a warning. */
export const outputNamed = (
  { options = {} }: Step,
  { values }: Own
): { readonly problems: Problems; readonly warnings: Problems } => {
  const { format, output } = values
  const said = options["output"] !== undefined && typeof output === "string" ? output.toLowerCase() : ""
  const form = formNames.find((name) => said === name || said.endsWith(`.${name}`))
  if (form === undefined) return { problems: [], warnings: [] }
  const forms = options["format"]?.choices ?? []
  const other = `--format ${forms.includes(form) ? form : forms.join(", ")}`
  if (said === form) {
    const meant = forms.length === 0 ? "" : ` (${other})`
    return {
      problems: [`--output ${output} names a file, not a form${meant}: a file of that name is ./${output}`],
      warnings: []
    }
  }
  const agrees = forms.length === 0 || form === format || (form === "ndjson" && format === "jsonl")
  return { problems: [], warnings: agrees ? [] : [`${output} will hold ${format}, whatever its name says (${other})`] }
}
