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
  it.effect("of an earlier run is not there while this one runs, which may be killed", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const reportfile = `${folder}/r.json`
      const baseUrl = new URL("https://service.example")
      const settings = { baseUrl, reportfile, samplesheet: null, pendingOk: false, loglevel: "warn" } as TargetSettings
      const read = Effect.map(fs.readFileString(reportfile), (text) => JSON.parse(text))
      /** What `look` finds while the run goes on. */
      const run = Effect.fnUntraced(function* <E>(look: Effect.Effect<unknown, E>) {
        const seen: Array<unknown> = []
        const work = Effect.map(Effect.orDie(look), (found) => seen.push(found))
        yield* conclude(work, yield* makeRunRecord, settings, "download")
        return seen[0]
      })
      assert.strictEqual(yield* run(fs.exists(reportfile)), false)
      assert.strictEqual((yield* read).exitCode, 0)
      const during = Effect.map(read, ({ exitCode, exitMeaning, files }) => [exitCode, exitMeaning, files])
      assert.deepStrictEqual(yield* run(during), [null, "stopped before its end", []])
      assert.strictEqual((yield* read).exitCode, 0)
    }).pipe(Effect.provide(NodeServices.layer), Effect.scoped)
  )
})
