/** `docs/svc-api.md`, made of the methods of the step. */
import { errorBody, format, output, whichPanel } from "../../steps/api/ApiMethod.ts"
import { apiStep } from "../../steps/api/ApiStep.ts"
import { metavarOf, methodUsage } from "../../steps/main/Help.ts"
import type { CommandOption, Method } from "../../steps/main/Step.ts"
import { cell } from "../commands.ts"

/** The options that the text of the page explains, since many methods have them. */
const explained: ReadonlyArray<CommandOption> = [format, errorBody, output, whichPanel["virtual-panel-id"]]

const methodRow = (method: Method) => {
  const { summary } = method
  return `| ${[`\`${methodUsage({ ...method, options: {} })}\``, summary].map(cell).join(" | ")} |`
}

const optionLine = ([name, option]: readonly [string, CommandOption]) => {
  const metavar = metavarOf(option)
  const fallback = option.default === undefined ? "" : ` (default \`${option.default}\`)`
  return `- \`--${name}${metavar === null ? "" : ` ${metavar}`}\`: ${option.help}${fallback}`
}

/** The options of each method that the text does not explain; methods with the same ones share a list. */
const optionLists = (methods: ReadonlyArray<Method>) => {
  const lists = Map.groupBy(methods, ({ options = {} }) =>
    Object.entries(options)
      .filter(([, option]) => !explained.includes(option))
      .map(optionLine)
      .join("\n")
  )
  return [...lists].flatMap(([lines, having]) =>
    lines === "" ? [] : [`Options of ${having.map(({ method }) => `\`${method}\``).join(" and ")}:\n\n${lines}`]
  )
}

const groupSection = (heading: string) => {
  const methods = apiStep.methods.filter(({ group }) => group === heading)
  const table = ["| method | what it does |", "|---|---|", ...methods.map(methodRow)].join("\n")
  return [`## ${heading}`, table, ...optionLists(methods)].join("\n\n")
}

export const apiPage = (): string => `# svc-api: any part of the API

Made from \`core/src/contract/EndpointNotes.ts\` by \`npm run docs\`. \`svc-api METHOD --help\` says the same, and \`svc-api openapi\` the request of each.

\`svc-api METHOD\` calls one method of the API and prints the answer as JSON. With several identifiers it calls once for each, in one session.

\`\`\`sh
svc-api get-person LIMS-0001                                  # a JSON document
svc-api get-qc-case-metrics LIMS-0001 LIMS-0002 --format jsonl -o qc.jsonl
svc-api update-virtual-panel V2 --name 'Aorta, revised'       # changes only the name, and shows what changes
svc-api request GET /person-list                              # anything that has no method of its own
\`\`\`

## What is printed

The answer of the service, with its own names and all of its fields, without an envelope.

- One identifier: its answer. Several: an object with a member for each that was found, in the order given.
- \`--format jsonl\`: a line \`{"id":...,"result":...}\` for each identifier. A list becomes a line for each item.
- \`--output FILE\` (\`-o\`): into this file, which appears when it is complete.
- \`--virtual-panel-id ID|none\`: results for this panel only. The default 1 is all genes. With \`none\` the service takes the panel that was used last.

Answers have at most 64 MiB. Those of \`get-snv-annotations\` and \`get-case-report\` may have any size, asked for with one identifier: they are passed on as they come. If such an answer breaks off, part of it is on standard output already, and the exit code tells.

## When a call fails

What fails for one identifier does not stop the others. The most severe failure decides the [exit code](troubleshooting.md#exit-codes): 66 for "not found", 65 when the service answers with an error of its own. \`--include-error-body\` shows what the service sent with an error, without passwords, tokens and links. \`request\` prints it always, to standard output.

## When a call writes

- The fields come from options, or with \`--input FILE|-\` from a JSON object. Other users of the computer can see options: put personal data into the file.
- Nothing that changes data is sent twice. If the answer is lost, or is a status 500, the command reads the person or panel again, says what it found, and ends with 69.

${[...new Set(apiStep.methods.map(({ group }) => group))].map(groupSection).join("\n\n")}
`
