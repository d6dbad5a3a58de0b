/** A manual page in mdoc(7) for every executable, made of what its `--help` is made of. */
import { readFileSync } from "node:fs"
import { ExitCodes } from "../core/src/Errors.ts"
import { groups, type Option as Setting } from "../core/src/settings/Key.ts"
import { keysOf, table } from "../core/src/settings/Keys.ts"
import { aboutSettings, metavarOf, methodUsage } from "../steps/main/Help.ts"
import { generalOptions } from "../steps/main/Options.ts"
import type { Step, StepFamily } from "../steps/main/Step.ts"
import { families, sandbox, steps } from "./commands.ts"

const fromRoot = (path: string) => new URL(`../${path}`, import.meta.url)
const { bin, homepage } = JSON.parse(readFileSync(fromRoot("package.json"), "utf8"))

/** The day of the newest version in CHANGELOG.md, as mdoc wants it: the same sources give the same page. */
const day = () => {
  const [, date = ""] = /^## \S+ - (\d{4}-\d\d-\d\d)$/m.exec(readFileSync(fromRoot("CHANGELOG.md"), "utf8")) ?? []
  const format = { timeZone: "UTC", year: "numeric", month: "long", day: "numeric" } as const
  return new Date(`${date}T00:00:00Z`).toLocaleDateString("en-US", format)
}

