import { crc32, gzipSync } from "node:zlib"
import { assert, describe } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { bgzf, concat, text } from "../../../../test/genome/Fixtures.ts"
import { withCodec } from "../../../../test/genome/WithCodec.ts"
import { fromBytes } from "../ByteReader.ts"
import { eofBlock } from "../bgzf/Bgzf.ts"
import { Codec } from "../bgzf/Codec.ts"
import { readBed } from "./BedFile.ts"
import type { RegionText } from "./RegionText.ts"

const bed = text(Array.from({ length: 9_000 }, (_, i) => `chr1\t${i * 10}\t${i * 10 + 5}\n`).join(""))

const countOf = ({ readings }: RegionText) => readings[0]?.starts.length

describe("readBed", () => {
  withCodec("D12 plain, gzip and BGZF give the same regions", function* () {
    const codec = yield* Codec
    const plain = yield* readBed("r.bed", fromBytes(bed))
    assert.deepStrictEqual(plain.map(countOf), [9_000])
    assert.deepStrictEqual(yield* readBed("r.bed.gz", fromBytes(new Uint8Array(gzipSync(bed)))), plain)
    assert.deepStrictEqual(yield* readBed("r.bed.gz", fromBytes(bgzf(codec, bed))), plain)
  })

  withCodec("D12 a gzip header with every optional field", function* () {
    const zipped = new Uint8Array(gzipSync(bed))
    const fields = concat(Uint8Array.of(3, 0, 1, 2, 3), text("name\0"), text("comment\0"), Uint8Array.of(9, 9))
    const full = concat(zipped.subarray(0, 10), fields, zipped.subarray(10))
    full[3] = 2 | 4 | 8 | 16
    const checked = 10 + fields.length - 2
    new DataView(full.buffer).setUint16(checked, crc32(full.subarray(0, checked)) & 0xffff, true)
    assert.deepStrictEqual((yield* readBed("r.bed.gz", fromBytes(full))).map(countOf), [9_000])
  })

  withCodec("D12 one that is too large is refused before it is read", function* () {
    const zipped = new Uint8Array(gzipSync(bed))
    const asked: Array<number> = []
    const reader = {
      size: 2 ** 28 + 1,
      read: (offset: number, length: number) =>
        Effect.sync(() => {
          asked.push(length)
          return zipped.subarray(offset, offset + length)
        })
    }
    const error = yield* Effect.flip(readBed("r.bed.gz", reader))
    assert.strictEqual(error.message, "Invalid BED file: r.bed.gz: it has 268435457 bytes, more than 268435456")
    assert.deepStrictEqual(asked, [])
  })

  withCodec("D12 lines of zero length are counted in one line of the log", function* () {
    const said: Array<unknown> = []
    const logger = Logger.make(({ message }) => void said.push(message))
    const lines = text("chr1\t5\t5\nchr1\t8\t9\nchr1\t20\t20\n")
    const [plain] = yield* readBed("r.bed", fromBytes(lines)).pipe(Effect.provide(Logger.layer([logger])))
    assert.deepStrictEqual(plain?.readings[0]?.ends, [6, 9, 21])
    assert.deepStrictEqual(said.flat(), [
      "r.bed: 2 lines of zero length (start and end are equal): each is taken for the base after its start"
    ])
  })

  withCodec("D12 joined gzip files are one", function* () {
    const joined = concat(new Uint8Array(gzipSync(bed)), new Uint8Array(gzipSync("chr2\t1\t2\n")))
    assert.deepStrictEqual((yield* readBed("r.bed.gz", fromBytes(joined))).map(countOf), [9_000, 1])
  })

  withCodec("D12 cut and damaged gzip files are refused", function* () {
    const codec = yield* Codec
    const zipped = new Uint8Array(gzipSync(bed))
    const flipped = zipped.slice()
    flipped[500]! ^= 4
    const block = bgzf(codec, bed)
    for (const bytes of [
      zipped.subarray(0, -1),
      zipped.subarray(0, 12),
      flipped,
      concat(zipped, zipped.subarray(0, -9)),
      block.subarray(0, 5_000),
      block.subarray(0, -eofBlock.length)
    ]) {
      const error = yield* Effect.flip(readBed("r.bed.gz", fromBytes(bytes)))
      assert.match(error.message, /^Invalid BED file: r.bed.gz: /)
    }
  })
})
