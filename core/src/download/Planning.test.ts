import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, PlatformError } from "effect"
import { AnalysisId } from "../contract/Ids.ts"
import type { PlannedFile } from "./DownloadPlan.ts"
import { writeRefusal } from "./Planning.ts"

const refusal = (code: string) => Object.assign(new Error(code), { code })
const closed = FileSystem.layerNoop({
  access: (path, options) =>
    options?.writable === true
      ? Effect.fail(
          PlatformError.systemError({
            _tag: "Unknown",
            module: "FileSystem",
            method: "access",
            cause: refusal("EROFS")
          })
        )
      : Effect.die(`asked otherwise about ${path}`)
})
const open = FileSystem.layerNoop({ access: () => Effect.void })

const file = (folder: string, decision: PlannedFile["decision"]): PlannedFile => ({
  analysisId: AnalysisId.make("A1"),
  fileName: "S1.bam",
  size: 1,
  archived: false,
  estimatedRestoreTime: null,
  hasLink: true,
  type: "bam",
  folder,
  slice: null,
  decision
})
const fetch = { _tag: "Fetch" } as const

describe("unwritable", () => {
  it.effect("K6 a closed destination is known before a byte moves, where something would be written into it", () =>
    Effect.gen(function* () {
      const reason = (files: ReadonlyArray<PlannedFile>) =>
        Effect.map(Effect.provide(writeRefusal(files, "data"), closed), (error) => error?.message ?? null)
      const kept = file("", { _tag: "Skip", reason: "exists" })
      assert.strictEqual(yield* reason([kept, file("", fetch)]), "Cannot write to data: the file system is read-only")
      assert.isNull(yield* reason([kept]))
      assert.isNull(yield* reason([file("A1", fetch)]))
      assert.isNull(yield* Effect.provide(writeRefusal([file("", fetch)], "data"), open))
    })
  )
})
