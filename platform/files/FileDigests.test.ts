import { createHash } from "node:crypto"
import { closeSync, openSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { DigestThread } from "../threads/DigestThread.ts"
import { hashingOf } from "./FileDigests.ts"

const path = fileURLToPath(import.meta.url)
const content = readFileSync(path)

const noThread = () => {
  throw new Error("the system allows no further thread")
}

describe("FileDigests", () => {
  it.effect("where no thread can be started a large file is hashed here, and its CRC-32C is an error of its own", () =>
    Effect.gen(function* () {
      const fd = yield* Effect.acquireRelease(
        Effect.sync(() => openSync(path, "r")),
        (fd) => Effect.sync(() => closeSync(fd))
      )
      const hashing = hashingOf(fd, path, new DigestThread(noThread))
      // As if it had so many bytes: the thread would follow it.
      yield* hashing.follow(64 * 1024 * 1024, ["md5"])
      const digests = yield* hashing.digests(content.length, ["md5", "sha256"])
      assert.deepStrictEqual(
        digests,
        new Map([
          ["md5", createHash("md5").update(content).digest("hex")],
          ["sha256", createHash("sha256").update(content).digest("hex")]
        ])
      )
      assert.strictEqual((yield* Effect.flip(hashing.digests(content.length, ["crc32c"]))).errno, "EAGAIN")
      yield* hashing.drop
    })
  )
})
