/** All commands and their options, for the pages that list them: manual pages and docs/settings.md. */
import { NodeServices } from "@effect/platform-node"
import { Effect, Option } from "effect"
import { CliConfig, CliOutput, Command, GlobalFlag, type HelpDoc } from "effect/cli"
import { sandboxCommand } from "../sandbox/CommandLine.ts"
import { steps as all } from "../steps/main/AllSteps.ts"
import type { Step, StepFamily } from "../steps/main/Step.ts"

export const steps: ReadonlyArray<Step> = all.flatMap((it) => ("methods" in it ? [] : [it]))

export const families: ReadonlyArray<StepFamily> = all.flatMap((it) => ("methods" in it ? [it] : []))

interface ListedOption {
  readonly name: string
  readonly metavar?: string
  readonly help: string
}

/** What effect/cli would show as help of the sandbox, which is no step. */
const sandboxDocument = async (): Promise<HelpDoc.HelpDoc> => {
  let found: HelpDoc.HelpDoc | null = null
  const presenter: CliOutput.Presenter = {
    present: (event) =>
      Effect.sync(() => {
        if (event._tag === "Help") found = event.helpDoc
      })
  }
  await Command.runWith(sandboxCommand("svc-sandbox"), { version: "" })(["--help"]).pipe(
    Effect.ignore,
    Effect.provideService(CliOutput.Presenter, presenter),
    Effect.provideService(CliConfig.CliConfig, CliConfig.make({ builtIns: [GlobalFlag.Help] })),
    Effect.provide(NodeServices.layer),
    Effect.runPromise
  )
  if (found === null) throw new Error("svc-sandbox --help said nothing")
  return found
}

const { description, examples = [], flags } = await sandboxDocument()

export const sandboxHelp = {
  description,
  examples: examples.map(({ command, description = "" }) => ({ command, says: description })),
  options: flags.map(
    ({ description, name, type }): ListedOption => ({
      name,
      ...(type === "boolean" ? {} : { metavar: type }),
      help: Option.getOrElse(description, () => name)
    })
  )
}

/** Text as it stands in a cell of a Markdown table. */
export const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "\\<")
