import { assert, describe, it } from "@effect/vitest"
import { filesAtOnce } from "./Program.ts"
import { connectionsOf } from "./Wiring.ts"

describe("filesAtOnce", () => {
  it("four files share eight connections; with fewer than four connections each file has its own", () => {
    const connections = [1, 2, 4, 6, 8, 16, 64]
    const files = connections.map((each) => filesAtOnce({ connections: each }))
    assert.deepStrictEqual(files, [1, 2, 4, 4, 4, 8, 32])
  })
})

describe("connectionsOf", () => {
  it("sixteen for slices, the default for whole files, and what is given for both", () => {
    const none = { bed: null, range: null, unmapped: false }
    const settings = (connections: number, isGiven: boolean) => ({ ...none, connections, given: () => isGiven })
    const wishes = [{}, { range: "chr1" }, { bed: "a.bed" }, { unmapped: true }]
    assert.deepStrictEqual(
      wishes.map((wish) => connectionsOf({ ...settings(8, false), ...wish })),
      [8, 16, 16, 16]
    )
    assert.deepStrictEqual(
      wishes.map((wish) => connectionsOf({ ...settings(3, true), ...wish })),
      [3, 3, 3, 3]
    )
  })
})
