/**
 * `npm run docs`: writes the pages that are made from the sources. A test compares them, so they cannot be old.
 *
 * - `docs/settings.md`, from `core/src/settings/Keys.ts` and the options of the steps
 * - `docs/svc-api.md`, from the methods of `steps/api`
 * - the table of options in `docs/sandbox.md`, from `sandbox/CommandLine.ts`
 * - the examples in `docs/library.md`, from `docs/examples`
 * - `docs/dev/faults.md`, from `test/faults/Catalogue.ts` and the names of the tests
 * - the pictures in `docs/01-tour.md` and `docs/dev/code-tour.md`, from the imports
 * - `docs/pictures/map-*.svg`, from `scripts/pages/map-picture.ts`
 * - the version in CITATION.cff, packaging/ and the workflows, from package.json
 * - `docs/exit-codes.md`, from `core/src/errors`
 */
import { readFileSync, writeFileSync } from "node:fs"
import { apiPage } from "./pages/api.ts"
import { exitCodesPage } from "./pages/exit-codes.ts"
import { faultsPage } from "./pages/faults.ts"
import { journeysPicture, roomsPicture } from "./pages/import-pictures.ts"
import { mapPicture } from "./pages/map-picture.ts"
import { sandboxOptions, settingsPage } from "./pages/settings.ts"
import { versionPages } from "./pages/version.ts"

const fromRoot = (path: string) => new URL(`../${path}`, import.meta.url)

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
  ["docs/dev/faults.md", faultsPage()],
  between("docs/01-tour.md", "rooms", roomsPicture),
  between("docs/dev/code-tour.md", "journeys", journeysPicture),
  between("docs/sandbox.md", "options", sandboxOptions),
  ["docs/library.md", withExamples("docs/library.md")],
  ["docs/exit-codes.md", exitCodesPage()],
  ["docs/pictures/map-light.svg", mapPicture("light")],
  ["docs/pictures/map-dark.svg", mapPicture("dark")],
  ...versionPages()
]

if (import.meta.main) for (const [path, content] of generatedPages()) writeFileSync(fromRoot(path), content)
