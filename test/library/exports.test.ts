/** The face of the library: all that its signatures speak of can be imported, and a change of it is seen and meant. */
import { assert, describe, expect, it } from "@effect/vitest"
import { unreachableNames } from "./Declarations.ts"
import { listing } from "./Listing.ts"

describe("the entry points", () => {
  it("export every name that their signatures speak of", () => {
    assert.deepStrictEqual(unreachableNames(), [])
  })

  it("export what test/library/exports.txt says (npm run docs:api)", () =>
    expect(listing()).toMatchFileSnapshot("./exports.txt"))
})
