import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import * as ZlibCodec from "../../../platform/inflate/ZlibCodec.ts"
import { bamFile, read } from "../../../test/genome/Fixtures.ts"
import { type ByteReader, fromBytes } from "../genome/ByteReader.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import { BlockPool } from "./BlockPool.ts"
import { proveFile } from "./FileProof.ts"

const reads = Array.from({ length: 200 }, (_, i) => read(`r${i}`, i < 150 ? 0 : 1, i * 40))
const provided = <A, E>(effect: Effect.Effect<A, E, BlockPool | Codec>) =>
  Effect.provide(effect, BlockPool.layerHere.pipe(Layer.provideMerge(ZlibCodec.layer)))

describe("a file proven while it arrives", () => {
  it.effect("is whole when its last byte is there, and not before", () =>
    Effect.gen(function* () {
      const { bai, bam } = bamFile(yield* Codec, reads, { blockBytes: 2_000 })
      const arrived = yield* Deferred.make<void>()
      const whole = fromBytes(bam)
      const reader: ByteReader = {
        size: bam.length,
        read: (offset, length) =>
          Effect.andThen(
            offset + length < bam.length ? Effect.void : Deferred.await(arrived),
            whole.read(offset, length)
          )
      }
      const index = { name: "a.bam.bai", reader: fromBytes(bai) }
      const fiber = yield* Effect.forkChild(proveFile({ name: "a.bam", reader }, index))
      yield* Effect.yieldNow
      assert.isUndefined(fiber.pollUnsafe())
      yield* Deferred.succeed(arrived, undefined)
      assert.strictEqual((yield* Fiber.join(fiber))?.records, 200)
    }).pipe(provided)
  )

  it.effect("D2 D7 damage and an index of another file are named; other files are not looked at", () =>
    Effect.gen(function* () {
      const codec = yield* Codec
      const { bai, bam } = bamFile(codec, reads, { blockBytes: 2_000 })
      const other = bamFile(codec, reads.slice(0, 190), { blockBytes: 2_000 })
      const spoilt = bam.slice()
      const middle = spoilt.length >>> 1
      spoilt[middle] = (spoilt[middle] ?? 0) ^ 4
      const faultOf = (data: Uint8Array, index: Uint8Array) =>
        Effect.flip(
          proveFile({ name: "a.bam", reader: fromBytes(data) }, { name: "a.bam.bai", reader: fromBytes(index) })
        )
      assert.match((yield* faultOf(spoilt, bai)).message, /^a\.bam: .*block .*at byte \d+ /)
      assert.match((yield* faultOf(bam, other.bai)).message, /^a\.bam\.bai: it does not cover a\.bam: /)
      assert.isNull(yield* proveFile({ name: "a.txt", reader: fromBytes(bam) }, null))
    }).pipe(provided)
  )
})
