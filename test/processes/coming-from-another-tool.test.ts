/** docs/coming-from-another-tool.md: each spelling of its first table is refused, and answered with the one beside it. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { root } from "../Root.ts"
import { runWarm } from "../WarmExecutables.ts"

const page = readFileSync(`${root}docs/coming-from-another-tool.md`, "utf8")
const [, table = ""] = /\| there \| here \|\n\|---\|---\|\n([\s\S]*?)\n\n/.exec(page) ?? []

const optionsIn = (cell = "") => [...cell.matchAll(/`(-[^`]+)`/g)].map(([, option = ""]) => option)

/** Several spellings stand for one option of ours, or each for the one at its place. */
const rows = table.split("\n").flatMap((row) => {
  const [, there, here] = row.split("|")
  const ours = optionsIn(here)
  return optionsIn(there).map((spelling, at) => [spelling, ours.length === 1 ? ours[0] : ours[at]] as const)
})

describe("coming from another tool", () => {
  it.live("its spellings are refused before anything is asked, and the sentence names ours", () =>
    Effect.gen(function* () {
      assert.isAbove(rows.length, 15)
      for (const [spelling, ours] of rows) {
        const { exitCode, stderr } = yield* runWarm("svc-download", ["A1", "-t", "http://127.0.0.1:9", spelling])
        assert.strictEqual(exitCode, 64, `${spelling}: ${stderr}`)
        assert.match(stderr, new RegExp(`Unknown option ${spelling}; did you mean .*${ours}\\b`), spelling)
      }
    })
  )
})
