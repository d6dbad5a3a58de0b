import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { AnalysisId } from "../contract/Ids.ts"
import { FileDamaged, LocalIo } from "../Errors.ts"
import { deliver, type OpenFile } from "./OneFile.ts"

const file: OpenFile["file"] = {
  analysisId: AnalysisId.make("A1"),
  fileName: "S.bam",
  type: "bam",
  folder: "",
  size: 6,
  archived: false,
  estimatedRestoreTime: null,
  hasLink: true,
  slice: null,
  decision: { _tag: "Fetch" }
}

const parts = Stream.make(Uint8Array.of(1, 2), Uint8Array.of(3, 4, 5, 6))

describe("a file that is handed over", () => {
  const outcome = Effect.fnUntraced(function* (
    bytes: OpenFile["content"]["bytes"],
    take: (bytes: Uint8Array) => Effect.Effect<void, LocalIo>
  ) {
    const content = {
      ...{ bytes, regions: null, records: null, warnings: [] },
      soFar: Effect.succeed({ attempts: 3, renewals: 1, fetched: 6, records: null })
    }
    const events = yield* Stream.runCollect(deliver(Effect.succeed({ file, content }), take))
    const results = events.flatMap((event) => (event._tag === "Finished" ? [event.result] : []))
    const last = events.at(-1)
    assert.deepStrictEqual(last?._tag === "Ended" ? last.outcome.results : [], results)
    return results[0]
  })

  it.effect("is a result with all its bytes, which have no path", () =>
    Effect.gen(function* () {
      const taken: Array<number> = []
      const result = yield* outcome(parts, (some) => Effect.sync(() => void taken.push(...some)))
      assert.deepStrictEqual(taken, [1, 2, 3, 4, 5, 6])
      assert.deepInclude(result, { _tag: "Streamed", path: null, bytes: 6, fetched: null })
      assert.deepInclude(result?._tag === "Streamed" ? result.transfer : {}, { attempts: 3, renewals: 1 })
    })
  )

  it.effect("D1 that breaks off, or that nobody takes any more, is a failure, whatever came before", () =>
    Effect.gen(function* () {
      const damage = new FileDamaged({ file: "S.bam", fault: "Truncated", reason: "ends early" })
      const cut = yield* outcome(Stream.concat(parts, Stream.fail(damage)), () => Effect.void)
      const closed = new LocalIo({ path: "standard output", operation: "write to", errno: "EPIPE" })
      const left = yield* outcome(parts, () => closed)
      assert.deepStrictEqual(
        [cut, left].map((result) => (result?._tag === "Failed" ? result.error : null)),
        [damage, closed]
      )
    })
  )
})
