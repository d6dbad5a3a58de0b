import { createHash } from "node:crypto"
import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { temporaryFolder } from "../../test/TemporaryFolder.ts"
import { hashingOf } from "./FileDigests.ts"

/** Two strides and a bit, of which most is a hole. */
const size = 9 * 1024 * 1024
const beginning = ["large", "LARGE"] as const
const bytesOf = (text: string) => new TextEncoder().encode(text)
const content = Buffer.concat([bytesOf(beginning[0]), Buffer.alloc(size - 5)])
const hexOf = (algorithm: "md5" | "sha256", bytes: Uint8Array = content) =>
  createHash(algorithm).update(bytes).digest("hex")

const ground = Effect.gen(function* () {
  const path = join(yield* temporaryFolder("svc-digests-"), "large")
  const fd = yield* Effect.acquireRelease(
    Effect.sync(() => openSync(path, "w+")),
    (fd) => Effect.sync(() => closeSync(fd))
  )
  writeSync(fd, beginning[0])
  ftruncateSync(fd, size)
  return { fd, path, hashing: hashingOf(fd, path) }
})

describe("FileDigests", () => {
  it.effect("the digests of a file that was followed, and one that became known only at its end", () =>
    Effect.gen(function* () {
      const { fd, hashing } = yield* ground
      // Several writers tell at once, and not in their order.
      yield* Effect.all(
        [5, 8, 3].map((mib) => hashing.follow(mib * 1024 * 1024, ["md5"])),
        { concurrency: "unbounded" }
      )
      // What was read on the way is not read again.
      writeSync(fd, beginning[1], 0)
      const changed = Buffer.concat([bytesOf(beginning[1]), content.subarray(5)])
      const digests = yield* hashing.digests(size, ["md5", "sha256"])
      assert.deepStrictEqual(Object.fromEntries(digests), { md5: hexOf("md5"), sha256: hexOf("sha256", changed) })
      assert.deepStrictEqual([...(yield* hashing.digests(5, ["md5"]))], [["md5", hexOf("md5", bytesOf(beginning[1]))]])
    })
  )

  it.effect("a read that fails while the file is followed is the failure when the digests are asked for", () =>
    Effect.gen(function* () {
      const { path } = yield* ground
      const fd = openSync(path, "r")
      closeSync(fd)
      const hashing = hashingOf(fd, path)
      yield* hashing.follow(size, ["md5"])
      assert.deepInclude(yield* Effect.flip(hashing.digests(size, ["md5"])), { path, errno: "EBADF" })
    })
  )
})
