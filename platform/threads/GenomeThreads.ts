/**
 * Threads for the genome engine: they make pieces of slices (`PieceWorkers`) and inflate blocks (`BlockPool`). They start with the
 * first work that is worth it: each takes some 15 MB and 40 ms of CPU.
 */
import { availableParallelism } from "node:os"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type InflatedRun, inflateRun } from "../../core/src/genome/bgzf/BlockRun.ts"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import type { FetchedRange, PieceStretch, SliceJob } from "../../core/src/genome/slice/PieceJob.ts"
import {
  type PieceStep,
  type PieceWork,
  PieceWorkers,
  type SliceWorkers,
  ThreadLost
} from "../../core/src/genome/slice/PieceWorkers.ts"
import { BlockPool, pool as blockPool } from "../../core/src/verify/BlockPool.ts"
import { type AwaitedThread, start } from "./AwaitedThread.ts"
import { GatedWorker } from "./DeflateGate.ts"
import type { Order, Report } from "./GenomeThread.ts"
import { program } from "./ThreadProgram.ts"

/** Bytes of a slice for each of the first two threads: with less of them a thread takes more time than it saves (bench/README.md). */
const worthThread = 8 * 1024 * 1024
/**
 * Each further thread must make this many times as much. Every thread compiles the same code again and competes for a processor with the main
 * thread and V8's compilers: two threads make 106 MB of small targets a tenth faster than three, with a tenth less CPU.
 */
const worthFurther = 16
/** The most worker threads that the one thread which fetches and writes can keep busy. */
const mostThreads = 6

/**
 * What a thread may hold of all open slices, in bytes. The heap of a thread is limited (`resourceLimits`), and a thread that fills it ends. Where it makes
 * a deflater at that moment, Node aborts the process (1 of 30 did), and no gate helps. Two slices of a file with 1,000,000 references filled it.
 */
const mostHeld = 16 * 1024 * 1024

/** About what a thread holds of a slice (bytes): the names of a VCF are there twice, and in a table. */
const heldOf = ({ names, records, regions }: SliceJob): number => {
  const perName = records.format === "VCF" ? 200 : 40
  return names.reduce((sum, name) => sum + 2 * name.length + perName, 300 * regions.length)
}

/** Runs of blocks under way for each thread: at work, waiting, or waiting to be judged in order. Six are no faster and take 9 MB more. */
const runsPerThread = 3

type Thread = AwaitedThread<Order, Report>

/** No environment: a thread needs none of it, and it may hold passwords. */
const settings = {
  env: {},
  execArgv: [],
  resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 2 }
}

const startThread = () =>
  start<Order, Report>(() =>
    "text" in program
      ? new GatedWorker(program.text, { ...settings, eval: true })
      : new GatedWorker(program.url, settings)
  )

class Threads {
  readonly #start: typeof startThread
  readonly #threads: Array<Thread> = []
  #refused = false
  #nextJob = 0

  constructor(start: typeof startThread) {
    this.#start = start
  }

  /** The first `count` threads; those that are missing are started. After the first that the system refuses there are fewer. */
  some(count: number): ReadonlyArray<Thread> {
    while (this.#threads.length < count && !this.#refused) {
      const thread = this.#start()
      if (thread === null) this.#refused = true
      else this.#threads.push(thread)
    }
    return this.#threads.slice(0, count)
  }

  nextJob(): number {
    return this.#nextJob++
  }

