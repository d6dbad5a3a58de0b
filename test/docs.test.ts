import { existsSync, readFileSync, statSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Runtime } from "effect"
import * as Errors from "../core/src/Errors.ts"
import { generatedPages } from "../scripts/docs.ts"
import { root } from "./Root.ts"
import { productModules, repositoryFiles } from "./Sources.ts"

describe("generated pages", () => {
  for (const [path, content] of generatedPages()) {
    it(`${path} is what \`npm run docs\` writes`, () => {
      assert.strictEqual(readFileSync(`${root}${path}`, "utf8"), content)
    })
  }

  const classes = Object.entries(Errors).flatMap(([name, value]) =>
    typeof value === "function" && value.prototype instanceof Error ? [name] : []
  )
  const [, exitCodes = ""] = generatedPages().find(([path]) => path.endsWith("troubleshooting.md")) ?? []

  it("the table of exit codes names every error class", () => {
    assert.isAbove(classes.length, 15)
    assert.deepStrictEqual(
      classes.filter((name) => !exitCodes.includes(`\`${name}\``)),
      []
    )
  })

  it("a class stands beside its code", () => {
    assert.strictEqual(Runtime.getErrorExitCode(new Errors.UsageError({ message: "" })), 64)
    assert.match(exitCodes, /^\| 64 \|.*`UsageError`.*\|$/m)
  })
})

describe("docs/dev/faults.md", () => {
  const page = readFileSync(`${root}docs/dev/faults.md`, "utf8")
  const faults = [...page.matchAll(/^\| ([A-Z]\d+) \| .+ \| .+ \|$/gm)].map(([, number = ""]) => number)
  // The sandbox makes the faults: its own tests show that it can, not what we do about them.
  const tests = repositoryFiles.filter(
    (path) => /\.(?:test\.ts|transcript)$/.test(path) && !path.startsWith("sandbox/") && existsSync(`${root}${path}`)
  )
  // A text or a heading that begins with numbers of faults is always the name of a test, or of a group of tests.
  const tested = new Set(
    tests.flatMap((path) =>
      [...readFileSync(`${root}${path}`, "utf8").matchAll(/(?:["`]|^## )((?:[NHSLTDKPCGYZ]\d+ )+)[^"`\n]/gm)].flatMap(
        ([, numbers = ""]) => numbers.trim().split(" ")
      )
    )
  )

  it("numbers its faults without a gap", () => {
    const sizes = { N: 16, H: 22, S: 12, L: 15, T: 20, D: 19, K: 12, P: 12, C: 4, G: 5, Y: 4, Z: 9 }
    assert.deepStrictEqual(
      faults,
      Object.entries(sizes).flatMap(([letter, size]) => Array.from({ length: size }, (_, at) => `${letter}${at + 1}`))
    )
  })

  it("has a test for each fault", () => {
    assert.deepStrictEqual(
      faults.filter((number) => !tested.has(number)),
      []
    )
  })

  it("knows every number that a test names", () => {
    assert.deepStrictEqual(
      [...tested].filter((number) => !faults.includes(number)),
      []
    )
  })
})

/** The anchors that a code host makes of the headings of a page. */
const anchors = (page: URL): ReadonlyArray<string> => {
  const text = readFileSync(page, "utf8").replace(/^```[\s\S]*?^```$/gm, "")
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-")
  )
}

describe("what the documentation tells to run", () => {
  const { scripts } = JSON.parse(readFileSync(`${root}package.json`, "utf8"))
  const npmsOwn = ["ci", "install", "version"]

  for (const page of [
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    ...repositoryFiles.filter((path) => /^docs\/(?:dev\/(?:adr\/)?)?[^/]+\.md$/.test(path))
  ]) {
    it(`${page} names only scripts, files and headings that exist`, () => {
      const text = readFileSync(`${root}${page}`, "utf8")
      const named = [...text.matchAll(/(?:^|`|&& )npm (?:run )?([a-z][a-z0-9:]*)/gm)].map(([, name = ""]) => name)
      assert.deepStrictEqual(
        named.filter((name) => !(name in scripts) && !npmsOwn.includes(name)),
        []
      )
      const self = new URL(page, `file://${root}`)
      const dead = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)].flatMap(
        ([link, path = "", anchor]) => {
          const to = new URL(path === "" ? self : path, self)
          if (!existsSync(to)) return [link]
          return anchor === undefined || anchors(to).includes(anchor) ? [] : [link]
        }
      )
      assert.deepStrictEqual(dead, [])
    })
  }
})

