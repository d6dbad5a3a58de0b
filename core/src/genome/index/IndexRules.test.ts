import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { codecHere } from "../../../../test/genome/CodecHere.ts"
import {
  BlockBytes,
  bamFile,
  bgzf,
  concat,
  read,
  references,
  SomeIntervals,
  someReads
} from "../../../../test/genome/Fixtures.ts"
import { indexBy, placesOf, type Writer, writers } from "../../../../test/genome/IndexWriters.ts"
import { realBytes } from "../../../../test/genome/Oracles.ts"
import { sliceOf, sourceOf } from "../../../../test/genome/Slicing.ts"
import { withCodecHere } from "../../../../test/genome/WithCodec.ts"
import { lacks, unless } from "../../../../test/Lacks.ts"
import { longForm } from "../../../../test/LongForm.ts"
import { openFile, piecesOf } from "../../htsget/TicketPieces.ts"
import { fromBody } from "../../htsget/TicketRequest.ts"
import { fromBytes } from "../ByteReader.ts"
import { Codec } from "../bgzf/Codec.ts"

const provided = Effect.provide(codecHere)

const suffixOf = ({ format }: Writer) => format.toLowerCase()

/** How many records a slice has. */
const countOf = (bam: Uint8Array, index: Uint8Array, suffix: string, range: string) =>
  Effect.map(
    sliceOf(sourceOf(fromBytes(bam), fromBytes(index), `bam.${suffix}`), range),
    ({ result }) => result.records
  )

const AnyWriter = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 14 }))

describe("what an index narrows", () => {
  it.effect.prop(
    "D19 is never a record too much, whichever program wrote it: every region has what a scan of the file has",
    [someReads, SomeIntervals, BlockBytes, AnyWriter],
    ([reads, wanted, blockBytes, first]) =>
      Effect.gen(function* () {
        const codec = yield* Codec
        const { bam } = bamFile(codec, reads, { blockBytes })
        const { placed } = yield* placesOf(bam)
        for (const writer of [first, first + 5, first + 10].map((i) => writers[i % writers.length]!)) {
          const plain = indexBy(writer, placed, references.length)
          const index = writer.format === "CSI" ? bgzf(codec, plain) : plain
          for (const { ref, size, start } of wanted.slice(0, 3)) {
            const name = references[ref]?.name
            const range = size === 0 ? `${name}:${start + 1}` : `${name}:${start + 1}-${start + size}`
            const end = size === 0 ? Number.POSITIVE_INFINITY : start + size
            const scanned = placed.filter((it) => it.ref === ref && it.start < end && it.end > start).length
            const found = yield* countOf(bam, index, suffixOf(writer), range)
            assert.strictEqual(found, scanned, `${writer.name}: ${range}`)
          }
        }
      }).pipe(provided),
    { arbitrary: { runs: longForm ? 100 : 10 } }
  )
})

describe("a bin with unmapped reads alone", () => {
  // Writers take its place among the windows from the next mapped read, which starts behind the bin.
  withCodecHere("D19 is no index of another file, whichever program wrote it", function* () {
    const codec = yield* Codec
    const spliced = read("r1", 0, 16_384, [
      [20, "M"],
      [30_000, "N"],
      [20, "M"]
    ])
    const { bam } = bamFile(codec, [read("r0", 0, 0, []), spliced], {})
    const { placed } = yield* placesOf(bam)
    for (const writer of writers) {
      const plain = indexBy(writer, placed, references.length)
      const index = writer.format === "CSI" ? bgzf(codec, plain) : plain
      assert.strictEqual(yield* countOf(bam, index, suffixOf(writer), "chr1:1"), 2, writer.name)
    }
  })
})

describe("every kind of index over dense reads, long ones and unmapped ones", () => {
  const reads = Array.from({ length: 240 }, (_, i) => {
    const cigar =
      i % 11 === 3 && i < 90
        ? ([
            [20, "M"],
            [12_000 + 997 * (i % 40), "N"],
            [20, "M"]
          ] as const)
        : ([[50, "M"]] as const)
    // Some windows begin with an unmapped read that no longer one reaches, and some have nothing else.
    const isFirst = Math.floor((300 + i * 811) / 0x4000) !== Math.floor((300 + (i - 1) * 811) / 0x4000)
    const isUnmapped = i % 7 === 2 || (i > 100 && i < 125) || (i > 150 && isFirst)
    return read(`r${i}`, 0, 300 + i * 811, isUnmapped ? [] : cigar)
  })

  it.effect.each(writers.map((writer, at) => [writer.name, writer, at] as const))("D19 %s", ([_, writer, at]) =>
    Effect.gen(function* () {
      const codec = yield* Codec
      const { bam } = bamFile(codec, reads, { blockBytes: 300 })
      const { placed } = yield* placesOf(bam)
      const plain = indexBy(writer, placed, references.length)
      const index = writer.format === "CSI" ? bgzf(codec, plain) : plain
      const unmapped = placed.filter(({ mapped }) => !mapped).map(({ start }) => start)
      const starts = [...Array.from({ length: 49 }, (_, i) => i * 4_093), ...unmapped]
      // Each writer has others of them.
      for (const start of starts.filter((_, i) => longForm || i % 15 === at)) {
        for (const size of [1, 20_000]) {
          const scanned = placed.filter((it) => it.start < start + size && it.end > start).length
          const found = yield* countOf(bam, index, suffixOf(writer), `chr1:${start + 1}-${start + size}`)
          assert.strictEqual(found, scanned, `${start}, ${size} bases`)
        }
      }
    }).pipe(provided)
  )
})

describe("an index that noodles-csi 0.58.0 wrote", unless(lacks.realFiles), () => {
  const bam = () => realBytes("volvox-sorted.bam")
  const csi = () => realBytes("../cases/noodles/volvox-sorted.bam.csi")

  withCodecHere("D19 gives all reads of a region, and of many others, in slices", function* () {
    assert.strictEqual(yield* countOf(bam(), csi(), "csi", "ctgA:1-16000"), 3_056)
    const { placed } = yield* placesOf(bam())
    for (let start = 0; start < 50_000; start += longForm ? 1_237 : 8_209) {
      const end = start + 1 + ((start * 7) % 9_000)
      const scanned = placed.filter((it) => it.start < end && it.end > start).length
      assert.strictEqual(yield* countOf(bam(), csi(), "csi", `ctgA:${start + 1}-${end}`), scanned)
    }
  })

  withCodecHere("D19 leads a ticket to all reads of a region", function* () {
    const reader = fromBytes(bam())
    const pair = { name: "v.bam", reader, index: { name: "v.bam.csi", reader: fromBytes(csi()) } }
    const body = JSON.stringify({ regions: [{ referenceName: "ctgA", start: 0, end: 16_000 }] })
    const request = yield* Effect.fromResult(fromBody("reads", new URLSearchParams(), body))
    const pieces = yield* piecesOf(yield* openFile("reads", pair), reader, request)
    const ticket = concat(
      ...pieces.map((piece) =>
        piece._tag === "Inline" ? piece.bytes : piece._tag === "Range" ? bam().subarray(piece.first, piece.end) : bam()
      )
    )
    const { placed } = yield* placesOf(ticket)
    assert.strictEqual(placed.filter(({ start }) => start < 16_000).length, 3_056)
  })
})
