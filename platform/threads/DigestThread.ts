/**
 * Digests of files while they are written, on a second thread: it reads what the writers have just written, out of the page cache, so
 * that the bytes never wait for the hash. One thread serves all files and starts with the first that is large.
 */
import { Worker } from "node:worker_threads"
import type { Algorithm } from "../../core/src/transfer/Digests.ts"

/**
 * Its buffer is small enough to stay in the processor's cache between the read and the hash (measured: 1 MiB costs a
 * third of the download speed from this machine). Plain JavaScript, so that one bundled file is enough: a worker
 * cannot load modules that are not beside it.
 */
const source = `
const { parentPort } = require("node:worker_threads")
const { createHash } = require("node:crypto")
const { readSync } = require("node:fs")
const buffer = Buffer.allocUnsafeSlow(256 * 1024)
const jobs = new Map()
// CRC-32C (RFC 3720, appendix B.4), four bytes at a time; Node has only the CRC-32 of gzip.
let tables = null
const makeTables = () => {
  tables = [0, 1, 2, 3].map(() => new Int32Array(256))
  for (let i = 0; i < 256; i++) {
    let c = i
    for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0x82f63b78 : c >>> 1
    tables[0][i] = c
  }
  for (let i = 0; i < 256; i++) {
    for (let k = 1; k < 4; k++) tables[k][i] = (tables[k - 1][i] >>> 8) ^ tables[0][tables[k - 1][i] & 255]
  }
}
const crc32c = () => {
  if (tables === null) makeTables()
  const [t0, t1, t2, t3] = tables
  let c = -1
  return {
    update: (bytes) => {
      const { length } = bytes
      let i = 0
      for (; i + 4 <= length; i += 4) {
        c ^= bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24)
        c = t3[c & 255] ^ t2[(c >>> 8) & 255] ^ t1[(c >>> 16) & 255] ^ t0[c >>> 24]
      }
      for (; i < length; i++) c = (c >>> 8) ^ t0[(c ^ bytes[i]) & 255]
    },
    digest: () => ((c ^ -1) >>> 0).toString(16).padStart(8, "0")
  }
}
const hashOf = (algorithm) => (algorithm === "crc32c" ? crc32c() : createHash(algorithm))
let working = false
const step = (id, job) => {
  const end = Math.min(job.frontier, job.at + buffer.length)
  try {
    while (job.at < end) {
      const length = readSync(job.fd, buffer, 0, end - job.at, job.at)
      if (length === 0) throw Object.assign(new Error(), { code: "EIO" })
      const bytes = buffer.subarray(0, length)
      for (const hash of job.hashes.values()) hash.update(bytes)
      job.at += length
    }
  } catch (error) {
    jobs.delete(id)
    parentPort.postMessage({ id, errno: error.code })
    return
  }
  if (job.size === job.at) {
    jobs.delete(id)
    parentPort.postMessage({ id, digests: new Map([...job.hashes].map(([name, hash]) => [name, hash.digest("hex")])) })
  }
}
const work = () => {
  working = false
  for (const [id, job] of jobs) if (job.at < job.frontier || job.size === job.at) step(id, job)
  for (const job of jobs.values()) if (job.at < job.frontier) return later()
}
const later = () => {
  if (!working) setImmediate(work)
  working = true
}
parentPort.on("message", ({ id, fd, frontier, size, drop, algorithms }) => {
  if (drop) {
    jobs.delete(id)
    parentPort.postMessage({ id, dropped: true })
    return
  }
  const job = jobs.get(id) ?? {
    fd,
    at: 0,
    frontier: 0,
    size: null,
    hashes: new Map(algorithms.map((name) => [name, hashOf(name)]))
  }
  jobs.set(id, job)
  job.frontier = Math.max(job.frontier, frontier)
  job.size = size ?? job.size
  later()
})
`

/** The digests in hex, or the system's name of an error. */
export type DigestResult = { readonly digests: ReadonlyMap<Algorithm, string> } | { readonly errno: string }

interface Order {
  readonly id: number
  readonly fd: number
  readonly frontier: number
  readonly size: number | null
  readonly drop: boolean
  /** Of the first order of a file. */
  readonly algorithms?: ReadonlyArray<Algorithm>
}

type Message = { readonly id: number } & (DigestResult | { readonly dropped: true })

const startWorker = () =>
  // No environment: the thread needs none of it, and it may hold passwords.
  new Worker(source, { eval: true, env: {}, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 16 } })

/** The result where the system allows no further thread (`ulimit -u`, the limit of a container). */
export const refused = "EAGAIN"

export class DigestThread {
  readonly #make: typeof startWorker
  #worker: Worker | null = null
  #closing = false
  #nextId = 0
  readonly #waiting = new Map<number, (message: Message) => void>()
  readonly #finished = new Map<number, Message>()

  /** @param make - throws where no thread can be started */
  constructor(make = startWorker) {
    this.#make = make
  }

  /** A number for one file. */
  start(): number {
    return this.#nextId++
  }

  /** The bytes before `frontier` are final. The first call for a file, this or `finish`, says which digests it gets. */
  follow(id: number, fd: number, frontier: number, algorithms: ReadonlyArray<Algorithm>): void {
    this.#running()?.postMessage({ id, fd, frontier, size: null, drop: false, algorithms } satisfies Order)
  }

  /** Calls back with the digests of the first `size` bytes, which are final. */
  finish(
    id: number,
    fd: number,
    size: number,
    algorithms: ReadonlyArray<Algorithm>,
    done: (result: DigestResult) => void
  ): void {
    const failed = this.#finished.get(id)
    const take = (message: Message) => {
      this.#finished.delete(id)
      if (!("dropped" in message)) done(message)
    }
    if (failed !== undefined) take(failed)
    else this.#ask({ id, fd, frontier: size, size, drop: false, algorithms }, take)
  }

  /** Calls back when the file is not read any more and may be closed. */
  drop(id: number, done: () => void): void {
    this.#finished.delete(id)
    if (this.#worker === null) {
      done()
      return
    }
    this.#ask({ id, fd: 0, frontier: 0, size: null, drop: true }, done)
  }

  close(): Promise<unknown> {
    this.#closing = true
    return this.#worker?.terminate() ?? Promise.resolve()
  }

  #ask(order: Order, answer: (message: Message) => void): void {
    const worker = this.#running()
    if (worker === null) answer({ id: order.id, errno: refused })
    else {
      this.#waiting.set(order.id, answer)
      worker.ref()
      worker.postMessage(order)
    }
  }

  /** Null where no thread can be started. */
  #running(): Worker | null {
    try {
      this.#worker ??= this.#spawn()
    } catch {
      return null
    }
    return this.#worker
  }

  #spawn(): Worker {
    const worker = this.#make()
    worker.on("message", (message: Message) => {
      const waiter = this.#waiting.get(message.id)
      this.#waiting.delete(message.id)
      // As a thread of `GenomeThreads`: it keeps the process alive while somebody waits for it.
      if (this.#waiting.size === 0 && !this.#closing) worker.unref()
      if (waiter !== undefined) waiter(message)
      else if (!("dropped" in message)) this.#finished.set(message.id, message)
    })
    worker.on("error", () => {})
    // Callers that wait for a thread which has ended get an error.
    worker.on("exit", () => {
      this.#worker = null
      for (const [id, waiter] of this.#waiting) waiter({ id, errno: "EIO" })
      this.#waiting.clear()
    })
    worker.unref()
    return worker
  }
}
