import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { GatedWorker } from "./DeflateGate.ts"

/** A thread that stays and tells its gate. */
const program = `
const { parentPort, workerData } = require("node:worker_threads")
parentPort.postMessage(workerData)
parentPort.on("message", () => {})`

const started = async () => {
  const thread = new GatedWorker(program, { eval: true })
  const [memory] = await once(thread, "message")
  return { thread, isClosed: () => new Int32Array(memory)[0] === 2 }
}

describe("GatedWorker", () => {
  it("a thread that deflates is ended, by itself or with the process, and nothing aborts", () => {
    const program = fileURLToPath(new URL("../../test/children/EndedThreads.ts", import.meta.url))
    const { status, stderr } = spawnSync(process.execPath, [program], { encoding: "utf8" })
    assert.deepStrictEqual([stderr, status], ["", 7])
  })

  it.effect("its gate is closed before it ends, and before the process does", () =>
    Effect.promise(async () => {
      const before = process.listeners("exit")
      const [first, second] = await Promise.all([started(), started()])
      const [onExit, ...others] = process.listeners("exit").filter((listener) => !before.includes(listener))
      assert.isEmpty(others)
      const ended = first.thread.terminate()
      assert.deepStrictEqual([first.isClosed(), second.isClosed()], [true, false])
      await ended
      onExit?.call(process, 0)
      assert.isTrue(second.isClosed())
      await second.thread.terminate()
      assert.deepStrictEqual(process.listeners("exit"), before)
    })
  )
})

describe("DeflateGate", () => {
  // In a process of its own, which waits for ever where the limit is gone.
  it("a thread that has died in the gate is not waited for any longer than a block takes", () => {
    const program = fileURLToPath(new URL("../../test/children/DiedInGate.ts", import.meta.url))
    const { signal, status, stderr } = spawnSync(process.execPath, [program], { encoding: "utf8", timeout: 60_000 })
    assert.deepStrictEqual([stderr, status, signal], ["", 0, null])
  })
})
