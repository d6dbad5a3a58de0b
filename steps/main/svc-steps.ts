#!/usr/bin/env node
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
import { dispatch, type Entry } from "./Dispatcher.ts"
import { exporter } from "./Exporter.ts"
import type { Step, StepFamily } from "./Step.ts"

const entryOf = (step: Step | StepFamily): Entry => ({
  name: step.name,
  summary: step.summary,
  start: async (program, argv) => (await import("./StepRunner.ts")).runStep(step, program, argv, exporter)
})

/** The sandbox is no step but a server: it starts when it is loaded, with the arguments of the process. */
const sandbox: Entry = {
  name: "sandbox",
  summary: "The service in a box, to try steps and workflows without credentials or patient data",
  start: async (_program, argv) => {
    process.argv.splice(2, process.argv.length, ...argv)
    await import("../../sandbox/serve.ts")
  }
}

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

const printCompletions = async () => {
  const [{ mainOfDispatcher }, { sandboxCommand }] = await Promise.all([
    import("./StepMain.ts"),
    import("../../sandbox/CommandLine.ts")
  ])
  mainOfDispatcher(steps, [sandboxCommand(sandbox.name)], process.argv.slice(2))
}

const wanted = dispatch([...steps.map(entryOf), sandbox], process.argv.slice(2))
if (wanted.kind === "start") void wanted.entry.start(`svc-steps ${wanted.entry.name}`, wanted.argv)
else if (wanted.kind === "completions") void printCompletions()
else if (wanted.kind === "text") process.stdout.write(`${wanted.text}\n`)
else {
  process.stderr.write(`Error: ${printable(hideForms(wanted.message))}\n${wanted.text}\n`)
  process.exitCode = 64
}
