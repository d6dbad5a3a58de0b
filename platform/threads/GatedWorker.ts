/** A thread that can be ended at any moment, although it deflates. The memory of its `DeflateGate` is its `workerData`. */
import { Worker, type WorkerOptions } from "node:worker_threads"
import { DeflateGate } from "./DeflateGate.ts"

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
