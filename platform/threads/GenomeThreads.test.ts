import { setImmediate } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { fromBytes } from "../../core/src/genome/ByteReader.ts"
import * as Bgzf from "../../core/src/genome/bgzf/Bgzf.ts"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import { parseRange } from "../../core/src/genome/regions/RegionText.ts"
import { headroom, type SliceJob } from "../../core/src/genome/slice/PieceJob.ts"
import { here, PieceWorkers, ThreadLost } from "../../core/src/genome/slice/PieceWorkers.ts"
import { planSlice, writeSlice } from "../../core/src/genome/slice/Slice.ts"
import { longestRange } from "../../core/src/genome/slice/SlicePieces.ts"
import { BlockPool } from "../../core/src/verify/BlockPool.ts"
import { bamFile, bgzf, concat, text } from "../../test/genome/Fixtures.ts"
import { longReads, longReadsOf, longReferences } from "../../test/genome/LongReads.ts"
import { threadsOf } from "../../test/ProcessThreads.ts"
import * as ZlibCodec from "../inflate/ZlibCodec.ts"
import { DeflateGate } from "./DeflateGate.ts"
import type { Order, Report } from "./GenomeThread.ts"
import * as GenomeThreads from "./GenomeThreads.ts"

const program = { name: "svc-steps", version: "0" }

/** The slice and its index. */
const slice = Effect.fnUntraced(function* (
  files: { readonly bam: Uint8Array; readonly bai: Uint8Array },
  range: string
) {
  const pieces: Array<Uint8Array> = []
  const source = { name: "x.bam", reader: fromBytes(files.bam), indexName: "x.bam.bai", index: fromBytes(files.bai) }
  const wanted = yield* Effect.fromResult(parseRange(range))
  const plan = yield* planSlice({ source, type: "bam", wanted, takeUnplaced: false })
  const sink = { write: (bytes: Uint8Array) => Effect.sync(() => void pieces.push(bytes.slice())) }
  const result = yield* writeSlice(plan, sink, { program, connections: 3 })
  return { bytes: concat(...pieces), index: result.index, pieces: [...plan.pieces].length, result }
})

const ranges = [
  "chr1",
  "chr1:5000000-9000000 chr2",
  "chr1:1-100 chr1:4000000-4000200 chr1:9000000-9000100 chr2:100-200"
]

