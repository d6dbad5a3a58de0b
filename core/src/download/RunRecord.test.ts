import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import * as Path from "effect/Path"
import { TestClock } from "effect/testing"
import { makeJumpingClock } from "../../../test/JumpingClock.ts"
import { AnalysisId } from "../contract/Ids.ts"
import { NotFound } from "../Errors.ts"
import type { RunFile } from "../selection/RunFile.ts"
import { type FileResult, failedFile, identity, stopped } from "./FileResult.ts"
import type { Decision } from "./RunEvent.ts"
import { makeRunRecord } from "./RunRecord.ts"

const fileOf = (
  fileName: string,
  decision: Decision = { _tag: "Fetch" }
): RunFile & { readonly decision: Decision } => ({
  analysisId: AnalysisId.make("A1"),
  fileName,
  folder: "",
  type: "bam",
  size: 3,
  archived: false,
  estimatedRestoreTime: null,
  slice: null,
  decision
})
const pending: Decision = { _tag: "Skip", reason: "pending" }

layer(Path.layer)("the record of a run", (it) => {
  it.effect("C1 it lasted as long as it took, also when the clock was set back meanwhile", () =>
    Effect.gen(function* () {
      const { clock, set } = yield* makeJumpingClock
      const record = yield* Effect.provideService(makeRunRecord, Clock.Clock, clock)
      yield* TestClock.adjust("1500 millis")
      set(-7_200_000)
      assert.strictEqual(yield* Effect.provideService(record.milliseconds, Clock.Clock, clock), 1500)
    })
  )

  it.effect(
    "has each file once, with what was told of it last: by a plan, by looks at its request, and by a stop",
    () =>
      Effect.gen(function* () {
        const { resolve } = yield* Path.Path
        const { note, results } = yield* makeRunRecord
        const plan = (destination: string, ...files: ReadonlyArray<ReturnType<typeof fileOf>>) =>
          note({ _tag: "Planned", files, destination })
        const finish = (file: RunFile, result: FileResult) => note({ _tag: "Finished", file, result })
        const shown = Effect.map(results, (all) =>
          all.map(
            (one) => `${one.path} ${one._tag === "Failed" && one.error === stopped.begins ? "Stopped" : one._tag}`
          )
        )
        const [cold, here] = [fileOf("cold.bam"), fileOf("here.bam")]
        const whole = { regions: null, index: null, fetched: null, warnings: [], transfer: null }
        yield* plan("out", cold, here, fileOf("late.bam"))
        assert.deepStrictEqual(yield* shown, ["out/cold.bam Stopped", "out/here.bam Stopped", "out/late.bam Stopped"])
        yield* finish(cold, { _tag: "Pending", ...identity(cold, { destination: "out" }) })
        const came = { resumedFrom: 0, sha256: "", compared: [], provenBy: null, index: null }
        const transfer = { attempts: 1, renewals: 0, seconds: 1, startedAt: new Date(0), finishedAt: null }
        yield* finish(here, {
          _tag: "Downloaded",
          ...identity(here, { destination: "out" }),
          bytes: 3,
          ...came,
          transfer
        })
        // A stored request writes the folder whole, and what came stays what came.
        const out = resolve("out")
        const again = fileOf("here.bam")
        yield* plan(out, fileOf("cold.bam", pending), again)
        yield* finish(again, { _tag: "Kept", ...identity(again, { destination: out }), ...whole })
        assert.deepStrictEqual(yield* shown, [
          "out/cold.bam Pending",
          "out/here.bam Downloaded",
          "out/late.bam Stopped"
        ])
        const back = fileOf("cold.bam")
        yield* plan(out, back)
        assert.include(yield* shown, `${out}/cold.bam Stopped`)
        yield* finish(back, failedFile(identity(back, { destination: out }), new NotFound({ what: "x" })))
        // What came may be found damaged afterwards.
        yield* finish(again, failedFile(identity(again, { destination: out }), new NotFound({ what: "x" })))
        // A request alone is pending until something is told; two files of one name are two.
        yield* plan("other", fileOf("cold.bam", pending), fileOf("two.bam"), fileOf("two.bam"))
        assert.deepStrictEqual(yield* shown, [
          `${out}/cold.bam Failed`,
          `${out}/here.bam Failed`,
          "out/late.bam Stopped",
          "other/cold.bam Pending",
          "other/two.bam Stopped",
          "other/two.bam Stopped"
        ])
        // Two requests for one file: what came for the first is there for the second.
        yield* plan("twice", fileOf("cold.bam", pending), fileOf("cold.bam", pending))
        for (const result of [
          { _tag: "Downloaded", ...came, transfer },
          { _tag: "Kept", ...whole }
        ] as const) {
          const file = fileOf("cold.bam")
          yield* plan("twice", file)
          yield* finish(file, { ...identity(file, { destination: "twice" }), bytes: 3, ...result })
        }
        assert.deepStrictEqual((yield* shown).slice(6), ["twice/cold.bam Downloaded"])
      })
  )
})
