import { assert, describe, it } from "@effect/vitest"
import { filesAtOnce } from "./Program.ts"

describe("filesAtOnce", () => {
  it("four files share eight connections; with fewer than four connections each file has its own", () => {
    const connections = [1, 2, 4, 6, 8, 16, 64]
    const files = connections.map((each) => filesAtOnce({ connections: each }))
    assert.deepStrictEqual(files, [1, 2, 4, 4, 4, 8, 32])
  })
})
