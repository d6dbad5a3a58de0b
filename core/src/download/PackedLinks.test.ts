import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { makeLinkPacker, unpackLink } from "./PackedLinks.ts"

const query = (date: number, token: string, at: number) =>
  `?X-Amz-Date=${date}&X-Amz-Security-Token=${token}&X-Amz-SignedHeaders=host&X-Amz-Signature=${at}f00d`
const token = "t".repeat(300)

describe("packed links", () => {
  const Piece = Schema.Union([Schema.Literals(["https://h/a", "?x=1", "&y=2", "&y=3", "&", "?", ""]), Schema.String])
  it.effect.prop("are what they were, whatever they share", [Schema.Array(Schema.Array(Piece))], ([written]) =>
    Effect.sync(() => {
      const links = written.map((pieces) => pieces.join(""))
      assert.deepStrictEqual(links.map(makeLinkPacker()).map(unpackLink), links)
    })
  )

  it("keep a path, a signature and the date that changed; a new token is kept twice", () => {
    const links = [1, 1, 2, 2, 3, 3].map((date, at) => `https://h/${at}.bam${query(date, token, at)}`)
    const renewed = [6, 7, 8].map((at) => `https://h/${at}.bam${query(4, token.toUpperCase(), at)}`)
    const packed = [...links, ...renewed].map(makeLinkPacker())
    assert.deepStrictEqual(
      packed.map(({ own }) => own.replace(/t{300}/i, "TOKEN")),
      [
        links[0]?.replace(token, "TOKEN"),
        "https://h/1.bam&X-Amz-Signature=1f00d",
        "https://h/2.bam?X-Amz-Date=2&X-Amz-Signature=2f00d",
        "https://h/3.bam?X-Amz-Date=2&X-Amz-Signature=3f00d",
        "https://h/4.bam?X-Amz-Date=3&X-Amz-Signature=4f00d",
        "https://h/5.bam?X-Amz-Date=3&X-Amz-Signature=5f00d",
        "https://h/6.bam?X-Amz-Date=4&X-Amz-Security-Token=TOKEN&X-Amz-Signature=6f00d",
        "https://h/7.bam&X-Amz-Signature=7f00d",
        "https://h/8.bam&X-Amz-Signature=8f00d"
      ]
    )
    assert.strictEqual(new Set(packed.slice(2, 6).map(({ frame }) => frame)).size, 1)
  })
})
