/** `docs/settings.md`, made of the table of settings. */
import { groups, type Key, stepNames } from "../../core/src/settings/Key.ts"
import { type KeyName, keyNames, table } from "../../core/src/settings/Keys.ts"
import { metavarOf } from "../../steps/main/Help.ts"
import { generalOptions } from "../../steps/main/Options.ts"
import { cell, families, type ListedOption, sandboxHelp, steps } from "../commands.ts"
import { addressOf } from "../schemas.ts"

const written = (name: string, metavar: string | null | undefined, short: string | undefined) =>
  `\`--${name}${typeof metavar === "string" ? ` ${metavar}` : ""}\`${short === undefined ? "" : `, \`-${short}\``}`

const option = (name: KeyName) => written(name, metavarOf(table[name]), table[name].short)

const forms: Readonly<Record<Key["type"], string>> = {
  text: "text",
  secret: "text, kept secret",
  path: "path",
  list: "list",
  lines: "list (repeated, not comma-separated)",
  flag: "flag",
  choice: "choice",
  int: "number",
  duration: "time",
  rate: "bytes per second"
}

const row = (name: KeyName) => {
  const key = table[name]
  const fallback = key.default === undefined ? "" : `\`${key.default}\``
  const steps = stepNames.filter((step) => key.steps.includes(step)).join(", ")
  const beyond = key.beyond === true ? " (+)" : ""
  const variable = key.env === undefined ? "" : `\`${key.env}\``
  return `| ${[option(name) + beyond, variable, forms[key.type], fallback, key.help, steps].map(cell).join(" | ")} |`
}

const section = (group: (typeof groups)[number]) => `## ${group}

| option | variable | form | default | meaning | steps |
|---|---|---|---|---|---|
${keyNames
  .filter((name) => table[name].group === group)
  .map(row)
  .join("\n")}`

/** The options that only the command line of one command gives. */
const ownRows = [
  ...steps.map(({ name, options }) => ({ command: `svc-${name}`, options })),
  ...families
    .filter(({ name }) => name === "restorations")
    .flatMap(({ methods, name }) =>
      methods.map(({ method, options }) => ({ command: `svc-steps ${name} ${method}`, options }))
    )
].flatMap(({ command, options = {} }) =>
  Object.entries(options).map(([name, own]) => {
    const fallback = own.default === undefined ? "" : `\`${own.default}\``
    return `| ${[`\`${command}\``, written(name, metavarOf(own), own.short), fallback, own.help].map(cell).join(" | ")} |`
  })
)

const listedRow = ({ help, metavar, name, short }: ListedOption) =>
  `| ${[written(name, metavar, short), help].map(cell).join(" | ")} |`

/** The table of options in `docs/sandbox.md`. */
export const sandboxOptions = (): string =>
  ["| option | meaning, and default |", "|---|---|", ...sandboxHelp.options.map(listedRow)].join("\n")

export const settingsPage = (): string => `# Settings

Made from \`core/src/settings/Keys.ts\` by \`npm run docs\`.

Every setting has one name. It is the long option, and the key in the JSON file of \`--config\`. A value comes from the
command line, else from the variable, else from the file, else it is the default. An empty variable counts as not set; an
empty value on the command line is an error, since it is mostly a shell variable that was not set. \`(+)\` marks settings
beyond those that are specified ([service.md](dev/service.md#24-configuration-of-the-download-tool)).

- **list**: comma-separated (\`-f bam,bam.bai\`), or the option repeated; in the file a list or a comma-separated text. Ids of
  analyses also stand alone: \`svc-download A1 A2\` is \`svc-download -a A1,A2\`, in every step that takes analyses. A word behind
  another list (\`-s S1 S2\`) is such an id, not a further item of the list
- **flag**: \`--overwrite\`, turned off by \`--no-overwrite\` or \`--overwrite=false\`; it never takes the next word. Elsewhere \`true\`, \`false\`, \`1\`,
  \`0\`, \`yes\`, \`no\`, \`on\` or \`off\` in any case
- **time**: a number with \`ms\`, \`s\`, \`m\`, \`h\` or \`d\`, 24 days at most
- **path**: relative to the folder the step runs in

Any other option is given once. \`--help\` shows what most people need, \`--help all\` every option, and so do the manual pages and
\`--completions\`. Wrong usage ends with 64 and says what to write, also for spellings of other tools and of older versions.

An editor completes and checks the file when it names its schema, which also lies in the package (\`dist/config.schema.json\`):

\`\`\`json
${JSON.stringify({ $schema: addressOf("config"), target: "https://lab.example.org", username: "pipeline", filetypes: ["vcf.gz", "vcf.gz.tbi"], connections: 8 }, null, 2)}
\`\`\`

\`--config\` is an option only. The file may be a pipe (\`--config <(vault read ...)\`), so that a password needs no file. A file
with a password should be readable by its owner alone (\`chmod 600\`), otherwise there is a warning. Unknown keys are
warnings as well; \`filter\` is accepted for \`filters\`. Wrong values stop the step before it contacts anything.

${groups.map(section).join("\n\n")}

## Options of one command

They stand on its command line only. Those of the methods of \`svc-api\` are in [svc-api.md](svc-api.md), those of \`svc-sandbox\` in [sandbox.md](sandbox.md).

| command | option | default | meaning |
|---|---|---|---|
${ownRows.join("\n")}

## Options of every command

| option | meaning |
|---|---|
${Object.entries(generalOptions)
  .map(
    ([name, { help, short, ...option }]) =>
      `| ${[written(name, metavarOf({ help, ...option }), short), help].map(cell).join(" | ")} |`
  )
  .join("\n")}
`
