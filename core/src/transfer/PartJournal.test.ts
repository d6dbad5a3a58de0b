import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { add, type ByteRanges } from "./ByteRanges.ts"
import { decode, encode, identityText, PartJournal, placeOf, start } from "./PartJournal.ts"

const identity = "0123456789abcdef"
const file = { target: "https://h", analysisId: "A1", fileName: "s.bam" }
const small = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 1000 })))
const bytes = (text: string) => new TextEncoder().encode(text).length

describe("PartJournal", () => {
  it.prop(
    "survives the disk",
    [Schema.Array(Schema.Tuple([small, small])), Schema.NullOr(Schema.String), Schema.NullOr(Schema.String)],
    ([adds, etag, lastModified]) => {
      const durable = adds.reduce<ByteRanges>((ranges, [a, b]) => add(ranges, a, b), [])
      const journal = new PartJournal({ ...start(identity, "w", 1000), etag, lastModified, durable })
      assert.deepStrictEqual(decode(encode(journal), identity), journal)
    }
  )

  it("K1 P1 a cut or zero-filled journal is no journal", () => {
    const text = encode(new PartJournal({ ...start(identity, "w", 9), durable: [[0, 9]] }))
    for (let length = 0; length < text.length; length++) {
      assert.isNull(decode(text.slice(0, length), identity))
      assert.isNull(decode(text.slice(0, length).padEnd(text.length, "\0"), identity))
    }
  })

  it("is not taken for another file's, nor with progress that cannot be", () => {
    const journal = start(identity, "w", 9)
    assert.isNull(decode(encode(journal), "another"))
    const texts = [
      { ...journal, durable: [[0, 10]] },
      { ...journal, durable: [[5, 4]] },
      {
        ...journal,
        durable: [
          [0, 2],
          [1, 3]
        ]
      },
      { ...journal, durable: [[-1, 3]] },
      { ...journal, size: -1 },
      { ...journal, schema: "svc.part/2" }
    ].map((value) => JSON.stringify(value))
    for (const text of texts) assert.isNull(decode(text, identity), text)
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
