/**
 * Digests of files while they are written, on a second thread: it reads what the writers have just written, out of the page cache, so
 * that the bytes never wait for the hash. One thread serves all files and starts with the first that is large.
 */
import { Worker } from "node:worker_threads"
import type { Algorithm } from "../../core/src/transfer/Digests.ts"
import { type AwaitedThread, start } from "./AwaitedThread.ts"

/**
 * Its buffer is small enough to stay in the processor's cache between the read and the hash (measured: 1 MiB costs a
 * third of the download speed from this machine). Plain JavaScript, so that one bundled file is enough: a worker
 * cannot load modules that are not beside it.
 */
const source = `
const { parentPort } = require("node:worker_threads")
const { createHash } = require("node:crypto")
const { readSync } = require("node:fs")
const zlib = require("node:zlib")
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
const inHex = (sum) => (sum >>> 0).toString(16).padStart(8, "0")
const crc32 = () => {
  let sum = 0
  return {
    update: (bytes) => {
      sum = zlib.crc32(bytes, sum)
    },
    digest: () => inHex(sum)
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
    digest: () => inHex(c ^ -1)
  }
}
const own = { crc32, crc32c }
const hashOf = (algorithm) => own[algorithm]?.() ?? createHash(algorithm)
const isBehind = (job) => job.errno === null && job.at < job.frontier
const step = (job) => {
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
    job.errno = error.code
  }
}
const report = (id, { errno, hashes }) =>
  parentPort.postMessage(
    errno === null ? { id, digests: new Map([...hashes].map(([name, hash]) => [name, hash.digest("hex")])) } : { id, errno }
  )
let working = false
const work = () => {
  working = false
  for (const [file, job] of jobs) {
    if (isBehind(job)) step(job)
    if (job.id !== null && !isBehind(job)) {
      jobs.delete(file)
      report(job.id, job)
    }
  }
  if ([...jobs.values()].some(isBehind)) later()
}
const later = () => {
  if (!working) setImmediate(work)
  working = true
}
parentPort.on("message", ({ _tag, file, id, fd, frontier, algorithms }) => {
  if (_tag === "Drop") {
    const waiting = jobs.get(file)?.id ?? null
    jobs.delete(file)
    for (const each of [waiting, id]) if (each !== null) report(each, { errno: "ECANCELED" })
    return
  }
  const job = jobs.get(file) ?? {
    fd,
    at: 0,
    frontier: 0,
    id: null,
    errno: null,
    hashes: new Map(algorithms.map((name) => [name, hashOf(name)]))
  }
  jobs.set(file, job)
  job.frontier = frontier
  if (_tag === "Finish") job.id = id
  later()
})
`

/** The digests in hex, or the system's name of an error. */
export type DigestResult = { readonly digests: ReadonlyMap<Algorithm, string> } | { readonly errno: string }

interface FileOrder {
  readonly file: number
  readonly fd: number
  /** The bytes before it are final. */
  readonly frontier: number
  /** Only the first order for a file is asked for them. */
  readonly algorithms: ReadonlyArray<Algorithm>
}

type Order =
  | (FileOrder & { readonly _tag: "Follow" })
  | (FileOrder & { readonly _tag: "Finish"; readonly id: number })
  | { readonly _tag: "Drop"; readonly file: number; readonly id: number }

type Report = { readonly id: number } & DigestResult

const startWorker = () =>
  // No environment: the thread needs none of it, and it may hold passwords.
  new Worker(source, { eval: true, env: {}, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 16 } })

/** The result where the system allows no further thread (`ulimit -u`, the limit of a container). */
export const refused = "EAGAIN"

export class DigestThread {
  readonly #make: typeof startWorker
  #thread: AwaitedThread<Order, Report> | null = null
  #nextFile = 0

  /** @param make - throws where no thread can be started */
  constructor(make = startWorker) {
    this.#make = make
  }

  /** A number for one file. */
  start(): number {
    return this.#nextFile++
  }

  /** The bytes before `frontier` are final. The first call for a file, this or `finish`, says which digests it gets. */
  follow(file: number, fd: number, frontier: number, algorithms: ReadonlyArray<Algorithm>): void {
    this.#running()?.tell({ _tag: "Follow", file, fd, frontier, algorithms })
  }

  /** Calls back with the digests of the first `size` bytes, which are final. */
  finish(
    file: number,
    fd: number,
    size: number,
    algorithms: ReadonlyArray<Algorithm>,
    done: (result: DigestResult) => void
  ): void {
    const thread = this.#running()
    if (thread === null) done({ errno: refused })
    else {
      thread.ask(
        (id) => ({ _tag: "Finish", file, id, fd, frontier: size, algorithms }),
        (report) => done(report instanceof Error ? { errno: "EIO" } : report)
      )
    }
  }

  /** Calls back when the file is not read any more and may be closed. */
  drop(file: number, done: () => void): void {
    if (this.#thread === null) done()
    else this.#thread.ask((id) => ({ _tag: "Drop", file, id }), done)
  }

  close(): Promise<unknown> {
    return this.#thread?.close() ?? Promise.resolve()
  }

  /** Null where no thread can be started. */
  #running(): AwaitedThread<Order, Report> | null {
    if (this.#thread === null || this.#thread.hasEnded) this.#thread = start(this.#make)
    return this.#thread
  }
}
