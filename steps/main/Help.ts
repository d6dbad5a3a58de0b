/** The text of `--help`, made of the table of settings: short, or with everything. */
import { groups, type Key } from "../../core/src/settings/Key.ts"
import { keysOf, table } from "../../core/src/settings/Keys.ts"
import type { Option } from "../../core/src/settings/Option.ts"
import { generalOptions, type NamedOption, optionsOf } from "./Options.ts"
import type { Method, Operands, Step, StepFamily } from "./Step.ts"
import { documentation } from "./Version.ts"

/** What the help is made for. */
export interface HelpForm {
  /** Every option, with all that there is to say of it; else what most people need, on a screen or two. */
  readonly all?: boolean
  /** Of the terminal; absent when there is none. */
  readonly columns?: number | undefined
}

interface Layout {
  readonly width: number
  /** Where the texts of options begin. */
  readonly column: number
}

const layoutOf = ({ columns = 80 }: HelpForm): Layout => {
  const width = Math.min(100, Math.max(60, columns))
  return { width, column: Math.round(width * 0.4) }
}

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
const entry = ({ column, width }: Layout, option: string, help: string): string => {
  const lines = wrap(help, width - column).map((line) => " ".repeat(column) + line)
  return option.length + 2 > column
    ? [option, ...lines].join("\n")
    : [option.padEnd(column) + (lines[0] ?? "").trimStart(), ...lines.slice(1)].join("\n")
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

const optionEntry = (layout: Layout, { name, option }: NamedOption): string => {
  const short = option.short === undefined ? "     " : `  -${option.short},`
  return entry(layout, `${short} ${optionText(name, option)}`, explanation(option))
}

const optionText = (name: string, option: Option): string => {
  const metavar = metavarOf(option)
  return `--${name}${metavar === null ? "" : ` ${metavar}`}`
}

const section = (heading: string, entries: ReadonlyArray<string>): ReadonlyArray<string> =>
  entries.length === 0 ? [] : [`${heading}:\n${entries.join("\n")}`, ""]

const firstClause = (text: string) => text.replace(/[;:.] .*/, "")

/** The settings under their headings; those of the short help with the first clause of what there is to say. */
const settingsSections = (layout: Layout, name: Step["name"], all: boolean): ReadonlyArray<string> => {
  const keys = keysOf(name).filter((key) => all || table[key].common === true)
  const shown = ({ env, ...key }: Key): Option & Pick<Key, "env"> =>
    all ? { ...key, ...(env === undefined ? {} : { env }) } : { ...key, help: firstClause(key.help) }
  return groups.flatMap((group) =>
    section(
      group,
      keys
        .filter((key) => table[key].group === group)
        .map((key) => optionEntry(layout, { name: key, option: shown(table[key]) }))
    )
  )
}

const generalSection = (layout: Layout) =>
  section(
    "General",
    Object.entries(generalOptions).map(([name, option]) => optionEntry(layout, { name, option }))
  )

/** How values are given, which man pages say too. */
export const aboutSettings =
  "A setting comes from the command line, else from its variable, else from the --config file, else it has its default. Lists are " +
  "separated by commas, or the option is repeated. A flag is turned off by --no-FLAG."

/** The exit codes that a script meets; all of them are in the documentation. */
export const exitCodesLine =
  "Exit codes: 0 done, 64 usage, 65 wrong data, 66 not found, 69 unavailable, 73 and 74 output, 75 pending, 77 login, 78 settings."

const exampleLines = ({ width }: Layout, program: string, examples: Step["examples"]): ReadonlyArray<string> =>
  examples.length === 0
    ? []
    : [
        "Examples:",
        ...examples.flatMap(({ command, says }) => [
          ...wrap(says, width - 4).map((line) => `  # ${line}`),
          `  ${program} ${command}`
        ]),
        ""
      ]

/** ` [ID]...`, as it stands in a line of usage; a metavar of two words stands for two operands. */
const operandsUsage = (operands: Operands | undefined): string => {
  if (operands === undefined) return ""
  const { least, metavar, most } = operands
  return ` ${least === 0 ? `[${metavar}]` : metavar}${most > metavar.split(" ").length ? "..." : ""}`
}

/**
 * @param program - how the user calls it, such as `svc-download` or `svc-api get-person`
 */
export const helpText = (about: Step | StepFamily, program: string, form: HelpForm = {}): string => {
  const { all = false } = form
  const layout = layoutOf(form)
  const { width } = layout
  const examples = exampleLines(layout, program, all ? about.examples : about.examples.slice(0, 3))
  const settings = settingsSections(layout, about.name, all)
  const further = "methods" in about ? `${program} METHOD --help has the options of a method, ` : ""
  return [
    ...wrap(about.summary, width),
    "",
    ...("methods" in about ? methodLines(layout, about, program, all) : usageLines(layout, about, program)),
    ...(all ? [] : examples),
    ...("methods" in about ? [] : ownSection(layout, about)),
    ...("methods" in about && !all ? [] : settings),
    ...(all ? [...generalSection(layout), ...wrap(aboutSettings, width), "", ...examples] : []),
    ...wrap(exitCodesLine, width),
    ...wrap(`${all ? "" : `${further}${program} --help all has everything. `}${documentation}`, width)
  ].join("\n")
}

const usageLines = (layout: Layout, step: Step, program: string): ReadonlyArray<string> => {
  const { operands, options = {} } = step
  const required = Object.entries(options)
    .filter(([, { required }]) => required === true)
    .map(([name, option]) => ` ${optionText(name, option)}`)
  const rest = optionsOf(step).length > 0 ? " [options]" : ""
  return [
    `Usage: ${program}${required.join("")}${rest}${operandsUsage(operands)}`,
    ...(operands === undefined ? [] : ["", entry(layout, `  ${operands.metavar}`, operands.help)]),
    ""
  ]
}

const ownSection = (layout: Layout, { options = {} }: Step) =>
  section(
    "Options",
    Object.entries(options).map(([name, option]) => optionEntry(layout, { name, option }))
  )

/** `get-person LIMS-ID... [--format json|jsonl]`: how a method is called, without the settings. */
export const methodUsage = ({ method, operands, options = {} }: Method): string =>
  [
    `${method}${operandsUsage(operands)}`,
    ...Object.entries(options).map(([name, option]) =>
      option.required === true ? optionText(name, option) : `[${optionText(name, option)}]`
    )
  ].join(" ")

/** The methods by subject, a line each; with all there is to say, each with its usage. */
const methodLines = (
  { width }: Layout,
  { methods }: StepFamily,
  program: string,
  all: boolean
): ReadonlyArray<string> => {
  const column = Math.max(...methods.map(({ method }) => method.length)) + 4
  const line = ({ method, summary }: Method) => entry({ column, width }, `  ${method}`, firstClause(summary))
  const whole = (method: Method) => {
    const [first = "", ...more] = wrap(methodUsage(method), width - 6)
    return [`  ${first}`, ...[...more, ...wrap(method.summary, width - 6)].map((line) => `      ${line}`)].join("\n")
  }
  return [
    `Usage: ${program} METHOD [arguments] [options]`,
    "",
    ...[...new Set(methods.map(({ group }) => group))].flatMap((heading) =>
      section(heading, methods.filter(({ group }) => group === heading).map(all ? whole : line))
    )
  ]
}
