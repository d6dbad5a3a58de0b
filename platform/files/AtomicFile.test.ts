import { readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { temporaryFolder } from "../../test/TemporaryFolder.ts"
import { withFresh } from "./AtomicFile.ts"

const folder = temporaryFolder("atomic-file-")

describe("a file that is made", () => {
  it.live("P4 leaves nothing when it is interrupted, at whatever call", () =>
    Effect.gen(function* () {
      const at = yield* folder
      const text = new TextEncoder().encode("text")
      for (let turns = 0; turns < 40; turns++) {
        const making = withFresh(join(at, "fresh"), text, 0o600, (file) => file.rename(join(at, "final")))
        const fiber = yield* Effect.forkChild(making, { startImmediately: true })
        for (let turn = 0; turn < turns; turn++) yield* Effect.promise(() => new Promise(setImmediate))
        yield* Fiber.interrupt(fiber)
        assert.notInclude(readdirSync(at), "fresh", `interrupted after ${turns} turns`)
      }
    })
  )
})
