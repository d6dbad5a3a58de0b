import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"

describe("DeflateGate", () => {
  // In a process of its own, which waits for ever where the limit is gone.
  it("a thread that has died in the gate is not waited for any longer than a block takes", () => {
    const gate = new URL("DeflateGate.ts", import.meta.url)
    const program = `import { DeflateGate } from "${gate}"
      const gate = new DeflateGate(undefined, 1)
      gate.pass(() => gate.close())`
    const { signal, status } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
      timeout: 20_000
    })
    assert.deepStrictEqual([status, signal], [0, null])
  })
})
