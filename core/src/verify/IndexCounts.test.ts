import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { RecordCounts } from "../genome/bgzf/ContentCheck.ts"
import type { Bin, BinIndex, Counts } from "../genome/index/BinIndex.ts"
import { compareCounts } from "./IndexCounts.ts"

const bin: Bin = { id: 4681, loffset: null, chunks: [] }

/** An index with these counts per reference; null where it has none, with a bin or without any. */
const indexOf = (references: ReadonlyArray<Counts | "bins" | "nothing">, unplaced: number | null = null): BinIndex => ({
  format: "BAI",
  minShift: 14,
  depth: 5,
  references: references.length,
  lastEnd: null,
  unplaced,
  reference: (i) => {
    const about = references[i] ?? "nothing"
    const bins = new Map(about === "nothing" ? [] : [[bin.id, bin] as const])
    return { bins, linear: new BigUint64Array(0), counts: typeof about === "string" ? null : about }
  }
})
const counted = (ofReference: Readonly<Record<string, number>>, unplaced = 0, sorted = true): RecordCounts => ({
  records: 0,
  ofReference: new Map(Object.entries(ofReference)),
  unplaced,
  sorted
})
const columns = (...names: ReadonlyArray<string>) => ({
  format: 2,
  name: 1,
  begin: 2,
  end: 0,
  meta: 35,
  skip: 0,
  names
})

const bam = (index: BinIndex, counts: RecordCounts) =>
  Effect.match(compareCounts("i", { index, columns: null }, "d", counts), {
    onFailure: ({ message }) => message,
    onSuccess: () => null
  })

describe("index against counted records", () => {
  it.effect("as many of each reference, mapped or not, and without a place", () =>
    Effect.gen(function* () {
      const index = indexOf([{ mapped: 3, unmapped: 1 }, "nothing"], 2)
      assert.isNull(yield* bam(index, counted({ a: 4, b: 0 }, 2)))
      assert.match((yield* bam(index, counted({ a: 5, b: 0 }, 2))) ?? "", /counts 4 records on a, and there are 5/)
      assert.match((yield* bam(index, counted({ a: 4, b: 0 }, 3))) ?? "", /2 unplaced reads, and there are 3/)
      assert.match((yield* bam(index, counted({ a: 4, b: 1 }, 2))) ?? "", /nothing of the 1 records on b/)
      assert.match((yield* bam(index, counted({ a: 4, b: 0 }, 2, false))) ?? "", /not in order/)
    })
  )

  it.effect("an index of a writer that counts nothing passes when it has something of each reference", () =>
    Effect.gen(function* () {
      assert.isNull(yield* bam(indexOf(["bins"]), counted({ a: 9 }, 7)))
      const bare = { index: indexOf(["bins"], 0), columns: null }
      assert.deepStrictEqual(yield* compareCounts("i", bare, "d", counted({ a: 9 }, 7)), [
        "it counts none of the 7 unplaced reads"
      ])
    })
  )

  it.effect("a VCF by names: in any order, but every one of them", () =>
    Effect.gen(function* () {
      const one = { mapped: 1, unmapped: 0 }
      const tabix = { index: indexOf([one, one]), columns: columns("b", "a") }
      yield* compareCounts("i", tabix, "d", counted({ a: 1, b: 1 }))
      const error = yield* Effect.flip(compareCounts("i", tabix, "d", counted({ a: 1, b: 1, c: 1 })))
      assert.match(error.message, /does not know c, which has 1 records/)
    })
  )
})
