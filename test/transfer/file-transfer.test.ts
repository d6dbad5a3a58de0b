/** A file that comes whole, in one request or in segments, on the virtual clock. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { TlsRefused } from "../../core/src/Errors.ts"
import { FileTransfer } from "../../core/src/transfer/FileTransfer.ts"
import { defaultSettings, LinkPool } from "../../core/src/transfer/LinkPool.ts"
import { host, patterned } from "./ScriptedHost.ts"
import { always, codec, ground, kib, mib, succeeds } from "./TransferGround.ts"

describe("FileTransfer", () => {
  it.effect("brings a file to its final name, with its digest", () =>
    Effect.gen(function* () {
      const g = ground()
      const outcome = yield* succeeds(g)
      assert.deepInclude(outcome, { action: "downloaded", bytes: 200 * kib, resumedFrom: 0, attempts: 1, renewals: 0 })
      assert.match(outcome.sha256 ?? "", /^[0-9a-f]{64}$/)
      assert.deepStrictEqual(g.links.seen[0], { link: `https://${host}/s.bam?renewal=0`, range: null })
      assert.deepStrictEqual(g.disk.claimed.size, 0)
    })
  )

  it.effect(
    "Z9 an existing file stays, and nothing is asked; it is one to keep if it has the listed size, or none is listed",
    () =>
      Effect.gen(function* () {
        for (const size of [7, null]) {
          const g = ground({ request: { size } })
          g.disk.files.set("s.bam", patterned(7))
          const outcome = yield* yield* g.run
          assert.deepInclude(outcome, { action: "exists", bytes: 7, sha256: null, attempts: 0 })
          assert.strictEqual(g.links.seen.length, 0)
        }
        const g = ground({ request: { size: 8, checksums: "md5" } })
        g.disk.files.set("s.bam", patterned(7))
        assert.deepInclude(yield* Effect.flip(yield* g.run), { _tag: "SvcFileDiffers", bytes: 7, listed: 8 })
        assert.deepStrictEqual([g.disk.names, g.links.seen.length], [["s.bam"], 0])
      })
  )

  it.effect("with overwrite the old file stays until the new one is complete", () =>
    Effect.gen(function* () {
      const g = ground({
        request: { overwrite: true },
        script: always(() => new TlsRefused({ host, reason: "expired" }))
      })
      g.disk.files.set("s.bam", patterned(7))
      assert.strictEqual((yield* Effect.flip(yield* g.run))._tag, "SvcTlsRefused")
      assert.deepStrictEqual(g.disk.files.get("s.bam"), patterned(7))
      const again = ground({ request: { overwrite: true } })
      again.disk.files.set("s.bam", patterned(7))
      yield* succeeds(again)
    })
  )

  it.effect("a large file comes in segments, smaller ones at its end, over all connections and no more", () =>
    Effect.gen(function* () {
      const g = ground({ size: 130 * mib, connections: 3, script: always((good) => ({ ...good, delay: 100 })) })
      const outcome = yield* succeeds(g)
      assert.strictEqual(outcome.attempts, 11)
      assert.strictEqual(g.links.mostOpen, 3)
      // After each 64 MiB: a kill costs no more of a fast file.
      assert.strictEqual(g.disk.log.filter((operation) => operation === "sync").length, 2)
      const borders = [0, 32, 64, 72, 80, 88, 96, 104, 112, 120, 128, 130]
      assert.deepStrictEqual(
        g.links.seen.map(({ range }) => range).sort(),
        borders
          .slice(1)
          .map((end, i) => `bytes=${(borders[i] ?? 0) * mib}-${end * mib - 1}`)
          .sort()
      )
    })
  )

  it.effect("by default a large file comes over eight connections, a small one over one", () =>
    Effect.gen(function* () {
      const { connections } = defaultSettings
      const script = always((good) => ({ ...good, delay: 100 }))
      const large = ground({ size: 96 * mib, connections, script })
      yield* succeeds(large)
      assert.strictEqual(large.links.mostOpen, 8)
      const small = ground({ size: 64 * mib, connections, script })
      yield* succeeds(small)
      assert.strictEqual(small.links.mostOpen, 1)
    })
  )

  it.effect("connections are shared by all files", () =>
    Effect.gen(function* () {
      const g = ground({ connections: 2, script: always((good) => ({ ...good, delay: 100 })) })
      const layer = FileTransfer.layer.pipe(
        Layer.provide(LinkPool.layer({ ...defaultSettings, connections: 2 })),
        Layer.provide(Layer.mergeAll(g.links.layer, g.disk.layer, codec))
      )
      const six = Effect.gen(function* () {
        const transfer = yield* FileTransfer
        const names = ["1.bam", "2.bam", "3.bam", "4.bam", "5.bam", "6.bam"]
        yield* Effect.forEach(names, (name) => transfer.download({ ...g.asked, fileName: name, name }), {
          concurrency: "unbounded"
        })
      }).pipe(Effect.provide(layer))
      const fiber = yield* Effect.forkChild(six)
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(fiber)
      assert.strictEqual(g.links.mostOpen, 2)
      assert.strictEqual(g.disk.names.length, 6)
    })
  )
})
