import { createHash } from "node:crypto"
import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs"
import { join } from "node:path"
import type { Worker } from "node:worker_threads"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { temporaryFolder } from "../../test/TemporaryFolder.ts"
import { type DigestResult, DigestThread } from "./DigestThread.ts"

/** Takes some hundred milliseconds to hash; most of it is a hole. */
const largeSize = 256 * 1024 * 1024
const digests = new Map([["md5" as const, createHash("md5").update("large").digest("hex")]])

/** A file that begins with `large`, and a thread. */
const ground = Effect.gen(function* () {
  const folder = yield* temporaryFolder("svc-digests-")
  const fd = yield* Effect.acquireRelease(
    Effect.sync(() => openSync(join(folder, "large"), "w+")),
    (fd) => Effect.sync(() => closeSync(fd))
  )
  writeSync(fd, "large")
  ftruncateSync(fd, largeSize)
  const thread = yield* Effect.acquireRelease(
    Effect.sync(() => new DigestThread()),
    (thread) => Effect.promise(() => thread.close())
  )
  const finish = (file: number, size: number) =>
    Effect.callback<DigestResult>((resume) =>
      thread.finish(file, fd, size, ["md5"], (result) => resume(Effect.succeed(result)))
    )
  const drop = (file: number) => Effect.callback<void>((resume) => thread.drop(file, () => resume(Effect.void)))
  return { drop, fd, finish, thread }
})

describe("DigestThread", () => {
  it.effect("a read that failed while the file was followed is the result when the digests are asked for", () =>
    Effect.gen(function* () {
      const { drop, fd, finish, thread } = yield* ground
      const [file, other] = [thread.start(), thread.start()]
      thread.follow(file, 1_000_000, 5, ["md5"])
      // Orders are carried out one after the other, so that the failure is past.
      yield* drop(other)
      assert.deepInclude(yield* finish(file, 5), { errno: "EBADF" })
      thread.follow(other, fd, 3, ["md5"])
      assert.deepInclude(yield* finish(other, 5), { digests })
    })
  )

  it.effect("who drops a file is not kept waiting by its digests, and nobody waits for those any more", () =>
    Effect.gen(function* () {
      const { drop, finish, thread } = yield* ground
      const file = thread.start()
      const [digested] = yield* Effect.all([finish(file, largeSize), drop(file)], { concurrency: 2 })
      assert.deepInclude(digested, { errno: "ECANCELED" })
    })
  )

  it.effect("when its thread has died a file ends with EIO, and the next one gets a new thread", () =>
    Effect.gen(function* () {
      const { finish, thread } = yield* ground
      process.once("worker", (worker: Worker) => worker.terminate())
      assert.deepInclude(yield* finish(thread.start(), largeSize), { errno: "EIO" })
      assert.deepInclude(yield* finish(thread.start(), 5), { digests })
    })
  )
})