describe("threads", () => {
  it.effect("a slice is the same, byte for byte, however many threads make it", () =>
    Effect.gen(function* () {
      const codec = yield* Codec
      // Records end with their blocks, or lie across their borders.
      for (const blockBytes of [65_280, 20_001]) {
        const files = longReads(codec, blockBytes)
        for (const range of ranges) {
          const alone = yield* slice(files, range)
          if (range === "chr1") assert.isAbove(alone.pieces, 4)
          for (const processors of range === "chr1" && blockBytes === 65_280 ? [2, 4] : [4]) {
            const made = yield* slice(files, range).pipe(Effect.provide(GenomeThreads.workersLayer(processors, 1)))
            assert.isTrue(Buffer.from(made.bytes).equals(alone.bytes), `${range}, ${processors} processors`)
            assert.isTrue(Buffer.from(made.index).equals(alone.index))
            assert.deepStrictEqual({ ...made.result, index: 0 }, { ...alone.result, index: 0 })
          }
        }
      }
    }).pipe(Effect.provide(ZlibCodec.layer))
  )

  it.effect("D2 damage is told in the same words, whoever finds it", () =>
    Effect.gen(function* () {
      const files = longReads(yield* Codec, 65_280)
      const bam = files.bam.slice()
      const at = Math.floor(bam.length * 0.7)
      bam[at] = (bam[at] ?? 0) ^ 0x10
      bam[at + 500_000] = (bam[at + 500_000] ?? 0) ^ 0x10
      const alone = yield* Effect.flip(slice({ ...files, bam }, "chr1"))
      const made = yield* Effect.flip(
        slice({ ...files, bam }, "chr1").pipe(Effect.provide(GenomeThreads.workersLayer(4, 1)))
      )
      assert.strictEqual(made.message, alone.message)
      assert.match(alone.message, /^x\.bam: the BGZF block at byte \d+ is damaged: it /)
    }).pipe(Effect.provide(ZlibCodec.layer))
  )

  const job: SliceJob = {
    dataEnd: 100,
    records: { format: "BAM", references: 1 },
    names: ["chr1"],
    regions: [],
    takeUnplaced: false,
    level: 1
  }

  it.effect("nobody is asked for a short job, nor on one processor", () =>
    Effect.gen(function* () {
      const open = (processors: number, bytes: number) =>
        Effect.flatMap(PieceWorkers, (workers) => workers.open(job, bytes)).pipe(
          Effect.scoped,
          Effect.provide(GenomeThreads.workersLayer(processors))
        )
      assert.isNull(yield* open(1, 1e9))
      assert.isNull(yield* open(4, 1e6))
      assert.strictEqual((yield* open(4, 1e9))?.width, 4)
      // Of two processors one thread has one; a second one shares the other with the main thread where the slice is large.
      assert.strictEqual((yield* open(2, 120 * 1024 * 1024))?.width, 2)
      assert.strictEqual((yield* open(2, 128 * 1024 * 1024))?.width, 3)
      assert.strictEqual((yield* open(64, 1e10))?.width, 7)
    })
  )

  it.effect("a slice with more references than the threads can hold beside the open ones is made here", () =>
    Effect.gen(function* () {
      const { open } = yield* PieceWorkers
      const isTaken = (about: SliceJob) => Effect.map(open(about, 100), (workers) => workers !== null)
      const names = Array.from({ length: 150_000 }, (_, i) => `scaffold_${i}`)
      const large = { ...job, names }
      const taken = (...slices: ReadonlyArray<SliceJob>) => Effect.scoped(Effect.forEach(slices, isTaken))
      assert.deepStrictEqual(yield* taken(large, large, job), [true, false, true])
      assert.deepStrictEqual(yield* taken(large), [true], "when the others are done")
      // A VCF has a table of the names, and each region is an object.
      assert.deepStrictEqual(
        yield* taken({ ...large, records: { format: "VCF", names, samples: 1, spansByLength: false } }),
        [false]
      )
      const regions = names.map((_, ref) => ({ ref, bounds: [0, 1] }))
      assert.deepStrictEqual(yield* taken({ ...job, regions }), [false])
    }).pipe(Effect.provide(GenomeThreads.workersLayer(2, 1)))
  )

  it.effect(
    "what a slice will fetch is expected before its index is read, and never more than an eighth of the file",
    () =>
      Effect.gen(function* () {
        const files = longReads(yield* Codec, 65_280)
        const expected: Array<number> = []
        const listening = Layer.succeed(PieceWorkers, {
          expect: (bytes) => Effect.sync(() => void expected.push(bytes)),
          open: () => Effect.succeed(null)
        })
        for (const range of ["chr1:1-100", "chr1:1-100 chr2:101-200", "chr1"]) {
          yield* slice(files, range).pipe(Effect.provide(listening))
        }
        assert.deepStrictEqual(expected, [128 * 1024 + 400, 2 * (128 * 1024 + 400), files.bam.length / 8])
      }).pipe(Effect.provide(ZlibCodec.layer))
  )

  it.effect("threads start when a slice is expected that is worth them", () =>
    Effect.gen(function* () {
      const { expect } = yield* PieceWorkers
      let started = 0
      const count = () => void started++
      yield* Effect.acquireRelease(
        Effect.sync(() => process.on("worker", count)),
        () => Effect.sync(() => process.off("worker", count))
      )
      // Node announces a worker a tick after it was made.
      const startedFor = (bytes: number) =>
        Effect.andThen(
          expect(bytes),
          Effect.promise(() => setImmediate().then(() => started))
        )
      assert.strictEqual(yield* startedFor(9), 0)
      assert.strictEqual(yield* startedFor(20), 2)
      assert.strictEqual(yield* startedFor(10), 2)
      // Each further thread must make sixteen times as much.
      assert.strictEqual(yield* startedFor(159), 2)
      assert.strictEqual(yield* startedFor(160), 3)
    }).pipe(Effect.provide(GenomeThreads.workersLayer(8, 10)))
  )

  /** Workers of which each makes so many steps of its piece, and is lost then. */
  const dyingAfter = Effect.fnUntraced(function* (steps: number, onLoss: () => void) {
    const codec = yield* Codec
    const open: PieceWorkers["open"] = (about) => {
      const { begin } = here(codec, about)
      const lost = Effect.andThen(Effect.sync(onLoss), new ThreadLost({ reason: "it ended" }))
      const dying: typeof begin = (stretches) => {
        const { take } = begin(stretches)
        let taken = 0
        return { take: (ranges, isLast) => (taken++ < steps ? take(ranges, isLast) : lost) }
      }
      return Effect.succeed({ width: 2, begin: dying })
    }
    return Layer.succeed(PieceWorkers, { expect: () => Effect.void, open })
  })

  it.effect("pieces whose thread has died are made here", () =>
    Effect.gen(function* () {
      const files = longReads(yield* Codec, 65_280)
      const alone = yield* slice(files, "chr1")
      let lost = 0
      const made = yield* slice(files, "chr1").pipe(Effect.provide(yield* dyingAfter(0, () => lost++)))
      assert.strictEqual(lost, alone.pieces)
      assert.isTrue(Buffer.from(made.bytes).equals(alone.bytes))
    }).pipe(Effect.provide(ZlibCodec.layer))
  )

  it.effect("a thread that dies within a piece has written some of it: the rest is made here, and nothing twice", () =>
    Effect.gen(function* () {
      const codec = yield* Codec
      // All at one place, so that no index can cut their piece of four buffers.
      const reads = longReadsOf(2_000, 0).map((each) => ({ ...each, position: 1_000 }))
      const files = bamFile(codec, reads, { references: longReferences })
      assert.isAbove(files.bam.length, 3 * longestRange)
      const range = "chr1:900-1100"
      const alone = yield* slice(files, range)
      assert.deepStrictEqual([alone.pieces, alone.result.records], [1, 2_000])
      for (const steps of [1, 2, 3]) {
        let lost = 0
        const made = yield* slice(files, range).pipe(Effect.provide(yield* dyingAfter(steps, () => lost++)))
        assert.strictEqual(lost, 1, `after ${steps} steps`)
        assert.isTrue(Buffer.from(made.bytes).equals(alone.bytes), `after ${steps} steps`)
        assert.isTrue(Buffer.from(made.index).equals(alone.index), `after ${steps} steps`)
      }
    }).pipe(Effect.provide(ZlibCodec.layer))
  )

  it.effect("a system that allows no further thread gets its slice from this one, byte for byte", () =>
    Effect.gen(function* () {
      const files = longReads(yield* Codec, 65_280)
      const alone = yield* slice(files, "chr1")
      let refused = 0
      const start = () => {
        refused++
        return null
      }
      const made = yield* slice(files, "chr1").pipe(Effect.provide(GenomeThreads.workersLayer(4, 1, start)))
      // Not asked again for each slice, or each run of blocks.
      assert.strictEqual(refused, 1)
      assert.isTrue(Buffer.from(made.bytes).equals(alone.bytes))
    }).pipe(Effect.provide(ZlibCodec.layer))
  )

  it.effect("blocks are inflated as here, and damage has the same words", () =>
    Effect.gen(function* () {
      const codec = yield* Codec

      const first = bgzf(codec, text("hello"))
      const size = first.length - 28
      const spoilt = first.slice(0, size)
      spoilt[size - 8] = (spoilt[size - 8] ?? 0) ^ 1
      const inflate = (bytes: Uint8Array, starts: ReadonlyArray<number>) =>
        Effect.gen(function* () {
          const pool = yield* BlockPool
          const inflated = () => pool.inflate({ bytes: new Uint8Array(bytes), starts })
          const once = yield* inflated()
          assert.strictEqual(once.bytes.length, bytes.length)
          const copy = { ...once, content: once.content.slice() }
          pool.giveBack(once)
          // A second run goes into the buffer of the first.
          assert.deepStrictEqual(yield* inflated(), copy)
          return copy
        })
      for (const [bytes, starts] of [
        [first, [0, size, first.length]],
        [spoilt, [0, size]]
      ] as const) {
        const here = yield* Effect.provide(inflate(bytes, starts), BlockPool.layerHere)
        const there = yield* Effect.provide(inflate(bytes, starts), GenomeThreads.poolLayer(2))
        assert.deepStrictEqual(there, here)
        const none = yield* Effect.provide(
          inflate(bytes, starts),
          GenomeThreads.poolLayer(2, () => null)
        )
        assert.deepStrictEqual(none, here)
      }
    }).pipe(Effect.provide(ZlibCodec.layer))
  )

  it.effect("a thread deflates behind its gate", () =>
    Effect.gen(function* () {
      const files = longReads(yield* Codec, 65_280)
      const { length } = files.bam
      const { buffer } = concat(new Uint8Array(headroom), files.bam)
      assert(buffer instanceof ArrayBuffer)
      const ranges = [{ at: headroom, offset: 0, length, spare: 0 }]
      const orders: Array<Order> = []
      const recorded = Layer.succeed(PieceWorkers, {
        expect: () => Effect.void,
        open: (about) => {
          orders.push({ _tag: "Open", job: 0, about })
          return Effect.succeed({
            width: 1,
            begin: (stretches) => {
              orders.push({ _tag: "Take", id: 0, job: 0, piece: 0, stretches, buffer, ranges, isLast: true })
              return { take: () => new ThreadLost({ reason: "it only writes down" }) }
            }
          })
        }
      })
      yield* slice(files, "chr1:1-100").pipe(Effect.provide(recorded))
      assert.lengthOf(orders, 2)

      const gate = new DeflateGate()
      gate.close()
      const thread = yield* Effect.acquireRelease(
        Effect.sync(() => new Worker(new URL("GenomeThread.ts", import.meta.url), { workerData: gate.memory })),
        (thread) => Effect.promise(() => thread.terminate())
      )
      const reports: Array<Report> = []
      thread.on("message", (report) => reports.push(report))
      for (const order of orders) thread.postMessage(order)
      // Wakes it, and it goes on waiting.
      const waits = () => Atomics.notify(new Int32Array(gate.memory), 0) > 0
      yield* Effect.promise(async () => {
        while (reports.length === 0 && !waits()) await setImmediate()
      })
      assert.lengthOf(reports, 0)
    }).pipe(Effect.provide(ZlibCodec.layer))
  )

  it.effect("end with their layer", () =>
    Effect.gen(function* () {
      const before = threadsOf(process.pid)
      const started = yield* Effect.gen(function* () {
        const { inflate } = yield* BlockPool
        const bytes = new Uint8Array(Bgzf.eofBlock)
        yield* inflate({ bytes, starts: [0, bytes.length] })
        return threadsOf(process.pid).filter((id) => !before.includes(id))
      }).pipe(Effect.provide(GenomeThreads.poolLayer(1)))
      assert.lengthOf(started, 1)
      assert.notIncludeMembers([...threadsOf(process.pid)], started)
    }).pipe(Effect.provide(ZlibCodec.layer))
  )
})
