import { Worker, type WorkerOptions } from "node:worker_threads"

/**
 * A gate between a thread that deflates blocks and those who end the thread, in memory that they share. Node aborts the whole process
 * ("close before init", exit code 134) when a thread is ended while it makes a deflater: one run of all tests in some twenty ended so.
 */
const inUse = 1
const closed = 2

/** A thread that takes longer (ms) for one block has died in the gate. */
const longestBlock = 1000

export class DeflateGate {
  readonly memory: SharedArrayBuffer
  /** `inUse` and `closed` as bits. */
  readonly #state: Int32Array
  readonly #patience: number

  /** @param patience - how long (ms) a thread may take for one block */
  constructor(memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT), patience = longestBlock) {
    this.memory = memory
    this.#patience = patience
    this.#state = new Int32Array(memory)
  }

  /** Called by the thread. It does not return when the gate is closed: the thread waits for its end. */
  pass<A>(deflate: () => A): A {
    if ((Atomics.or(this.#state, 0, inUse) & closed) !== 0) {
      this.#leave()
      for (;;) Atomics.wait(this.#state, 0, closed)
    }
    try {
      return deflate()
    } finally {
      this.#leave()
    }
  }

  /** Lets the thread begin no other block, and waits until it has deflated this one. */
  close(): void {
    if ((Atomics.or(this.#state, 0, closed) & inUse) !== 0) Atomics.wait(this.#state, 0, inUse | closed, this.#patience)
  }

  #leave(): void {
    Atomics.and(this.#state, 0, ~inUse)
    Atomics.notify(this.#state, 0)
  }
}

/** Gates of the threads that run. A process that exits ends its threads. */
const gates = new Set<DeflateGate>()

const closeAll = () => {
  for (const gate of gates) gate.close()
}

export class GatedWorker extends Worker {
  readonly #gate: DeflateGate

  constructor(program: string | URL, options: Omit<WorkerOptions, "workerData">) {
    const gate = new DeflateGate()
    super(program, { ...options, workerData: gate.memory })
    this.#gate = gate
    if (gates.size === 0) process.on("exit", closeAll)
    gates.add(gate)
    this.once("exit", () => {
      gates.delete(gate)
      if (gates.size === 0) process.off("exit", closeAll)
    })
  }

  override terminate(): Promise<number> {
    this.#gate.close()
    return super.terminate()
  }
}
