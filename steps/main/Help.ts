/** The text of `--help`, made of the table of settings: short, or with everything. */
import { groups, type Option } from "../../core/src/settings/Key.ts"
import { type KeyName, keysOf, table } from "../../core/src/settings/Keys.ts"
import { generalOptions, type NamedOption, namedOptions } from "./Options.ts"
import type { Method, Operands, Step, StepFamily } from "./Step.ts"
import { documentation } from "./Version.ts"

interface Layout {
  readonly width: number
  /** Where the texts of options begin. */
  readonly column: number
}

const wrap = (text: string, room: number): ReadonlyArray<string> =>
  text.match(new RegExp(`\\S.{0,${room - 1}}(?=\\s|$)|\\S+`, "g")) ?? []

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

const optionText = (name: string, option: Option): string => [`--${name}`, metavarOf(option) ?? []].flat().join(" ")

/** With one sentence, the default and the environment variable. */
const optionEntry = (layout: Layout, { name, option }: NamedOption, env?: string): string => {
  const short = option.short === undefined ? "     " : `  -${option.short},`
  const fallback = option.default === undefined ? [] : [`(default ${option.default})`]
  const help = [option.help, ...fallback, ...(env === undefined ? [] : [`[${env}]`])].join(" ")
  return entry(layout, `${short} ${optionText(name, option)}`, help)
}

/** Names with what they are, in a column that all names leave free. */
export const nameEntries = (names: ReadonlyArray<readonly [name: string, summary: string]>, width = 80) => {
  const column = Math.max(...names.map(([name]) => name.length)) + 4
  return names.map(([name, summary]) => entry({ column, width }, `  ${name}`, summary))
}

const section = (heading: string, entries: ReadonlyArray<string>): ReadonlyArray<string> =>
  entries.length === 0 ? [] : [`${heading}:\n${entries.join("\n")}`, ""]

const byGroup = (
  entries: ReadonlyArray<{ readonly group: string; readonly text: string }>,
  headings: ReadonlyArray<string> = [...new Set(entries.map(({ group }) => group))]
) =>
  headings.flatMap((heading) =>
    section(
      heading,
      entries.flatMap(({ group, text }) => (group === heading ? [text] : []))
    )
  )

const optionsSection = (layout: Layout, heading: string, options: Readonly<Record<string, Option>> = {}) =>
  section(
    heading,
    namedOptions(options).map((named) => optionEntry(layout, named))
  )

const firstClause = (text: string) => text.replace(/[;:.] .*/, "")

/** Without what begins after the first clause, unless that tells the choices apart. */
const brief = (option: Option): Option =>
  option.choices === undefined ? { ...option, help: firstClause(option.help) } : option

const briefly = (options: Readonly<Record<string, Option>> = {}): Readonly<Record<string, Option>> =>
  Object.fromEntries(Object.entries(options).map(([name, option]) => [name, brief(option)]))

/** The settings under their headings; the short help has those that most need or an example uses, with the first clause of what there is to say. */
const settingsSections = (
  layout: Layout,
  { examples, name }: Pick<Step, "examples" | "name">,
  all: boolean
): ReadonlyArray<string> => {
  const words = examples.flatMap(({ command }) => command.split(" "))
  const shown = keysOf(name).flatMap((key) => {
    const { env, ...option } = table[key]
    if (all) return [{ group: option.group, text: optionEntry(layout, { name: key, option }, env) }]
    return option.common || words.includes(`--${key}`)
      ? [{ group: option.group, text: optionEntry(layout, { name: key, option: brief(option) }) }]
      : []
  })
  return byGroup(shown, groups)
}

/** The settings of a group, or a single one. */
const topicLines = (layout: Layout, { name }: Pick<Step, "name">, topic: string): ReadonlyArray<string> =>
  byGroup(
    keysOf(name).flatMap((key) => {
      const { env, ...option } = table[key]
      const isMeant = topic === key.toLowerCase() || topic === option.group.split(" ")[0]?.toLowerCase()
      return isMeant ? [{ group: option.group, text: optionEntry(layout, { name: key, option }, env) }] : []
    }),
    groups
  )

/** How values are given. */
export const aboutSettings =
  "A setting comes from the command line, else from its variable, else from the configuration file, else it has its default. Lists are " +
  "separated by commas, or the option is repeated. A flag is turned off by --no-FLAG."

/** The exit codes of a command that a script meets, by the settings that it takes; all of them are in the documentation. */
export const exitCodesOf = (name: Step["name"]): string => {
  const takes = (key: KeyName) => table[key].steps.includes(name)
  const waits = takes("pendingOk") && name !== "request-restore"
  const codes = [
    ...["0 done", "64 usage", "65 wrong data", "66 not found"],
    ...(takes("target") ? ["69 unavailable"] : []),
    ...(takes("target") || takes("restorationFile") ? ["73 output"] : []),
    "74 disk",
    ...(waits ? ["75 pending"] : []),
    ...(takes("target") ? ["77 login", "78 settings"] : [])
  ]
  return `Exit codes: ${codes.join(", ")}.`
}

