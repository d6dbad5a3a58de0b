/** The options of a step: its own, which only the command line gives, and the settings it takes. */
import { keysOf, table } from "../../core/src/settings/Keys.ts"
import type { Option } from "../../core/src/settings/Option.ts"
import type { Step } from "./Step.ts"

export interface NamedOption {
  readonly name: string
  readonly option: Option
}

/** Own options first, then the settings in the order of their table. */
export const optionsOf = (step: Step): ReadonlyArray<NamedOption> => [
  ...Object.entries(step.options ?? {}).map(([name, option]) => ({ name, option })),
  ...keysOf(step.name).map((name) => ({ name, option: table[name] }))
]

export const takesSeveral = ({ type }: Option): boolean => type === "list" || type === "lines"
