/** `docs/exit-codes.md`, made of the table of codes and the error classes. */
import { readdirSync, readFileSync } from "node:fs"
import { ExitCodes, severityOrder } from "../../core/src/Errors.ts"

const errors = new URL("../../core/src/errors/", import.meta.url)

/** Every error class: its name, the first sentence of its comment, its exit code. */
const errorClasses = readdirSync(errors)
  .sort()
  .map((module) => readFileSync(new URL(module, errors), "utf8"))
  .flatMap((source) => [
    ...source.matchAll(/\/\*\* ([^\n]+?) \*\/\nexport class (\w+) [\s\S]*?errorExitCode\] = (\d+)/g)
  ])
  .map(([, sentence = "", name = "", code]) => ({ sentence, name, code: Number(code) }))

const meanings = Object.entries(ExitCodes).map(([code, meaning]) => `| ${code} | ${meaning} |`)
const meaningsTable = ["| code | meaning |", "|---|---|", ...meanings].join("\n")

export const exitCodesPage = () => `# Exit codes

Made from \`core/src/errors\` by \`npm run docs\`. The codes are those of sysexits and part of the interface: a pipeline may
decide by them. What happened stands on stderr, one line per file or request that failed.

${meaningsTable}

With several failures the most severe one decides, in this order: ${severityOrder.join(", ")}. A file that is skipped by
policy is no failure: it exists with the listed size and \`--overwrite\` is not given, or it is archived and the answer to restoring it is no
(with \`--requireAll\` that is one: 66).

## Which situation ends with which code

${Object.keys(ExitCodes)
  .map(Number)
  .map((code) => ({ code, rows: errorClasses.filter((row) => row.code === code) }))
  .filter(({ rows }) => rows.length > 0)
  .map(({ code, rows }) => [`### ${code}`, "", ...rows.map((row) => `- **${row.name}**: ${row.sentence}`)].join("\n"))
  .join("\n\n")}
`
