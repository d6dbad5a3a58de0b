/** `--completions SHELL` of what is no single step: a family with its methods, and `svc-steps` with all of it. */
import { Effect } from "effect"
import { Command, Completions } from "effect/cli"
import { UsageError } from "../../core/src/Errors.ts"
import { asksForCompletions } from "./Arguments.ts"
import { makeIdleCommand, noSuchShell } from "./CommandLine.ts"
import type { Step, StepFamily } from "./Step.ts"

const shells: Readonly<Record<string, Completions.Shell>> = {
  bash: "bash",
  sh: "bash",
  zsh: "zsh",
  fish: "fish",
  powershell: "powershell",
  pwsh: "powershell"
}

const scriptFor = (command: Command.Command.Any, argv: ReadonlyArray<string>) => {
  const at = argv.findIndex(asksForCompletions)
  const shell = shells[argv[at]?.split("=")[1] ?? argv[at + 1] ?? ""]
  return shell === undefined
    ? Effect.fail(new UsageError({ message: noSuchShell }))
    : Effect.succeed(Completions.generate(command.name, shell, Completions.fromCommand(command)))
}

export const familyCompletions = (family: StepFamily, argv: ReadonlyArray<string>) =>
  scriptFor(makeIdleCommand(family, `svc-${family.name}`), argv)

/** @param others - commands of the dispatcher that are no steps */
export const dispatcherCompletions = (
  steps: ReadonlyArray<Step | StepFamily>,
  others: ReadonlyArray<Command.Command.Any>,
  argv: ReadonlyArray<string>
) => {
  const commands = [...steps.map((step) => makeIdleCommand(step, step.name)), ...others]
  return scriptFor(Command.make("svc-steps").pipe(Command.withSubcommands(commands)), argv)
}
