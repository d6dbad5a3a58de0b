/** Each advice of a run where it is said, and where it would be wrong. */
import { assert, describe, it } from "@effect/vitest"
import { type RunResult, stopped } from "../../core/src/download/FileResult.ts"
import {
  Busy,
  EntryUnusable,
  FileDamaged,
  FileDiffers,
  LinkForbidden,
  LocalIo,
  NotFound,
  TrackingUnusable,
  Unavailable
} from "../../core/src/Errors.ts"
import { downloaded, failed, kept, skipped } from "../../test/Results.ts"
import { adviceFor, adviceOnArchived } from "./RunAdvice.ts"

describe("what to do next after a run", () => {
  const advice = (...results: ReadonlyArray<RunResult>) => adviceFor(results)
  const silent = failed(new Unavailable({ host: "h", reason: "it is silent", attempts: 7 }))
  const full = failed(new LocalIo({ path: "a", operation: "write", errno: "ENOSPC" }))

  it("advises another run only where another run can mend it", () => {
    assert.deepStrictEqual(advice(silent), ["Run the same command again"])
    assert.deepStrictEqual(advice(full), ["When that is mended, run the same command again"])
    assert.deepStrictEqual(advice(silent, full).slice(0, -1), ["When that is mended, run the same command again"])
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

  it("names the kinds of failures where there are several, the worst first, and promises no exit code of the run", () => {
    const forbidden = failed(new LinkForbidden({ file: "b.bam", host: "h", status: 403 }))
    const damaged = failed(new FileDamaged({ file: "a.bam", fault: "Size", reason: "short" }))
    assert.deepStrictEqual(advice(damaged, forbidden, forbidden, downloaded()), [
      "Look at each failure: their exit codes are 77 (2 failures), 65 (1 failure)"
    ])
    assert.deepStrictEqual(advice(damaged, damaged), [])
    const last = advice(silent, forbidden, damaged).at(-1) ?? ""
    assert.match(last, /: their exit codes are 77 \(1 failure\), 65 \(1 failure\), 69 \(1 failure\)$/)
    // What a signal left is not of a kind.
    const left = [failed(stopped.resumes), failed(stopped.restarts), failed(stopped.begins)]
    assert.deepStrictEqual(advice(damaged, downloaded(), ...left), advice(...left, downloaded()))
    assert.match(advice(damaged, forbidden, ...left).at(-1) ?? "", /are 77 \(1 failure\), 65 \(1 failure\)$/)
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
      mend,
      "Look at each failure: their exit codes are 65 (1 failure), 69 (1 failure)"
    ])
  })

  it("says how to have what was left in the archive", () => {
    const of = (...results: ReadonlyArray<RunResult>) => adviceOnArchived(results)
    assert.deepStrictEqual(of(kept(), skipped("no-reads")), [])
    assert.deepStrictEqual(of(skipped("archived")), [
      "1 file was left in the archive: svc-request-restore asks for it, or the same command with --restoreArchived"
    ])
    assert.match(of(skipped("archived"), skipped("archived"))[0] ?? "", /^2 files were left .* asks for them,/)
  })
})