describe("the pages for those who use it", () => {
  const pages = repositoryFiles.filter((path) => path === "README.md" || /^docs\/[^/]+\.md$/.test(path))

  /** Without what `npm run docs` makes of the sources, which costs nobody a sentence: tables and lists of options. */
  const writtenIn = (page: string) => {
    const text = readFileSync(`${root}${page}`, "utf8").replace(
      /(<!-- ([\w ]+): npm run docs -->)[\s\S]*?<!-- end of \2/g,
      ""
    )
    return /^Made from .* by `npm run docs`/m.test(text) ? text.replace(/^(?:\||- `--).*$/gm, "") : text
  }

  it("have at most 19,000 words", () => {
    const words = pages.map((page) => writtenIn(page).trim().split(/\s+/).length)
    assert.isAbove(pages.length, 15)
    assert.isAtMost(
      words.reduce((sum, count) => sum + count, 0),
      19_000,
      "cut as much elsewhere in these pages, where something is said twice or argued"
    )
  })

  it("lead to every example", () => {
    const library = readFileSync(`${root}docs/library.md`, "utf8")
    const examples = repositoryFiles.filter((path) => path.startsWith("docs/examples/"))
    assert.isAbove(examples.length, 8)
    assert.deepStrictEqual(
      examples.filter(
        (path) => !library.includes(`](${path.slice("docs/".length)})`) && !library.includes(`<!-- ${path} -->`)
      ),
      []
    )
  })
})

describe("docs/dev/adr", () => {
  it("README.md has every number once, also of records that were replaced, and every record by a link", () => {
    const table = readFileSync(`${root}docs/dev/adr/README.md`, "utf8")
    const records = repositoryFiles.flatMap((path) => /^docs\/dev\/adr\/(\d{4})-/.exec(path)?.[1] ?? [])
    const linked = [...table.matchAll(/\[(\d{4})\]\(\1-/g)].map(([, number]) => number)
    assert.deepStrictEqual(linked.toSorted(), records.toSorted())
    const told = [...table.replace(/\]\([^)]*\)/g, "]").matchAll(/\b0\d{3}\b/g)].map(([number]) => Number(number))
    assert.deepStrictEqual(
      told.toSorted((a, b) => a - b),
      Array.from({ length: Math.max(...told) }, (_, i) => i + 1)
    )
  })
})

describe("the pictures of README.md", () => {
  it("are there for light and dark, and small", () => {
    const shown = [...readFileSync(`${root}README.md`, "utf8").matchAll(/(?:src|srcset)="([^"]+\.png)"/g)]
    const sizes = shown.map(([, path = ""]) => statSync(`${root}${path}`).size)
    assert.lengthOf(sizes, 4)
    assert.isBelow(
      sizes.reduce((sum, size) => sum + size, 0),
      300_000
    )
  })
})

const codeTour = readFileSync(`${root}docs/dev/code-tour.md`, "utf8")
const [, changes = ""] =
  /^## What a change touches$([\s\S]+?)^## /m.exec(readFileSync(`${root}CONTRIBUTING.md`, "utf8")) ?? []

describe.each([
  ["docs/dev/code-tour.md", codeTour, 40, 15],
  ["CONTRIBUTING.md, what a change touches,", changes, 15, 0]
] as const)("%s", (_, page, leastPaths, leastNames) => {
  const spans = [...page.matchAll(/`([^`\n]+)`/g)].map(([, text = ""]) => text)
  const paths = spans.filter((text) => text.endsWith(".ts"))
  const moduleNamed = (name: string) => productModules.find(({ path }) => path === name || path === `core/src/${name}`)

  it("names modules that are there", () => {
    assert.isAbove(paths.length, leastPaths)
    assert.deepStrictEqual(
      paths.filter((path) => moduleNamed(path) === undefined && !repositoryFiles.includes(path)),
      []
    )
  })

  it("names functions that are in one of these modules", () => {
    const code = paths.map((path) => moduleNamed(path)?.code ?? "").join("\n")
    const names = spans.filter((text) => /^[a-z][A-Za-z]+$/.test(text))
    assert.isAbove(names.length, leastNames)
    assert.deepStrictEqual(
      names.filter((name) => !new RegExp(`\\b${name}\\b`).test(code)),
      []
    )
  })
})

describe("docs/dev/code-tour.md", () => {
  it("has two pages at most", () => {
    assert.isAtMost(codeTour.split(/\s+/).length, 1_100)
  })
})

describe("docs/dev/glossary.md", () => {
  const rows = [...readFileSync(`${root}docs/dev/glossary.md`, "utf8").matchAll(/^\| (.+?) \| (.+?) \|$/gm)].slice(1)
  const words = rows.map(([, word = ""]) => word)

  it("has at most 40 words, in their order", () => {
    assert.isAtMost(words.length, 40)
    assert.deepStrictEqual(words, words.toSorted(new Intl.Collator("en").compare))
  })

  it("has words that the sources use", () => {
    const sources = productModules
      .map(({ text }) => text.toLowerCase().replace(/\s*\n\s*(?:\*|\/\/)?\s*/g, " "))
      .join(" ")
    assert.deepStrictEqual(
      words.filter((word) => !sources.includes(word.toLowerCase())),
      []
    )
  })
})

describe("docs/troubleshooting.md", () => {
  const sources = productModules
    .map(({ text }) => text.replace(/["'`]\s*\+\s*["'`]/g, ""))
    .join("\n")
    .replaceAll("\\`", "`")
  const text = readFileSync(`${root}docs/troubleshooting.md`, "utf8")
  const messages = [...text.matchAll(/^\*\*`(.+?)`\*\*/gm)].map(([, message = ""]) => message)

  it("explains messages that are there", () => {
    assert.isAbove(messages.length, 20)
    const unknown = messages.flatMap((message) =>
      message
        .split(/<[a-z]+>/)
        .map((words) => words.replace(/^[ :(]+|[ :(]+$/g, ""))
        .filter((words) => /[a-z]{2}/.test(words) && !sources.includes(words))
    )
    assert.deepStrictEqual(unknown, [])
  })
})

describe("the modules for workflow engines", () => {
  it("name the image of this version", () => {
    const { version } = JSON.parse(readFileSync(`${root}package.json`, "utf8"))
    const named = repositoryFiles
      .filter((path) => /^workflows\//.test(path))
      .flatMap((path) => [...readFileSync(`${root}${path}`, "utf8").matchAll(/org\/svc-steps:([\w.-]+)/g)])
      .map(([, tag]) => tag)
    assert.isAbove(named.length, 10)
    assert.deepStrictEqual(new Set(named), new Set([version]))
  })
})
