import { crc32 } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { longForm } from "../../../test/LongForm.ts"
import { patterned } from "../../../test/transfer/ScriptedHost.ts"
import { LocalIo } from "../Errors.ts"
import * as ByteRanges from "./ByteRanges.ts"
import type { PartFile } from "./PartFiles.ts"
import {
  agrees,
  decode,
  encode,
  makeRoom,
  makeSpanLog,
  provenBytes,
  rangesOf,
  type Span,
  start,
  writerOf
} from "./PartJournal.ts"

const identity = "0123456789abcdef"
const small = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 1000 })))

describe("PartJournal", () => {
  it.prop(
    "survives the disk",
    [Schema.Array(small), Schema.NullOr(Schema.String), Schema.NullOr(Schema.String)],
    ([places, etag, lastModified]) => {
      const sorted = [...new Set(places)].sort((a, b) => a - b)
      const spans = sorted.slice(1).map((end, i): Span => [sorted[i] ?? 0, end, 0xffffffff - end])
      const journal = { ...start(identity, "w", 1000), etag, lastModified, spans }
      assert.deepStrictEqual(decode(encode(journal), identity), journal)
    }
  )

  it("K1 P1 a cut or zero-filled journal is no journal", () => {
    const text = encode({ ...start(identity, "w", 9), spans: [[0, 9, 1]] })
    for (let length = 0; length < text.length; length++) {
      assert.isNull(decode(text.slice(0, length), identity))
      assert.isNull(decode(text.slice(0, length).padEnd(text.length, "\0"), identity))
    }
  })

  it("is not taken for another file's, nor with progress that cannot be", () => {
    const journal = start(identity, "w", 9)
    assert.isNull(decode(encode(journal), "another"))
    const texts = [
      { ...journal, spans: [[0, 10, 1]] },
      { ...journal, spans: [[5, 4, 1]] },
      {
        ...journal,
        spans: [
          [0, 2, 1],
          [1, 3, 1]
        ]
      },
      { ...journal, spans: [[-1, 3, 1]] },
      { ...journal, spans: [[0, 3, -1]] },
      { ...journal, spans: [[0, 3]] },
      { ...journal, size: -1 },
      { ...journal, schema: "svc.part/3" }
    ].map((value) => JSON.stringify(value))
    for (const text of texts) assert.isNull(decode(text, identity), text)
  })

  it("of an earlier version is known, with its writer, and vouches for no byte", () => {
    const text = JSON.stringify({
      ...start(identity, "w", 9),
      schema: "svc.part/1",
      spans: undefined,
      durable: [[0, 9]]
    })
    assert.deepInclude(decode(text, identity), { schema: "svc.part/1", writer: "w", spans: [] })
    assert.strictEqual(writerOf(text, identity), "w")
    assert.isNull(writerOf(text, "another"))
    assert.isNull(writerOf(text.slice(1), identity))
    assert.strictEqual(provenBytes(text), 0)
    assert.strictEqual(
      provenBytes(
        encode({
          ...start(identity, "w", 9),
          spans: [
            [0, 3, 1],
            [5, 9, 2]
          ]
        })
      ),
      7
    )
  })

  it("Z5 holds no link", () => {
    assert.notMatch(encode(start(identity, "w", 9)), /http/)
  })
})

const mib = 1024 * 1024
const content = patterned(20 * mib)
const sumOf = ([start, end]: Span) => crc32(content.subarray(start, end))
const partOf = (bytes: Uint8Array): Pick<PartFile, "read"> => ({
  read: (offset, length) => Effect.succeed(bytes.subarray(offset, offset + length))
})

/** Places in tenths of a MiB. */
const Place = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 200 })))

describe("spans of a part", () => {
  it.prop(
    "whatever is written in whatever order, all of it is in spans of at most 8 MiB with their own sums, also over two runs",
    [Schema.Array(Schema.Tuple([Place, Place])), Schema.Array(Schema.Tuple([Place, Place]))],
    ([first, second]) => {
      let spans: ReadonlyArray<Span> = []
      let ranges: ByteRanges.ByteRanges = []
      for (const writes of [first, second]) {
        const noted = makeSpanLog(crc32, spans)
        for (const [one, other] of writes) {
          const [start, end] = [Math.min(one, other), Math.max(one, other)].map((tenth) =>
            Math.floor((tenth * mib) / 10)
          )
          noted.add(start ?? 0, content.subarray(start, end))
          ranges = ByteRanges.add(ranges, start ?? 0, end ?? 0)
        }
        spans = noted.all()
        // Bytes that came again have taken the place of spans that they touched.
        const named = rangesOf(spans)
        assert.strictEqual(
          ByteRanges.count(ByteRanges.add(named, 0, 0)),
          spans.reduce((sum, [a, b]) => sum + b - a, 0)
        )
        for (const [start, end] of named) {
          assert.isTrue(ranges.some(([from, to]) => from <= start && end <= to))
        }
      }
      return spans.every(
        (span, i) =>
          span[0] >= (spans[i - 1]?.[1] ?? 0) &&
          Math.floor(span[0] / (8 * mib)) === Math.floor((span[1] - 1) / (8 * mib)) &&
          span[2] === sumOf(span)
      )
    },
    { arbitrary: { runs: longForm ? 100 : 25 } }
  )

  it("bytes that come in order make one span for each 8 MiB, however small they are", () => {
    const noted = makeSpanLog(crc32, [])
    for (let at = 0; at < content.length; at += 300_000) noted.add(at, content.subarray(at, at + 300_000))
    assert.deepStrictEqual(
      noted.all().map(([start, end]) => [start / mib, end / mib]),
      [
        [0, 8],
        [8, 16],
        [16, 20]
      ]
    )
  })

  it.effect("a span agrees with the bytes that came, and not where one differs, is missing or cannot be read", () =>
    Effect.gen(function* () {
      const room = makeRoom()
      const span: Span = [3 * mib, 8 * mib, crc32(content.subarray(3 * mib, 8 * mib))]
      const changed = content.slice()
      changed[5 * mib] = (changed[5 * mib] ?? 0) ^ 1
      const unreadable = { read: () => new LocalIo({ path: "s.bam", operation: "read", errno: "EIO" }) }
      assert.isTrue(yield* agrees(partOf(content), crc32, span, room))
      assert.isFalse(yield* agrees(partOf(changed), crc32, span, room))
      assert.isFalse(yield* agrees(partOf(content.subarray(0, 8 * mib - 1)), crc32, span, room))
      assert.isFalse(yield* agrees(unreadable, crc32, span, room))
    })
  )
})
