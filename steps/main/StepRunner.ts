/** The way into every executable: help, version and the protection of the process; all else is loaded after that. */
import { type KeyName, keyNames, table } from "../../core/src/settings/Keys.ts"
import { prepare } from "./Arguments.ts"
import { chooseMethod } from "./Family.ts"
import { familyHelpText, helpText } from "./Help.ts"
import { guardProcess } from "./ProcessGuard.ts"
import type { Step, StepFamily } from "./Step.ts"
import { version } from "./Version.ts"

const isSecret = (argument: string, name: KeyName) => {
  const { short, type } = table[name]
  return (
    type === "secret" && (argument.startsWith(`--${name}`) || (short !== undefined && argument.startsWith(`-${short}`)))
  )
}

const print = (text: string) => process.stdout.write(`${text}\n`)

/**
 * Runs `step`, or the step of a family that the arguments choose, as this process.
 *
 * @param program - how the user called it, such as `svc-download` or `svc-steps download`
 * @param argv - the arguments after that
 */
export const runStep = (step: Step | StepFamily, program: string, argv: ReadonlyArray<string>): void => {
  const hasSecret = argv.some((argument) => keyNames.some((name) => isSecret(argument, name)))
  const warnings = guardProcess(`svc-${step.name}`, hasSecret)
  if ("methods" in step) runMethod(step, program, argv, warnings)
  else runOne(step, program, argv, warnings)
}

const runOne = (step: Step, program: string, argv: ReadonlyArray<string>, warnings: ReadonlyArray<string>): void => {
  const prepared = prepare(step, argv)
  if (prepared.kind === "help") print(helpText(step, program))
  else if (prepared.kind === "version") print(version)
  else void import("./StepMain.ts").then(({ main }) => main(step, program, prepared, warnings))
}

const runMethod = (
  family: StepFamily,
  program: string,
  argv: ReadonlyArray<string>,
  warnings: ReadonlyArray<string>
): void => {
  const chosen = chooseMethod(family, argv)
  if (chosen.kind === "help") print(familyHelpText(family, program))
  else if (chosen.kind === "version") print(version)
  else if (chosen.kind === "method") runOne(chosen.method, `${program} ${chosen.method.method}`, chosen.argv, warnings)
  else void import("./StepMain.ts").then(({ mainOfFamily }) => mainOfFamily(family, program, chosen))
}
