import { assert, describe, it } from "@effect/vitest"
import { didYouMean, nearest } from "./Spelling.ts"

const names = ["username", "destination", "overwrite", "range", "bed"]

describe("did you mean", () => {
  it("finds a name in spite of one slip of each kind, and of case", () => {
    for (const word of ["usrname", "usernamme", "usernane", "suername", "USERNAME"]) {
      assert.strictEqual(nearest(word, names), "username", word)
    }
    assert.strictEqual(nearest("bde", names), "bed")
  })

  it("takes the nearest of several, and the first of equals", () => {
    assert.strictEqual(nearest("rang", ["ranges", "range"]), "range")
    assert.strictEqual(nearest("bat", ["bar", "baz"]), "bar")
  })

  it("does not guess when more than a third differs, the word is long, or there is nothing to choose from", () => {
    assert.isNull(nearest("color", names))
    assert.isNull(nearest("be", ["overwrite"]))
    assert.isNull(nearest("range".repeat(9), ["range".repeat(9)]))
    assert.isNull(nearest("range", []))
  })

  it("is a question only where there is an answer", () => {
    assert.strictEqual(didYouMean("range"), "; did you mean range?")
    assert.strictEqual(didYouMean(null), "")
  })
})
