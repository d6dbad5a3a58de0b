import { assert, describe, it } from "@effect/vitest"
import { AnalysisId } from "../contract/Ids.ts"
import { type ArchivedFile, decide, foresee, questions, type RestoreMode } from "./Policy.ts"

const file = (fileName: string, more: Partial<ArchivedFile> = {}): ArchivedFile => ({
  analysisId: AnalysisId.make("A1"),
  fileName,
  size: 1,
  estimatedRestoreTime: null,
  tracked: null,
  ...more
})
const [one, two] = [file("one.bam"), file("two.bam", { analysisId: AnalysisId.make("A2") })]
const nobody = { present: false, yes: new Set<ArchivedFile>() }
const outcome = (
  mode: RestoreMode,
  files: ReadonlyArray<ArchivedFile>,
  yes: ReadonlyArray<ArchivedFile>,
  most: number | null = null
) =>
  decide(mode, files, { present: true, yes: new Set(yes) }, most).map(({ decision }) => [
    decision._tag,
    decision.reason
  ])

describe("restoration policy", () => {
  it("follows the table of docs/dev/service.md 3, each decision with its reason", () => {
    assert.deepStrictEqual(outcome("no", [one], [one]), [["Leave", "the restore mode is no"]])
    assert.deepStrictEqual(outcome("force", [one], []), [["Request", "no question is asked first"]])
    assert.deepStrictEqual(outcome("all", [one, two], [one, two]), [
      ["Request", "asked once for all archived files, the answer was yes"],
      ["Request", "asked once for all archived files, the answer was yes"]
    ])
    assert.deepStrictEqual(outcome("all", [one], []), [
      ["Leave", "asked once for all archived files, the answer was no"]
    ])
    assert.deepStrictEqual(outcome("ask", [one, two], [two]), [
      ["Leave", "asked for this file, the answer was no"],
      ["Request", "asked for this file, the answer was yes"]
    ])
  })

  it("L14 asks nobody where nobody is: ask and all mean no", () => {
    for (const mode of ["ask", "all"] as const) {
      assert.strictEqual(questions(mode, false, [one])._tag, "None")
      const [{ decision } = { decision: null }] = decide(mode, [one], nobody, null)
      assert.deepStrictEqual(decision, {
        _tag: "Leave",
        reason: "there is no terminal to ask on",
        advice: "restoreUnasked"
      })
    }
    assert.strictEqual(decide("force", [one], nobody, null)[0]?.decision._tag, "Request")
  })

  it("asks for each file, once for all, or not at all", () => {
    assert.deepStrictEqual(questions("ask", true, [one, two]), { _tag: "Each", files: [one, two] })
    assert.deepStrictEqual(questions("all", true, [one, two]), { _tag: "Once", files: [one, two] })
    assert.deepStrictEqual(questions("all", true, []), { _tag: "None" })
    for (const mode of ["no", "force"] as const) assert.deepStrictEqual(questions(mode, true, [one]), { _tag: "None" })
  })

  it("S6 does not ask again, neither person nor service, for what is remembered", () => {
    const known = file("known.bam", { tracked: { restoreEstimation: null, requestTime: null } })
    for (const mode of ["ask", "all", "force", "no"] as const) {
      assert.deepStrictEqual(outcome(mode, [known], []), [["Wait", "it was requested before"]])
      assert.deepStrictEqual(questions(mode, true, [known]), { _tag: "None" })
    }
  })

  it("sends no request for what is being restored already, and still needs a yes", () => {
    const thawing = file("thawing.bam", { estimatedRestoreTime: "2026-11-21T00:00:00Z" })
    assert.deepStrictEqual(outcome("force", [thawing], []), [
      ["Follow", "no question is asked first, and it is being restored already"]
    ])
    assert.strictEqual(outcome("ask", [thawing], [])[0]?.[0], "Leave")
  })

  it("says of a question how many analyses may be restored, whatever is answered", () => {
    const [forecast] = foresee("ask", [one], true, 2)
    assert.strictEqual(
      forecast?.decision.reason,
      "the run asks for this file, and restores at most 2 of the analyses agreed to"
    )
  })

  it("counts requests, that is analyses, against maxRestores", () => {
    const index = file("one.bam.bai")
    const third = file("three.bam", { analysisId: AnalysisId.make("A3"), estimatedRestoreTime: "soon" })
    assert.deepStrictEqual(
      outcome("force", [one, two, index, third], [], 1).map(([tag]) => tag),
      ["Request", "Leave", "Request", "Follow"]
    )
    assert.strictEqual(outcome("force", [one], [], 0)[0]?.[1], "no restorations may be asked for")
  })
})
