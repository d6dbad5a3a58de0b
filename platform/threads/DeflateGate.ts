/**
 * A gate between a thread that deflates blocks and those who end the thread, in memory that they share. Node aborts the whole process
 * ("close before init", exit code 134) when a thread is ended while it makes a deflater: some slices of damaged files ended so.
 */
const open = 0
const inUse = 1
const closed = 2

/** How long (ms) a thread may take for one block. One that takes longer has died in the gate. */
const longestBlock = 1000

export class DeflateGate {
  readonly memory: SharedArrayBuffer
  readonly #state: Int32Array

  constructor(memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory
    this.#state = new Int32Array(memory)
  }

  /** Called by the thread. It does not return when the gate is closed: the thread waits for its end. */
  pass<A>(deflate: () => A): A {
    while (Atomics.compareExchange(this.#state, 0, open, inUse) !== open) Atomics.wait(this.#state, 0, closed)
    try {
      return deflate()
    } finally {
      Atomics.store(this.#state, 0, open)
      Atomics.notify(this.#state, 0)
    }
  }

  /** Waits until the thread has deflated its block, and lets it begin no other. */
  close(): void {
    const before = Atomics.compareExchange(this.#state, 0, open, closed)
    if (before === inUse && Atomics.wait(this.#state, 0, inUse, longestBlock) !== "timed-out") this.close()
  }
}
