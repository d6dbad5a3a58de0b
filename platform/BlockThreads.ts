/** `BlockPool` on several threads: worth its start (30 ms each) from some MiB of data on. */
import { Worker } from "node:worker_threads"
import { Effect, Layer } from "effect"
import { Codec } from "../core/src/genome/Codec.ts"
import { BlockPool, type BlockRun, type InflatedRun, inflateRun } from "../core/src/verify/BlockPool.ts"

interface Order {
  readonly id: number
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly starts: ReadonlyArray<number>
}

/** `bytes` comes back when a block is damaged, to find out how. */
interface Delivery {
  readonly id: number
  readonly content: Uint8Array<ArrayBuffer>
  readonly ends: ReadonlyArray<number>
  readonly bytes: Uint8Array<ArrayBuffer> | null
}

/**
 * The program of a thread, sent there as text, since one bundled file is all there is: so it uses nothing from outside its
 * own braces. It does what `inflateRun` does, fast; the words for a damage are left to `inflateRun`.
 */
const thread = (): void => {
  const { parentPort } = process.getBuiltinModule("node:worker_threads")
  const { crc32, inflateRawSync } = process.getBuiltinModule("node:zlib")
  const largest = 0x10000
  /** Room behind the content, so that zlib sees the end of the stream in one go. */
  const margin = 64

  const inflate = (bytes: Uint8Array, view: DataView, at: number, end: number): Uint8Array | null => {
    const claimed = view.getUint32(end - 4, true)
    if (claimed > largest) return null
    try {
      const deflated = bytes.subarray(at + 12 + view.getUint16(at + 10, true), end - 8)
      const content = inflateRawSync(deflated, { maxOutputLength: Math.max(1, claimed), chunkSize: claimed + margin })
      return content.length === claimed && crc32(content) === view.getUint32(end - 8, true) ? content : null
    } catch {
      return null
    }
  }

  parentPort?.on("message", ({ bytes, id, starts }: Order) => {
    const view = new DataView(bytes.buffer)
    const parts: Array<Uint8Array> = []
    const ends: Array<number> = []
    let length = 0
    for (let i = 0; i + 1 < starts.length; i++) {
      const content = inflate(bytes, view, starts[i] ?? 0, starts[i + 1] ?? 0)
      if (content === null) break
      parts.push(content)
      length += content.length
      ends.push(length)
    }
    const content = new Uint8Array(length)
    for (const [i, part] of parts.entries()) {
      content.set(part, (ends[i] ?? 0) - part.length)
      // Given back at once: the collector would let it pile up to a hundred MB. Small ones share a buffer with others.
      if (part.buffer instanceof ArrayBuffer && part.buffer.byteLength === part.length + margin) part.buffer.transfer(0)
    }
    const damaged = ends.length + 1 < starts.length
    parentPort.postMessage({ id, content, ends, bytes: damaged ? bytes : null } satisfies Delivery, [
      content.buffer,
      ...(damaged ? [bytes.buffer] : [])
    ])
    if (!damaged) bytes.buffer.transfer(0)
  })
}

class Crew {
  readonly #workers: ReadonlyArray<Worker>
  readonly #waiting = new Map<number, { readonly run: BlockRun; readonly done: (result: Delivery | Error) => void }>()
  #nextId = 0

  constructor(size: number) {
    this.#workers = Array.from({ length: size }, () => {
      // No environment: the thread needs none of it, and it may hold passwords.
      const worker = new Worker(`(${thread.toString()})()`, {
        eval: true,
        env: {},
        execArgv: [],
        resourceLimits: { maxOldGenerationSizeMb: 32 }
      })
      worker.on("message", (delivery: Delivery) => this.#take(delivery.id, delivery))
      // All threads do the same: one that dies tells that none can be trusted.
      worker.on("error", (error) => {
        for (const id of [...this.#waiting.keys()]) this.#take(id, error)
      })
      worker.unref()
      return worker
    })
  }

  inflate(run: BlockRun, done: (result: Delivery | Error) => void): void {
    const id = this.#nextId++
    this.#waiting.set(id, { run, done })
    const worker = this.#workers[id % this.#workers.length]
    worker?.postMessage({ id, ...run } satisfies Order, [run.bytes.buffer])
  }

  close(): Promise<unknown> {
    return Promise.all(this.#workers.map((worker) => worker.terminate()))
  }

  #take(id: number, result: Delivery | Error): void {
    const waiter = this.#waiting.get(id)
    this.#waiting.delete(id)
    waiter?.done(result)
  }
}

/** @param threads - besides the one that reads; each has one run at work and one waiting */
export const layer = (threads: number): Layer.Layer<BlockPool, never, Codec> =>
  Layer.effect(
    BlockPool,
    Effect.gen(function* () {
      const codec = yield* Codec
      const crew = yield* Effect.acquireRelease(
        Effect.sync(() => new Crew(threads)),
        (crew) => Effect.promise(() => crew.close())
      )
      return BlockPool.of({
        width: threads * 2,
        inflate: (run) =>
          Effect.callback<InflatedRun>((resume) => {
            crew.inflate(run, (result) => {
              if (result instanceof Error) return resume(Effect.die(result))
              const { bytes, content, ends } = result
              const wrong = bytes === null ? null : wrongOf(codec, bytes, run.starts, ends.length)
              resume(Effect.succeed({ content, ends, wrong }))
            })
          })
      })
    })
  )

/** What is wrong with block `i`, in the words that this thread has for it. */
const wrongOf = (codec: Codec["Service"], bytes: Uint8Array<ArrayBuffer>, starts: BlockRun["starts"], i: number) =>
  inflateRun(codec, { bytes, starts: starts.slice(i, i + 2) }).wrong ?? "cannot be read in the same way twice"
