import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

describe("GatedWorker", () => {
  it("a thread that deflates is ended, by itself or with the process, and nothing aborts", () => {
    const program = fileURLToPath(new URL("../../test/children/EndedThreads.ts", import.meta.url))
    const { status, stderr } = spawnSync(process.execPath, [program], { encoding: "utf8" })
    assert.deepStrictEqual([stderr, status], ["", 7])
  })
})
