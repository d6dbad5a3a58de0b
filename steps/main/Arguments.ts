/**
 * The first look at the arguments of a step: what effect/cli would misread is put right or refused, and help and version
 * are answered without loading anything.
 */
import { type NamedOption, optionsOf, takesSeveral } from "./Options.ts"
import type { Step } from "./Step.ts"

/** The options that every step has. */
export const generalOptions: ReadonlyArray<string> = ["help", "version", "completions"]

/** Short for a log level. */
const loglevels: ReadonlyMap<string, string> = new Map([
  ["-q", "error"],
  ["--quiet", "error"],
  ["--verbose", "debug"]
])

/** Whether an argument asks for completions; the name of the shell follows after `=` or as the next argument. */
export const asksForCompletions = (argument: string) => /^--completions(?:=|$)/.test(argument)

/** Option names of several letters are compared without dashes and case; single letters exactly. */
const sameWord = (theirs: string, word: string) => {
  const bare = (text: string) => text.replaceAll("-", "").toLowerCase()
  return theirs === word || (word.length > 1 && bare(theirs) === bare(word))
}

/** What other tools call one of our options, and how it is written here; a letter may stand for two of them. */
export const translation = (step: Step, word: string): string | null => {
  const found = optionsOf(step).filter(({ option }) => option.otherSpellings?.some((it) => sameWord(it, word)))
  return found.length === 0 ? null : found.map(({ name }) => `--${name}`).join(" or ")
}

/** The option that an argument names as `--name`, `--name=...`, `-n`, `-n=...`, or as `--no-name` when it is a flag. */
export const optionAt = (
  options: ReadonlyArray<NamedOption>,
  argument: string
): (NamedOption & { readonly negated: boolean }) | null => {
  const [, long, short] = /^(?:--([^=]+)|-([^-=]))(?:=|$)/.exec(argument) ?? []
  const on = options.find(({ name, option }) => name === long || (short !== undefined && option.short === short))
  if (on !== undefined) return { ...on, negated: false }
  const off = options.find(({ name, option }) => option.type === "flag" && argument === `--no-${name}`)
  return off === undefined ? null : { ...off, negated: true }
}

export const isOption = (argument: string) => /^-[^\d.]/.test(argument)

export type Prepared =
  | { readonly kind: "run"; readonly argv: ReadonlyArray<string> }
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  /** One sentence, without `Error: `. */
  | { readonly kind: "wrong"; readonly message: string }

const wrong = (message: string): Prepared => ({ kind: "wrong", message })

/**
 * Arguments in the forms that effect/cli understands: `--no-list` becomes `--list=false`, `-a A1 A2` a repeated option.
 * effect/cli takes `-ra` for `-r -a` and would read `-ra force` as the analysis "force", so a single dash with several
 * letters is an error here. Values of secrets are never repeated in a message.
 */
export const prepare = (step: Step, argv: ReadonlyArray<string>): Prepared => {
  const prepared: Array<string> = []
  const seen = new Set<string>()
  const options = optionsOf(step)
  const hasOperands = step.operands !== undefined
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i] ?? ""
    if (argument === "--") return { kind: "run", argv: [...prepared, ...argv.slice(i)] }
    if (argument === "--help" || argument === "-h") return { kind: "help" }
    if (argument === "--version" || argument === "-v") return { kind: "version" }
    // Most tools have two options, verbose and quiet, for what is one setting here.
    const level = loglevels.get(argument)
    if (level !== undefined && options.some(({ name }) => name === "loglevel")) {
      if (seen.has("loglevel")) return wrong(`${argument} and another log level are given`)
      seen.add("loglevel")
      prepared.push(`--loglevel=${level}`)
      continue
    }
    const found = optionAt(options, argument)
    if (found === null) {
      if (/^-[^-\d.=][^=]/.test(argument)) return wrong(severalLetters(step, argument))
      prepared.push(argument)
      continue
    }
    const { name, negated, option: taken } = found
    const { type } = taken
    if (seen.has(name) && !takesSeveral(taken)) return wrong(`--${name} is given more than once`)
    seen.add(name)

    const [option = "", ...inline] = argument.split("=")
    const values = inline.length > 0 ? [inline.join("=")] : negated ? ["false"] : []
    if (values.length === 0 && type !== "flag") {
      const value = argv[++i]
      if (value === undefined || isOption(value)) {
        return wrong(`${option} needs a value; one that begins with a dash is written --${name}=VALUE`)
      }
      values.push(value)
    }
    const follows = () => i + 1 < argv.length && !isOption(argv[i + 1] ?? "")
    while (!hasOperands && takesSeveral(taken) && follows()) values.push(argv[++i] ?? "")
    if (!hasOperands && type === "secret" && follows()) {
      return wrong(`The value of ${option} has spaces: put it into quotes`)
    }
    prepared.push(...(values.length === 0 ? [`--${name}`] : values.map((value) => `--${name}=${value}`)))
  }
  return { kind: "run", argv: prepared }
}

const severalLetters = (step: Step, argument: string): string => {
  const word = argument.slice(1).split("=")[0] ?? ""
  const options = optionsOf(step)
  const same = options.find(({ name }) => name.toLowerCase() === word.toLowerCase())
  const known = same === undefined ? translation(step, word) : `--${same.name}`
  if (known !== null) return `-${word} is not an option: write ${known}`
  const letter = argument.slice(0, 2)
  const found = optionAt(options, letter)
  return found === null
    ? `Unknown option -${word}; options of several letters begin with two dashes`
    : `${letter} and its value must be separate: write ${letter} VALUE or --${found.name} VALUE`
}
