/** Digests of an open file: a thread reads a large one behind its writers, and a small one is read here when it is complete. */
import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import type { LocalIo } from "../../core/src/Errors.ts"
import { errnoNamed } from "../../core/src/Errors.ts"
import type { Algorithm, Digests } from "../../core/src/transfer/Digests.ts"
import { Errno } from "../Errno.ts"
import { type DigestThread, refused } from "../threads/DigestThread.ts"
import { named, readExactly } from "./FileCalls.ts"

/** From so many bytes on the thread follows a file, stride by stride. For a smaller one it would take longer to start, and 18 MB. */
const followedSize = 32 * 1024 * 1024
const stride = 4 * 1024 * 1024

export interface FileHashing {
  /** Says that the bytes before `frontier` are final. The first call that begins the work says which digests the thread computes. */
  readonly follow: (frontier: number, algorithms: ReadonlyArray<Algorithm>) => Effect.Effect<void>
  /** Digests of the first `size` bytes, which are final. */
  readonly digests: (size: number, algorithms: ReadonlyArray<Algorithm>) => Effect.Effect<Digests, LocalIo>
  /** Returns when the file is not read any more and may be closed. */
  readonly drop: Effect.Effect<void>
}

/** Whether `node:crypto` has all of these; CRC-32 and CRC-32C are computed by the thread alone. */
const isKnownHere = (algorithms: ReadonlyArray<Algorithm>) =>
  !algorithms.some((algorithm) => algorithm === "crc32" || algorithm === "crc32c")

/** Hashes the file behind `fd`. Nothing of it is read before it is large enough to be followed, or complete. */
export const hashingOf = (fd: number, path: string, thread: DigestThread): FileHashing => {
  const jobs: Array<number> = []
  let followed = 0
  let onTheWay: ReadonlyArray<Algorithm> = []

  const here = Effect.fnUntraced(function* (size: number, algorithms: ReadonlyArray<Algorithm>) {
    const hashes = algorithms.map((algorithm) => [algorithm, createHash(algorithm)] as const)
    // No larger than the file: ten thousand buffers of 256 KiB for small files kept the garbage collector busy.
    const buffer = Buffer.allocUnsafe(Math.min(size, 256 * 1024))
    for (let at = 0; at < size; at += buffer.length) {
      const bytes = yield* readExactly(fd, at, Math.min(buffer.length, size - at), buffer)
      for (const [, hash] of hashes) hash.update(bytes)
    }
    return new Map(hashes.map(([algorithm, hash]) => [algorithm, hash.digest("hex")]))
  })
  const there = (job: number, size: number, algorithms: ReadonlyArray<Algorithm>) =>
    Effect.callback<Digests, Errno>((resume) =>
      thread.finish(job, fd, size, algorithms, (result) =>
        resume(
          "digests" in result
            ? Effect.succeed(result.digests)
            : Effect.fail(new Errno({ code: errnoNamed(result.errno) }))
        )
      )
    ).pipe(
      Effect.catchIf(
        ({ code }) => code === refused && isKnownHere(algorithms),
        () => here(size, algorithms)
      )
    )
  const begin = () => {
    const job = thread.start()
    jobs.push(job)
    return job
  }

  return {
    follow: (frontier, algorithms) =>
      Effect.sync(() => {
        if (frontier < followedSize || frontier - followed < stride) return
        if (followed === 0) onTheWay = algorithms
        followed = frontier
        thread.follow(jobs[0] ?? begin(), fd, frontier, onTheWay)
      }),
    digests: (size, algorithms) =>
      Effect.gen(function* () {
        const [job] = jobs
        if (job === undefined && isKnownHere(algorithms)) return yield* here(size, algorithms)
        const first = job === undefined ? new Map<Algorithm, string>() : yield* there(job, size, onTheWay)
        // What became known only late costs a second reading.
        const late = algorithms.filter((algorithm) => !first.has(algorithm))
        return late.length === 0 ? first : new Map([...first, ...(yield* there(begin(), size, late))])
      }).pipe(named(path, "read")),
    drop: Effect.suspend(() =>
      Effect.forEach(
        jobs.splice(0),
        (job) => Effect.callback<void>((resume) => thread.drop(job, () => resume(Effect.void))),
        { discard: true }
      )
    )
  }
}
