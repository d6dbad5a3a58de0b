import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import * as ZlibCodec from "../../../../platform/inflate/ZlibCodec.ts"
import { bgzf, concat, sound, text } from "../../../../test/genome/Fixtures.ts"
import { walk } from "../../../../test/genome/Walk.ts"
import { withCodec } from "../../../../test/genome/WithCodec.ts"
import { fromBytes } from "../ByteReader.ts"
import * as Bgzf from "./Bgzf.ts"
import * as BgzfWriter from "./BgzfWriter.ts"
import { Codec } from "./Codec.ts"
import * as VirtualOffset from "./VirtualOffset.ts"

const Payload = Schema.Uint8Array
const provided = Effect.provide(ZlibCodec.layer)

/** The reason of a failed walk over `bytes`. */
const faultOf = (bytes: Uint8Array) => Effect.flip(walk("x.bam", fromBytes(bytes)))

describe("Bgzf", () => {
  it("D2 D5 a header that promises other fields than the extra one is none of BGZF, or contradicts itself", () => {
    for (let flags = 0; flags < 256; flags++) {
      const block = Bgzf.eofBlock.slice()
      block[3] = flags
      const expected = flags === 4 ? block.length : (flags & 4) === 0 ? Bgzf.notBgzf : Bgzf.badHeader
      assert.strictEqual(Bgzf.blockSize(block, 0), expected)
    }
  })

  it.effect.prop(
    "inflate(deflate(x)) is x, at every level",
    [Payload, Schema.Literals([0, 1, 6, 9])],
    ([payload, level]) =>
      Effect.gen(function* () {
        const codec = yield* Codec
        const block = Bgzf.deflateBlock(codec, payload, level)
        assert.strictEqual(Bgzf.blockSize(block, 0), block.length)
        assert.deepStrictEqual(sound(Bgzf.inflateBlock(codec, block, 0, block.length)), payload)
      }).pipe(provided)
  )

  withCodec("incompressible content of the full size still fits a block", function* () {
    const codec = yield* Codec
    let state = 1
    const noise = Uint8Array.from({ length: Bgzf.maxPayload }, () => {
      state = Math.imul(state, 1664525) + 1013904223
      return state >>> 24
    })
    const block = Bgzf.deflateBlock(codec, noise, 9)
    assert.isAtMost(block.length, Bgzf.maxBlock)
    assert.deepStrictEqual(sound(Bgzf.inflateBlock(codec, block, 0, block.length)), noise)
  })

  withCodec(
    "the BC subfield is found after other subfields, and the length of the extra field is believed only as far as it goes",
    function* () {
      const codec = yield* Codec
      const plain = Bgzf.deflateBlock(codec, text("hello"), 6)
      const extra = Uint8Array.of(0x58, 0x59, 3, 0, 1, 2, 3)
      const block = concat(plain.subarray(0, 12), extra, plain.subarray(12))
      block[10] = 6 + extra.length
      new DataView(block.buffer).setUint16(16 + extra.length, block.length - 1, true)
      assert.strictEqual(Bgzf.blockSize(block, 0), block.length)
      assert.deepStrictEqual(sound(Bgzf.inflateBlock(codec, block, 0, block.length)), text("hello"))
      for (let cut = 0; cut < 18 + extra.length; cut++) {
        assert.strictEqual(Bgzf.blockSize(block.subarray(0, cut), 0), Bgzf.needMore)
      }
    }
  )

  withCodec("D4 a block that inflates to more than it may is refused without inflating it", function* () {
    const codec = yield* Codec
    const bomb = codec.deflateRaw(new Uint8Array(60_000_000), 9).subarray(0, 65_000)
    const block = new Uint8Array(bomb.length + 26)
    block.set(Bgzf.eofBlock.subarray(0, 16))
    block.set(bomb, 18)
    const view = new DataView(block.buffer)
    view.setUint16(16, block.length - 1, true)
    for (const claimed of [60_000_000, 65_536, 0]) {
      view.setUint32(block.length - 4, claimed, true)
      const fault = yield* faultOf(block)
      assert.strictEqual(fault.fault, "BadBlock")
      assert.include(fault.reason, "byte 0")
    }
  })

  withCodec("D5 lies in block headers end typed", function* () {
    const codec = yield* Codec
    const good = bgzf(codec, text("some content"))
    const spoil = (at: number, ...bytes: ReadonlyArray<number>) => {
      const copy = good.slice()
      copy.set(bytes, at)
      return faultOf(copy)
    }
    assert.strictEqual((yield* spoil(16, 0, 0)).fault, "BadBlock") // BSIZE 0
    assert.strictEqual((yield* spoil(16, 0xff, 0xff)).fault, "Truncated") // BSIZE past the end
    assert.strictEqual((yield* spoil(10, 0xff, 0xff)).fault, "BadBlock") // XLEN lies
    assert.strictEqual((yield* spoil(10, 0, 0)).fault, "NotBgzf") // no extra field
    assert.strictEqual((yield* spoil(12, 0x41)).fault, "NotBgzf") // no BC subfield
    assert.strictEqual((yield* spoil(14, 9)).fault, "BadBlock") // BC of another size
    const size = Bgzf.blockSize(good, 0)
    assert.strictEqual((yield* spoil(size - 4, 1)).fault, "BadBlock") // ISIZE
    assert.strictEqual((yield* spoil(size - 8, good[size - 8]! ^ 1)).fault, "BadBlock") // CRC-32
  })

  withCodec("D5 many empty blocks are walked, not looped over for ever", function* () {
    const count = 5_000
    const walked = yield* walk("x", fromBytes(concat(...Array.from({ length: count }, () => Bgzf.eofBlock))))
    assert.deepStrictEqual(walked, { blocks: count, inflated: 0 })
  })

  withCodec(
    "D2 every flipped bit in content, checksum or size is found; only unused bits of the last byte have no meaning",
    function* () {
      const codec = yield* Codec
      const good = bgzf(codec, text("ACGTTGCAACGATTTACGGACATT".repeat(8)))
      const size = Bgzf.blockSize(good, 0)
      const content = sound(Bgzf.inflateBlock(codec, good, 0, size))
      let unused = 0
      for (let bit = 18 * 8; bit < size * 8; bit++) {
        const spoilt = good.slice()
        spoilt[bit >>> 3]! ^= 1 << (bit & 7)
        const walked = yield* Effect.result(walk("x.bam", fromBytes(spoilt)))
        if (Result.isFailure(walked)) {
          assert.strictEqual(walked.failure.fault, "BadBlock")
          continue
        }
        unused++
        assert.strictEqual(bit >>> 3, size - 9)
        assert.deepStrictEqual(sound(Bgzf.inflateBlock(codec, spoilt, 0, size)), content)
      }
      assert.isBelow(unused, 8)
    }
  )

  withCodec("D3 what is not BGZF is named", function* () {
    const reasons: Array<string> = []
    for (const bytes of [
      text("<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>"),
      text("  <!DOCTYPE html><html>"),
      Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0),
      new Uint8Array(0),
      new Uint8Array(100_000)
    ]) {
      const fault = yield* faultOf(bytes)
      assert.strictEqual(fault.fault, "NotBgzf")
      reasons.push(fault.reason)
    }
    assert.include(reasons[0], "HTML or XML")
    assert.include(reasons[1], "HTML or XML")
    assert.include(reasons[2], "plain gzip")
    assert.include(reasons[3], "empty")
  })
})