/** ` [ID]...`, as it stands in a line of usage; a metavar of two words stands for two operands. */
const operandsUsage = (operands: Operands | undefined): string => {
  if (operands === undefined) return ""
  const { isCommand, least, metavar, most } = operands
  if (isCommand === true) return ` [-- ${metavar} [ARG]...]`
  return ` ${least === 0 ? `[${metavar}]` : metavar}${most > metavar.split(" ").length ? "..." : ""}`
}

/**
 * @param calledAs - how the user calls it, such as `svc-download` or `svc-api get-person`
 * @param form - `topic`: a group of options by its first word, or one by its name, with all that there is to say of them, or `all`; `columns`: of the terminal, if there is one
 */
export const helpText = (
  about: Step | StepFamily,
  calledAs: string,
  { columns, topic = "" }: { readonly topic?: string | undefined; readonly columns?: number | undefined } = {}
): string => {
  const layout = layoutOf(columns)
  const { width } = layout
  const all = topic === "all"
  const part = topicLines(layout, about, topic.replace(/^-+/, "").toLowerCase())
  if (part.length > 0) return [...part, ...wrap(aboutSettings, width)].join("\n")
  const examples = exampleLines(layout, all ? about.examples : about.examples.slice(0, 3), `${calledAs} `)
  const isFamily = "methods" in about
  const further = `${isFamily ? `${calledAs} METHOD --help has the options of a method, ` : ""}${calledAs} --help all has everything. `
  return [
    ...wrap(about.summary, width),
    "",
    ...(isFamily ? methodLines(layout, about, calledAs, all) : usageLines(layout, about, calledAs)),
    ...(all ? [] : examples),
    ...(isFamily ? [] : optionsSection(layout, "Options", all ? about.options : briefly(about.options))),
    ...(isFamily && !all ? [] : settingsSections(layout, about, all)),
    ...(all
      ? [...optionsSection(layout, "General", generalOptions), ...wrap(aboutSettings, width), "", ...examples]
      : []),
    ...wrap(exitCodesOf(about.name), width),
    ...wrap(`${all ? "" : further}${documentation}`, width)
  ].join("\n")
}

/** The help of a command that is no step, in the same form; its examples begin with its name. */
export const helpOf = (
  about: Pick<Step, "summary" | "examples"> & { readonly options: ReadonlyArray<NamedOption> },
  calledAs: string,
  columns: number | undefined
): string => {
  const layout = layoutOf(columns)
  return [
    ...wrap(about.summary, layout.width),
    "",
    `Usage: ${calledAs} [options]`,
    "",
    ...exampleLines(layout, about.examples, ""),
    ...section(
      "Options",
      about.options.map((named) => optionEntry(layout, named))
    ),
    ...wrap(documentation, layout.width)
  ].join("\n")
}

const layoutOf = (columns: number | undefined): Layout => {
  const width = columns ? Math.min(100, Math.max(60, columns)) : 80
  return { width, column: Math.round(width * 0.4) }
}

/** @param before - what each command begins with */
const exampleLines = ({ width }: Layout, examples: Step["examples"], before: string) =>
  section(
    "Examples",
    examples.flatMap(({ command, says }) => [
      ...wrap(says, width - 4).map((line) => `  # ${line}`),
      `  ${before}${command}`
    ])
  )

const usageLines = (layout: Layout, step: Step, calledAs: string): ReadonlyArray<string> => {
  const { operands, options = {} } = step
  const required = namedOptions(options).filter(({ name }) => options[name]?.required === true)
  const words = [calledAs, ...required.map(({ name, option }) => optionText(name, option)), "[options]"]
  return [
    `Usage: ${words.join(" ")}${operandsUsage(operands)}`,
    "",
    ...(operands === undefined ? [] : [entry(layout, `  ${operands.metavar}`, operands.help), ""])
  ]
}

/** `get-person LIMS-ID... [--format json|jsonl]`: how a method is called, without the settings. */
export const methodUsage = ({ method, operands, options = {} }: Method): string =>
  [
    `${method}${operandsUsage(operands)}`,
    ...Object.entries(options).map(([name, option]) =>
      option.required === true ? optionText(name, option) : `[${optionText(name, option)}]`
    )
  ].join(" ")

/** The methods by subject, a line each; with all there is to say, each with its usage. */
const methodLines = ({ width }: Layout, { methods }: StepFamily, calledAs: string, all: boolean) => {
  const whole = (method: Method) => {
    const [first = "", ...more] = wrap(methodUsage(method), width - 6)
    return [`  ${first}`, ...[...more, ...wrap(method.summary, width - 6)].map((line) => `      ${line}`)].join("\n")
  }
  const brief = nameEntries(
    methods.map(({ method, summary }) => [method, firstClause(summary)]),
    width
  )
  const entries = methods.map((method, at) => ({ group: method.group, text: all ? whole(method) : (brief[at] ?? "") }))
  return [`Usage: ${calledAs} METHOD [arguments] [options]`, "", ...byGroup(entries)]
}
