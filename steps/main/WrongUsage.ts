/**
 * What effect/cli finds wrong with a command line, in sentences of this program: with the name that was meant, with the place,
 * and without anything that may be part of a secret. Only here the words are looked at beside effect/cli.
 */
import type * as CliError from "effect/cli/CliError"
import { fileTypes } from "../../core/src/genome/formats/FileNames.ts"
import { keyCombinations } from "../../core/src/settings/Combinations.ts"
import { goneSince } from "../../core/src/settings/Gone.ts"
import { keyNames, keysOf, table } from "../../core/src/settings/Keys.ts"
import { shellWord } from "../../core/src/text/Printable.ts"
import { didYouMean, nearest } from "../../core/src/text/Spelling.ts"
import { type About, beforeDashes, everyOptionOf, type NamedOption, optionIn, takesNext } from "./Options.ts"
import { insteadOf } from "./OtherTools.ts"

export type UsageErrors = ReadonlyArray<CliError.NonShowHelpErrors>

type Options = ReadonlyArray<NamedOption>
type Words = ReadonlyArray<string>

export const noSuchShell = "Invalid value for --completions: expected bash, zsh, fish or powershell"

/** One sentence for each mistake, without `Error: `. */
export const sentencesOf = (about: About, argv: Words, errors: UsageErrors): ReadonlyArray<string> => {
  const options = everyOptionOf(about)
  const bareCommand = commandWithoutDashes(about, argv)
  if (bareCommand !== null) return [bareCommand]
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

/** The options whose name or variable was written in another way, or which other tools call so; a letter may stand for two. */
const meantBy = (options: Options, word: string): Options =>
  options.filter(({ name, option: { env = name, otherSpellings = [] } }) =>
    [name, env, ...otherSpellings].some((it) => bare(it) === bare(word))
  )

/** Our name for it. */
const translation = (options: Options, word: string): string | null => {
  const found = meantBy(options, word).map(
    ({ name, option: { choices = [] } }) => `--${name}${choices.includes(word) ? ` ${word}` : ""}`
  )
  return found.length === 0 ? null : found.join(" or ")
}

/** Names of several letters are compared without dashes and case; single letters exactly. */
const bare = (word: string) => (word.length === 1 ? word : word.replace(/[-_]/g, "").toLowerCase())

const lacksValue = (options: Options, error: UsageErrors[number]): boolean =>
  error._tag === "InvalidValue" &&
  error.kind === "flag" &&
  error.value === "" &&
  options.some(({ name, option }) => name === error.option && name !== "completions" && option.type !== "flag")

const sentenceOf = (about: About, options: Options, words: Words, error: UsageErrors[number]): string => {
  switch (error._tag) {
    case "UnrecognizedOption":
      return unknownOption(about, options, words, error.option)
    case "UnexpectedArgument":
      return wordTooMany(about, words, error.arguments[0] ?? "")
    case "MissingArgument":
      return `Missing ${error.argument}`
    case "InvalidValue":
      if (error.option === "completions") return noSuchShell
      if (error.kind === "argument") return `${error.option}: ${error.expected} are needed`
      return wrongValue(options, words, error)
    default:
      return error.message
  }
}

const unknownOption = (about: About, options: Options, argv: Words, option: string): string => {
  const word = option.replace(/^-+/, "")
  const gone = goneSince(word, about.name)
  if (gone !== null) return `${option}${gone}`
  // A method that does not exist has no options that could be known. Behind an option it may be that one's value.
  const [first = ""] = argv
  if ("methods" in about && !first.startsWith("-")) return wordTooMany(about, argv, first)
  if ("methods" in about && about.methods.some(({ options = {} }) => word in options))
    return `The method comes first, before ${option}`
  if (optionIn(options, option) !== undefined) return `${option} must stand alone`
  const ours = translation(options, word)
  const key = keyNames.find((name) => name === word)
  if (ours === null && key !== undefined) {
    const takers = table[key].steps.map((step) => `svc-${step}`)
    return `Unknown option ${option}; it is an option of ${takers.join(", ")}`
  }
  const names = options.map(({ name }) => name)
  // Every letter is one edit away from every other.
  const near = word.length === 1 ? null : nearest(word, names)
  return `Unknown option ${option}${didYouMean(ours === null ? near && `--${near}` : `${ours}${besides(about, options, word)}`)}`
}

/** What the setting that is meant needs beside it. */
const besides = ({ name: step }: About, options: Options, word: string): string => {
  const [{ name = "" } = {}] = meantBy(options, word)
  const needed = keyCombinations.find((it) => it.with !== undefined && it.options.includes(name))?.with ?? []
  const keys: ReadonlyArray<string> = keysOf(step)
  const there = needed.filter((it) => keys.includes(name) && keys.includes(it)).map((it) => `--${it}`)
  return there.length === 0 ? "" : `, beside ${there.join(" or ")}`
}

const wrongValue = (options: Options, words: Words, error: CliError.InvalidValue): string => {
  const { expected, option: name, value } = error
  if (/^\d+ occurrences$/.test(value)) return `--${name} is given more than once`
  const typed = words.find((word) => !word.includes("=") && optionIn(options, word)?.name === name) ?? `--${name}`
  if (lacksValue(options, error))
    return `${typed} needs a value; one that begins with a dash is written --${name}=VALUE`
  if (expected.startsWith("omit")) return `--no-${name} takes no value`
  if (optionIn(options, `--${name}`)?.option.type !== "flag") {
    const plain = expected.replace("Schema validation failed: ", "").replaceAll('"', "").replaceAll(" | ", " or ")
    return `Invalid value for --${name}: "${value}": expected ${plain}`
  }
  return `Invalid value for --${name}: "${value}": expected true or false`
}

/** An operand that has no place, with what stands before it. */
export const wordTooMany = (about: About, argv: Words, word: string): string => {
  const options = everyOptionOf(about)
  const secret = behindSecret(options, argv)
  if (secret !== undefined) return secret
  const named = withoutDashes(options, word)
  if ("methods" in about && named === null) {
    const names = about.methods.map(({ method }) => method)
    // The library calls it getPerson, other tools get_person or `get person`.
    const spellings = [word, word + (argv[argv.indexOf(word) + 1] ?? "")].map(bare)
    const same = about.methods.find(
      ({ method, otherNames = [] }) => spellings.includes(bare(method)) || otherNames.includes(word)
    )?.method
    const instead = same === undefined ? insteadOf(word) : null
    if (instead !== null) return `Unknown method ${word}; ${instead}`
    return `Unknown method ${word}${didYouMean(same ?? nearest(word, names) ?? nearest(`get-${word}`, names))}`
  }
  const at = argv.findLastIndex((it, i) => it === word && !takesNext(options, argv[i - 1]))
  const hint = misplaced(about, argv, at)
  const shown = shownWord(options, word)
  const mayBeId =
    hint !== null && shown === word && !word.includes(",") && options.some(({ name }) => name === "analysisIds")
  const asId = mayBeId ? `; an analysis of that name is -a ${shellWord(word)}` : ""
  return `Unexpected argument: ${shown}${placeOf(options, argv, at)}${hint === null ? "" : `; ${hint}`}${asId}`
}

/** Of a step that runs a command: a word before the dashes, behind which all words, its options too, would be ours. */
export const commandWithoutDashes = (about: About, argv: Words): string | null => {
  if (!("operands" in about) || about.operands?.isCommand !== true) return null
  const options = everyOptionOf(about)
  const word = beforeDashes(argv).find((it, at) => !it.startsWith("-") && !takesNext(options, argv[at - 1]))
  if (word === undefined) return null
  return (
    behindSecret(options, argv) ??
    `${wordTooMany(about, argv, word)}; a command stands behind --: svc-${about.name} -- ${shownWord(options, word)} ...`
  )
}

/** The first of the `operands` that means something else than an analysis: whoever means one of that name says so with -a. */
export const misplacedWord = (about: About, argv: Words, operands: Words): string | null => {
  const options = everyOptionOf(about)
  const means = (word: string, at: number) =>
    operands.includes(word) && !takesNext(options, argv[at - 1]) && misplaced(about, argv, at) !== null
  return beforeDashes(argv).find(means) ?? null
}

/** How a word is given that means something else than an analysis; null where it may be one. */
const misplaced = (about: About, argv: Words, at: number): string | null => {
  const options = everyOptionOf(about)
  const word = argv[at] ?? ""
  if (/^(?:true|false|yes|no|on|off)$/i.test(word)) return "a flag takes its value after =, such as --overwrite=false"
  if (fileTypes.some((type) => type === word)) return "a list has commas between its items, as in -f bam,bam.bai"
  const named = withoutDashes(options, word)
  const before = valueBefore(options, argv, at)
  // `id` is also a field: behind a filter `id=100` is one more of them.
  if (named !== null && (before?.name !== "filters" || named.isSure))
    return `an option begins with two dashes: write ${named.written}`
  return (before === null ? null : meantFor[before.name]?.(word, before)) ?? insteadOf(word) ?? valueLike(about, word)
}

const aRegion = /^[^:/]+:[\d,]+(?:[-\u2012-\u2015.]+[\d,]*)?$/
const aBed = /\.bed(?:\.gz)?$/i

/** What no analysis is called, and the option whose value it looks like. */
const shapes: ReadonlyArray<readonly [shape: RegExp, option: string]> = [
  [/:\/\//, "target"],
  [aRegion, "range"],
  [/^chr(?:\d{1,2}|[XYM]|MT)$/i, "range"],
  [aBed, "bed"],
  [/^(?:~|\.{0,2})\/|\/$|^\.{1,2}$/, "destination"],
  [/\.(?:jsonl?|[ct]sv)$/i, "output"]
]

/** How a word is given that looks like the value of an option that the step takes or took. */
const valueLike = (about: About, word: string): string | null => {
  const name = shapes.find(([shape]) => shape.test(word))?.[1]
  if (name === undefined) return null
  const found = everyOptionOf(about).find((it) => it.name === name)
  if (found !== undefined) return `write -${found.option.short ?? `-${name}`} ${shellWord(word)}`
  const gone = goneSince(name, about.name)
  return gone === null ? null : `--${name}${gone}`
}

/** `maxRestores=3`, and a flag alone, as the option that it means, surely where that is our own name or a secret; null when it means none. */
const withoutDashes = (options: Options, word: string) => {
  const [, name = "", value] = /^([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(word) ?? []
  // One letter is enough where a password would be sent as an id, and printed.
  const meant =
    name.length > 1
      ? meantBy(options, name)
      : options.filter(({ option: { short, type } }) => type === "secret" && short === name)
  // Without a value it is a flag, letter for letter: an analysis may well be called LS.
  const isFlag = ({ name, option: { otherSpellings = [], type } }: NamedOption) =>
    type === "flag" && [name, ...otherSpellings].includes(word)
  const found = value === undefined ? meant.filter(isFlag) : meant
  if (found.length === 0) return null
  const isSecret = found.some(({ option }) => option.type === "secret")
  return {
    isSecret,
    isSure: isSecret || found.some((it) => bare(it.name) === bare(name)),
    written: found.map((it) => `--${it.name}${value === undefined ? "" : `=${isSecret ? "***" : value}`}`).join(" or ")
  }
}

/** Without the secret that it gives to an option without dashes. */
const shownWord = (options: Options, word: string): string =>
  withoutDashes(options, word)?.isSecret ? `${word.split("=")[0]}=***` : word

interface GivenValue {
  readonly name: string
  /** The option as it was typed. */
  readonly typed: string
  readonly value: string
}

/** The option whose value stands right before a word. */
const valueBefore = (options: Options, argv: Words, at: number): GivenValue | null => {
  const [last = "", typed = ""] = [argv[at - 1], argv[at - 2]]
  if (takesNext(options, typed)) return { name: optionIn(options, typed)?.name ?? "", typed, value: last }
  const found = last.includes("=") ? optionIn(options, last) : undefined
  const [name = "", ...value] = last.split("=")
  return found === undefined ? null : { name: found.name, typed: name, value: value.join("=") }
}

/** For each option that people give several words: what to write when the next one is meant for it too, else null. */
const meantFor: Readonly<Record<string, (word: string, given: GivenValue) => string | null>> = {
  range: (word, { typed, value }) => {
    const positions = word.replaceAll(/[\u2012-\u2015]|\.\./g, "-")
    if (isSpan(positions) && !value.includes(":")) return `a region is one word: write ${typed} ${value}:${positions}`
    return isSpan(positions) || aRegion.test(word) || /^chr\w+$/i.test(word)
      ? `several regions are one word in quotes: write ${typed} '${value} ${positions}'`
      : null
  },
  bed: (word, { typed }) => (aBed.test(word) ? `${typed} takes one file` : null),
  sampleIds: listed,
  limsIds: listed,
  filters: (word) =>
    /[=<>]/.test(word)
      ? "a filter is one word in quotes, and several have an -F each: write -F 'status = DONE' -F 'id > 100'"
      : null
}

/** `43,044,295-43,125,364`: an id such as `2026-001` ends before it begins. */
const isSpan = (word: string): boolean => {
  const [, start = "", end = ""] = /^(\d[\d,]*)-(\d[\d,]*)$/.exec(word) ?? []
  return end !== "" && Number(start.replaceAll(",", "")) <= Number(end.replaceAll(",", ""))
}

/** A word like the one before it is one more of the list: `S2` behind `-s S1`. */
function listed(word: string, { typed, value }: GivenValue): string | null {
  const shape = (text: string) => text.replaceAll(/\d+/g, "0")
  return shape(word) === shape(value.split(",").at(-1) ?? "")
    ? `a list has commas between its items: write ${typed} ${value},${word}`
    : null
}

const placeOf = (options: Options, argv: Words, at: number): string => {
  const [before, beforeThat] = [argv[at - 1], argv[at - 2]]
  if (before === undefined) return ", the first word"
  if (before.startsWith("-")) return `, after ${before.split("=")[0]}`
  return takesNext(options, beforeThat) ? `, after the value of ${beforeThat}` : `, after ${shownWord(options, before)}`
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
