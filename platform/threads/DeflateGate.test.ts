import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

describe("DeflateGate", () => {
  // In a process of its own, which waits for ever where the limit is gone.
  it("a thread that has died in the gate is not waited for any longer than a block takes", () => {
    const program = fileURLToPath(new URL("../../test/children/DiedInGate.ts", import.meta.url))
    const { signal, status, stderr } = spawnSync(process.execPath, [program], { encoding: "utf8", timeout: 60_000 })
    assert.deepStrictEqual([stderr, status, signal], ["", 0, null])
  })
})
