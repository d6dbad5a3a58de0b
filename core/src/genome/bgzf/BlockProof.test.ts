import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema, Semaphore } from "effect"
import * as ZlibCodec from "../../../../platform/inflate/ZlibCodec.ts"
import { bgzf, concat, counting, text } from "../../../../test/genome/Fixtures.ts"
import { walk } from "../../../../test/genome/Walk.ts"
import { withCodec } from "../../../../test/genome/WithCodec.ts"
import { longForm } from "../../../../test/LongForm.ts"
import { fromBytes } from "../ByteReader.ts"
import * as Bgzf from "./Bgzf.ts"
import * as BlockProof from "./BlockProof.ts"
import { Codec } from "./Codec.ts"

/** Numbers below a bound, the same for the same seed. */
const dice = (seed: number) => {
  let state = seed
  return (bound: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

/** A file of blocks of all sizes, empty ones and such as hold what looks like blocks among them. */
const someFile = (codec: Codec["Service"], roll: (bound: number) => number): Uint8Array => {
  const noise = (size: number) => Uint8Array.from({ length: size }, () => roll(256))
  const blocks = Array.from({ length: 1 + roll(24) }, () => {
    const kind = roll(12)
    if (kind === 0) return Bgzf.eofBlock
    if (kind === 1) return Bgzf.deflateBlock(codec, bgzf(codec, noise(roll(300)), noise(roll(300))), 0)
    if (kind === 2) return Bgzf.deflateBlock(codec, noise(Bgzf.maxPayload), 1)
    return Bgzf.deflateBlock(codec, noise(1 + roll(kind * 300)), 1)
  })
  return concat(...blocks, Bgzf.eofBlock)
}

/** Nothing, one bit, a page in place of bytes, a gap, or a member of plain gzip more; anywhere, or where a block begins or the file ends. */
const spoil = (file: Uint8Array, roll: (bound: number) => number): Uint8Array => {
  const starts = [0]
  for (let at = 0; at < file.length; starts.push(at)) at += Bgzf.blockSize(file, at)
  const at = roll(2) === 0 ? roll(file.length) : (starts[roll(starts.length)] ?? 0)
  const [before, after] = [file.subarray(0, at), file.subarray(at)]
  switch (roll(5)) {
    case 1:
      return concat(
        before,
        after.subarray(0, 1).map((byte) => byte ^ (1 << roll(8))),
        after.subarray(1)
      )
    case 2:
      return concat(before, text("<html>503</html>").subarray(0, after.length), after.subarray(16))
    case 3:
      return concat(before, after.subarray(1 + roll(300)))
    case 4:
      return concat(before, gzipSync("more"), after)
    default:
      return file
  }
}

/** Hands a file over as several connections do: ranges in pieces of any size, in turns, some of them not at all. */
const arrive = Effect.fnUntraced(function* (
  proof: BlockProof.BlockProof,
  file: Uint8Array,
  roll: (bound: number) => number
) {
  const cuts = [0, ...Array.from({ length: roll(6) }, () => roll(file.length)), file.length].sort((a, b) => a - b)
  const ranges = cuts.slice(1).flatMap((end, i) => (roll(5) === 0 ? [] : [{ at: cuts[i] ?? 0, end }]))
  const most = [300, 3_000, 100_000, 1_000_000][roll(4)] ?? 1
  while (ranges.length > 0) {
    const i = roll(ranges.length)
    const range = ranges[i]
    if (range === undefined || range.at >= range.end) {
      ranges.splice(i, 1)
      continue
    }
    const end = Math.min(range.end, range.at + 1 + roll(most))
    const lent = file.slice(range.at, end)
    yield* proof.take(range.at, lent)
    // The buffer is used again.
    lent.fill(0)
    range.at = end
  }
})

const newProof = Effect.map(Codec, (codec) => BlockProof.make(codec, Semaphore.makeUnsafe(3)))

describe("blocks that are proven as they come", () => {
  it.effect.prop(
    "D2 whatever the order and the pieces, a file is judged as by a reader from its first to its last byte",
    [Schema.Int],
    ([seed]) =>
      Effect.gen(function* () {
        const roll = dice(seed)
        const file = spoil(someFile(yield* Codec, roll), roll)
        const proof = yield* newProof
        yield* arrive(proof, file, roll)
        const expected = yield* Effect.result(walk("s.bam", fromBytes(file)))
        // The end-of-file block is looked at by the structure.
        const missesEnd = Result.isFailure(expected) && expected.failure.reason.includes("end-of-file")
        const found = yield* Effect.result(proof.finish("s.bam", fromBytes(file)))
        if (!missesEnd) assert.strictEqual(Result.isFailure(found), Result.isFailure(expected), `seed ${seed}`)
      }).pipe(Effect.provide(ZlibCodec.layer)),
    { arbitrary: { runs: longForm ? 300 : 40 } }
  )

  withCodec("what came is not read a second time, but for the block across two connections", function* () {
    const codec = yield* Codec
    const roll = dice(1)
    const file = concat(...Array.from({ length: 24 }, () => someFile(codec, roll)))
    const proof = yield* newProof
    const middle = file.length >> 1
    for (const [from, to] of [
      [middle, file.length],
      [0, middle]
    ] as const) {
      for (let at = from; at < to; at += 50_000) {
        const lent = file.slice(at, Math.min(to, at + 50_000))
        yield* proof.take(at, lent)
        lent.fill(0)
      }
    }
    const reader = counting(fromBytes(file))
    yield* proof.finish("s.bam", reader)
    assert.isAtMost(reader.bytesRead(), 2 * Bgzf.maxBlock)
    assert.isAbove(file.length, 8 * Bgzf.maxBlock)
  })

  withCodec("D2 the damaged block is named by its place", function* () {
    const codec = yield* Codec
    const blocks = Array.from({ length: 40 }, (_, i) => Bgzf.deflateBlock(codec, text(`content ${i}`.repeat(50)), 6))
    const file = concat(...blocks, Bgzf.eofBlock)
    const before = blocks.slice(0, 21).reduce((sum, { length }) => sum + length, 0)
    file[before + 30] = (file[before + 30] ?? 0) ^ 1
    for (const comes of [true, false]) {
      const proof = yield* newProof
      if (comes) yield* proof.take(0, file)
      const error = yield* Effect.flip(proof.finish("s.bam", fromBytes(file)))
      assert.match(error.message, new RegExp(`^s\\.bam: the BGZF block at byte ${before} is damaged: it `))
    }
  })
})
