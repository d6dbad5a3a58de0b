/** The text of `--help`, made of the table of settings, for 80 columns. */
import { groups, type Key } from "../../core/src/settings/Key.ts"
import { keysOf, table } from "../../core/src/settings/Keys.ts"
import type { Option } from "../../core/src/settings/Option.ts"
import type { CommandOption, Method, Operands, Step, StepFamily } from "./Step.ts"

const width = 80
const helpColumn = 32

const wrap = (text: string, room: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > room) {
      lines.push(line)
      line = word
    } else {
      line = line === "" ? word : `${line} ${word}`
    }
  }
  return [...lines, line]
}

/** `  -t, --target NAME|URL   help`, the help wrapped beside its option, or below when the option is long. */
const entry = (option: string, help: string): string => {
  const lines = wrap(help, width - helpColumn)
  const below = lines.map((line) => " ".repeat(helpColumn) + line)
  return option.length + 2 > helpColumn
    ? [option, ...below].join("\n")
    : [option.padEnd(helpColumn) + (lines[0] ?? ""), ...below.slice(1)].join("\n")
}

/** What stands for the value of an option; null for a flag. */
export const metavarOf = ({ choices, metavar, type }: Option): string | null =>
  type === "flag" ? null : (metavar ?? choices?.join("|") ?? "VALUE")

/** One sentence, the default and the environment variable. */
const explanation = (option: Option & Pick<Key, "env">): string =>
  [
    option.help,
    ...(option.default === undefined ? [] : [`(default ${option.default})`]),
    ...(option.env === undefined ? [] : [`[${option.env}]`])
  ].join(" ")

const optionEntry = (name: string, option: Option & Pick<Key, "env">): string => {
  const metavar = metavarOf(option)
  const short = option.short === undefined ? "     " : `  -${option.short},`
  return entry(`${short} --${name}${metavar === null ? "" : ` ${metavar}`}`, explanation(option))
}

const section = (heading: string, entries: ReadonlyArray<string>): ReadonlyArray<string> =>
  entries.length === 0 ? [] : [`${heading}:\n${entries.join("\n")}`, ""]

/** The settings under their headings. */
const settingsSections = (name: Step["name"]): ReadonlyArray<string> => {
  const keys = keysOf(name).filter((key) => table[key].hidden === undefined)
  return groups.flatMap((group) =>
    section(
      group,
      keys.filter((key) => table[key].group === group).map((key) => optionEntry(key, table[key]))
    )
  )
}

const generalSection = section("General", [
  entry("  -q, --quiet", "Say errors only: --loglevel error"),
  entry("      --verbose", "Say everything: --loglevel debug"),
  entry("  -h, --help", "Show this help"),
  entry("  -v, --version", "Show the version"),
  entry("      --completions SHELL", "Print completions for bash, zsh, fish or powershell")
])

const aboutSettings = wrap(
  "A setting comes from the command line, else from its variable in [brackets], else from the --config file, else it " +
    "has its default. Lists are separated by commas, or the option is repeated. A flag is turned off by --no-FLAG.",
  width
)

const exampleLines = (program: string, examples: Step["examples"]): ReadonlyArray<string> =>
  examples.length === 0
    ? []
    : [
        "",
        "Examples:",
        ...examples.flatMap(({ command, says }) => [
          ...wrap(says, width - 4).map((line) => `  # ${line}`),
          `  ${program} ${command}`
        ])
      ]

/** ` [ID]...`, as it stands in a line of usage; a metavar of two words stands for two operands. */
const operandsUsage = (operands: Operands | undefined): string => {
  if (operands === undefined) return ""
  const { least, metavar, most } = operands
  return ` ${least === 0 ? `[${metavar}]` : metavar}${most > metavar.split(" ").length ? "..." : ""}`
}

/** @param program - how the user calls the step, such as `svc-download` or `svc-api get-person` */
export const helpText = (step: Step, program: string): string => {
  const own = Object.entries(step.options ?? {}).filter(([, option]) => option.hidden === undefined)
  const { operands } = step
  const settings = settingsSections(step.name)
  const required = own
    .filter(([, option]) => option.required === true)
    .map(([name, option]) => ` ${optionText(name, option)}`)
  const usage = `${program}${required.join("")}${own.length + settings.length > 0 ? " [options]" : ""}`
  return [
    ...wrap(step.summary, width),
    "",
    `Usage: ${usage}${operandsUsage(operands)}`,
    ...(operands === undefined ? [] : ["", entry(`  ${operands.metavar}`, operands.help)]),
    "",
    ...section(
      "Options",
      own.map(([name, option]) => optionEntry(name, option))
    ),
    ...settings,
    ...generalSection,
    ...aboutSettings,
    ...exampleLines(program, step.examples)
  ].join("\n")
}

const optionText = (name: string, option: CommandOption): string => {
  const metavar = metavarOf(option)
  return `--${name}${metavar === null ? "" : ` ${metavar}`}`
}

/** `get-person LIMS-ID... [--format json|jsonl]`: how a method is called, without the settings. */
export const methodUsage = ({ method, operands, options = {} }: Method): string => {
  const shown = Object.entries(options).filter(([, option]) => option.hidden === undefined)
  return [
    `${method}${operandsUsage(operands)}`,
    ...shown.map(([name, option]) =>
      option.required === true ? optionText(name, option) : `[${optionText(name, option)}]`
    )
  ].join(" ")
}

const methodEntry = (method: Method): string => {
  const [first = "", ...more] = wrap(methodUsage(method), width - 6)
  return [
    `  ${first}`,
    ...more.map((line) => `      ${line}`),
    ...wrap(method.summary, width - 6).map((line) => `      ${line}`)
  ].join("\n")
}

/** What a family of steps can do, with the settings that all of them take. */
export const familyHelpText = (family: StepFamily, program: string): string => {
  const headings = [...new Set(family.methods.map(({ group }) => group))]
  return [
    ...wrap(family.summary, width),
    "",
    `Usage: ${program} METHOD [arguments] [options]`,
    `       ${program} METHOD --help`,
    "",
    ...headings.flatMap((heading) =>
      section(heading, family.methods.filter(({ group }) => group === heading).map(methodEntry))
    ),
    ...settingsSections(family.name),
    ...generalSection,
    ...aboutSettings,
    ...exampleLines(program, family.examples)
  ].join("\n")
}
