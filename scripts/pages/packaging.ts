/** What names this version and where it comes from, outside of package.json: citation, recipe, registry entry, and the image in the workflows. */
import { readdirSync, readFileSync } from "node:fs"

const fromRoot = (path: string) => new URL(`../../${path}`, import.meta.url)

const product: {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly author: string
  readonly engines: { readonly node: string }
  readonly repository: { readonly url: string }
  readonly bin: Readonly<Record<string, string>>
  readonly keywords: ReadonlyArray<string>
} = JSON.parse(readFileSync(fromRoot("package.json"), "utf8"))

const { author, bin, description, engines, keywords, license, name, version } = product

/** Of the repository, without the form that npm gives it. */
const address = product.repository.url.replace(/^git\+|\.git$/g, "")

const released = new RegExp(`^## ${version.replaceAll(".", "\\.")} - (\\d{4}-\\d\\d-\\d\\d)$`, "m").exec(
  readFileSync(fromRoot("CHANGELOG.md"), "utf8")
)?.[1]

const citation = `# Made from package.json and CHANGELOG.md by \`npm run docs\`.
cff-version: 1.2.0
message: If you use this software, please cite it as below.
type: software
title: ${name}
abstract: ${description}
authors:
  - name: ${author}
version: ${version}
${released === undefined ? "" : `date-released: ${released}\n`}license: ${license}
repository-code: ${address}
url: ${address}
keywords:
${keywords.map((keyword) => `  - ${keyword}`).join("\n")}
`

const recipe = `# Made from package.json by \`npm run docs\`. docs/releases.md says when it is sent to bioconda.
{% set version = "${version}" %}

package:
  name: ${name}
  version: {{ version }}

source:
  # The package of the release; its checksum is in SHA256SUMS beside it.
  url: ${address}/releases/download/v{{ version }}/${name}-{{ version }}.tgz
  sha256: ${"0".repeat(64)}

build:
  noarch: generic
  number: 0
  run_exports:
    - {{ pin_subpackage("${name}", max_pin="x.x") }}
  # The executables need nothing but Node.
  script:
    - mkdir -p \${PREFIX}/share/${name} \${PREFIX}/share/man/man1 \${PREFIX}/bin
    - cp dist/*.js dist/*.json dist/*.txt \${PREFIX}/share/${name}/
    - cp dist/man/man1/*.1 \${PREFIX}/share/man/man1/
    - chmod 755 \${PREFIX}/share/${name}/*.js
    - for name in ${Object.keys(bin).join(" ")}; do ln -s ../share/${name}/\${name}.js \${PREFIX}/bin/\${name}; done

requirements:
  run:
    - nodejs ${engines.node}

test:
  commands:
${Object.keys(bin)
  .map((executable) => `    - ${executable} --version`)
  .join("\n")}

about:
  home: ${address}
  license: ${license}
  license_family: ${license}
  license_file: LICENSE
  summary: ${description}
  doc_url: ${address}/blob/v{{ version }}/README.md
  dev_url: ${address}

extra:
  identifiers:
    - biotools:${name}
`

const edam = (kind: string, number: string, term: string) => ({
  uri: `http://edamontology.org/${kind}_${number}`,
  term
})

const biotools = {
  name,
  description: `${description}.`,
  homepage: address,
  biotoolsID: name,
  version: [version],
  toolType: ["Command-line tool", "Library", "Workflow"],
  topic: [edam("topic", "0622", "Genomics"), edam("topic", "3071", "Data management")],
  function: [
    {
      operation: [edam("operation", "2422", "Data retrieval"), edam("operation", "2121", "Sequence file editing")],
      output: [
        { data: edam("data", "0863", "Sequence alignment"), format: [edam("format", "2572", "BAM")] },
        { data: edam("data", "3498", "Sequence variations"), format: [edam("format", "3016", "VCF")] }
      ]
    }
  ],
  operatingSystem: ["Linux"],
  language: ["JavaScript"],
  license,
  cost: "Free of charge",
  link: [
    { url: address, type: ["Repository"] },
    { url: `${address}/issues`, type: ["Issue tracker"] }
  ],
  documentation: [{ url: `${address}/blob/main/README.md`, type: ["General"] }],
  credit: [{ name: author, typeEntity: "Consortium", typeRole: ["Developer"] }]
}

/** The image, and the version of the pipelines, as the workflows name them. */
const withVersion = (text: string) =>
  text
    .replace(/org\/svc-steps:\d+\.\d+\.\d+/g, `org/svc-steps:${version}`)
    .replace(/^( {4}version {9}= )'[^']*'/gm, `$1'${version}'`)
    .replace(/("svc-steps",\s+)"\d+\.\d+\.\d+"/g, `$1"${version}"`)

const workflows = readdirSync(fromRoot("workflows"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => `${entry.parentPath}/${entry.name}`.replace(/^.*\/(?=workflows\/)/, ""))

export const packagingPages = (): ReadonlyArray<readonly [path: string, content: string]> => [
  ["CITATION.cff", citation],
  ["packaging/bioconda/meta.yaml", recipe],
  ["packaging/bio.tools.json", `${JSON.stringify(biotools, null, 2)}\n`],
  ...[...workflows, "docs/image.md", "docs/nextflow.md"].flatMap((path): ReadonlyArray<readonly [string, string]> => {
    const text = readFileSync(fromRoot(path), "utf8")
    return /org\/svc-steps:\d|"svc-steps",\s|^ {4}version {9}= /m.test(text) ? [[path, withVersion(text)]] : []
  })
]
