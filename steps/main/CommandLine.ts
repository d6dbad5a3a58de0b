/** Commands of effect/cli, made of the options of a step, and what they read from a command line. */

import * as Argument from "effect/cli/Argument"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { UsageError } from "../../core/src/Errors.ts"
import { type KeyName, keyNames, table } from "../../core/src/settings/Keys.ts"
import type { Layer } from "../../core/src/settings/Settings.ts"
import { shellWord } from "../../core/src/text/Printable.ts"
import { metavarOf } from "./Help.ts"
import { generalOptions, loglevelFlags, type NamedOption, namedOptions, optionsOf } from "./Options.ts"
import type { OwnTexts } from "./Program.ts"
import { printLines } from "./StandardOutput.ts"
import type { Step, StepFamily } from "./Step.ts"
import { version } from "./Version.ts"
import {
  commandWithoutDashes,
  misplacedWord,
  noSuchShell,
  sentencesOf,
  type UsageErrors,
  wordTooMany
} from "./WrongUsage.ts"

export interface CommandLine {
  readonly step: Step
  /** The settings, as texts. */
  readonly layer: Layer
  /** The own options of the step, as texts. */
  readonly own: OwnTexts
  readonly operands: ReadonlyArray<string>
}

/**
 * A command line as a person would type it again; secrets are `***`.
 *
 * @param prose - hides secrets inside of words, such as those of an address; before they are quoted, which would hide them from it
 */
export const textOf = (
  calledAs: string,
  { layer, operands, own, step }: CommandLine,
  prose: (text: string) => string
): string => {
  const word = (text: string) => shellWord(prose(text))
  const given = Object.entries({ ...layer, ...own }).flatMap(([name, texts = []]) => {
    const type = keyNames.some((key) => key === name) ? table[name as KeyName].type : "text"
    if (type === "flag") return texts.map((text) => (text === "true" ? `--${name}` : `--${name}=${text}`))
    return texts.map((text) => `--${name}${text.startsWith("-") ? "=" : " "}${type === "secret" ? "***" : word(text)}`)
  })
  // Those that are a setting are among the options already.
  const words = step.operands?.setting === undefined ? operands : []
  return [calledAs, ...words.map(word), ...given].join(" ")
}

type Texts = Readonly<Record<string, ReadonlyArray<string>>>

/** A value is a text for the table to decode; its form here is for completions alone, which offer files, folders and choices. */
const valueFlag = ({ name, option: { choices, metavar } }: NamedOption): Flag.Flag<string> => {
  if (choices !== undefined) return Flag.Literals(name, choices)
  if (metavar?.startsWith("FILE")) return Flag.File(name)
  return metavar === "DIR" ? Flag.Directory(name) : Flag.String(name)
}

/** The texts that a command line gives for an option. */
const flagOf = (named: NamedOption, completing: boolean): Flag.Flag<ReadonlyArray<string>> => {
  const { name, option } = named
  const described = <A>(flag: Flag.Flag<A>) => {
    const documented = Flag.withDescription(flag, option.help)
    return option.short === undefined ? documented : Flag.withAlias(documented, option.short)
  }
  const once = (flag: Flag.Flag<string>) => Flag.map(Flag.optional(flag), Option.toArray)
  if (option.type === "flag") {
    const bare = described(Flag.Boolean(name))
    // Without this a flag would take the next word when that is `yes` or `1`, which may be an id.
    return once(Flag.map(completing ? bare : Flag.withOptionalValue(bare, "true"), String))
  }
  const valued = described(completing ? valueFlag(named) : Flag.String(name)).pipe(
    Flag.withMetavar(metavarOf(option) ?? name)
  )
  return option.type === "list" || option.type === "lines" ? Flag.atLeast(valued, 0) : once(valued)
}

const configOf = (about: Step | StepFamily, completing: boolean) => {
  const flags = (options: ReadonlyArray<NamedOption>) =>
    Object.fromEntries(options.map((named) => [named.name, flagOf(named, completing)]))
  // Help and version have been answered before; completions have their own way.
  return { options: flags(optionsOf(about)), general: flags(namedOptions(completing ? generalOptions : loglevelFlags)) }
}

const operandsOf = (about: Step | StepFamily, completing: boolean) => {
  if (!("operands" in about) || about.operands === undefined) return {}
  const { help, least, metavar, most } = about.operands
  const one = completing && metavar === "PATH" ? Argument.Path(metavar) : Argument.String(metavar)
  return { operands: one.pipe(Argument.withDescription(help), Argument.between(least, most)) }
}

