import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { stopped } from "../../core/src/download/FileResult.ts"
import { makeRunRecord } from "../../core/src/download/RunRecord.ts"
import type { TargetSettings } from "../../core/src/settings/Settings.ts"
import { downloaded, failed } from "../../test/Results.ts"
import { conclude, keptText } from "./Conclusion.ts"

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

describe("the report", () => {
  it.effect("of an earlier run is not there while this one runs, which may be killed, and says so in each form", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const baseUrl = new URL("https://service.example")
      const common = { baseUrl, samplesheet: null, pendingOk: false, loglevel: "warn" } as TargetSettings
      /** What `look` finds while the run goes on. */
      const run = Effect.fnUntraced(function* <E>(reportfile: string, look: Effect.Effect<unknown, E>) {
        const settings = { ...common, reportfile }
        const seen: Array<unknown> = []
        const work = Effect.map(Effect.orDie(look), (found) => seen.push(found))
        yield* conclude(work, yield* makeRunRecord, settings, "download")
        return seen[0]
      })
      for (const [name, during, atEnd] of [
        ["r.json", '"exitCode": null,\n  "exitMeaning": "not ended, as it still runs or was killed"', '"exitCode": 0'],
        ["r.html", "Not ended, as it still runs or was killed", "There was nothing to do"],
        ["r_mqc.json", "0 failed: not ended, as it still runs or was killed. ", "0 failed: all done. "]
      ] as const) {
        const reportfile = `${folder}/${name}`
        const text = fs.readFileString(reportfile)
        assert.strictEqual(yield* run(reportfile, fs.exists(reportfile)), false)
        assert.include(yield* text, atEnd)
        assert.include(String(yield* run(reportfile, text)), during)
        assert.include(yield* text, atEnd)
        assert.notInclude(yield* text, during)
      }
    }).pipe(Effect.provide(NodeServices.layer), Effect.scoped)
  )
})
