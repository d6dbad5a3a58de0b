import { assert, describe, it } from "@effect/vitest"
import { type FileResult, stopped, untransferredResult } from "../../core/src/download/FileResult.ts"
import { keptText } from "./Conclusion.ts"

const file = { analysisId: "A1", fileName: "S1.bam", path: "S1.bam", bytes: 1 }
const whole = untransferredResult(file, { action: "downloaded", reason: null, error: null })
const left = (error: FileResult["error"]) => untransferredResult(file, { action: "failed", reason: null, error })

describe("what a stopped run says", () => {
  for (const [text, results] of [
    [null, [whole]],
    ["0 files whole, 1 slice starts again: run the same command to go on", [left(stopped.restarts)]],
    [
      "1 file whole, 1 resumes where it stopped, 1 not begun: run the same command to go on",
      [whole, left(stopped.resumes), left(stopped.begins)]
    ],
    [
      "2 files whole, 2 resume where they stopped, 2 slices start again: run the same command to go on",
      [whole, whole, ...[stopped.resumes, stopped.resumes, stopped.restarts, stopped.restarts].map(left)]
    ]
  ] as const)
    it(`P4 ${text ?? "nothing is left to do: nothing is said"}`, () => assert.strictEqual(keptText(results), text))
})
