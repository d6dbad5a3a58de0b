/** `docs/settings.md`, made of the table of settings. */
import { groups, stepNames } from "../../core/src/settings/Key.ts"
import { type KeyName, keyNames, table } from "../../core/src/settings/Keys.ts"
import { metavarOf } from "../../steps/main/Help.ts"
import { generalOptions } from "../../steps/main/Options.ts"
import type { CommandOption, CommandOptions } from "../../steps/main/Step.ts"
import { cell, families, steps } from "../commands.ts"
import { addressOf } from "../schemas.ts"

const written = (name: string, metavar: string | null | undefined, short: string | undefined) =>
  `\`--${name}${typeof metavar === "string" ? ` ${metavar}` : ""}\`${short === undefined ? "" : `, \`-${short}\``}`

const withDefault = (help: string, value: string | undefined) =>
  cell(help) + (value === undefined ? "" : `. Default \`${value}\``)

const commandsOf = (name: KeyName) => stepNames.filter((step) => table[name].steps.includes(step)).join(", ")

/** What a row says of its commands where they are not those of its table. */
const unlike = (usual: string, commands: string) => {
  if (commands === usual) return ""
  const others = commands.split(", ").filter((command) => !usual.split(", ").includes(command))
  return others.length === 0 ? ` (only ${commands})` : ` (also ${others.join(", ")})`
}

const row = (name: KeyName, usual: string) => {
  const key = table[name]
  const option = cell(written(name, metavarOf(key), key.short)) + (key.beyond === true ? " (+)" : "")
  const variable = key.env === undefined ? "" : `<br>\`${key.env}\``
  return `| ${option}${variable} | ${withDefault(key.help, key.default)}${unlike(usual, commandsOf(name))} |`
}

/** The settings of a group. The commands that take most of them are said once, above the table. */
const section = (group: (typeof groups)[number]) => {
  const names = keyNames.filter((name) => table[name].group === group)
  const [[usual = ""] = []] = [...Map.groupBy(names, commandsOf)].sort(([, a], [, b]) => b.length - a.length)
  return `## ${group}

Commands: ${usual}.

| option, variable | meaning |
|---|---|
${names.map((name) => row(name, usual)).join("\n")}`
}

const ownRow = ([name, { help, short, ...option }]: readonly [string, CommandOption]) =>
  `| ${cell(written(name, metavarOf({ help, ...option }), short))} | ${withDefault(help, option.default)} |`

const isSetting = ([name, option]: readonly [string, CommandOption]) =>
  keyNames.some((key) => key === name && table[key] === option)

/** The options that only the command line of one command gives; those that are settings elsewhere are in one row. */
const ownTable = (command: string, options: CommandOptions = {}) => {
  const own = Object.entries(options)
  const settings = own.filter(isSetting)
  const names = settings.map(([name]) => `\`--${name}\``).join(", ")
  const rows = [
    ...own.filter((entry) => !isSetting(entry)).map(ownRow),
    ...(settings.length === 0 ? [] : [`| ${names} | as the settings of these names |`])
  ]
  return rows.length === 0 ? [] : [[`### ${command}`, "", "| option | meaning |", "|---|---|", ...rows].join("\n")]
}

const ownTables = [
  ...steps.flatMap(({ name, options }) => ownTable(`svc-${name}`, options)),
  ...families
    .filter(({ name }) => name === "restorations")
    .flatMap(({ methods, name }) =>
      methods.flatMap(({ method, options }) => ownTable(`svc-steps ${name} ${method}`, options))
    )
]

export const settingsPage = (): string => `# Settings

Made from \`core/src/settings/Keys.ts\` by \`npm run docs\`; \`--help all\` shows the same.

The name of a setting is the long option, and the key in [the configuration file](#the-configuration-file). The first of these that has a value counts: the command line, the variable (an empty one counts as not set), the file, the default.

Where one place gives a password and a password file, the password counts. Without either, the command asks on the terminal.

- **A list** is separated by commas (\`-f bam,bam.bai\`), or the option is repeated. In the file it may be a JSON list. \`--filters\` is only repeated.
- **Analysis ids** may stand alone: \`svc-download A1 A2\` is \`svc-download -a A1,A2\`. One that looks like something else (\`ls\`, a region, a path) needs \`-a\`.
- **A flag** takes no value. \`--no-overwrite\` and \`--overwrite=false\` turn it off. In a variable write \`true\` or \`false\`, \`1\` or \`0\`, \`yes\` or \`no\`, \`on\` or \`off\`.
- **TIME** is a number with \`ms\`, \`s\`, \`m\`, \`h\` or \`d\`, at most 24 days.
- **A path** is relative to the folder in which the command runs.

(+) marks what goes beyond [the interface of the service](dev/service.md). Above each table stand the commands that take its settings; *also* and *only* name exceptions.

## The configuration file

\`\`\`json
${JSON.stringify({ $schema: addressOf("config"), target: "https://lab.example.org", username: "pipeline", filetypes: ["vcf.gz", "vcf.gz.tbi"], connections: 8 }, null, 2)}
\`\`\`

It is the file that \`--config\` or \`SVC_CONFIG\` names, else \`~/.config/svc-steps/config.json\` (in \`XDG_CONFIG_HOME\`, where that is set), if it is there: write address and account there once. Steps that an engine starts as you read it too, so leave in it what is right for each run. For another account name another file. \`svc-doctor\` and the first line of a log file say which was read; \`svc-verify\` reads only that of \`--config\`.

A token goes only to the \`target\` that stands beside it, in the environment or in the file. So does the user of a file, unless the command line names that file.

With \`$schema\` an editor completes and checks the keys. Make a file with a password readable for you alone (\`chmod 600\`). It may be a pipe (\`--config <(vault read ...)\`).
An unknown key is a warning. A key that is nearly a setting (\`destinaton\`) and a value of the wrong form are errors (78), before anything is sent.

${groups.map(section).join("\n\n")}

## Options of one command

Those of \`svc-api\` are in [svc-api.md](svc-api.md), those of \`svc-sandbox\` come by its \`--help\`.

${ownTables.join("\n\n")}

## Options of every command

| option | meaning |
|---|---|
${Object.entries(generalOptions).map(ownRow).join("\n")}
`
