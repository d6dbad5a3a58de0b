import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { identityText, leftBeside, placeOf, readerOfPart } from "./PartFiles.ts"

const identity = "0123456789abcdef"

describe("readerOfPart", () => {
  it.effect("a read takes no buffer that is larger than what is left of the file", () =>
    Effect.gen(function* () {
      const asked: Array<readonly [offset: number, length: number]> = []
      const read = (offset: number, length: number) => {
        asked.push([offset, length])
        return Effect.succeed(new Uint8Array(length))
      }
      const reader = readerOfPart({ read }, 100)
      const lengths = yield* Effect.forEach([0, 60, 100, 130], (offset) => reader.read(offset, 65_536))
      assert.deepStrictEqual(
        lengths.map((bytes) => bytes.length),
        [100, 40, 0, 0]
      )
      assert.deepStrictEqual(yield* Effect.map(reader.read(10, 5), (bytes) => bytes.length), 5)
      assert.deepStrictEqual(asked.at(-1), [10, 5])
    })
  )
})

describe("the names beside a final name", () => {
  it("the identity tells files apart", () => {
    const file = { target: "https://h", analysisId: "A1", fileName: "s.bam" }
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

  it("what earlier runs left is found among the names of a folder, with the name that they shortened", () => {
    const long = `${"s".repeat(250)}.bam`
    const place = placeOf("out", long, identity)
    const other = placeOf("out", "s.bam", "fedcba9876543210")
    const names = [place.part, place.journal, other.lock, ".s.bam.0123.part", ".s.bam.01234567.parts", "s.bam"]
    assert.deepStrictEqual(leftBeside("out", long, names), [place])
    assert.deepStrictEqual(leftBeside("out", "s.bam", names), [other])
    assert.deepStrictEqual(leftBeside("out", "t.bam", names), [])
  })

  it("K7 long names that begin alike have hidden names of their own, and short ones those that they always had", () => {
    const long = "s".repeat(200)
    const parts = [`${long}.ranged.bam`, `${long}.ranged.bam.bai`, `${long}.bam`].map((name) =>
      placeOf("out", name, identity)
    )
    assert.strictEqual(new Set(parts.map(({ part }) => part)).size, 3)
    const names = parts.map(({ part }) => part)
    assert.deepStrictEqual(leftBeside("out", `${long}.bam`, names), parts.slice(2))
    const short = "s".repeat(88)
    assert.strictEqual(placeOf("out", short, identity).part, `.${short}.01234567.part`)
  })

  it.prop("K7 no name is too long, and none is cut inside a letter", [Schema.String], ([text]) => {
    const bytes = (text: string) => new TextEncoder().encode(text).length
    const name = `${text}äöü€😀`.repeat(20).toWellFormed()
    const { part, journal, lock } = placeOf("out", name, identity)
    assert.isAtMost(bytes(`${journal}.new`), 143)
    assert.isAtMost(bytes(`${lock}.4194304-0123456789ab.wait.stale`), 143)
    assert.isFalse(part.includes("\ufffd") && !name.includes("\ufffd"))
    return part.endsWith(".01234567.part")
  })
})
