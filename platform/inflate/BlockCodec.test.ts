/** The WebAssembly inflate against the zlib of Node: same streams taken, same streams refused, same bytes. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { constants, deflateRawSync, inflateRawSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import * as SeededRandom from "../../sandbox/samples/SeededRandom.ts"
import { largest, makeDeflater, makeInflater } from "./BlockCodec.ts"
import { sourceHash } from "./InflateModule.ts"

const inflate = makeInflater()

const byZlib = (bytes: Uint8Array, most: number): Uint8Array | null => {
  try {
    return inflateRawSync(bytes, { maxOutputLength: Math.max(1, most) }).subarray()
  } catch {
    return null
  }
}

const strategies = [
  constants.Z_DEFAULT_STRATEGY,
  constants.Z_FILTERED,
  constants.Z_HUFFMAN_ONLY,
  constants.Z_RLE,
  constants.Z_FIXED
] as const

/** Contents of all kinds: empty, noise, runs, text with repetitions near and far. */
const content = (random: SeededRandom.SeededRandom, longest: number): Uint8Array => {
  const length = random.pick([0, 1, 2, 100, 2_000, longest])
  const letters = random.pick([1, 2, 4, 40, 256])
  const bytes = Uint8Array.from({ length }, () => random.between(0, letters))
  for (let left = random.between(0, 40); left > 0 && length > 100; left--) {
    const from = random.between(0, length)
    bytes.copyWithin(random.between(0, length), from, from + random.between(1, 600))
  }
  return bytes
}

const deflated = (random: SeededRandom.SeededRandom, bytes: Uint8Array) =>
  deflateRawSync(bytes, {
    level: random.between(0, 10),
    strategy: random.pick(strategies),
    memLevel: random.between(1, 10)
  })

describe("BlockInflater", () => {
  it("was compiled from the source beside it", () => {
    const source = readFileSync(new URL("inflate.c", import.meta.url))
    assert.strictEqual(sourceHash, createHash("sha256").update(source).digest("hex"), "run node scripts/inflate.ts")
  })

  it("inflates what zlib deflates, of every level and strategy", () => {
    const random = SeededRandom.make(1)
    const buffer = new Uint8Array(largest)
    for (let i = 0; i < 100; i++) {
      const bytes = content(random, random.pick([65_280, 65_536]))
      const stream = deflated(random, bytes)
      if (stream.length > largest) continue
      assert.isTrue(Buffer.from(bytes).equals(inflate(stream, bytes.length) ?? Buffer.of(1)), `case ${i}`)
      assert.isTrue(Buffer.from(bytes).equals(inflate(stream, largest, buffer) ?? Buffer.of(1)), `case ${i}`)
      if (bytes.length > 1) assert.isNull(inflate(stream, bytes.length - 1), `case ${i}: longer than allowed`)
      assert.isNull(inflate(stream.subarray(0, stream.length - 1), bytes.length), `case ${i}: unfinished`)
    }
  })

  it("D2 takes and refuses the same damaged streams as zlib", () => {
    const random = SeededRandom.make(2)
    const outcomes = { same: 0, refused: 0 }
    for (let i = 0; i < 3_000; i++) {
      const stream = Uint8Array.from(deflated(random, content(random, 4_000)))
      for (let left = random.between(1, 4); left > 0; left--) {
        // Most of what can go wrong lies in the tables of codes, at the start.
        const at = random.between(0, random.pick([Math.min(80, stream.length), stream.length]))
        stream[at] = (stream[at] ?? 0) ^ (1 << random.between(0, 8))
      }
      const [ours, theirs] = [inflate(stream, largest), byZlib(stream, largest)]
      if (theirs === null) {
        assert.isNull(ours, `case ${i}`)
        outcomes.refused++
      } else {
        assert.isTrue(Buffer.from(theirs).equals(ours ?? Buffer.of(1)), `case ${i}`)
        outcomes.same++
      }
    }
    assert.isAbove(outcomes.same, 100)
    assert.isAbove(outcomes.refused, 100)
  })

  it("D5 ends with noise as zlib does", () => {
    const random = SeededRandom.make(3)
    for (let i = 0; i < 2_000; i++) {
      const noise = Uint8Array.from({ length: random.between(0, 300) }, () => random.between(0, 256))
      const [ours, theirs] = [inflate(noise, largest), byZlib(noise, largest)]
      assert.strictEqual(ours === null, theirs === null, `case ${i}`)
    }
  })
})

describe("BlockDeflater", () => {
  it("gives the bytes of zlib, for short and long input, noise and text, one call after the other", () => {
    const random = SeededRandom.make(14)
    const deflate = makeDeflater()
    for (const length of [0, 1, 100, 0xff00, 10, 0x10000, 300_000, 5_000]) {
      for (const letters of [1, 4, 256]) {
        const bytes = Uint8Array.from({ length }, () => random.between(0, letters))
        for (const level of [0, 1, 4, 9]) {
          const deflated = deflate(bytes, level)
          const what = `${length} bytes of ${letters} letters at level ${level}`
          assert.isTrue(inflateRawSync(deflated).equals(bytes), what)
          // Stored bytes may be divided in another way.
          if (level > 0) assert.isTrue(deflateRawSync(bytes, { level }).equals(deflated), what)
        }
      }
    }
  })
})
