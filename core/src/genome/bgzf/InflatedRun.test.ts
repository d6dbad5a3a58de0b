import { deflateRawSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ZlibCodec from "../../../../platform/inflate/ZlibCodec.ts"
import { codecHere } from "../../../../test/genome/CodecHere.ts"
import { concat, text } from "../../../../test/genome/Fixtures.ts"
import * as Bgzf from "./Bgzf.ts"
import { Codec } from "./Codec.ts"
import { type BlockRun, inflateRun, inflateSingly, release } from "./InflatedRun.ts"

const runOf = (...blocks: ReadonlyArray<Uint8Array>): BlockRun => {
  const starts = [0]
  for (const { length } of blocks) starts.push(starts.at(-1)! + length)
  return { bytes: concat(...blocks), starts }
}

/** A frame around a deflate stream and whatever follows it, with what it claims. */
const frame = (body: Uint8Array, crc: number, size: number): Uint8Array => {
  const block = concat(Bgzf.eofBlock.subarray(0, 18), body, new Uint8Array(8))
  const view = new DataView(block.buffer)
  view.setUint16(16, block.length - 1, true)
  view.setUint32(block.length - 8, crc, true)
  view.setUint32(block.length - 4, size, true)
  return block
}

const deflated = (content: Uint8Array) => new Uint8Array(deflateRawSync(content))
const trailer = (crc: number, size: number) => {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setUint32(0, crc, true)
  new DataView(bytes.buffer).setUint32(4, size, true)
  return bytes
}

for (const [name, layer] of [
  ["aside", ZlibCodec.layer],
  ["on this thread", codecHere]
] as const) {
  describe(`a run of blocks, inflated ${name}`, () => {
    it.effect("is what its blocks are, one by one", () =>
      Effect.gen(function* () {
        const codec = yield* Codec
        const long = new Uint8Array(Bgzf.maxPayload).fill(7)
        const contents = [text("a"), long, text(""), long, long, text("records")]
        const blocks = contents.map((content) => Bgzf.deflateBlock(codec, content, 6))
        blocks[2] = Bgzf.eofBlock
        const run = runOf(...blocks)
        const whole = yield* inflateRun(codec, run)
        assert.deepStrictEqual(whole?.content.slice(), concat(...contents))
        assert.deepStrictEqual(whole?.ends, [1, 0xff01, 0xff01, 0x1fe01, 0x2fd01, 0x2fd08])
        const { wrong, ...singly } = inflateSingly(codec, run)
        assert.deepStrictEqual([wrong, singly.ends], [null, whole?.ends ?? []])
        // Memory is given back, and that of others is not touched.
        if (whole !== null) release(whole.content)
        assert.strictEqual(whole?.content.length, 0)
        const small = yield* inflateRun(codec, runOf(blocks[0]!))
        if (small !== null) release(small.content)
      }).pipe(Effect.provide(layer))
    )

    it.effect("D2 D4 is refused as a whole where one block is not as readers of BGZF read it", () =>
      Effect.gen(function* () {
        const codec = yield* Codec
        const sound = Bgzf.deflateBlock(codec, text("sound"), 6)
        const secret = text("hidden")
        const flipped = sound.slice()
        flipped[20] = (flipped[20] ?? 0) ^ 4
        const none = Bgzf.eofBlock.subarray(18, 20)
        const inner = sound.subarray(0, 18)
        const hostile: Readonly<Record<string, Uint8Array>> = {
          "a flipped bit": flipped,
          "a wrong checksum": frame(deflated(secret), 1, secret.length),
          "more than it claims": frame(deflated(new Uint8Array(2_000_000)), codec.crc32(secret), 0xff00),
          "a claim above 64 KiB": frame(
            deflated(new Uint8Array(0x10001)),
            codec.crc32(new Uint8Array(0x10001)),
            0x10001
          ),
          "an empty member before the one that counts": frame(
            concat(none, trailer(0, 0), inner, deflated(secret)),
            codec.crc32(secret),
            secret.length
          ),
          "nothing but its claim of nothing": frame(deflated(secret), 0, 0),
          "an end, then zeros": frame(
            concat(deflated(secret), trailer(codec.crc32(secret), secret.length), new Uint8Array(9)),
            0,
            0
          )
        }
        for (const [what, block] of Object.entries(hostile)) {
          for (const run of [runOf(block, sound), runOf(sound, block), runOf(sound, block, Bgzf.eofBlock)]) {
            assert.isNull(yield* inflateRun(codec, run), what)
            assert.isNotNull(inflateSingly(codec, run).wrong, what)
          }
        }
      }).pipe(Effect.provide(layer))
    )
  })
}
