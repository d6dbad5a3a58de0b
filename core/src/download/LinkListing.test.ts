import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import { listedFile } from "../../../test/selection/ListedFiles.ts"
import { AnalysisId, SampleId } from "../contract/Ids.ts"
import type { FileType } from "../selection/FileName.ts"
import type { ListedFile } from "../selection/WantedFiles.ts"
import { type DownloadOptions, parseRequest } from "./DownloadRequest.ts"
import { linksOf, noLinks } from "./LinkManifest.ts"

const requestOf = (options: DownloadOptions) => ({ ...Result.getOrThrow(parseRequest(options)), slice: null })

/** What the links of these files come to; of each file `NAME?` is its link. */
const found = Effect.fnUntraced(function* (
  files: ReadonlyArray<ListedFile>,
  filetypes: ReadonlyArray<FileType>,
  special: Readonly<Record<string, string>> = {}
) {
  const linked = files.flatMap(({ fileName, hasLink }) => (fileName !== null && hasLink ? [fileName] : []))
  const links = new Map(linked.map((name) => [name, Redacted.make(special[name] ?? `https://h/${name}?`)]))
  const listed = { id: AnalysisId.make("A1"), named: true, sampleId: SampleId.make("S1"), limsId: null, files }
  const { errors, indexes, links: entries } = yield* linksOf({ listed, links, askedAt: 0 }, requestOf({ filetypes }))
  const names = (some: typeof entries) => some.map(({ fileName }) => fileName)
  return { entries, links: names(entries), indexes: names(indexes), errors: errors.map(({ message }) => message) }
})

describe("linksOf", () => {
  it.effect("gives the wanted files, and apart from them the indexes that regions of those would need", () =>
    Effect.gen(function* () {
      const files = ["S1.bam", "S1.bam.bai", "S1.vcf.gz", "S1.vcf.gz.tbi"].map((name) => listedFile(name))
      const { entries, ...rest } = yield* found(files, ["bam"])
      assert.deepStrictEqual(rest, { links: ["S1.bam"], indexes: ["S1.bam.bai"], errors: [] })
      assert.strictEqual(Redacted.value(entries[0]?.link ?? Redacted.make("")), "https://h/S1.bam?")
      const both = yield* found(files, ["bam", "bam.bai"])
      assert.deepStrictEqual([both.links, both.indexes], [["S1.bam", "S1.bam.bai"], []])
    })
  )

  it.effect("L6 of two indexes of one name none is taken", () =>
    Effect.gen(function* () {
      const files = ["S1.bam", "S1.bam.bai", "S1.bam.bai"].map((name) => listedFile(name))
      const { links, indexes } = yield* found(files, ["bam"])
      assert.deepStrictEqual([links, indexes], [["S1.bam"], []])
    })
  )

  it.effect("an archived file has no link and no error, and keeps when it is expected", () =>
    Effect.gen(function* () {
      const cold = listedFile("S1.bam", { archived: true, estimatedRestoreTime: "soon" })
      const { entries, errors } = yield* found([cold], ["bam"])
      assert.deepStrictEqual(entries, [
        {
          analysisId: AnalysisId.make("A1"),
          fileName: "S1.bam",
          size: 100,
          archived: true,
          estimatedRestoreTime: "soon",
          link: null,
          expiresAt: null
        }
      ])
      assert.deepStrictEqual(errors, [])
    })
  )

  it.effect("says when a link ends, as far as its own text tells", () =>
    Effect.gen(function* () {
      const dated = "https://h/S1.bam?X-Amz-Date=20261122T100000Z&X-Amz-Expires=60"
      const { entries } = yield* found([listedFile("S1.bam")], ["bam"], { "S1.bam": dated })
      assert.strictEqual(entries[0]?.expiresAt?.toISOString(), "2026-11-22T10:01:00.000Z")
    })
  )

  it.effect("refuses a link with a line feed: the next line would be somebody else's link", () =>
    Effect.gen(function* () {
      const { errors, links } = yield* found([listedFile("S1.bam")], ["bam"], {
        "S1.bam": "https://h/a\nhttps://evil/"
      })
      assert.deepStrictEqual([links, errors.length], [[], 1])
      assert.match(errors[0] ?? "", /S1\.bam.*control character/)
      assert.notInclude(errors[0], "evil")
    })
  )

  it.effect("judges names and links as a download would: an unsafe name, no link, none of the wanted types", () =>
    Effect.gen(function* () {
      const unsafe = yield* found([listedFile("../up.bam")], ["bam"])
      assert.deepStrictEqual([unsafe.links, unsafe.errors.length], [[], 1])
      const linkless = yield* found([listedFile("S1.bam", { hasLink: false })], ["bam"])
      assert.deepStrictEqual(linkless.errors, ["download link of S1.bam (analysis A1): not found"])
      const other = yield* found([listedFile("S1.vcf.gz")], ["bam"])
      assert.match(other.errors.join(), /^bam files of analysis A1: not found \(there are vcf\.gz\)$/)
    })
  )

  it("names the wanted types where nothing at all was found", () => {
    assert.strictEqual(noLinks(requestOf({ filetypes: ["cram"] as never })).message, "links of cram files: not found")
  })
})
