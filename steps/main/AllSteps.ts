/** Every executable by its name: `svc-steps` with all steps, and each step alone. Tables and texts only: a program is loaded when it runs. */
import type * as HelpDoc from "effect/cli/HelpDoc"
import { printable } from "../../core/src/text/Printable.ts"
import { didYouMean, nearest } from "../../core/src/text/Spelling.ts"
import { apiStep } from "../api/ApiStep.ts"
import { doctorStep } from "../doctor/DoctorStep.ts"
import { downloadStep } from "../download/DownloadStep.ts"
import { fetchAnnotationsStep } from "../fetch-annotations/FetchAnnotationsStep.ts"
import { gatewayStep } from "../gateway/GatewayStep.ts"
import { requestRestoreStep } from "../request-restore/RequestRestoreStep.ts"
import { restorationsStep } from "../restorations/RestorationsStep.ts"
import { resumeRestoreStep } from "../resume-restore/ResumeRestoreStep.ts"
import { verifyStep } from "../verify/VerifyStep.ts"
import { helpOf, nameEntries } from "./Help.ts"
import { insteadOf } from "./OtherTools.ts"
import { answer, refuse } from "./PlainWords.ts"
import type { Step, StepFamily } from "./Step.ts"
import { runStep } from "./StepRunner.ts"
import { version } from "./Version.ts"

export const steps: ReadonlyArray<Step | StepFamily> = [
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

/** A step as the dispatcher knows it. */
export interface Entry {
  readonly name: string
  readonly summary: string
  /** @param calledAs - how the user called it, for its messages */
  readonly start: (calledAs: string, argv: ReadonlyArray<string>) => void
}

export type Dispatch =
  | {
      readonly kind: "start"
      readonly entry: Entry
      /** How the user called it. */
      readonly calledAs: string
      readonly argv: ReadonlyArray<string>
    }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "completions" }
  /** Wrong usage: `message` without `Error: `. */
  | { readonly kind: "wrong"; readonly message: string; readonly text: string }

/** The sandbox is no step but a server, with a command line of its own. */
const sandbox: Entry = {
  name: "sandbox",
  summary: "The service in a box, to try steps and workflows without credentials or patient data",
  start: (_program, argv) => void startSandbox(argv)
}

/** What effect/cli knows of a command that is no step, in the form of one. */
export const aboutOf = ({ description, examples = [], flags }: HelpDoc.HelpDoc) => ({
  summary: description,
  examples: examples.map(({ command, description = "" }) => ({ command, says: description })),
  options: flags.map(({ description, name, type }) => ({
    name,
    option: {
      ...(type === "boolean" ? { type: "flag" as const } : { type: "text" as const, metavar: type }),
      help: description._tag === "Some" ? description.value : name
    }
  }))
})

const startSandbox = async (argv: ReadonlyArray<string>) => {
  const [{ serve }, { sentencesOf }] = await Promise.all([
    import("../../sandbox/CommandLine.ts"),
    import("./WrongUsage.ts")
  ])
  serve(argv, {
    help: (document) => helpOf(aboutOf(document), "svc-sandbox", process.stdout.columns),
    wrong: (document, words, errors) => {
      const options = Object.fromEntries(aboutOf(document).options.map(({ name, option }) => [name, option]))
      const sentences = sentencesOf({ name: "sandbox", options }, words, errors)
      return [...sentences.map((it) => `Error: ${it}`), "See svc-sandbox --help"].join("\n")
    }
  })
}

const loadPrograms = () => import("./Programs.ts")

const entries: ReadonlyArray<Entry> = [
  ...steps.map((step) => ({
    name: step.name,
    summary: step.summary,
    start: (calledAs: string, argv: ReadonlyArray<string>) => runStep(step, loadPrograms, calledAs, argv)
  })),
  sandbox
]

/** Runs the executable `name`, such as `svc-download`, as this process; any other name is `svc-steps`, which takes a step first. */
export const run = (name: string, argv: ReadonlyArray<string>): void => {
  const own = entries.find((entry) => `svc-${entry.name}` === name)
  const wanted: Dispatch =
    own === undefined ? dispatch(entries, argv) : { kind: "start", entry: own, calledAs: name, argv }
  if (wanted.kind === "start") wanted.entry.start(wanted.calledAs, wanted.argv)
  else if (wanted.kind === "completions") void printCompletions(argv)
  else if (wanted.kind === "text") answer(wanted.text)
  else void refuseWrong(wanted)
}

// Loaded only then: help and version wait for nothing.
const refuseWrong = async ({ message, text }: { readonly message: string; readonly text: string }) => {
  const { hideForms } = await import("../../core/src/text/Scrubber.ts")
  refuse(`Error: ${printable(hideForms(message))}\n${text}`, 64)
}

const printCompletions = async (argv: ReadonlyArray<string>) => {
  const [{ mainOfDispatcher }, { sandboxCommand }] = await Promise.all([
    loadPrograms(),
    import("../../sandbox/CommandLine.ts")
  ])
  mainOfDispatcher(steps, [sandboxCommand(sandbox.name)], argv)
}

const list = (entries: ReadonlyArray<Entry>) =>
  nameEntries(entries.map(({ name, summary }) => [name, summary])).join("\n")

const help = (entries: ReadonlyArray<Entry>) =>
  [
    "Genomic analysis files and annotations, step by step.",
    "",
    "Usage: svc-steps STEP [options]",
    "",
    "Steps:",
    list(entries),
    "",
    "svc-steps STEP --help shows the options of a step, svc-steps --version the version, and",
    "svc-steps --completions SHELL prints completions for bash, zsh, fish or powershell."
  ].join("\n")

/** What the arguments ask for. */
export const dispatch = (entries: ReadonlyArray<Entry>, argv: ReadonlyArray<string>): Dispatch => {
  const [first, ...rest] = argv
  if (first === undefined || first === "--help" || first === "-h") return { kind: "text", text: help(entries) }
  if (first === "--version" || first === "-v") return { kind: "text", text: version }
  if (/^--completions(?:=|$)/.test(first)) return { kind: "completions" }
  // `svc-steps help download`, as many tools have it.
  if (first === "help") return dispatch(entries, rest[0] === undefined ? [] : [rest[0], "--help"])
  const name = first.replace(/^svc-/, "")
  const entry = entries.find((entry) => entry.name === name)
  if (entry !== undefined) return { kind: "start", entry, calledAs: `svc-steps ${name}`, argv: rest }
  const names = entries.map(({ name }) => name)
  const instead = insteadOf(name)
  const meant = instead === null ? didYouMean(nearest(name, names)) : `; ${instead}`
  const what = first.startsWith("-") ? `The step comes first, before ${first.split("=")[0]}` : `Unknown step ${first}`
  return {
    kind: "wrong",
    message: `${what}${meant}`,
    text: `${meant === "" ? `Steps:\n${list(entries)}\n\n` : ""}See svc-steps --help`
  }
}