  close(): Promise<unknown> {
    return Promise.all(this.#threads.map((thread) => thread.close()))
  }
}

const makeThreads = (start: typeof startThread) =>
  Effect.acquireRelease(
    Effect.sync(() => new Threads(start)),
    (all) => Effect.promise(() => all.close())
  )

const leastBusy = (some: ReadonlyArray<Thread>): Thread | undefined => some.toSorted((a, b) => a.load - b.load).at(0)

const stepOf = ({ made, output, buffers, result }: Extract<Report, { readonly _tag: "Step" }>): PieceStep => {
  const views = buffers.map((buffer) => new Uint8Array(buffer))
  const own = new Uint8Array(made)
  const pieces: Array<Uint8Array> = []
  for (let i = 0; i < output.length; i += 3) {
    pieces.push((views[output[i] ?? -1] ?? own).subarray(output[i + 1], output[i + 2]))
  }
  return { result, output: pieces, buffers: views, toFree: [own] }
}

/** A piece is made by the thread that has least to do when its first bytes are there. */
const pieceOf = (
  some: ReadonlyArray<Thread>,
  job: number,
  piece: number,
  stretches: ReadonlyArray<PieceStretch>
): PieceWork => {
  let own: Thread | undefined
  return {
    take: (ranges, isLast) =>
      Effect.callback<PieceStep, ThreadLost>((resume) => {
        const first = own === undefined
        own ??= leastBusy(some)
        const buffer = ranges[0]?.buffer.buffer
        const order = (id: number): Order => ({
          _tag: "Take",
          id,
          job,
          piece,
          stretches: first ? stretches : null,
          buffer: buffer instanceof ArrayBuffer ? buffer : null,
          ranges: ranges.map(({ at, length, offset, spare }: FetchedRange) => ({ at, length, offset, spare })),
          isLast
        })
        const answer = (report: Report | Error) => {
          if (report instanceof Error) resume(new ThreadLost({ reason: report.message }))
          else if (report._tag === "Step") resume(Effect.succeed(stepOf(report)))
        }
        own?.ask(order, answer, buffer instanceof ArrayBuffer ? [buffer] : [])
      })
  }
}

/** Long lists of intervals are there once for all threads. */
const shareRegions = (job: SliceJob): SliceJob => ({
  ...job,
  regions: job.regions.map(({ bounds, ref }) => {
    const numbers = new Float64Array(new SharedArrayBuffer(bounds.length * 8))
    numbers.set(bounds)
    return { ref, bounds: numbers }
  })
})

/**
 * Makes pieces on as many threads as the machine, or the container, has processors beyond the one that fetches and writes; of two
 * processors, on two for a large slice.
 *
 * @param processors - that this process may use
 * @param perThread - bytes of a slice that are worth a thread
 * @param start - starts a thread
 */
export const workersLayer = (
  processors: number = availableParallelism(),
  perThread: number = worthThread,
  start = startThread
): Layer.Layer<never> =>
  Layer.effect(
    PieceWorkers,
    Effect.map(makeThreads(start), (all): PieceWorkers => {
      let held = 0
      const threadsFor = (bytes: number) => {
        const worth = Math.floor(bytes / perThread)
        // A large slice leaves the main thread waiting for half of its time: of two processors, a second thread has what it leaves.
        const free = processors === 2 && worth >= worthFurther ? 2 : processors - 1
        return Math.min(free, mostThreads, worth, 2 + Math.floor(worth / worthFurther))
      }
      return {
        expect: (bytes) => Effect.sync(() => void all.some(threadsFor(bytes))),
        open: Effect.fnUntraced(function* (about, bytes) {
          const count = threadsFor(bytes)
          if (count < 1) return null
          const size = heldOf(about)
          if (held + size > mostHeld) return null
          const open = Effect.sync(() => {
            held += size
            const job = all.nextJob()
            const some = all.some(count)
            const order: Order = { _tag: "Open", job, about: shareRegions(about) }
            for (const thread of some) thread.tell(order)
            return { job, some }
          })
          const close = ({ job, some }: { readonly job: number; readonly some: ReadonlyArray<Thread> }) =>
            Effect.sync(() => {
              held -= size
              for (const thread of some) thread.tell({ _tag: "Close", job })
            })
          const { job, some } = yield* Effect.acquireRelease(open, close)
          let piece = 0
          const begin: SliceWorkers["begin"] = (stretches) => pieceOf(some, job, piece++, stretches)
          return some.length === 0 ? null : { width: some.length + 1, begin }
        })
      }
    })
  )

/**
 * Inflates on threads, and on this one where there are none.
 *
 * @param count - threads besides the one that reads and judges records
 */
export const poolLayer = (count: number, start = startThread): Layer.Layer<BlockPool, never, Codec> =>
  Layer.effect(
    BlockPool,
    Effect.gen(function* () {
      const codec = yield* Codec
      const all = yield* makeThreads(start)
      return blockPool(count * runsPerThread, (run, buffer) =>
        Effect.suspend(() => {
          const thread = leastBusy(all.some(count))
          if (thread === undefined) return Effect.sync(() => inflateRun(codec, run, buffer))
          return Effect.callback<InflatedRun>((resume) => {
            const order = (id: number): Order => ({ _tag: "Inflate", id, run, buffer })
            const answer = (report: Report | Error) => {
              // All threads run the same code, so when one dies the others cannot be trusted either.
              if (report instanceof Error) resume(Effect.die(new ThreadLost({ reason: report.message })))
              else if (report._tag === "Inflated") resume(Effect.succeed(report.run))
            }
            thread.ask(order, answer, [run.bytes.buffer, buffer.buffer])
          })
        })
      )
    })
  )
