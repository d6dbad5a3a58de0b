import { spawnSync } from "node:child_process"
import { readdirSync, utimesSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { temporaryFolder } from "../../test/TemporaryFolder.ts"
import { clearTemporaries, temporaryBeside, withFresh } from "./AtomicFile.ts"

const folder = temporaryFolder("atomic-file-")

describe("a file that is made", () => {
  it.live("P4 leaves nothing when it is interrupted, at whatever call", () =>
    Effect.gen(function* () {
      const at = yield* folder
      const text = new TextEncoder().encode("text")
      for (let turns = 0; turns < 40; turns++) {
        const making = withFresh(join(at, "fresh"), text, 0o600, (file) => file.rename(join(at, "final")))
        const fiber = yield* Effect.forkChild(making, { startImmediately: true })
        for (let turn = 0; turn < turns; turn++) yield* Effect.promise(() => new Promise(setImmediate))
        yield* Fiber.interrupt(fiber)
        assert.notInclude(readdirSync(at), "fresh", `interrupted after ${turns} turns`)
      }
    })
  )
})

describe("a temporary file", () => {
  it.live("P1 of a process that has ended is cleared away; those of living ones and of other files stay", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "report.json")
      const own = temporaryBeside(path)
      const [machine = "", , start = ""] = basename(own).slice(".report.json.".length).split("-")
      const ended = spawnSync(process.execPath, ["-e", ""]).pid
      const mark = (pid: number, since: string, name = "report.json") =>
        join(path, "..", `.${name}.${machine}-${pid}-${since}-01234567.new`)
      const staying = [own, mark(ended, "5", "other.json"), join(path, "..", ".report.json.mine.new")]
      // The number is in use again, by a process that began at another time.
      for (const file of [...staying, mark(ended, "5"), mark(process.pid, `${start}1`)]) writeFileSync(file, "")
      yield* clearTemporaries(path)
      assert.deepStrictEqual(readdirSync(join(path, "..")).sort(), staying.map((file) => basename(file)).sort())
    })
  )

  it.live("P9 of an unknown machine counts as left behind after a day", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "x")
      const [fresh, old] = ["00000001", "00000002"].map((machine) => join(path, "..", `.x.${machine}-1--01234567.new`))
      for (const file of [fresh, old]) writeFileSync(file ?? "", "")
      const before = Date.now() / 1000 - 90_000
      utimesSync(old ?? "", before, before)
      yield* clearTemporaries(path)
      assert.deepStrictEqual(readdirSync(join(path, "..")), [basename(fresh ?? "")])
    })
  )

  it("K7 has a name that every file system takes", () => {
    const name = basename(temporaryBeside(join("x", "ä".repeat(127))))
    assert.isAtMost(Buffer.byteLength(name), 143)
    assert.notInclude(name, "\ufffd")
    assert.notStrictEqual(temporaryBeside("x"), temporaryBeside("x"))
  })
})
