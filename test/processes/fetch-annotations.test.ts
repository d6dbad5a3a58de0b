import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fault, ground, namesIn } from "../DownloadGround.ts"
import { start, untilOrEnd } from "../Executables.ts"

const annotations = { endpoint: "getSnvAnnotations" } as const

describe("svc-fetch-annotations", () => {
  const slowly = [
    ["before the answer begins: the session is ended after it", { delay: 1000 }],
    // A logout could meet the work on an answer that was cut off.
    ["while the answer comes", { slow: 500_000 }]
  ] as const
  it.live.each(slowly)("a signal leaves nothing behind %s", ([, how]) =>
    Effect.gen(function* () {
      const { env, folder, setFaults, stats } = yield* ground({ behaviour: { annotationRows: 30_000 } })
      const out = join(folder, "out")
      yield* setFaults([fault(annotations, how)])
      const running = yield* start("svc-fetch-annotations", ["A1", "-o", "a.jsonl"], { cwd: out, env })
      yield* untilOrEnd(
        running,
        "the annotations come",
        Effect.map(stats, ({ faultsFired }) => faultsFired > 0 && namesIn(out).length > 0)
      )
      yield* running.kill("SIGTERM")
      const outcome = yield* running.outcome
      assert.strictEqual(outcome.exitCode, 143, outcome.stderr)
      assert.match(outcome.stderr, /Stopped by SIGTERM/)
      assert.deepStrictEqual(namesIn(out), [])
      if ("delay" in how) assert.strictEqual((yield* stats).logouts, 1)
    })
  )
})
