import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { decode, encode, identityText, placeOf, type Span, start, writerOf } from "./PartJournal.ts"

const identity = "0123456789abcdef"
const file = { target: "https://h", analysisId: "A1", fileName: "s.bam" }
const small = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 1000 })))
const bytes = (text: string) => new TextEncoder().encode(text).length

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
  })

  it("Z5 holds no link", () => {
    assert.notMatch(encode(start(identity, "w", 9)), /http/)
  })

  it("the identity tells files apart", () => {
    const others = [
      { ...file, target: "https://i" },
      { ...file, analysisId: "A2" },
      { ...file, fileName: "t.bam" },
      { ...file, target: "https://hA", analysisId: "1" }
    ]
    const texts = new Set([file, ...others].map(identityText))
    assert.strictEqual(texts.size, others.length + 1)
  })

  it("the names beside a file are hidden and tell it apart", () => {
    const place = placeOf("out", "s.bam", identity)
    assert.strictEqual(place.part, ".s.bam.01234567.part")
    assert.strictEqual(place.journal, ".s.bam.01234567.part.json")
  })

  it.prop("K7 no name is too long, and none is cut inside a letter", [Schema.String], ([text]) => {
    const name = `${text}äöü€😀`.repeat(20).toWellFormed()
    const { part, journal } = placeOf("out", name, identity)
    assert.isAtMost(bytes(journal), 255 - ".new".length)
    assert.isFalse(part.includes("\ufffd") && !name.includes("\ufffd"))
    return part.endsWith(".01234567.part")
  })
})
