/** `docs/dev/faults.md`: each fault of `test/faults/Catalogue.ts`, what we do, and the tests whose names carry its number. */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { type Fault, groups } from "../../test/faults/Catalogue.ts"

const root = new URL("../../", import.meta.url)

/** Committed or new. The sandbox makes the faults: its own tests show that it can, not what we do about them. */
const testFiles = (): ReadonlyArray<string> =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "*.test.ts"], {
    cwd: root,
    encoding: "utf8"
  })
    .split("\n")
    .filter((path) => path !== "" && !path.startsWith("sandbox/") && existsSync(new URL(path, root)))
    .sort()

/** A text that begins with numbers of faults: in the sources of tests that is always a name. */
const namePattern = /(["`])((?:[NHSLTDKPCGYZ]\d+ )+)((?:\\.|(?!\1)[^\n])+)\1/g

export interface NumberedTest {
  readonly file: string
  readonly numbers: ReadonlyArray<string>
  readonly name: string
}

/** Every test, or group of tests, whose name begins with numbers, in the order of the files. */
export const numberedTests = (): ReadonlyArray<NumberedTest> =>
  testFiles().flatMap((file) =>
    [...readFileSync(new URL(file, root), "utf8").matchAll(namePattern)].map(([, , numbers = "", name = ""]) => ({
      file,
      numbers: numbers.trim().split(" "),
      // What a name takes from a table of cases.
      name: name.replace(/\$\{(?:[^{}]|\{[^}]*\})*\}|%[sj]/g, "...").replaceAll("\\", "")
    }))
  )

/** What stands for a fault: tests, or the reason why there is none. */
const evidence = ({ id, untested }: Fault, tests: ReadonlyArray<NumberedTest>): ReadonlyArray<string> => {
  const lines = tests.filter(({ numbers }) => numbers.includes(id)).map(({ file, name }) => `- \`${file}\`: ${name}`)
  return untested === null ? [...new Set(lines)] : [...new Set(lines), `- No test: ${untested}`]
}

const capital = (sentence: string) => sentence.slice(0, 1).toUpperCase() + sentence.slice(1)

const section = (fault: Fault, tests: ReadonlyArray<NumberedTest>) =>
  [
    `### ${fault.id} ${fault.fault}`,
    "",
    `${capital(fault.answer)}.`,
    "",
    ...evidence(fault, tests).map((line) => line.replaceAll("<", "\\<")),
    ""
  ].join("\n")

export const faultsPage = (): string => {
  const tests = numberedTests()
  const parts = groups.map(({ faults, title }) =>
    [`## ${title}`, "", ...faults.map((fault) => section(fault, tests))].join("\n")
  )
  return `# Faults and what we do about them

Made by \`npm run docs\` from \`test/faults/Catalogue.ts\` and the names of the tests. Plain numbers are exit codes
(\`exit-codes.md\`). For every fault this holds besides, and \`test/faults/CommonRule.ts\` checks it where it can: final names
hold only complete, verified files; files and restoration entries that were there before stay; no secret is in any
output; the run without the fault ends with 0 and the same bytes; nothing is left over but an unfinished file with its journal.

${parts.join("\n")}`
}
