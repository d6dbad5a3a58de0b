import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as RefusedLoginFiles from "./RefusedLoginFiles.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "refused-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)
const wrong = Redacted.make("Wrong-canary")

describe("RefusedLoginFiles", () => {
  it.live("S1 knows the refused password of an account again, and no other", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const refused = RefusedLoginFiles.make((key) => join(path, key))
      assert.isFalse(yield* refused.has("ana", wrong))
      yield* refused.add("ana", wrong)
      assert.isTrue(yield* refused.has("ana", wrong))
      assert.isFalse(yield* refused.has("ben", wrong))
      const others = yield* Effect.forEach(["a", "b", "c"], (text) => refused.has("ana", Redacted.make(text)))
      // One in 65,536 is taken for it: three of them are not.
      assert.include(others, false)
      assert.strictEqual(statSync(join(path, "ana")).mode & 0o777, 0o600)
      const content = readFileSync(join(path, "ana"))
      assert.strictEqual(content.length, 18)
      assert.notInclude(content.toString("latin1"), "canary")
    })
  )

  it.live("forgets after ten minutes, and does without a folder", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const refused = RefusedLoginFiles.make((key) => join(path, key))
      yield* refused.add("ana", wrong)
      const earlier = Date.now() / 1000 - 601
      utimesSync(join(path, "ana"), earlier, earlier)
      assert.isFalse(yield* refused.has("ana", wrong))
      yield* refused.add("missing/ana", wrong)
      assert.isFalse(yield* refused.has("missing/ana", wrong))
    })
  )
})
