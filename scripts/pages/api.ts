/** `docs/svc-api.md`, made of the methods of the step. */
import { endpointOf, hasEnvelope } from "../../core/src/client/EndpointCalls.ts"
import type { EndpointName } from "../../core/src/contract/EndpointNotes.ts"
import { apiStep } from "../../steps/api/ApiStep.ts"
import { methodTable } from "../../steps/api/MethodTable.ts"
import { metavarOf, methodUsage } from "../../steps/main/Help.ts"
import type { CommandOption, Method } from "../../steps/main/Step.ts"
import { cell } from "../commands.ts"

const optionRow = ([name, option]: readonly [string, CommandOption]) => {
  const metavar = metavarOf(option)
  const short = option.short === undefined ? "" : `, \`-${option.short}\``
  const fallback = option.default === undefined ? "" : ` (default \`${option.default}\`)`
  return `| ${cell(`\`--${name}${metavar === null ? "" : ` ${metavar}`}\`${short}`)} | ${cell(option.help)}${fallback} |`
}

/** Method and path, and whether what is printed stands in an envelope on the wire. */
const endpointSentences = (name: EndpointName | null) => {
  if (name === null) return " Endpoint: any."
  const { endpoint } = endpointOf(name)
  const path = endpoint.path.replaceAll(/:(\w+)/g, "{$1}")
  const printed = hasEnvelope(endpoint) ? "Printed is the `response` of its envelope." : "Printed is the whole body."
  return ` Endpoint: \`${endpoint.method} ${path}\`. ${printed}`
}

const methodSection = (method: Method) => {
  const row = methodTable.find((row) => row.method === method.method)
  const options = Object.entries(method.options ?? {})
  const example = method.examples[0]
  return [
    `### ${method.method}`,
    `${method.summary}.${row === undefined ? "" : endpointSentences(row.calls)}`,
    `\`\`\`\nsvc-api ${methodUsage(method)}\n\`\`\``,
    ...(options.length === 0 ? [] : [["| option | meaning |", "|---|---|", ...options.map(optionRow)].join("\n")]),
    ...(example === undefined ? [] : [`For example \`svc-api ${method.method} ${example.command}\`.`])
  ].join("\n\n")
}

const headings = [...new Set(apiStep.methods.map(({ group }) => group))]

export const apiPage = (): string => `# svc-api

Made from the notes on the endpoints (\`core/src/contract/EndpointNotes.ts\`) and \`steps/api/MethodTable.ts\` by \`npm run docs\`, as are \`svc-api --help\` and the completions.

\`svc-api METHOD\` is one call of the API, or one for each identifier that is given, in one session. How to name the service and the account is
in [settings.md](settings.md); the exit codes are in [exit-codes.md](exit-codes.md).

\`\`\`sh
svc-api get-person LIMS-0001                                  # a JSON document
svc-api get-qc-case-metrics LIMS-0001 LIMS-0002 --format jsonl -o qc.jsonl
svc-api update-virtual-panel V2 --name 'Aorta, revised'       # changes only the name, and shows what changes
svc-api request GET /person-list                              # anything that has no method of its own
\`\`\`

**Output.** What the service sends, out of its envelope: its own key names, unknown fields, identifiers as numbers or texts as they came. One
identifier gives its payload; several give an object with a member for each that was found, in the order given. With \`--format jsonl\` each is
a line \`{"id":...,"result":...}\`, and a list is a line for each item. \`--output FILE\` writes a file that appears, or is replaced, only when
everything that could be had is in it. Characters that steer a terminal are escaped as JSON allows, which
changes no value; large bodies and those of \`request\` stay as they came.

**Large bodies.** \`get-snv-annotations\` and \`get-case-report\` for one identifier as \`json\` are passed on as they come, byte for byte, checked
but never held in memory; other bodies may have 64 MiB. Standard output then has the beginning of a body that breaks off, and the exit code says so.

**Failures.** What fails for one identifier does not stop the others: it is said on stderr, and the most severe failure is the exit code. "Not found" is
66, however the service says it; a \`success: false\` is 65 with the identifiers of the error. \`request\` prints the body of an error to stdout, as it
does with any other, and says the status on stderr; the other methods say it on stderr with \`--include-error-body\`. Passwords, tokens and signed links are
hidden in it.

**Writing.** Fields come from options or from \`--input FILE|-\`, a JSON object in UTF-8. Nothing that changes data is sent twice: when the answer gets lost,
the exit code is 69 and the message says what is not known. \`update-virtual-panel\` reads the panel, says on stderr what changes, sends the whole panel with what
was not given as it was. When an answer is lost, or is a status 500, a look at the person or panel tells whether the change is there, and the message says what it found. Options can be seen by other users of the computer: personal data is better in an input.

${headings
  .map((heading) =>
    [`## ${heading}`, ...apiStep.methods.filter(({ group }) => group === heading).map(methodSection)].join("\n\n")
  )
  .join("\n\n")}
`
