import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import { AnalysisId } from "../contract/Ids.ts"
import { type LinkEntry, type LinkManifest, linksJson, readLinks } from "./LinkManifest.ts"

const secret = "https://files.example.org/a.bam?X-Amz-Signature=s3cret"
const entry: LinkEntry = {
  analysisId: AnalysisId.make("A1"),
  fileName: "a.bam",
  size: 3,
  archived: false,
  estimatedRestoreTime: null,
  link: Redacted.make(secret),
  expiresAt: new Date(0)
}
const frozen: LinkEntry = {
  ...entry,
  fileName: "b.bam",
  size: null,
  archived: true,
  estimatedRestoreTime: "2026-11-22T00:00:00Z",
  link: null,
  expiresAt: null
}
const manifest: LinkManifest = {
  target: new URL("https://lab.example.org/"),
  filetypes: ["bam"],
  entries: [entry, frozen]
}

const document = () => linksJson(manifest)
const text = (change: (document: Record<string, unknown>, file: Record<string, unknown>) => void) => {
  const copy = JSON.parse(JSON.stringify(document()))
  change(copy, copy.files[0])
  return JSON.stringify(copy)
}
const reasonOf = (source: string) =>
  Result.match(readLinks(source), { onFailure: ({ reason }) => reason, onSuccess: () => "read" })

describe("a document of links", () => {
  it("holds what a transfer needs, and is read as it was written", () => {
    assert.deepStrictEqual(document().files[0], {
      analysisId: AnalysisId.make("A1"),
      fileName: "a.bam",
      size: 3,
      archived: false,
      estimatedRestoreTime: null,
      link: secret,
      expiresAt: "1970-01-01T00:00:00.000Z"
    })
    const read = Result.getOrThrow(readLinks(JSON.stringify(document(), null, 2)))
    assert.deepStrictEqual(JSON.stringify(linksJson(read)), JSON.stringify(document()))
    assert.notInclude(JSON.stringify(read), "s3cret")
  })

  it("has entries that can be copied", () => {
    const { entries, ...rest } = Result.getOrThrow(readLinks(JSON.stringify(document())))
    const copy = { ...rest, entries: entries.map((each) => ({ ...each })) }
    assert.deepStrictEqual(linksJson(copy), document())
  })

  it("Z1 that is not one, or lies about itself, is refused with a reason that repeats no link", () => {
    const cases: ReadonlyArray<readonly [string, RegExp]> = [
      ["", /^not JSON: expected a value at line 1, column 1$/],
      [`{"schema": "svc.links/1", "files": ["${secret}" "x"]}`, /^not JSON: expected a comma or \]/],
      ["[]", /^it is not a links file/],
      ["null", /^it is not a links file/],
      [text((it) => (it["schema"] = "svc.links/9")), /^it is not a links file \(svc\.links\/1\)/],
      [text((it) => (it["target"] = "file:///etc")), /^target: not the URL of a service$/],
      [text((it) => (it["target"] = "https://user:pw@lab.example.org")), /^target: not the URL/],
      [text((it) => (it["filetypes"] = ["exe"])), /^filetypes\[0\]: /],
      [text((it) => (it["filetypes"] = [])), /^filetypes: /],
      [text((it) => (it["files"] = {})), /^files: /],
      [text((_, file) => (file["analysisId"] = 5)), /^file 1: analysisId: /],
      [text((_, file) => (file["fileName"] = "")), /^file 1: fileName: /],
      [text((_, file) => (file["link"] = "ftp://files.example.org/s3cret")), /^file 1: link: not an http or https/],
      [text((_, file) => (file["link"] = "https://files.example.org:s3cret/")), /^file 1: link: not an http or https/],
      [text((_, file) => (file["link"] = "javascript:s3cret")), /^file 1: link: not an http or https/],
      [text((_, file) => (file["link"] = `${secret}\r\nX: y`)), /^file 1: link: not an http or https/],
      [text((_, file) => (file["link"] = ["s3cret"])), /^file 1: link/],
      [text((_, file) => (file["link"] = null)), /^file 1: link: missing/],
      [text((it) => (it["files"] = [document().files[0], 7])), /^file 2: /],
      [text((it) => (it["files"] = Array(100_001).fill(0))), /^it has more than 100000 files/]
    ]
    for (const [source, reason] of cases) {
      assert.match(reasonOf(source), reason)
      assert.notInclude(reasonOf(source), "s3cret")
    }
  })

  it("with hints that are none is still read: a size or an end that cannot be is unknown", () => {
    const source = text((_, file) => Object.assign(file, { size: -1, expiresAt: "soon", estimatedRestoreTime: 5 }))
    const [first] = Result.getOrThrow(readLinks(source)).entries
    assert.deepStrictEqual([first?.size, first?.expiresAt, first?.estimatedRestoreTime], [null, null, null])
  })
})
