/** Every executable by its name: `svc-steps` with all steps, and each step alone. Tables and texts only: a program is loaded when it runs. */
import { printable } from "../../core/src/text/Printable.ts"
import { hideForms } from "../../core/src/text/SecretForms.ts"
import { apiStep } from "../api/ApiStep.ts"
import { doctorStep } from "../doctor/DoctorStep.ts"
import { downloadStep } from "../download/DownloadStep.ts"
import { fetchAnnotationsStep } from "../fetch-annotations/FetchAnnotationsStep.ts"
import { gatewayStep } from "../gateway/GatewayStep.ts"
import { requestRestoreStep } from "../request-restore/RequestRestoreStep.ts"
import { restorationsStep } from "../restorations/RestorationsStep.ts"
import { resumeRestoreStep } from "../resume-restore/ResumeRestoreStep.ts"
import { verifyStep } from "../verify/VerifyStep.ts"
import { type Dispatch, dispatch, type Entry } from "./Dispatcher.ts"
import type { Step, StepFamily } from "./Step.ts"
import { runStep } from "./StepRunner.ts"

const steps: ReadonlyArray<Step | StepFamily> = [
  downloadStep,
  requestRestoreStep,
  resumeRestoreStep,
  restorationsStep,
  fetchAnnotationsStep,
  apiStep,
  verifyStep,
  doctorStep,
  gatewayStep
]

/** The sandbox is no step but a server, with a command line of its own. */
const sandbox: Entry = {
  name: "sandbox",
  summary: "The service in a box, to try steps and workflows without credentials or patient data",
  start: (_program, argv) => void import("../../sandbox/Serve.ts").then(({ serve }) => serve(argv))
}

const entries: ReadonlyArray<Entry> = [
  ...steps.map((step) => ({
    name: step.name,
    summary: step.summary,
    start: (program: string, argv: ReadonlyArray<string>) => runStep(step, program, argv)
  })),
  sandbox
]

/** Runs the executable `name`, such as `svc-download`, as this process; any other name is `svc-steps`, which takes a step first. */
export const run = (name: string, argv: ReadonlyArray<string>): void => {
  const own = entries.find((entry) => `svc-${entry.name}` === name)
  const wanted: Dispatch =
    own === undefined ? dispatch(entries, argv) : { kind: "start", entry: own, program: name, argv }
  if (wanted.kind === "start") wanted.entry.start(wanted.program, wanted.argv)
  else if (wanted.kind === "completions") void printCompletions(argv)
  else if (wanted.kind === "text") process.stdout.write(`${wanted.text}\n`)
  else {
    process.stderr.write(`Error: ${printable(hideForms(wanted.message))}\n${wanted.text}\n`)
    process.exitCode = 64
  }
}

const printCompletions = async (argv: ReadonlyArray<string>) => {
  const [{ mainOfDispatcher }, { sandboxCommand }] = await Promise.all([
    import("./Programs.ts"),
    import("../../sandbox/CommandLine.ts")
  ])
  mainOfDispatcher(steps, [sandboxCommand(sandbox.name)], argv)
}
