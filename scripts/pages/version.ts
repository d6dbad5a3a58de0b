/** The version and date of the release where they stand outside of package.json: citation, recipe, registry entry, and the image in the workflows. */
import { readdirSync, readFileSync } from "node:fs"

const fromRoot = (path: string) => new URL(`../../${path}`, import.meta.url)
const read = (path: string) => readFileSync(fromRoot(path), "utf8")

const { version }: { readonly version: string } = JSON.parse(read("package.json"))
const released = new RegExp(`^## ${version.replaceAll(".", "\\.")} - (\\d{4}-\\d\\d-\\d\\d)$`, "m").exec(
  read("CHANGELOG.md")
)?.[1]

const number = String.raw`\d+\.\d+\.\d+`
const places: ReadonlyArray<readonly [before: RegExp, now: string | undefined]> = [
  [new RegExp(`(?<=org/svc-steps:)${number}`, "g"), version],
  // Of the pipelines, in nextflow.config; of their image in a Python module.
  [new RegExp(`(?<=^ {4}version {9}= ')${number}`, "gm"), version],
  [new RegExp(`(?<="svc-steps",\\s+")${number}`, "g"), version],
  // CITATION.cff, the recipe of bioconda, and the entry of bio.tools.
  [new RegExp(`(?<=^version: )${number}`, "gm"), version],
  [/(?<=^date-released: )\d{4}-\d\d-\d\d/gm, released],
  [new RegExp(`(?<=set version = ")${number}`, "g"), version],
  [new RegExp(`(?<="version": \\[\\s*")${number}`, "g"), version]
]

const workflows = readdirSync(fromRoot("workflows"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => `${entry.parentPath}/${entry.name}`.replace(/^.*\/(?=workflows\/)/, ""))

/** The files that name a version, with that of package.json. */
export const versionPages = (): ReadonlyArray<readonly [path: string, content: string]> =>
  [
    "CITATION.cff",
    "packaging/bioconda/meta.yaml",
    "packaging/bio.tools.json",
    "docs/image.md",
    "docs/nextflow.md",
    ...workflows
  ].flatMap((path) => {
    const text = read(path)
    if (!places.some(([before]) => new RegExp(before.source, before.flags).test(text))) return []
    return [
      [
        path,
        places.reduce((now, [before, value]) => (value === undefined ? now : now.replace(before, value)), text)
      ] as const
    ]
  })
