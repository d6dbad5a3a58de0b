/**
 * What effect/cli finds wrong with a command line, in sentences of this program: with the name that was meant, with the place,
 * and without anything that may be part of a secret. Only here the words are looked at beside effect/cli.
 */
import type * as CliError from "effect/cli/CliError"
import { fileTypes } from "../../core/src/genome/formats/FileNames.ts"
import { didYouMean, nearest } from "../../core/src/text/Spelling.ts"
import { beforeDashes, everyOptionOf, type NamedOption, optionIn, takesNext } from "./Options.ts"
import type { Step, StepFamily } from "./Step.ts"

export type UsageErrors = ReadonlyArray<CliError.NonShowHelpErrors>

type Options = ReadonlyArray<NamedOption>
type Words = ReadonlyArray<string>

export const noSuchShell = "Invalid value for --completions: expected bash, zsh, fish or powershell"

/** One sentence for each mistake, without `Error: `. */
export const sentencesOf = (about: Step | StepFamily, argv: Words, errors: UsageErrors): ReadonlyArray<string> => {
  const options = everyOptionOf(about)
  const words = beforeDashes(argv)
  const joined = words.find((word, at) => isJoined(options, word) && !takesNext(options, words[at - 1]))
  if (joined !== undefined) return [joinedLetters(options, joined)]
  // What follows one of these may be its value, also that of a secret, and is no mistake of its own.
  const lacking = errors.find((error) => lacksValue(options, error))
  const unknown = errors.filter(({ _tag }) => _tag === "UnrecognizedOption")
  const said = lacking !== undefined ? [lacking] : unknown.length > 0 ? unknown : errors
  return [...new Set(said.map((error) => sentenceOf(about, options, argv, error)))]
}

/** Words of several letters behind one dash, unless all but the last letter are flags, as in `-qa A1`. */
const isJoined = (options: Options, word: string): boolean => {
  if (!/^-[^-\d.=][^=]/.test(word)) return false
  const letters = [...(word.slice(1).split("=")[0] ?? "")]
  return !letters.every((letter, at) => {
    const found = optionIn(options, `-${letter}`)
    return found !== undefined && (at === letters.length - 1 || found.option.type === "flag")
  })
}

/** effect/cli takes `-ra force` for `-r -a force`. */
const joinedLetters = (options: Options, argument: string): string => {
  const word = argument.slice(1).split("=")[0] ?? ""
  const known = translation(options, word)
  if (known !== null) return `-${word} is not an option: write ${known}`
  const letter = argument.slice(0, 2)
  const found = optionIn(options, letter)
  return found === undefined
    ? `Unknown option -${word}; options of several letters begin with two dashes`
    : `${letter} and its value must be separate: write ${letter} VALUE or --${found.name} VALUE`
}

/** Our name for what was written in another way or is called so by other tools; a letter may stand for two options. */
const translation = (options: Options, word: string): string | null => {
  const isMeant = ({ name, option }: NamedOption) =>
    [name, ...(option.otherSpellings ?? [])].some((it) => bare(it) === bare(word))
  const found = options.filter(isMeant).map(({ name }) => `--${name}`)
  return found.length === 0 ? null : found.join(" or ")
}

/** Names of several letters are compared without dashes and case; single letters exactly. */
const bare = (word: string) => (word.length === 1 ? word : word.replace(/[-_]/g, "").toLowerCase())

const lacksValue = (options: Options, error: UsageErrors[number]): boolean =>
  error._tag === "InvalidValue" &&
  error.kind === "flag" &&
  error.value === "" &&
  options.some(({ name, option }) => name === error.option && name !== "completions" && option.type !== "flag")

const sentenceOf = (about: Step | StepFamily, options: Options, words: Words, error: UsageErrors[number]): string => {
  switch (error._tag) {
    case "UnrecognizedOption":
      return unknownOption(about, options, error.option)
    case "UnexpectedArgument":
      return wordTooMany(about, words, error.arguments[0] ?? "")
    case "MissingArgument":
      return `Missing ${error.argument}`
    case "InvalidValue":
      if (error.option === "completions") return noSuchShell
      if (error.kind === "argument") return `Wrong number of ${error.option}: ${error.expected}`
      return wrongValue(options, words, error)
    default:
      return error.message
  }
}

const unknownOption = (about: Step | StepFamily, options: Options, option: string): string => {
  const word = option.replace(/^-+/, "")
  if ("methods" in about && about.methods.some(({ options = {} }) => word in options))
    return `The method comes first, before ${option}`
  if (optionIn(options, option) !== undefined) return `${option} must stand alone`
  const names = options.map(({ name }) => name)
  // Every letter is one edit away from every other.
  const near = word.length === 1 ? null : nearest(word, names)
  return `Unknown option ${option}${didYouMean(translation(options, word) ?? (near && `--${near}`))}`
}

const wrongValue = (options: Options, words: Words, error: CliError.InvalidValue): string => {
  const { expected, option: name, value } = error
  if (/^\d+ occurrences$/.test(value)) return `--${name} is given more than once`
  const typed = words.find((word) => !word.includes("=") && optionIn(options, word)?.name === name) ?? `--${name}`
  if (lacksValue(options, error))
    return `${typed} needs a value; one that begins with a dash is written --${name}=VALUE`
  if (expected.startsWith("omit")) return `--no-${name} takes no value`
  return `Invalid value for --${name}: "${value}": expected true or false`
}

/** An operand that has no place, with what stands before it. */
export const wordTooMany = (about: Step | StepFamily, argv: Words, word: string): string => {
  const options = everyOptionOf(about)
  const secret = behindSecret(options, argv)
  if (secret !== undefined) return secret
  if ("methods" in about) {
    const names = about.methods.map(({ method }) => method)
    // The library calls it getPerson, other tools get_person.
    const same = names.find((name) => bare(name) === bare(word))
    return `Unknown method ${word}${didYouMean(same ?? nearest(word, names))}`
  }
  const at = argv.findLastIndex((it, i) => it === word && !takesNext(options, argv[i - 1]))
  const hint = misplaced(word)
  return `Unexpected argument: ${word}${placeOf(options, argv, at)}${hint === null ? "" : `; ${hint}`}`
}

/** How a word is given that is meant for the option before it, and is no id. */
export const misplaced = (word: string): string | null => {
  if (/^(?:true|false|yes|no|on|off)$/i.test(word)) return "a flag takes its value after =, such as --overwrite=false"
  return fileTypes.some((type) => type === word) ? "a list has commas between its items, as in -f bam,bam.bai" : null
}

const placeOf = (options: Options, argv: Words, at: number): string => {
  const [before, beforeThat] = [argv[at - 1], argv[at - 2]]
  if (before === undefined) return ", the first word"
  if (before.startsWith("-")) return `, after ${before.split("=")[0]}`
  return takesNext(options, beforeThat) ? `, after the value of ${beforeThat}` : `, after ${before}`
}

/** A password with spaces and without quotes looks like more words: nothing of them is repeated. */
const behindSecret = (options: Options, argv: Words): string | undefined => {
  const [found] = argv.flatMap((word, at) => {
    const [value = "", before = ""] = [argv[at - 1], argv[at - 2]]
    const option = takesNext(options, before) ? before : /^-.*?(?==)/.exec(value)?.[0]
    return !word.startsWith("-") && optionIn(options, option)?.option.type === "secret" ? [option] : []
  })
  return found && `A word too many stands behind the value of ${found}: a value with spaces must be in quotes`
}
