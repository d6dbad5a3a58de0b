import { assert, describe, it } from "@effect/vitest"
import { stopped } from "../../core/src/download/FileResult.ts"
import { downloaded, failed } from "../../test/Results.ts"
import { keptText } from "./Conclusion.ts"

const whole = downloaded()
const left = (error: (typeof stopped)[keyof typeof stopped]) => failed(error)

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
