/** A worker thread that takes orders and reports. It keeps the process alive while somebody waits for a report, and no longer. */
import type { Transferable, Worker } from "node:worker_threads"

/** @typeParam Report - its `id` is the id of the order */
export class AwaitedThread<Order, Report extends { readonly id: number }> {
  readonly #worker: Worker
  readonly #waiting = new Map<number, (report: Report | Error) => void>()
  #nextId = 0
  #end: Error | null = null
  #closing = false

  constructor(worker: Worker) {
    this.#worker = worker
    worker.on("message", (report: Report) => {
      const answer = this.#waiting.get(report.id)
      this.#waiting.delete(report.id)
      // A process that awaits the end of the thread must still be there when it comes.
      if (this.#waiting.size === 0 && !this.#closing) worker.unref()
      answer?.(report)
    })
    worker.on("error", (error) => this.#ended(error))
    worker.on("exit", () => this.#ended(new Error("it ended")))
    worker.unref()
  }

  /** How many reports are awaited. */
  get load(): number {
    return this.#waiting.size
  }

  get hasEnded(): boolean {
    return this.#end !== null
  }

  /** Sends an order that has no report. */
  tell(order: Order): void {
    this.#worker.postMessage(order)
  }

  /** Calls back with the report, or with the reason why the thread has ended. */
  ask(
    order: (id: number) => Order,
    answer: (report: Report | Error) => void,
    transfer: ReadonlyArray<Transferable> = []
  ): void {
    if (this.#end !== null) {
      answer(this.#end)
      return
    }
    const id = this.#nextId++
    this.#waiting.set(id, answer)
    this.#worker.ref()
    this.#worker.postMessage(order(id), transfer)
  }

  close(): Promise<unknown> {
    this.#closing = true
    return this.#worker.terminate()
  }

  #ended(reason: Error): void {
    this.#end ??= reason
    for (const answer of this.#waiting.values()) answer(this.#end)
    this.#waiting.clear()
  }
}

/** A new thread; null where the system allows no further one (`ulimit -u`, the limit of a container). */
export const start = <Order, Report extends { readonly id: number }>(
  make: () => Worker
): AwaitedThread<Order, Report> | null => {
  try {
    return new AwaitedThread(make())
  } catch {
    return null
  }
}
