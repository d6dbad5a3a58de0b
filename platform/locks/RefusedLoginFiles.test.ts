import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { temporaryFolder } from "../../test/TemporaryFolder.ts"
import * as RefusedLoginFiles from "./RefusedLoginFiles.ts"

const folder = temporaryFolder("refused-")
const wrong = Redacted.make("Wrong-canary")

describe("RefusedLoginFiles", () => {
  it.live("S1 a run that waited during the refusal recognises the refused password, and no other", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const refused = RefusedLoginFiles.make((key) => join(path, key))
      const began = Date.now()
      assert.isFalse(yield* refused.has("ana", wrong, began))
      yield* refused.add("ana", wrong)
      assert.isTrue(yield* refused.has("ana", wrong, began))
      assert.isFalse(yield* refused.has("ben", wrong, began))
      const others = yield* Effect.forEach(["a", "b", "c"], (text) => refused.has("ana", Redacted.make(text), began))
      // One in 65,536 is taken for it: three of them are not.
      assert.include(others, false)
      assert.strictEqual(statSync(join(path, "ana")).mode & 0o777, 0o600)
      const content = readFileSync(join(path, "ana"))
      assert.strictEqual(content.length, 26)
      assert.notInclude(content.toString("latin1"), "canary")
    })
  )

  it.effect("S1 a run that begins within half a minute of the refusal is of the same batch", () =>
    Effect.gen(function* () {
      const path = mkdtempSync(join(tmpdir(), "refused-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(path, { recursive: true })))
      const refused = RefusedLoginFiles.make((key) => join(path, key))
      yield* refused.add("ana", wrong)
      assert.isTrue(yield* refused.has("ana", wrong, 30_000))
      assert.isFalse(yield* refused.has("ana", wrong, 30_001))
    })
  )

  it.live("S1 a run that begins later tries again, until the third refusal", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const refused = RefusedLoginFiles.make((key) => join(path, key))
      const later = Date.now() + 600_000
      for (const known of [false, false, true]) {
        yield* refused.add("ana", wrong)
        assert.strictEqual(yield* refused.has("ana", wrong, later), known)
      }
      yield* refused.add("ana", Redacted.make("another"))
      assert.isFalse(yield* refused.has("ana", wrong, later))
      yield* refused.forget("ana")
      assert.deepStrictEqual(readdirSync(path), [])
    })
  )

  it.live("S1 of different passwords each is sent, and only the one refused last is remembered", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const refused = RefusedLoginFiles.make((key) => join(path, key))
      const began = Date.now()
      const passwords = ["first", "second", "third", "fourth"].map((text) => Redacted.make(text))
      for (const password of passwords) {
        assert.isFalse(yield* refused.has("ana", password, began))
        yield* refused.add("ana", password)
      }
      const known = yield* Effect.forEach(passwords, (password) => refused.has("ana", password, began))
      assert.deepStrictEqual(known, [false, false, false, true])
    })
  )

  it.effect("forgets after ten minutes, and does without a folder", () =>
    Effect.gen(function* () {
      const path = mkdtempSync(join(tmpdir(), "refused-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(path, { recursive: true })))
      const refused = RefusedLoginFiles.make((key) => join(path, key))
      yield* refused.add("ana", wrong)
      assert.isTrue(yield* refused.has("ana", wrong, 0))
      yield* TestClock.adjust("10 minutes")
      assert.isFalse(yield* refused.has("ana", wrong, 0))
      yield* refused.add("missing/ana", wrong)
      assert.isFalse(yield* refused.has("missing/ana", wrong, 0))
    })
  )
})
