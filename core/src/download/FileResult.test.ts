import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { failed } from "../../../test/Results.ts"
import { FileDamaged } from "../Errors.ts"
import { DownloadsFailed } from "./FileResult.ts"

describe("the error of a result", () => {
  const damaged = failed(new FileDamaged({ file: "a.bam", fault: "BadBlock", reason: "its sum is wrong" }))

  it.effect("is caught by its tag, with the fields of its class; a tag that no file can have does not compile", () =>
    Effect.gen(function* () {
      const raised = Effect.fail(damaged.error)
      const fault = yield* Effect.catchTag(raised, "SvcFileDamaged", ({ fault }) => Effect.succeed(fault))
      assert.strictEqual(fault, "BadBlock")
      // @ts-expect-error no error of a file has this tag
      assert.isTrue(Effect.isEffect(Effect.catchTag(raised, "SvcFileDamged", () => Effect.void)))
      // @ts-expect-error credentials are missing before there is a file
      assert.isTrue(Effect.isEffect(Effect.catchTag(raised, "SvcCredentialsMissing", () => Effect.void)))
    })
  )

  it.effect("is in what a run fails with, whose tag does not compile when it is misspelt either", () =>
    Effect.gen(function* () {
      const run = Effect.fail(new DownloadsFailed({ results: [damaged] }))
      const tags = yield* Effect.catchTag(run, "SvcDownloadsFailed", ({ results }) =>
        Effect.succeed(results.map((result) => (result._tag === "Failed" ? result.error._tag : null)))
      )
      assert.deepStrictEqual(tags, ["SvcFileDamaged"])
      // @ts-expect-error a run has no error of this tag
      assert.isTrue(Effect.isEffect(Effect.catchTag(run, "SvcDownloadFailed", () => Effect.void)))
    })
  )
})
