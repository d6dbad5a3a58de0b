/** The way into every executable: help, version and the protection of the process; all else is loaded after that. */
import process from "node:process"
import { secretKeys, table } from "../../core/src/settings/Keys.ts"
import { helpText } from "./Help.ts"
import { beforeDashes, optionsOf, takesNext } from "./Options.ts"
import { answer, refuse } from "./PlainWords.ts"
import type { Method, Step, StepFamily } from "./Step.ts"
import type { Main } from "./StepMain.ts"
import { version } from "./Version.ts"

/** With its value attached too. */
const namesSecret = (word: string) =>
  secretKeys.some((name) => word.startsWith(`--${name}`) || word.startsWith(`-${table[name].short ?? name}`))

/**
 * Runs `step`, or the step of a family that the arguments choose, as this process.
 *
 * @param load - loads what steps do
 * @param calledAs - how the user called it, such as `svc-download` or `svc-steps download`
 * @param argv - the arguments after that
 */
export const runStep = (
  step: Step | StepFamily,
  load: () => Promise<{ readonly main: Main }>,
  calledAs: string,
  argv: ReadonlyArray<string>
): void => {
  const warnings = guardProcess(`svc-${step.name}`, argv.some(namesSecret))
  const isFamily = "methods" in step
  // `svc-api help METHOD`, as many tools have it.
  const words = isFamily && argv[0] === "help" ? [...argv.slice(1), "--help"] : argv
  if (isFamily && words.length === 0) {
    refuse(`Error: No method is given\n\n${helpText(step, calledAs)}`, 64)
    return
  }
  const chosen = isFamily ? chooseMethod(step, words) : null
  const line =
    chosen === null
      ? ([step, calledAs, words] as const)
      : ([chosen.method, `${calledAs} ${chosen.method.method}`, chosen.argv] as const)
  const text = askedText(...line)
  if (text !== null) answer(text)
  else void load().then(({ main }) => main(...line, warnings))
}

/**
 * What is answered from the table, before effect is loaded: help and version may take twice the CPU of `node -e 0`, and loading
 * effect/cli alone takes 3.8 times. They must be words of their own: as a letter among others, `-overwrite` would ask for the version.
 */
const askedText = (step: Step | StepFamily, calledAs: string, argv: ReadonlyArray<string>): string | null => {
  const words = beforeDashes(argv)
  const help = words.findIndex((word) => word === "--help" || word === "-h")
  // Elsewhere -v says more: a download of which nothing but the version came would look done.
  const asksVersion = words.includes("--version") || (words.length === 1 && words[0] === "-v")
  if (help === -1) return asksVersion ? version : null
  return helpText(step, calledAs, { topic: words[help + 1], columns: process.stdout.columns })
}

/** The method is the first word that is neither an option nor the value of a setting; null when that word is none. */
export const chooseMethod = (
  family: StepFamily,
  argv: ReadonlyArray<string>
): { readonly method: Method; readonly argv: ReadonlyArray<string> } | null => {
  const settings = optionsOf(family)
  const at = argv.findIndex((word, i) => !word.startsWith("-") && !takesNext(settings, argv[i - 1]))
  const method = family.methods.find(({ method }) => method === argv[at])
  return method === undefined ? null : { method, argv: argv.toSpliced(at, 1) }
}

/**
 * - A password in the arguments disappears from the process list; before this moment, and in the shell, it was there.
 * - A diagnostic report of Node does not hold the environment, which may hold the password.
 * - `NODE_TLS_REJECT_UNAUTHORIZED=0` is taken back: patient data never goes to an unproven server.
 *
 * Returns sentences for the log.
 */
const guardProcess = (title: string, secretInArguments: boolean): ReadonlyArray<string> => {
  if (secretInArguments) process.title = title
  if (process.report !== undefined) process.report.excludeEnv = true
  const { NODE_TLS_REJECT_UNAUTHORIZED } = process.env
  if (NODE_TLS_REJECT_UNAUTHORIZED !== "0") return []
  delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"]
  return ["NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored, certificates are checked: for a private authority give --caFile"]
}
