import { assert, describe, it } from "@effect/vitest"
import { Busy, EntryUnusable, LocalIo, NotFound, TrackingUnusable, Unavailable } from "../Errors.ts"
import { type FileResult, untransferredResult } from "./FileResult.ts"
import { summaryLines } from "./Summary.ts"

const result = (some: Partial<FileResult>): FileResult => ({
  ...untransferredResult(
    { analysisId: "A1", fileName: "a.bam", path: "a.bam", bytes: 10 },
    { action: "downloaded", reason: null, error: null }
  ),
  ...some
})

describe("the summary of a run", () => {
  it("counts, with the reasons of what was skipped", () => {
    const skipped = { action: "skipped", sha256: null } as const
    assert.deepStrictEqual(
      summaryLines([
        result({ bytes: 2048 }),
        result({ ...skipped, reason: "exists" }),
        result({ ...skipped, reason: "archived" }),
        result({ ...skipped, reason: "exists" })
      ]),
      [{ text: "1 downloaded (2 KiB), 3 skipped (2 exists, 1 archived), 0 failed", bad: false }]
    )
  })

  it("advises another run only for what another run can mend", () => {
    const failed = (error: FileResult["error"]) => result({ action: "failed", error })
    const texts = (error: FileResult["error"]) => summaryLines([failed(error)]).map(({ text }) => text)
    assert.deepStrictEqual(texts(new NotFound({ what: "analysis A9" })), ["0 downloaded, 0 skipped, 1 failed"])
    const silent = new Unavailable({ host: "h", reason: "it is silent", attempts: 7 })
    assert.strictEqual(texts(silent)[1], "Run the same command again to go on: what is there is kept")
    const busy = new Busy({ file: "a.bam", owner: "pid 7" })
    assert.deepStrictEqual(texts(busy), ["0 downloaded, 0 skipped, 1 failed"])
    const full = new LocalIo({ path: "a", operation: "write", errno: "ENOSPC" })
    assert.strictEqual(texts(full)[1], "When that is mended, run the same command again: what is there is kept")
  })

  it("a restoration file that is wrong has to be mended: no other run helps", () => {
    const advice = (...errors: ReadonlyArray<NonNullable<FileResult["error"]>>) =>
      summaryLines(errors.map((error) => result({ action: "failed", error })))
        .slice(1)
        .map(({ text }) => text)
    const entry = new EntryUnusable({ path: "r.json", position: 1, reason: "it has no id" })
    const again = "Run the same command again to go on: what is there is kept"
    const mend = "Mend the entry of the restoration file, or take it out: see svc-steps restorations"
    assert.deepStrictEqual(advice(entry), [mend])
    assert.deepStrictEqual(advice(new TrackingUnusable({ path: "r.json", reason: "not JSON" })), [])
    const silent = new Unavailable({ host: "h", reason: "it is silent", attempts: 7 })
    assert.deepStrictEqual(advice(silent, entry), [again, mend])
  })
})
