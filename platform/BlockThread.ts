/**
 * A thread that inflates blocks ahead of the slice that will need them. Both share memory: a block costs no message and leaves
 * nothing to the collector. It starts when a slice has had enough blocks to be worth it.
 */
import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import { Effect, Layer } from "effect"
import { partsOf } from "../core/src/genome/Bgzf.ts"
import { type BlockBoard, BlockThread, nobody } from "../core/src/genome/BlockBoard.ts"
import { Codec } from "../core/src/genome/Codec.ts"
import * as BlockInflater from "./BlockInflater.ts"

/** Blocks that fit on the board. */
const slots = 32
const { largest } = BlockInflater
/** So many blocks are inflated by the slice itself before the thread is started: twice the work that the start takes. */
const worthThread = 600
/** The thread may be kept from the processor: a block is not waited for any longer (ms). */
const patience = 20

/** Of a slot. Who takes it up inflates it, here or there. */
const State = { free: 0, offered: 1, taken: 2, sound: 3, unsound: 4 } as const

/** What the thread shares with this one. */
interface Shared {
  /** Changes with every offer. */
  readonly bell: Int32Array<SharedArrayBuffer>
  /** State of each slot. */
  readonly states: Int32Array<SharedArrayBuffer>
  /** Of each slot: length of its stream, size of its content, CRC-32 of that. */
  readonly claims: Int32Array<SharedArrayBuffer>
  /** Where the block of each slot lies in the file: the thread begins with the first. */
  readonly offsets: Float64Array<SharedArrayBuffer>
  /** Of each slot a stream and its content. */
  readonly bytes: Uint8Array<SharedArrayBuffer>
}

interface Start extends Shared {
  readonly module: object
  readonly largest: number
  readonly state: typeof State
}

/** The program of the thread, sent there as text, since one bundled file is all there is: so it uses nothing from outside its own braces. */
const thread = (): void => {
  const { workerData } = process.getBuiltinModule("node:worker_threads")
  const { crc32 } = process.getBuiltinModule("node:zlib")
  const { bell, bytes, claims, largest, module, offsets, state, states } = workerData as Start
  const slots = offsets.length
  const { Instance } = Reflect.get(globalThis, "WebAssembly")
  const { inflate, input, memory, output } = new Instance(module).exports
  // Their copies are those of the system; the ones of shared typed arrays go word by word.
  const shared = Buffer.from(bytes.buffer)
  const own = Buffer.from(memory.buffer)
  const from: number = input()
  const to: number = output()

  const firstOffered = (): number => {
    let first = -1
    for (let slot = 0; slot < slots; slot++) {
      const offered = Atomics.load(states, slot) === state.offered
      if (offered && (first === -1 || (offsets[slot] ?? 0) < (offsets[first] ?? 0))) first = slot
    }
    return first
  }

  const isSound = (slot: number): boolean => {
    const length = claims[slot * 3] ?? 0
    const size = claims[slot * 3 + 1] ?? 0
    const at = slot * 2 * largest
    shared.copy(own, from, at, at + length)
    if (inflate(length, size) !== size) return false
    own.copy(shared, at + largest, to, to + size)
    return (crc32(own.subarray(to, to + size)) | 0) === claims[slot * 3 + 2]
  }

  for (;;) {
    const rung = Atomics.load(bell, 0)
    const slot = firstOffered()
    if (slot === -1) Atomics.wait(bell, 0, rung)
    else if (Atomics.compareExchange(states, slot, state.offered, state.taken) === state.offered) {
      Atomics.store(states, slot, isSound(slot) ? state.sound : state.unsound)
      Atomics.notify(states, slot)
    }
  }
}

const share = (): Shared => ({
  bell: new Int32Array(new SharedArrayBuffer(4)),
  states: new Int32Array(new SharedArrayBuffer(slots * 4)),
  claims: new Int32Array(new SharedArrayBuffer(slots * 12)),
  offsets: new Float64Array(new SharedArrayBuffer(slots * 8)),
  bytes: new Uint8Array(new SharedArrayBuffer(slots * 2 * largest))
})

/** In place of an offset or of a slot. */
const none = -1

/** The board of the slice that has it; one at a time. */
class SharedBoard implements BlockBoard {
  readonly #codec: Codec["Service"]
  readonly #shared = share()
  readonly #buffer = Buffer.from(this.#shared.bytes.buffer)
  readonly #free = Array.from({ length: slots }, (_, slot) => slot)
  #worker: Worker | null = null
  /** The thread has ended: nobody takes anything up any more. */
  #lost = false
  /** Blocks that were offered before there was a thread. */
  #wished = 0
  inUse = false

  constructor(codec: Codec["Service"]) {
    this.#codec = codec
  }

