import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result, Schema } from "effect"
import { AnalysisId } from "../contract/Ids.ts"
import { type LinkEntry, type LinkManifest, linksJson, readLinks } from "./LinkManifest.ts"
import { manifestCatalog } from "./RunSource.ts"

const file = (analysisId: string, fileName: string, more: Partial<LinkEntry> = {}): LinkEntry => ({
  analysisId: AnalysisId.make(analysisId),
  fileName,
  size: 3,
  archived: false,
  estimatedRestoreTime: null,
  link: Redacted.make(`https://files/${fileName}?sig=1`),
  expiresAt: null,
  ...more
})
const manifest = (...entries: ReadonlyArray<LinkEntry>): LinkManifest => ({
  target: new URL("https://lab.example.org/"),
  filetypes: ["bam", "bam.bai"],
  entries
})
const idsOf = ({ entries }: ReturnType<typeof manifestCatalog>) => entries.map(({ listed }) => listed.id)

describe("the catalog of a links file", () => {
  const three = manifest(file("2", "b.bam"), file("1", "a.bam"), file("2", "b.bam.bai"))

  it("has all analyses in the order of the file, or those asked for in their order, each once", () => {
    const all = manifestCatalog(three, [])
    assert.deepStrictEqual(idsOf(all), ["2", "1"])
    assert.deepStrictEqual(
      all.entries[0]?.listed.files.map(({ fileName }) => fileName),
      ["b.bam", "b.bam.bai"]
    )
    const some = manifestCatalog(
      three,
      ["1", "2", "1"].map((id) => AnalysisId.make(id))
    )
    assert.deepStrictEqual(idsOf(some), ["1", "2"])
    assert.deepStrictEqual(some.failures, [])
  })

  it("an analysis that the file was not written for is not found, and the rest goes on", () => {
    const found = manifestCatalog(
      three,
      ["1", "9"].map((id) => AnalysisId.make(id))
    )
    assert.deepStrictEqual(idsOf(found), ["1"])
    assert.deepStrictEqual(
      found.failures.map(({ analysisId, error }) => [analysisId, error.message]),
      [["9", "analysis 9: not found (the links file does not have it)"]]
    )
  })

  it("archived files are listed without a link", () => {
    const cold = manifest(file("1", "a.bam", { archived: true, link: null, estimatedRestoreTime: "soon" }))
    const [entry] = manifestCatalog(cold, []).entries
    assert.deepStrictEqual(entry?.listed.files, [
      { fileName: "a.bam", size: 3, archived: true, estimatedRestoreTime: "soon", hasLink: false }
    ])
    assert.isUndefined(entry?.links.get("a.bam"))
  })

  it("each link is found by the name of its file", () => {
    const [entry] = manifestCatalog(manifest(file("1", "a.bam"), file("1", "b.bam")), []).entries
    const links = ["a.bam", "b.bam", "c.bam"].map((name) => entry?.links.get(name))
    const texts = links.map((link) => (link === undefined ? null : Redacted.value(link)))
    assert.deepStrictEqual(texts, ["https://files/a.bam?sig=1", "https://files/b.bam?sig=1", null])
  })

  const Name = Schema.String.pipe(Schema.check(Schema.isNonEmpty(), Schema.isMaxLength(12)))
  const Size = Schema.NullOr(Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0))))
  const Seconds = Schema.NullOr(Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 4e9 }))))
  const Files = Schema.Array(Schema.Tuple([Name, Name, Size, Schema.Boolean, Seconds]))

  it.effect.prop(
    "survives the way through the document: no file is lost, doubled or moved to another analysis",
    [Files],
    ([files]) =>
      Effect.sync(() => {
        const entries = files.map(([analysisId, fileName, size, archived, seconds]) =>
          file(analysisId, fileName, {
            size,
            archived,
            link: archived ? null : Redacted.make("https://files/a.bam?sig=1"),
            expiresAt: seconds === null ? null : new Date(seconds * 1000)
          })
        )
        const written = manifest(...entries)
        const read = Result.getOrThrow(readLinks(JSON.stringify(linksJson(written))))
        assert.deepStrictEqual(linksJson(read), linksJson(written))
        const { entries: listed } = manifestCatalog(read, [])
        const pairs = listed.flatMap((it) => it.listed.files.map((one) => JSON.stringify([it.listed.id, one.fileName])))
        const expected = entries.map((it) => JSON.stringify([it.analysisId, it.fileName]))
        assert.deepStrictEqual(pairs.sort(), expected.sort())
      })
  )
})
