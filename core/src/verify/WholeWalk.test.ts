import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { concat } from "../../../test/genome/Fixtures.ts"
import { withCodec } from "../../../test/genome/WithCodec.ts"
import { type ByteReader, fromBytes } from "../genome/ByteReader.ts"
import * as Bgzf from "../genome/bgzf/Bgzf.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import { type ContentCheck, unread } from "../genome/bgzf/ContentCheck.ts"
import { walkWhole } from "./WholeWalk.ts"

/** Blocks of 40,000 bytes that deflate cannot make smaller: 14 of them are read in three chunks. */
const file = Effect.map(Codec, (codec) => {
  const contents = Array.from({ length: 14 }, (_, block) =>
    Uint8Array.from({ length: 40_000 }, (_, i) => (Math.imul(block * 40_000 + i, 2_654_435_761) >>> 13) & 0xff)
  )
  const blocks = contents.map((content) => Bgzf.deflateBlock(codec, content, 0))
  return { content: concat(...contents), bytes: concat(...blocks, Bgzf.eofBlock), blockSize: blocks[0]?.length ?? 0 }
})

const silent = () => Effect.void

describe("a file of several chunks", () => {
  withCodec("its content comes whole and in order, and each byte is read once", function* () {
    const { bytes, content } = yield* file
    const asked: Array<readonly [number, number]> = []
    const reader: ByteReader = {
      ...fromBytes(bytes),
      readInto: (offset, target) =>
        Effect.sync(() => {
          asked.push([offset, offset + target.length])
          target.set(bytes.subarray(offset, offset + target.length))
        })
    }
    const taken: Array<Uint8Array> = []
    const check: ContentCheck = {
      take: (part) => {
        taken.push(part.slice())
        return null
      },
      finish: () => null
    }
    assert.deepStrictEqual(yield* walkWhole("a.bam", reader, check, silent), {
      blocks: 15,
      inflated: content.length
    })
    assert.isTrue(Buffer.from(concat(...taken)).equals(content))
    assert.isAbove(asked.length, 2)
    for (const [i, [from]] of asked.entries()) assert.strictEqual(from, i === 0 ? 0 : asked[i - 1]?.[1])
  })

  withCodec(
    "its bytes go through a few buffers that are used again, also where a chunk has very many blocks",
    function* () {
      const codec = yield* Codec
      const block = Bgzf.deflateBlock(codec, new Uint8Array(3_000).fill(7), 0)
      const bytes = concat(...Array.from({ length: 5_000 }, () => block), Bgzf.eofBlock)
      const buffers = new Set<ArrayBufferLike>()
      let reads = 0
      const reader: ByteReader = {
        ...fromBytes(bytes),
        readInto: (offset, target) =>
          Effect.sync(() => {
            reads++
            buffers.add(target.buffer)
            target.set(bytes.subarray(offset, offset + target.length))
          })
      }
      const facts = yield* walkWhole("a.bam", reader, unread, silent)
      assert.deepStrictEqual(facts, { blocks: 5_001, inflated: 15_000_000 })
      assert.isAbove(reads, 50)
      assert.isBelow(buffers.size, 20)
    }
  )

  withCodec("D1 D2 a cut and a flipped bit are found in their block, wherever the chunks end", function* () {
    const { blockSize, bytes } = yield* file
    const place = (spoilt: Uint8Array) =>
      Effect.map(Effect.flip(walkWhole("a.bam", fromBytes(spoilt), unread, silent)), (damage) =>
        damage._tag === "Damage" ? [damage.error.fault, damage.place?.block, damage.place?.offset] : null
      )
    for (let block = 0; block < 14; block++) {
      const offset = block * blockSize
      const spoilt = bytes.slice()
      spoilt[offset + 500] = (spoilt[offset + 500] ?? 0) ^ 1
      assert.deepStrictEqual(yield* place(spoilt), ["BadBlock", block + 1, offset])
      for (const left of [1, 17, 18, blockSize - 1]) {
        assert.deepStrictEqual(yield* place(bytes.subarray(0, offset + left)), ["Truncated", block + 1, offset])
      }
    }
  })
})