  offer(offset: number, bytes: Uint8Array, at: number, size: number): boolean {
    if (this.#lost) return false
    if (this.#worker === null) {
      this.#wished++
      if (this.#wished < worthThread) return false
      this.#worker = this.#spawn()
    }
    const { bell, claims, offsets, states } = this.#shared
    const slot = this.#free.pop()
    if (slot === undefined) return false
    const parts = partsOf(bytes, at, size)
    BlockInflater.bufferOf(parts.deflated).copy(this.#buffer, slot * 2 * largest)
    claims[slot * 3] = parts.deflated.length
    // More than a block can hold does not inflate, however much it claims.
    claims[slot * 3 + 1] = Math.min(parts.size, largest + 1)
    claims[slot * 3 + 2] = parts.crc
    offsets[slot] = offset
    Atomics.store(states, slot, State.offered)
    Atomics.add(bell, 0, 1)
    Atomics.notify(bell, 0)
    return true
  }

  take(offset: number): Uint8Array | null {
    const slot = this.#passTo(offset)
    if (slot === none) return null
    const { claims, states } = this.#shared
    while (true) {
      const state = Atomics.load(states, slot)
      if (state === State.sound) {
        const at = (slot * 2 + 1) * largest
        return this.#shared.bytes.subarray(at, at + (claims[slot * 3 + 1] ?? 0))
      }
      if (state !== State.taken) return null
      // It is under way there: in the meantime the next one is done here.
      const other = this.#takeUp()
      if (other !== none) Atomics.store(states, other, this.#isSound(other) ? State.sound : State.unsound)
      else if (Atomics.wait(states, slot, State.taken, patience) === "timed-out") return null
    }
  }

  /** Takes everything off; what is under way is waited for by nobody. */
  clear(): void {
    this.#passTo(Number.POSITIVE_INFINITY)
    this.inUse = false
  }

  close(): Promise<unknown> {
    this.#lost = true
    return this.#worker?.terminate() ?? Promise.resolve()
  }

  /** Frees the slots of the blocks in front of `offset`, and gives the one of the block that lies there, if it was taken up. */
  #passTo(offset: number): number {
    const { offsets, states } = this.#shared
    let found = none
    for (let slot = 0; slot < slots; slot++) {
      const at = offsets[slot] ?? none
      if (at > offset || Atomics.load(states, slot) === State.free) continue
      const before = Atomics.compareExchange(states, slot, State.offered, State.free)
      if (at === offset && before !== State.offered) found = slot
      else if (before === State.taken) offsets[slot] = none
      else {
        Atomics.store(states, slot, State.free)
        this.#free.push(slot)
      }
    }
    return found
  }

  /** The first block that is offered and nobody has taken up. */
  #takeUp(): number {
    const { offsets, states } = this.#shared
    let first = none
    for (let slot = 0; slot < slots; slot++) {
      if (Atomics.load(states, slot) !== State.offered) continue
      if (first === none || (offsets[slot] ?? 0) < (offsets[first] ?? 0)) first = slot
    }
    if (first === none) return none
    return Atomics.compareExchange(states, first, State.offered, State.taken) === State.offered ? first : this.#takeUp()
  }

  #isSound(slot: number): boolean {
    const { bytes, claims } = this.#shared
    const length = claims[slot * 3] ?? 0
    const size = claims[slot * 3 + 1] ?? 0
    const at = slot * 2 * largest
    const room = bytes.subarray(at + largest, at + 2 * largest)
    const content = this.#codec.inflateRaw(bytes.subarray(at, at + length), size, room)
    return content !== null && content.length === size && (this.#codec.crc32(content) | 0) === claims[slot * 3 + 2]
  }

  #spawn(): Worker {
    // No environment: the thread needs none of it, and it may hold passwords.
    const worker = new Worker(`(${thread.toString()})()`, {
      eval: true,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
      workerData: { ...this.#shared, module: BlockInflater.compiled(), largest, state: State } satisfies Start
    })
    // What it leaves undone is done here.
    worker.on("error", () => {})
    worker.on("exit", () => {
      this.#lost = true
    })
    worker.unref()
    return worker
  }
}

/**
 * One thread for all slices of a process, which have it in turn; none where it would only share a processor with them.
 *
 * @param processors - how many the machine has for this process
 */
export const layer = (processors: number = availableParallelism()): Layer.Layer<never, never, Codec> =>
  Layer.effect(
    BlockThread,
    Effect.gen(function* () {
      const shared = new SharedBoard(yield* Codec)
      yield* Effect.addFinalizer(() => Effect.promise(() => shared.close()))
      const board = Effect.acquireRelease(
        Effect.sync((): BlockBoard => {
          if (shared.inUse || processors === 1) return nobody
          shared.inUse = true
          return shared
        }),
        (board) => Effect.sync(() => board === shared && shared.clear())
      )
      return { board }
    })
  )
