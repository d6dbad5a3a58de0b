import { assert, describe, it } from "@effect/vitest"
import { downloaded, failed, kept, pending, skipped } from "../../../test/Results.ts"
import type { FileResult } from "../download/FileResult.ts"
import { FileDiffers, NotFound, Unavailable } from "../Errors.ts"
import { restorationLine, summaryLine } from "./Summary.ts"

describe("the last line of a run that asked for restorations", () => {
  const asked = pending()

  it("says how many are under way, and nothing of downloads", () => {
    const there = kept()
    const text = (...results: ReadonlyArray<FileResult>) => restorationLine(results).text
    assert.strictEqual(text(asked), "1 restoration is under way, 0 failed")
    assert.strictEqual(text(asked, asked, there), "2 restorations are under way, 1 skipped, 0 failed")
    assert.strictEqual(text(), "0 restorations are under way, 0 failed")
  })
})

describe("the summary of a run", () => {
  it("counts, with the reasons of what was skipped", () => {
    assert.deepStrictEqual(summaryLine([downloaded({ bytes: 2048 }), kept(), skipped("archived"), kept()]), {
      text: "1 downloaded (2 KiB), 3 skipped (2 already there, 1 in the archive), 0 failed",
      bad: false
    })
  })

  const silent = failed(new Unavailable({ host: "h", reason: "it is silent", attempts: 7 }))

  it("counts files of another size among those that failed", () => {
    const differs = failed(new FileDiffers({ path: "a.bam", bytes: 1, listed: 2 }), { reason: "differs" })
    assert.strictEqual(summaryLine([differs, silent]).text, "0 downloaded, 0 skipped, 2 failed (1 of another size)")
  })

  it("tells what failed because all was required from what was left alone", () => {
    const left = skipped("archived")
    const required = { ...failed(new NotFound({ what: "S.bam" })), reason: "archived" } as const
    const missing = { ...required, reason: "missing" } as const
    assert.strictEqual(
      summaryLine([left, required, required, missing]).text,
      "0 downloaded, 1 skipped (1 in the archive), 3 failed (2 in the archive, 1 not listed)"
    )
  })
})
