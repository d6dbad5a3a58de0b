import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Target } from "../../core/src/verify/Targets.ts"
import { makeVerifyProgress, verifyStateLine } from "./Program.ts"

const target = (path: string, bytes: number): Target => ({
  path,
  role: { _tag: "File", named: { kind: "bam", type: "bam", index: null, stem: "a" }, checksum: null, bytes },
  expected: null,
  notes: []
})

describe("progress of a verification", () => {
  const state = {
    files: { done: 1, all: 3 },
    bytes: { done: 3 * 1024 ** 2, all: 9 * 1024 ** 2 },
    path: "d/S1.bam",
    milliseconds: 3000
  }

  it("says what is done, how fast, and how long it will take", () => {
    assert.strictEqual(verifyStateLine(state, 100), "1 of 3 files, 3 MiB of 9 MiB, 1 MiB/s, 0:06 left: d/S1.bam")
    assert.strictEqual(verifyStateLine({ ...state, milliseconds: 200 }, 100), "1 of 3 files, 3 MiB of 9 MiB: d/S1.bam")
  })

  it("is shorter than the window, and safe on a terminal", () => {
    for (const columns of [40, 41, 60]) {
      assert.isBelow([...verifyStateLine({ ...state, path: "é".repeat(99) }, columns)].length, columns)
    }
    assert.notInclude(verifyStateLine({ ...state, path: "a\u001b[2Jb" }, 200), "\u001b")
  })

  it.effect("is redrawn while it lasts, and removed at its end", () =>
    Effect.gen(function* () {
      const drawn: Array<ReadonlyArray<string>> = []
      const screen = {
        live: true,
        columns: () => 100,
        status: (lines: ReadonlyArray<string>) => void drawn.push(lines)
      }
      yield* Effect.gen(function* () {
        const { progress } = yield* makeVerifyProgress(screen, [target("a.bam", 100), target("b.bam", 300)])
        yield* TestClock.adjust("1 millis")
        yield* progress("a.bam", 50)
        yield* TestClock.adjust("200 millis")
      }).pipe(Effect.scoped)
      assert.deepStrictEqual(drawn.at(-2), ["0 of 2 files, 50 B of 400 B: a.bam"])
      assert.deepStrictEqual(drawn.at(-1), [])
    })
  )
})
