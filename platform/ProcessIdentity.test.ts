import { assert, describe, it } from "@effect/vitest"
import { thisProcess } from "./ProcessIdentity.ts"

describe("thisProcess", () => {
  it("is read once: each file of a run asks for it several times", () => {
    assert.strictEqual(thisProcess(), thisProcess())
  })
})
