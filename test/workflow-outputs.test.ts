/** What the modules of workflow engines take as their outputs: a file that no pattern names would be lost without an error. */
import { readdirSync, readFileSync } from "node:fs"
import { matchesGlob } from "node:path"
import { assert, it } from "@effect/vitest"
import { root } from "./Root.ts"

/** The outputs that are files of the service: each a declaration with all its patterns. */
const declarations = readdirSync(`${root}workflows`, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.(?:nf|cwl|wdl)$/.test(name))
  .flatMap((name) =>
    readFileSync(`${root}workflows/${name}`, "utf8")
      .split("\n")
      .filter((line) => /emit: files,|files = flatten\(\[glob|glob: \["\*/.test(line))
      .map((line) => ({
        name,
        patterns: [...line.matchAll(/["'/](\*\.[^"']+)["']/g)].map(([, pattern = ""]) => pattern)
      }))
  )

it("every file that the service may give is an output of each module, in any letter case", () => {
  const modules = ["cwl/download", "cwl/resume-restore", "download/main", "resumerestore/main", "wdl/svc"]
  assert.deepStrictEqual(
    modules.filter((module) => !declarations.some(({ name }) => name.includes(module))),
    []
  )
  const endings = ["bam", "bam.bai", "bai", "bam.csi", "csi", "vcf.gz", "vcf.gz.tbi", "vcf.tbi", "tbi", "vcf.gz.csi"]
  const names = endings.flatMap((ending) => [
    `S 1.${ending}`,
    `S1.${ending.toUpperCase()}`,
    `S1.${ending.charAt(0).toUpperCase()}${ending.slice(1)}`
  ])
  for (const { name, patterns } of declarations) {
    assert.deepStrictEqual(
      names.filter((file) => !patterns.some((pattern) => matchesGlob(file, pattern))),
      [],
      name
    )
  }
})
