/**
 * SHA-256 of files while they are written, on a second thread: it reads behind the writers, out of the page cache, so
 * that the bytes never wait for the hash. One thread serves all files and starts with the first that is large.
 */
import { Worker } from "node:worker_threads"

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
let working = false
const step = (id, job) => {
  const end = Math.min(job.frontier, job.at + buffer.length)
  try {
    while (job.at < end) {
      const length = readSync(job.fd, buffer, 0, end - job.at, job.at)
      if (length === 0) throw Object.assign(new Error(), { code: "EIO" })
      job.hash.update(buffer.subarray(0, length))
      job.at += length
    }
  } catch (error) {
    jobs.delete(id)
    parentPort.postMessage({ id, errno: error.code })
    return
  }
  if (job.size === job.at) {
    jobs.delete(id)
    parentPort.postMessage({ id, hex: job.hash.digest("hex") })
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
parentPort.on("message", ({ id, fd, frontier, size, drop }) => {
  if (drop) {
    jobs.delete(id)
    parentPort.postMessage({ id, dropped: true })
    return
  }
  const job = jobs.get(id) ?? { fd, at: 0, frontier: 0, size: null, hash: createHash("sha256") }
  jobs.set(id, job)
  job.frontier = Math.max(job.frontier, frontier)
  job.size = size ?? job.size
  later()
})
`

/** The digest in hex, or the system's name of an error. */
export type DigestResult = { readonly hex: string } | { readonly errno: string }

type Message = { readonly id: number } & (DigestResult | { readonly dropped: true })

export class DigestThread {
  #worker: Worker | null = null
  #nextId = 0
  readonly #waiting = new Map<number, (message: Message) => void>()
  readonly #finished = new Map<number, Message>()

  /** A number for one file. */
  start(): number {
    return this.#nextId++
  }

  /** The bytes before `frontier` are final. */
  follow(id: number, fd: number, frontier: number): void {
    this.#post({ id, fd, frontier, size: null, drop: false })
  }

  /** Calls back with the digest of the first `size` bytes, which are final. */
  finish(id: number, fd: number, size: number, done: (result: DigestResult) => void): void {
    const failed = this.#finished.get(id)
    const take = (message: Message) => {
      this.#finished.delete(id)
      if (!("dropped" in message)) done(message)
    }
    if (failed !== undefined) take(failed)
    else {
      this.#waiting.set(id, take)
      this.#post({ id, fd, frontier: size, size, drop: false })
    }
  }

  /** Calls back when the file is not read any more and may be closed. */
  drop(id: number, done: () => void): void {
    this.#finished.delete(id)
    if (this.#worker === null) {
      done()
      return
    }
    this.#waiting.set(id, done)
    this.#post({ id, fd: 0, frontier: 0, size: null, drop: true })
  }

  close(): Promise<unknown> {
    return this.#worker?.terminate() ?? Promise.resolve()
  }

  #post(message: object): void {
    this.#worker ??= this.#spawn()
    this.#worker.postMessage(message)
  }

  #spawn(): Worker {
    // No environment: the thread needs none of it, and it may hold passwords.
    const worker = new Worker(source, {
      eval: true,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 16 }
    })
    worker.on("message", (message: Message) => {
      const waiter = this.#waiting.get(message.id)
      this.#waiting.delete(message.id)
      if (waiter !== undefined) waiter(message)
      else if (!("dropped" in message)) this.#finished.set(message.id, message)
    })
    worker.on("error", () => {})
    // Whoever waits for a thread that has ended hears of it.
    worker.on("exit", () => {
      this.#worker = null
      for (const [id, waiter] of this.#waiting) waiter({ id, errno: "EIO" })
      this.#waiting.clear()
    })
    worker.unref()
    return worker
  }
}