const escapeRoff = (text: string) => text.replaceAll("\\", "\\e").replace(/^(?=[.'])/gm, "\\&")

/** A paragraph: a line of source for each sentence, as mdoc wants it, and none longer than 80 characters. */
const paragraph = (text: string): string =>
  escapeRoff(text)
    .split(/(?<=[.!?]) (?=[A-Z])/)
    .flatMap((sentence) => sentence.match(/\S.{0,76}(?=\s|$)|\S+/g) ?? [])
    .map((line) => line.trim().replace(/^(?=[.'])/, "\\&"))
    .join("\n")

/** The words of a macro's arguments: none is taken for a macro or for punctuation. */
const words = (text: string) => escapeRoff(text).replace(/(^|\s)(?=[A-Z][a-z](\s|$)|[|.,:;()[\]?!](\s|$))/g, "$1\\&")

const list = (items: ReadonlyArray<readonly [head: string, text: string]>) =>
  items.length === 0
    ? []
    : [".Bl -tag -width Ds", ...items.flatMap(([head, text]) => [`.It ${head}`, paragraph(text)]), ".El"]

const optionHead = (name: string, option: Setting) => {
  const metavar = metavarOf(option)
  const short = option.short === undefined ? "" : `Fl ${option.short} , `
  return `${short}Fl -${name}${metavar === null ? "" : ` Ar ${words(metavar)}`}`
}

const optionText = (option: Setting) =>
  `${option.help}.${option.default === undefined ? "" : ` The default is ${option.default}.`}`

interface Page {
  readonly name: string
  readonly summary: string
  readonly synopsis: ReadonlyArray<string>
  /** Lines of mdoc. */
  readonly description: ReadonlyArray<string>
  readonly variables: ReadonlyArray<readonly [name: string, option: string]>
  readonly examples: ReadonlyArray<{ readonly command: string; readonly says: string }>
}

const general = list(
  Object.entries(generalOptions).map(([name, option]) => [optionHead(name, option), optionText(option)])
)

const pageText = ({ description, examples, name, summary, synopsis, variables }: Page): string =>
  [
    `.Dd ${day()}`,
    `.Dt ${name.toUpperCase()} 1`,
    ".Os",
    ".Sh NAME",
    `.Nm ${name}`,
    `.Nd ${escapeRoff(summary.replace(/\.$/, "").replace(/^\w/, (first) => first.toLowerCase()))}`,
    ".Sh SYNOPSIS",
    ...synopsis.flatMap((line) => [".Nm", line]),
    ".Sh DESCRIPTION",
    paragraph(`${summary.replace(/\.$/, "")}.`),
    ...description,
    ...(variables.length === 0
      ? []
      : [".Sh ENVIRONMENT", ...list(variables.map(([of, option]) => [`Ev ${of}`, `The value of --${option}.`]))]),
    ".Sh EXIT STATUS",
    ...list(Object.entries(ExitCodes).map(([code, meaning]) => [code, `${meaning}.`])),
    ...(examples.length === 0
      ? []
      : [".Sh EXAMPLES", ...examples.flatMap(({ command, says }) => [paragraph(`${says}:`), `.Dl ${words(command)}`])]),
    ".Sh SEE ALSO",
    ...others(name),
    ".Pp",
    `.Lk ${homepage}`,
    ""
  ].join("\n")

const others = (name: string) => {
  const rest = Object.keys(bin)
    .filter((other) => other !== name)
    .sort()
  return rest.map((other, at) => `.Xr ${other} 1${at < rest.length - 1 ? " ," : ""}`)
}

/** The settings under their headings, and the options of all. */
const settingsOf = (name: Step["name"]) => [
  ...groups.flatMap((group) => {
    const keys = keysOf(name).filter((key) => table[key].group === group)
    const items = keys.map((key) => [optionHead(key, table[key]), optionText(table[key])] as const)
    return items.length === 0 ? [] : [`.Ss ${group}`, ...list(items)]
  }),
  ".Ss General",
  ...general,
  ".Pp",
  paragraph(aboutSettings)
]

const variablesOf = (name: Step["name"]) =>
  keysOf(name)
    .flatMap((key) => (table[key].env === undefined ? [] : [[table[key].env, key] as const]))
    .sort(([a], [b]) => (a < b ? -1 : 1))

const stepPage = (step: Step): Page => {
  const own = Object.entries(step.options ?? {})
  const { operands } = step
  const operand =
    operands === undefined
      ? []
      : [`${operands.least === 0 ? ".Op Ar" : ".Ar"} ${words(operands.metavar)}${operands.most > 1 ? " ..." : ""}`]
  return {
    name: `svc-${step.name}`,
    summary: step.summary,
    synopsis: [[".Op Ar options", ...operand].join("\n")],
    description: [
      ...(operands === undefined ? [] : list([[`Ar ${words(operands.metavar)}`, `${operands.help}.`]])),
      ...(own.length === 0
        ? []
        : [".Ss Options", ...list(own.map(([name, option]) => [optionHead(name, option), optionText(option)]))]),
      ...settingsOf(step.name)
    ],
    variables: variablesOf(step.name),
    examples: step.examples.map(({ command, says }) => ({ command: `svc-${step.name} ${command}`, says }))
  }
}

const familyPage = (family: StepFamily): Page => ({
  name: `svc-${family.name}`,
  summary: family.summary,
  synopsis: [".Ar METHOD\n.Op Ar arguments\n.Op Ar options"],
  description: [
    ...[...new Set(family.methods.map(({ group }) => group))].flatMap((heading) => [
      `.Ss ${heading}`,
      ...list(
        family.methods
          .filter(({ group }) => group === heading)
          .map((method) => [`Ic ${words(methodUsage(method))}`, `${method.summary}.`])
      )
    ]),
    ...settingsOf(family.name)
  ],
  variables: variablesOf(family.name),
  examples: family.examples.map(({ command, says }) => ({ command: `svc-${family.name} ${command}`, says }))
})

const sandboxPage = (): Page => ({
  name: "svc-sandbox",
  summary: "The service in a box, to develop and test against without an account or patient data",
  synopsis: [".Op Ar options"],
  description: [
    ".Pp",
    paragraph(sandbox.summary.replace(/^[^.]*\. /, "")),
    ".Ss Options",
    ...list(sandbox.options.map(({ name, option }) => [optionHead(name, option), optionText(option)])),
    ".Ss General",
    ...general
  ],
  variables: [],
  examples: sandbox.examples
})

const dispatcherPage = (all: ReadonlyArray<Step | StepFamily>): Page => ({
  name: "svc-steps",
  summary: "Files of a genomic analysis service, as steps of a pipeline",
  synopsis: [".Ar step\n.Op Ar options"],
  description: [
    ".Pp",
    paragraph("Runs a step as its own executable does, which has a page of its own. The steps are:"),
    ...list([
      ...all.map(({ name, summary }) => [`Ic ${name}`, `${summary.replace(/\.$/, "")}.`] as const),
      ["Ic sandbox", "The service in a box, to try steps and workflows without credentials or patient data."]
    ]),
    ".Ss General",
    ...general
  ],
  variables: [],
  examples: [{ command: "svc-steps download --help", says: "The options of a step" }]
})

/** By name of the executable. */
export const manPages = (): Readonly<Record<string, string>> => {
  const executables = families.filter(({ name }) => `svc-${name}` in bin)
  const pages = [
    ...steps.map(stepPage),
    ...executables.map(familyPage),
    sandboxPage(),
    dispatcherPage([...steps, ...families])
  ]
  return Object.fromEntries(pages.map((page) => [page.name, pageText(page)]))
}
