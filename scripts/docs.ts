/**
 * `npm run docs`: writes the pages that are made from the sources. A test compares them, so they cannot be old.
 *
 * - `docs/settings.md`, from `core/src/settings/Keys.ts` and the options of the steps
 * - `docs/svc-api.md`, from the methods of `steps/api`
 * - the example in `docs/library.md`, from `docs/examples`
 * - `docs/pictures/map-dark.svg`, from `map-light.svg`
 * - the version in CITATION.cff, packaging/ and the workflows, from package.json
 * - the table of exit codes in `docs/troubleshooting.md`, from `core/src/errors`
 */
import { readFileSync, writeFileSync } from "node:fs"
import { apiPage } from "./pages/api.ts"
import { exitCodesTable } from "./pages/exit-codes.ts"
import { settingsPage } from "./pages/settings.ts"
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

/** Of the picture in `docs/README.md`: text, quiet text, lines, boxes, our boxes. */
const darkColours = {
  "#1f2328": "#f0f6fc",
  "#59636e": "#9198a1",
  "#818b98": "#7d8590",
  "#f6f8fa": "#151b23",
  "#ddf4ff": "#12283d"
}

const darkPicture = () =>
  Object.entries(darkColours).reduce(
    (picture, [light, dark]) => picture.replaceAll(light, dark),
    readFileSync(fromRoot("docs/pictures/map-light.svg"), "utf8")
  )

/** The pages as they must be now: path from the root, and content. */
export const generatedPages = (): ReadonlyArray<readonly [path: string, content: string]> => [
  ["docs/settings.md", settingsPage()],
  ["docs/svc-api.md", apiPage()],
  ["docs/library.md", withExamples("docs/library.md")],
  between("docs/troubleshooting.md", "exit codes", exitCodesTable),
  ["docs/pictures/map-dark.svg", darkPicture()],
  ...versionPages()
]

const isOld = ([path, content]: readonly [string, string]) => readFileSync(fromRoot(path), "utf8") !== content

if (import.meta.main) {
  const pages = generatedPages()
  const old = pages.filter(isOld)
  for (const [path, content] of old) {
    writeFileSync(fromRoot(path), content)
    console.log(`written: ${path}`)
  }
  console.log(`${pages.length} pages are made from the sources, ${old.length} of them changed`)
}
