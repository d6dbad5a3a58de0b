import { assert, describe, it } from "@effect/vitest"
import { downloaded, failed, kept, pending, skipped } from "../../../test/Results.ts"
import type { FileResult } from "../download/FileResult.ts"
import {
  Busy,
  EntryUnusable,
  FileDamaged,
  FileDiffers,
  LocalIo,
  NotFound,
  TrackingUnusable,
  Unavailable
} from "../Errors.ts"
import { restorationLines, summaryLines } from "./Summary.ts"

describe("the last line of a run that asked for restorations", () => {
  const asked = pending()

  it("says how many are under way, and nothing of downloads", () => {
    const there = kept()
    const text = (...results: ReadonlyArray<FileResult>) => restorationLines(results)[0]?.text
    assert.strictEqual(text(asked), "1 restoration is under way, 0 failed")
    assert.strictEqual(text(asked, asked, there), "2 restorations are under way, 1 skipped, 0 failed")
    assert.strictEqual(text(), "0 restorations are under way, 0 failed")
  })
})

describe("the summary of a run", () => {
  it("counts, with the reasons of what was skipped", () => {
    assert.deepStrictEqual(summaryLines([downloaded({ bytes: 2048 }), kept(), skipped("archived"), kept()]), [
      { text: "1 downloaded (2 KiB), 3 skipped (2 exists, 1 archived), 0 failed", bad: false }
    ])
  })

  const advice = (...results: ReadonlyArray<FileResult>) =>
    summaryLines(results)
      .slice(1)
      .map(({ text }) => text)
  const silent = failed(new Unavailable({ host: "h", reason: "it is silent", attempts: 7 }))
  const full = failed(new LocalIo({ path: "a", operation: "write", errno: "ENOSPC" }))

  it("advises another run only where another run can mend it", () => {
    assert.deepStrictEqual(advice(silent), ["Run the same command again"])
    assert.deepStrictEqual(advice(full), ["When that is mended, run the same command again"])
    assert.deepStrictEqual(advice(silent, full), ["When that is mended, run the same command again"])
    const damaged = (fault: FileDamaged["fault"]) => failed(new FileDamaged({ file: "a.bam", fault, reason: "r" }))
    for (const error of [
      failed(new NotFound({ what: "analysis A9" })),
      // Its sentence says when to try again.
      failed(new Busy({ file: "a.bam", owner: "pid 7" })),
      failed(new FileDiffers({ path: "a.bam", bytes: 1, listed: 2 })),
      damaged("Checksum"),
      damaged("IndexMismatch")
    ]) {
      assert.deepStrictEqual(advice(error), [], error.error.message)
    }
    assert.deepStrictEqual(advice(damaged("Changing")), ["Run the same command again"])
  })

  it("says that what is there is kept only where something is", () => {
    assert.deepStrictEqual(advice(silent, downloaded()), ["Run the same command again: what is there is kept"])
    assert.deepStrictEqual(advice(silent, kept()), ["Run the same command again: what is there is kept"])
    assert.deepStrictEqual(advice(silent, skipped("archived")), ["Run the same command again"])
  })

  it("a restoration file that is wrong has to be mended: no other run helps", () => {
    const entry = failed(new EntryUnusable({ path: "r.json", position: 1, reason: "it has no id" }))
    const mend = "Mend the entry of the restoration file, or take it out: see svc-steps restorations"
    assert.deepStrictEqual(advice(entry), [mend])
    assert.deepStrictEqual(advice(failed(new TrackingUnusable({ path: "r.json", reason: "not JSON" }))), [])
    assert.deepStrictEqual(advice(silent, entry, downloaded()), [
      "Run the same command again: what is there is kept",
      mend
    ])
  })

  it("counts files of another size among those that failed", () => {
    const differs = failed(new FileDiffers({ path: "a.bam", bytes: 1, listed: 2 }), { reason: "differs" })
    assert.strictEqual(summaryLines([differs, silent])[0]?.text, "0 downloaded, 0 skipped, 2 failed (1 differs)")
  })

  it("tells what failed because all was required from what was left alone", () => {
    const left = skipped("archived")
    const required = { ...failed(new NotFound({ what: "S.bam" })), reason: "archived" } as const
    const missing = { ...required, reason: "missing" } as const
    assert.strictEqual(
      summaryLines([left, required, required, missing])[0]?.text,
      "0 downloaded, 1 skipped (1 archived), 3 failed (2 archived, 1 missing)"
    )
  })
})
