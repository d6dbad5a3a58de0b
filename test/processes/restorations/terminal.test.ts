/** The question whether to restore, at a terminal. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { commandOf, startOnTerminal } from "../../Executables.ts"
import { archive, file, tracked } from "../../RestorationGround.ts"
import { fits } from "../../Schemas.ts"

const planOf = (folder: string): ReadonlyArray<string> =>
  fits("plan", JSON.parse(readFileSync(join(folder, "plan.json"), "utf8"))).files.map(
    ({ action, restoration }: { readonly action: string; readonly restoration: { readonly why: string } | null }) =>
      `${action}: ${restoration?.why}`
  )

describe("at a terminal", () => {
  const [ctrlC, ctrlD] = ["\u0003", "\u0004"]
  const frozen = (id: string) => ({ id, files: [{ name: `${id}.bam`, copyOf: "A1/S1.bam", archived: true }] })

  /** Answers each question as it is asked, after a plan that asks none. */
  const asked = Effect.fnUntraced(function* (mode: string, answers: ReadonlyArray<string>) {
    const { env, folder, stats } = yield* archive("1 hour", { world: { analyses: ["B1", "B2"].map(frozen) } })
    const command = `${commandOf("svc-download").join(" ")} -a B1,B2 -f bam -d out --restoreArchived ${mode}`
    const terminal = yield* startOnTerminal(
      `${command} --plan --format json > plan.json; ${command}; code=$?; stty -a | grep -o ' -*echo '; echo "code=$code"`,
      { cwd: folder, env }
    )
    for (const [number, answer] of answers.entries()) {
      yield* terminal.shows(new RegExp(`(?:\\[y/N\\][^]*){${number + 1}}`))
      yield* terminal.type(answer === ctrlC || answer === ctrlD ? answer : `${answer}\r`)
    }
    const { stdout: screen } = yield* terminal.outcome
    const stored = existsSync(join(folder, file)) ? tracked(folder, file).map(({ analysisId }) => analysisId) : []
    const planned = planOf(folder)
    return { planned, screen, stored, restores: (yield* stats).restores, questions: screen.split("[y/N]").length - 1 }
  })

  it.live("ask asks for each file, and only a clear yes is one", () =>
    Effect.gen(function* () {
      const { planned, questions, restores, screen, stored } = yield* asked("ask", ["", "yes"])
      assert.deepStrictEqual(planned, ["ask: the run asks for this file", "ask: the run asks for this file"])
      assert.match(
        screen,
        /B1\.bam \(analysis B1, [\d.]+ KiB\) is archived\. Restore it\? That takes hours and may cost money\./
      )
      assert.include(screen, "archived, skipped: asked for this file, the answer was no")
      assert.include(screen, "asking for its restoration: asked for this file, the answer was yes")
      assert.deepStrictEqual([questions, stored, restores], [2, ["B2"], 1])
      assert.include(screen, "code=75")
    })
  )

  it.live("all asks once, with number and size of what it is about", () =>
    Effect.gen(function* () {
      const no = yield* asked("all", ["maybe"])
      const once = "ask: the run asks once for all archived files"
      assert.deepStrictEqual(no.planned, [once, once])
      assert.match(
        no.screen,
        /Restore 2 archived files of 2 analyses, [\d.]+ KiB\? That takes hours and may cost money\./
      )
      assert.deepStrictEqual([no.questions, no.stored, no.restores], [1, [], 0])
      assert.include(no.screen, "code=0")
      const yes = yield* asked("all", ["y"])
      assert.deepStrictEqual([yes.questions, yes.stored, yes.restores], [1, ["B1", "B2"], 2])
    })
  )

  it.live("Y3 Ctrl-D at a question is no, and the run goes on", () =>
    Effect.gen(function* () {
      const { questions, restores, screen, stored } = yield* asked("ask", [ctrlD, "y"])
      assert.include(screen, "archived, skipped: asked for this file, the answer was no")
      assert.include(screen, "code=75")
      assert.match(screen, / echo /)
      assert.deepStrictEqual([questions, stored, restores], [2, ["B2"], 1])
      const all = yield* asked("all", [ctrlD])
      assert.include(all.screen, "code=0")
      assert.strictEqual(all.restores, 0)
    })
  )

  it.live("Y3 Ctrl-C at a question ends with 130, nothing asked for, the terminal as it was", () =>
    Effect.gen(function* () {
      const { restores, screen, stored } = yield* asked("ask", ["yes", ctrlC])
      assert.include(screen, "code=130")
      assert.match(screen, / echo /)
      assert.deepStrictEqual([stored, restores], [[], 0])
    })
  )
})
