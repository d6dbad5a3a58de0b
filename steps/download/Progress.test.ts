import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { AnalysisId } from "../../core/src/contract/Ids.ts"
import type { RunFile } from "../../core/src/selection/RunFile.ts"
import { downloaded, kept } from "../../test/Results.ts"
import { makeProgress, recentRate, type Sample, statusLines, withSample } from "./Progress.ts"

const MiB = 1024 * 1024

const file = (fileName: string, size: number | null): RunFile => ({
  analysisId: AnalysisId.make("A1"),
  fileName,
  type: "bam",
  folder: "",
  size,
  archived: false,
  estimatedRestoreTime: null,
  slice: null
})

describe("statusLines", () => {
  const overview = {
    active: [
      { path: "A1/a.bam", done: 5 * MiB, all: 10 * MiB, rate: 1.5 * MiB },
      { path: "\u001b[2Jb.bam", done: 3, all: null, rate: null },
      { path: "A1/new.bam", done: 0, all: 20 * MiB, rate: null },
      { path: "A1/stuck.bam", done: 10 * MiB, all: 10 * MiB, rate: 0 }
    ],
    files: { done: 1, all: 5 },
    done: 6 * MiB,
    all: 20 * MiB,
    rate: 2 * MiB
  }

  it("a bar, the share, the size, the rate and the time left of each file, and a line for all", () => {
    const lines = statusLines(overview, 80)
    assert.deepStrictEqual(
      lines.slice(0, 4).map((line) => line.length),
      [79, 79, 79, 79]
    )
    assert.deepStrictEqual(
      lines.map((line) => line.trimEnd()),
      [
        "A1/a.bam                      [=====>    ]  50%     10 MiB    1.5 MiB/s    0:04",
        "\\u001b[2Jb.bam                                         3 B",
        "A1/new.bam                    [>         ]   0%     20 MiB",
        "A1/stuck.bam                  [==========] 100%     10 MiB        0 B/s",
        "1 of 5 files, 6 MiB of 20 MiB, 2 MiB/s, 0:07 left"
      ]
    )
  })

  it("in a wide window the bars stand beside the longest name", () => {
    for (const line of statusLines(overview, 200).slice(0, 4)) assert.isAtMost(line.trimEnd().length, 100)
    const long = { ...overview, active: [{ path: "x".repeat(70), done: 1, all: 2, rate: null }] }
    assert.match(statusLines(long, 200)[0] ?? "", /^x{70} \[/)
  })

  it("Y2 a window of less than 80 columns has no bar, one of less than 60 the name and the share", () => {
    const [first] = overview.active
    const one = { ...overview, active: first === undefined ? [] : [first] }
    assert.deepStrictEqual(statusLines(one, 61), [
      "A1/a.bam                 50%     10 MiB    1.5 MiB/s    0:04",
      "1 of 5 files, 6 MiB of 20 MiB, 2 MiB/s, 0:07 left"
    ])
    assert.deepStrictEqual(statusLines(one, 40), [
      "A1/a.bam                            50%",
      "1/5, 6 MiB, 2 MiB/s, 0:07 left"
    ])
  })

  it("no rate in the first second, no end without a size", () => {
    const unknown = { ...overview, active: [], done: 5, all: null, rate: null }
    assert.deepStrictEqual(statusLines(unknown, 80), ["1 of 5 files, 5 B"])
    assert.deepStrictEqual(statusLines({ ...unknown, rate: 0 }, 80), ["1 of 5 files, 5 B, 0 B/s"])
  })

  it("Y2 no line reaches the last column, at any width, whatever the figures are", () => {
    const columnsOf = (line: string) => [...line].reduce((sum, character) => sum + (character === "漢" ? 2 : 1), 0)
    const slow = { done: 1, all: 1_000_000_000_000, rate: 999_999 }
    const fast = { done: 1, all: 1_073_636_966, rate: 1_073_636_966 }
    for (const path of [`${"漢".repeat(300)}end.bam`, `${"漢x".repeat(20)}.bam`, `${"a".repeat(300)}.bam`]) {
      const long = { ...overview, active: [slow, fast].map((figures) => ({ ...figures, path })) }
      for (let columns = 20; columns < 220; columns++) {
        for (const line of statusLines(long, columns)) assert.isBelow(columnsOf(line), columns, line)
      }
      assert.match(statusLines(long, 60)[1] ?? "", /^….*\.bam +0% +1023\.9 MiB +1023\.9 MiB\/s +0:01$/)
    }
  })
})

describe("the rate", () => {
  const at = (seconds: number, bytes: number) => ({ at: seconds * 1000, bytes })
  const rateAfter = (...samples: ReadonlyArray<ReturnType<typeof at>>) =>
    recentRate(samples.reduce<ReadonlyArray<Sample>>((before, next) => withSample(before, next), []))

  it("is that of the last ten seconds, or since the last look when that was earlier", () => {
    assert.isNull(rateAfter(at(0, 0)))
    assert.isNull(rateAfter(at(0, 0), at(0.9, 100)))
    assert.strictEqual(rateAfter(at(0, 0), at(2, 100)), 50)
    assert.strictEqual(rateAfter(at(0, 0), at(5, 1000), at(10, 1000), at(15, 1000)), 0)
    assert.strictEqual(rateAfter(at(0, 0), at(60, 600)), 10)
  })

  it("needs no more samples than ten seconds have", () => {
    let samples: ReadonlyArray<Sample> = []
    for (let i = 0; i < 1000; i++) samples = withSample(samples, at(i / 5, i))
    assert.strictEqual(samples.length, 51)
  })
})

describe("Progress", () => {
  it.effect("draws while files are active and removes what it drew", () =>
    Effect.gen(function* () {
      const drawn: Array<ReadonlyArray<string>> = []
      const screen = { live: true, columns: () => 70, status: (lines: ReadonlyArray<string>) => void drawn.push(lines) }
      const a = file("a.bam", 100)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const progress = yield* makeProgress(screen, [a, file("b.bam", 50)])
          yield* progress.event(a, { _tag: "Started", size: 100, resumedFrom: 40 })
          yield* progress.event(a, { _tag: "Bytes", done: 60, size: 100 })
          yield* TestClock.adjust("2 seconds")
          assert.match(
            drawn.at(-1)?.join("\n") ?? "",
            /^a\.bam +60% +100 B +10 B\/s +0:04\n0 of 2 files, 60 B of 150 B, 10 B\/s, 0:09 left$/
          )
          yield* progress.event(a, { _tag: "Bytes", done: 0, size: 100 })
          yield* progress.event(a, { _tag: "Bytes", done: 10, size: 100 })
          assert.strictEqual(yield* progress.settled(a, downloaded({ bytes: 100 })), 1)
          assert.strictEqual(yield* progress.settled(file("c.bam", 10), kept()), 1)
          yield* TestClock.adjust("1 second")
          assert.deepStrictEqual(drawn.at(-1), ["1 of 2 files, 100 B of 150 B, 10 B/s, 0:05 left"])
        })
      )
      assert.deepStrictEqual(drawn.at(-1), [])
    })
  )

  it.effect("Y2 where nothing can be redrawn the log has a line a minute, and none of a short run", () =>
    Effect.gen(function* () {
      const drawn: Array<ReadonlyArray<string>> = []
      const logged: Array<unknown> = []
      const screen = {
        live: false,
        columns: () => 70,
        status: (lines: ReadonlyArray<string>) => void drawn.push(lines)
      }
      const logger = Logger.layer([Logger.make(({ message }) => void logged.push(message))])
      const a = file("a.bam", 300)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const progress = yield* makeProgress(screen, [a])
          yield* progress.event(a, { _tag: "Bytes", done: 60, size: 300 })
          yield* TestClock.adjust("59 seconds")
          assert.deepStrictEqual(logged, [])
          yield* TestClock.adjust("2 seconds")
          yield* progress.event(a, { _tag: "Bytes", done: 240, size: 300 })
          yield* TestClock.adjust("1 minute")
        })
      ).pipe(Effect.provide(logger))
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(logged.flat(), [
        "0 of 1 files, 60 B of 300 B, 1 B/s, 4:00 left",
        "0 of 1 files, 240 B of 300 B, 3 B/s, 0:20 left"
      ])
      assert.deepStrictEqual(drawn, [])
    })
  )
})