describe("VirtualOffset", () => {
  const Block = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 48 - 1 }))
  const Within = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65_535 }))
  it.effect.prop("round trip, and order by block and then by place", [Block, Within, Block, Within], ([a, i, b, j]) =>
    Effect.sync(() => {
      const first = VirtualOffset.make(a, i)
      assert.strictEqual(VirtualOffset.block(first), a)
      assert.strictEqual(VirtualOffset.within(first), i)
      assert.strictEqual(first < VirtualOffset.make(b, j), a < b || (a === b && i < j))
    })
  )
})

describe("BgzfWriter", () => {
  it.effect.prop(
    "what is written comes back, and each record begins where the writer said",
    [Schema.Array(Payload)],
    ([records]) =>
      Effect.gen(function* () {
        const codec = yield* Codec
        const large = records.map((record, i) => concat(...Array.from({ length: i * 800 + 1 }, () => record)))
        const blocks: Array<Uint8Array> = []
        const writer = BgzfWriter.make(codec, 1, (block) => blocks.push(block))
        const places = large.map((record) => {
          writer.reserve(record.length)
          const place = { block: writer.block(), within: writer.within() }
          writer.write(record)
          return place
        })
        writer.finish()
        const file = concat(...blocks)
        const inflated = new Map<number, Uint8Array>()
        for (let at = 0; at < file.length; at += Bgzf.blockSize(file, at)) {
          inflated.set(at, sound(Bgzf.inflateBlock(codec, file, at, Bgzf.blockSize(file, at))))
        }
        assert.deepStrictEqual(concat(...inflated.values()), concat(...large))
        for (const [i, record] of large.entries()) {
          const block = inflated.get(places[i]!.block)!.subarray(places[i]!.within)
          const common = Math.min(block.length, record.length)
          assert.deepStrictEqual(block.subarray(0, common), record.subarray(0, common))
        }
        assert.deepStrictEqual(file.subarray(-28), Bgzf.eofBlock)
      }).pipe(provided)
  )
})
