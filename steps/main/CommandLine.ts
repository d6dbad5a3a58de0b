/**
 * Reads the command line of a step: effect/cli does the parsing, the table of settings says what there is, and every
 * message speaks this program's language.
 */
import { Effect } from "effect"
import { Argument, type CliError, Command, Flag } from "effect/cli"
import { keyNames, table } from "../../core/src/settings/Keys.ts"
import type { Option } from "../../core/src/settings/Option.ts"
import type { Layer } from "../../core/src/settings/Settings.ts"
import { didYouMean, nearest } from "../../core/src/text/Spelling.ts"
import { generalOptions, translation } from "./Arguments.ts"
import { metavarOf } from "./Help.ts"
import { type NamedOption, optionsOf } from "./Options.ts"
import type { OwnTexts } from "./OwnOptions.ts"
import type { Step, StepFamily } from "./Step.ts"

export interface CommandLine {
  /** The settings. */
  readonly layer: Layer
  /** The own options of the step. */
  readonly own: OwnTexts
  readonly operands: ReadonlyArray<string>
}

/** The effect/cli command of a step. All options arrive as raw texts: the table decodes them, wherever they come from. */
export const makeCommand = <E, R>(
  step: Step,
  program: string,
  run: (commandLine: CommandLine) => Effect.Effect<void, E, R>,
  completing = false
) => {
  const options = Object.fromEntries(optionsOf(step).map((named) => [named.name, flagOf(named, completing)]))
  const { operands } = step
  const rest =
    operands === undefined
      ? {}
      : {
          operands: (completing && operands.metavar === "PATH" ? Argument.Path : Argument.String)(
            operands.metavar
          ).pipe(Argument.withDescription(operands.help), Argument.between(operands.least, operands.most))
        }
  return Command.make(program, { options, ...rest }, (input) => run(collect(step, input))).pipe(
    Command.withDescription(step.summary)
  )
}

/** What completions are made of for a step or a family; it runs nothing. */
export const makeIdleCommand = (step: Step | StepFamily, program: string): Command.Command.Any =>
  "methods" in step
    ? Command.make(program).pipe(
        Command.withDescription(step.summary),
        Command.withSubcommands(step.methods.map((method) => makeIdleCommand(method, method.method)))
      )
    : makeCommand(step, program, () => Effect.void, true)

/** A value is a text for the table to decode; its form here is for completions alone, which offer files, folders and choices. */
const valueFlag = (name: string, { choices, metavar, type }: Option): Flag.Flag<string> => {
  if (choices !== undefined && type !== "flag") return Flag.Literals(name, choices)
  if (metavar?.startsWith("FILE")) return Flag.File(name)
  return metavar === "DIR" ? Flag.Directory(name) : Flag.String(name)
}

const flagOf = ({ name, option }: NamedOption, completing: boolean) => {
  const metavar = metavarOf(option)
  const named = (completing ? valueFlag(name, option) : Flag.String(name)).pipe(Flag.withDescription(option.help))
  const short = option.short === undefined ? named : Flag.withAlias(named, option.short)
  const valued = metavar === null ? Flag.withOptionalValue(short, "true") : Flag.withMetavar(short, metavar)
  return (option.hidden === undefined ? valued : Flag.withHidden(valued)).pipe(Flag.atLeast(0))
}

const collect = (
  step: Step,
  input: {
    readonly options: Readonly<Record<string, ReadonlyArray<string>>>
    readonly operands?: ReadonlyArray<string>
  }
): CommandLine => {
  const operands = input.operands ?? []
  const textsOf = (name: string) => {
    const texts = [...(input.options[name] ?? []), ...(name === step.operands?.setting ? operands : [])]
    return texts.length === 0 ? [] : [[name, texts] as const]
  }
  const own = Object.keys(step.options ?? {})
  return {
    layer: Object.fromEntries(keyNames.filter((name) => !own.includes(name)).flatMap(textsOf)),
    own: Object.fromEntries(own.flatMap(textsOf)),
    operands
  }
}

export const noSuchShell = "Invalid value for --completions: expected bash, zsh, fish or powershell"

/** One sentence for one thing that effect/cli found wrong. */
export const sentenceOf = (step: Step, error: CliError.NonShowHelpErrors): string => {
  switch (error._tag) {
    case "UnrecognizedOption": {
      const word = error.option.replace(/^-+/, "")
      const options = [...optionsOf(step).map(({ name }) => name), ...generalOptions]
      // Every letter is one edit away from every other.
      const near = word.length === 1 ? null : nearest(word, options)
      return `Unknown option ${error.option}${didYouMean(translation(step, word) ?? (near === null ? null : `--${near}`))}`
    }
    case "UnexpectedArgument": {
      const flag = /^(?:true|false|yes|no|on|off|[01])$/i.test(error.arguments[0] ?? "")
      const hint = flag ? "; a flag takes its value after =, such as --overwrite=false" : ""
      // `svc-download A1`, as many tools take it.
      const [first = ""] = error.arguments
      if (!flag && step.operands === undefined && table.analysisIds.steps.some((name) => name === step.name)) {
        return `Unexpected argument: ${error.arguments.join(" ")}; analyses are given with -a, such as -a ${first}`
      }
      return `Unexpected argument: ${error.arguments.join(" ")}${hint}`
    }
    case "MissingArgument":
      return `Missing ${step.operands?.metavar ?? error.argument}`
    case "InvalidValue":
      if (error.option === "completions") return noSuchShell
      return error.kind === "argument"
        ? `Wrong number of ${step.operands?.metavar ?? "arguments"}: ${error.expected}`
        : `--${error.option} needs a value`
    default:
      return error.message
  }
}