/** The command of a step or a family that runs nothing: completions are made of it. */
const makeIdleCommand = (about: Step | StepFamily, name: string): Command.Command.Any => {
  const methods = "methods" in about ? about.methods : []
  return Command.make(name, { ...configOf(about, true), ...operandsOf(about, true) }).pipe(
    Command.withDescription(about.summary),
    Command.withSubcommands(methods.map((method) => makeIdleCommand(method, method.method)))
  )
}

/** What `argv` gives for a step; null when it asked for completions, which have been printed. */
export const readCommandLine = Effect.fnUntraced(function* (about: Step | StepFamily, argv: ReadonlyArray<string>) {
  let found = null as CommandLine | null
  const name = `svc-${about.name}`
  const command = Command.make(name, { ...configOf(about, false), ...operandsOf(about, false) }, (input) =>
    Effect.map(collect(about, argv, input), (commandLine) => {
      found = commandLine
    })
  )
  const sentences = (errors: UsageErrors) => sentencesOf(about, argv, errors)
  yield* parse(command, argv, () => makeIdleCommand(about, name), sentences)
  return found
})

/** Prints the completions of `svc-steps`. */
export const readDispatcher = (
  steps: ReadonlyArray<Step | StepFamily>,
  others: ReadonlyArray<Command.Command.Any>,
  argv: ReadonlyArray<string>
) => {
  const root = Command.make("svc-steps")
  const commands = () => [...steps.map((step) => makeIdleCommand(step, step.name)), ...others]
  return parse(
    root,
    argv,
    () => Command.withSubcommands(root, commands()),
    () => [noSuchShell]
  )
}

/** Errors are sentences, and are printed by whoever runs this. */
const silence = CliOutput.layerPresenter({ present: () => Effect.void })

const parse = <const Name extends string, I, E, R>(
  command: Command.Command<Name, I, object, E, R>,
  argv: ReadonlyArray<string>,
  idle: () => Command.Command.Any,
  sentences: (errors: UsageErrors) => ReadonlyArray<string>
) => {
  const completions = GlobalFlag.Action({
    flag: GlobalFlag.Completions.flag,
    run: (shell) =>
      Option.isNone(shell)
        ? Effect.void
        : printLines(Completions.generate(command.name, shell.value, Completions.fromCommand(idle())))
  })
  return Command.runWith(command, { version })(argv).pipe(
    Effect.mapError((error) =>
      CliError.isCliError(error) && error._tag === "ShowHelp"
        ? new UsageError({ message: sentences(error.errors).join("\n") })
        : error
    ),
    Effect.provide([silence, CliConfig.layer({ builtIns: [completions] })])
  )
}

const collect = Effect.fnUntraced(function* (
  step: Step | StepFamily,
  argv: ReadonlyArray<string>,
  input: { readonly options: Texts; readonly general: Texts; readonly operands?: ReadonlyArray<string> }
): Effect.fn.Return<CommandLine, UsageError> {
  const refuse = (message: string) => new UsageError({ message })
  if ("methods" in step) return yield* refuse("No method is given")
  const { operands = [] } = input
  const setting = step.operands?.setting
  if (step.operands?.isCommand === true) {
    const bare = commandWithoutDashes(step, argv)
    if (bare !== null) return yield* refuse(bare)
    if (argv.at(-1) === "--" && operands.length === 0) return yield* refuse("A command is missing behind --")
  }
  const ids = setting === undefined ? [] : operands
  if (ids.some((word) => word.trim() === "")) return yield* refuse(`${step.operands?.metavar} must not be empty`)
  // `--overwrite no` would overwrite, and look for an analysis named no; `ls A1` would download A1.
  const noId = misplacedWord(step, argv, ids)
  if (noId !== null) return yield* refuse(wordTooMany(step, argv, noId))

  const flags = Object.entries(loglevelFlags).filter(([name]) => input.general[name]?.[0] === "true")
  const loglevel = [...(input.options["loglevel"] ?? []), ...flags.map(([, { level }]) => level)]
  if (loglevel.length > 1) return yield* refuse(`--${flags.at(-1)?.[0]} and another log level are given`)
  const texts: Texts = { ...input.options, loglevel }
  const textsOf = (name: string) => {
    const given = [...(texts[name] ?? []), ...(name === setting ? operands : [])]
    return given.length === 0 ? [] : [[name, given] as const]
  }
  const own = Object.keys(step.options ?? {})
  const settings = keyNames.filter((name) => !own.includes(name))
  return {
    step,
    layer: Object.fromEntries(settings.flatMap(textsOf)),
    own: Object.fromEntries(own.flatMap(textsOf)),
    operands
  }
})
