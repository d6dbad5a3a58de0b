/** All commands and their options, for the page that lists them, docs/settings.md. */
import { NodeServices } from "@effect/platform-node"
import { Effect } from "effect"
import { CliConfig, CliOutput, Command, GlobalFlag, type HelpDoc } from "effect/cli"
import { sandboxCommand } from "../sandbox/CommandLine.ts"
import { aboutOf, steps as all } from "../steps/main/AllSteps.ts"
import type { Step, StepFamily } from "../steps/main/Step.ts"

export const steps: ReadonlyArray<Step> = all.flatMap((it) => ("methods" in it ? [] : [it]))

export const families: ReadonlyArray<StepFamily> = all.flatMap((it) => ("methods" in it ? [it] : []))

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

export const sandbox = aboutOf(await sandboxDocument())

/** Text as it stands in a cell of a Markdown table. */
export const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "\\<")
