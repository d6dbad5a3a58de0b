/**
 * `npm run docs`: writes the pages that are made from the sources. A test compares them, so they cannot be old.
 *
 * - `docs/settings.md`, from `core/src/settings/Keys.ts` and the options of the steps
 * - `docs/svc-api.md`, from the methods of `steps/api`
 * - the table of options in `docs/sandbox.md`, from `sandbox/CommandLine.ts`
 * - the examples in `docs/library.md`, from `docs/examples`
 * - `docs/faults.md`, from `test/faults/Catalogue.ts` and the names of the tests
 * - the pictures in `docs/01-tour.md` and `docs/code-tour.md`, from the imports
 * - CITATION.cff, what stands in packaging/, and the version of the image in the workflows, from package.json
 * - `docs/exit-codes.md`, from `core/src/errors`
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { ExitCodes, severityOrder } from "../core/src/Errors.ts"
import { apiPage } from "./api-page.ts"
import { faultsPage } from "./faults-page.ts"
import { journeysPicture, roomsPicture } from "./import-pictures.ts"
import { packagingPages } from "./packaging-pages.ts"
import { sandboxOptions, settingsPage } from "./settings-page.ts"

const fromRoot = (path: string) => new URL(`../${path}`, import.meta.url)

/** Every error class: its name, the first sentence of its comment, its exit code. */
const errorClasses = readdirSync(fromRoot("core/src/errors"))
  .sort()
  .map((module) => readFileSync(fromRoot(`core/src/errors/${module}`), "utf8"))
  .flatMap((source) => [
    ...source.matchAll(/\/\*\* ([^\n]+?) \*\/\nexport class (\w+) [\s\S]*?errorExitCode\] = (\d+)/g)
  ])
  .map(([, sentence = "", name = "", code]) => ({ sentence, name, code: Number(code) }))

const meanings = Object.entries(ExitCodes).map(([code, meaning]) => `| ${code} | ${meaning} |`)
const meaningsTable = ["| code | meaning |", "|---|---|", ...meanings].join("\n")

const exitCodesPage = () => `# Exit codes

Made from \`core/src/errors\` by \`npm run docs\`. The codes are those of sysexits and part of the interface: a pipeline may
decide by them. What happened stands on stderr, one line per file or request that failed.

${meaningsTable}

With several failures the most severe one decides, in this order: ${severityOrder.join(", ")}. A file that is skipped by
policy is no failure: it exists and \`--overwrite\` is not given, or it is archived and the answer to restoring it is no.

## Which situation ends with which code

${Object.keys(ExitCodes)
  .map(Number)
  .map((code) => ({ code, rows: errorClasses.filter((row) => row.code === code) }))
  .filter(({ rows }) => rows.length > 0)
  .map(({ code, rows }) => [`### ${code}`, "", ...rows.map((row) => `- **${row.name}**: ${row.sentence}`)].join("\n"))
  .join("\n\n")}
`

/** A page with this text between its two marks. */
const between = (page: string, subject: string, text: () => string): readonly [path: string, content: string] => {
  const marks = new RegExp(`(<!-- ${subject}: npm run docs -->\\n)[\\s\\S]*?(<!-- end of ${subject} -->)`)
  return [page, readFileSync(fromRoot(page), "utf8").replace(marks, (_, begin, end) => `${begin}${text()}\n${end}`)]
}

const exampleMark = /(<!-- (docs\/examples\/[a-z.-]+\.ts) -->\n)[\s\S]*?(<!-- end -->)/g

/** A page with the examples it names, as they are now. */
const withExamples = (page: string) =>
  readFileSync(fromRoot(page), "utf8").replace(
    exampleMark,
    (_, begin: string, path: string, end: string) =>
      `${begin}\`\`\`ts\n${readFileSync(fromRoot(path), "utf8")}\`\`\`\n${end}`
  )

/** The pages as they must be now: path from the root, and content. */
export const generatedPages = (): ReadonlyArray<readonly [path: string, content: string]> => [
  ["docs/settings.md", settingsPage()],
  ["docs/svc-api.md", apiPage()],
  ["docs/faults.md", faultsPage()],
  between("docs/01-tour.md", "rooms", roomsPicture),
  between("docs/code-tour.md", "journeys", journeysPicture),
  between("docs/sandbox.md", "options", sandboxOptions),
  ["docs/library.md", withExamples("docs/library.md")],
  ["docs/exit-codes.md", exitCodesPage()],
  ...packagingPages()
]

if (import.meta.main) for (const [path, content] of generatedPages()) writeFileSync(fromRoot(path), content)
