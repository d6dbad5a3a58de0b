/** `svc-steps <step> ...`: finds the step and runs it as its own executable would; nothing else is loaded. */
import { didYouMean, nearest } from "../../core/src/text/Spelling.ts"
import { nameEntries } from "./Help.ts"
import { version } from "./Version.ts"

/** A step as the dispatcher knows it. */
export interface Entry {
  readonly name: string
  readonly summary: string
  /** @param program - how the user called it, for its messages */
  readonly start: (program: string, argv: ReadonlyArray<string>) => void
}

export type Dispatch =
  | {
      readonly kind: "start"
      readonly entry: Entry
      /** How the user called it. */
      readonly program: string
      readonly argv: ReadonlyArray<string>
    }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "completions" }
  /** Wrong usage: `message` without `Error: `. */
  | { readonly kind: "wrong"; readonly message: string; readonly text: string }

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
  if (entry !== undefined) return { kind: "start", entry, program: `svc-steps ${name}`, argv: rest }
  const near = nearest(
    name,
    entries.map(({ name }) => name)
  )
  const what = first.startsWith("-") ? `The step comes first, before ${first.split("=")[0]}` : `Unknown step ${first}`
  return {
    kind: "wrong",
    message: `${what}${didYouMean(near)}`,
    text: `Steps:\n${list(entries)}\n\nSee svc-steps --help`
  }
}
