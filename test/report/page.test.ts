/** The page and the MultiQC form of reports, as text; how a page looks is for test/e2e/ReportPage.test.ts. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { multiQcJson } from "../../core/src/report/MultiQc.ts"
import { reportPage } from "../../core/src/report/Page.ts"
import type { ReportDocument } from "../../core/src/report/Report.ts"
import { formOf } from "../../core/src/report/ReportFile.ts"
import { parseManifest } from "../../core/src/verify/Manifest.ts"
import { archivedLeft, empty, hostile, many, night, requested, thousands } from "./Documents.ts"

const sha256 = (text: string) => createHash("sha256").update(text).digest("base64")
const page = (report: ReportDocument) => reportPage(report, sha256)
const count = (text: string, part: string) => text.split(part).length - 1

describe("the form of a report", () => {
  it("is told by the name of its file", () => {
    const names = ["r.json", "r.HTML", "out/r.htm", "r_mqc.json", "report", "html"]
    assert.deepStrictEqual(names.map(formOf), ["json", "page", "page", "multiqc", "json", "json"])
  })
})

describe("a page", () => {
  it("tells of every file: status, size, checksum, regions, requests and the error in words", () => {
    const text = page(night())
    for (const { fileName, path, sha256 } of night().files) {
      assert.include(text, path?.split("/").at(-1) ?? fileName ?? "?")
      if (sha256 !== null) assert.include(text, sha256)
    }
    for (const word of [
      "6 downloaded, 1 skipped, 2 pending, 1 failed",
      "17.6 GiB in 3 min 34 s, from 0.3 s",
      "chr17:43044295-43125483",
      "48,211 records",
      "120 MiB from an earlier run",
      "1 new link",
      "failed after 1 min 2 s",
      "it closed the connection after 41.2 MiB",
      "expected 21 Nov 2026, 06:30 UTC, 4 h 25 min after this report",
      "1 h 4 min after the estimate",
      "142.9 MiB/s over the run",
      "Run the same command again"
    ]) {
      assert.include(text, word)
    }
  })

  it("tells each cause once, the most severe first, with its files; an index fails with its data file", () => {
    const text = page(many())
    const [, section = ""] = /<h2 id="failures">([\s\S]*?)<\/section>/.exec(text) ?? []
    const causes = [...section.matchAll(/<p class="said">(.*?)<\/p>/g)].map(([, said]) => said)
    assert.deepStrictEqual(causes, [
      "data/SAMPLE-2026-0001.hg38.bam: block at byte 71 is damaged; if it comes so again, it is damaged at its source: tell the operators of the service",
      "47 files: ‹file› exists with ‹number› bytes, but ‹number› are listed: it was left as it is; move it away, or download it with --overwrite"
    ])
    assert.include(section, "data/SAMPLE-2026-0003.hg38.bam exists with 1021 bytes, but 2051 are listed")
    assert.notInclude(section, ".bai")
    const names = [...text.matchAll(/class="name">(SAMPLE[^<]*)</g)].map(([, name = ""]) => name)
    const table = names.slice(-206)
    for (const [at, name] of table.entries())
      if (name.endsWith(".bai")) assert.strictEqual(table[at - 1], name.slice(0, -4))
  })

  it("does not call a run done while files are in the archive, and says what to do", () => {
    const badge = (report: ReportDocument) => /<p class="badge (.*?)">(.*?)<\/p>/.exec(page(report))?.slice(1)
    assert.deepStrictEqual(badge(archivedLeft()), ["warn", "12 files are still in the archive"])
    assert.deepStrictEqual(badge(requested()), ["warn", "5 files are being restored"])
    assert.deepStrictEqual(badge(night()), ["bad", "1 of 10 files failed"])
    assert.deepStrictEqual(badge(empty()), ["good", "There was nothing to do"])
    const [first] = night().files
    const whole = {
      ...night(),
      exitCode: 0 as const,
      files: first === undefined ? [] : [first],
      totals: { ...empty().totals, downloaded: 1 }
    }
    assert.deepStrictEqual(badge(whole), ["good", "All files are there"])
    assert.deepStrictEqual(badge({ ...whole, exitCode: null, exitMeaning: "stopped before its end" }), [
      "warn",
      "Stopped before its end"
    ])
  })

  it("says with which command, where and as whom it was made", () => {
    for (const words of ["svc-download A1 --destination data", "node1, as pipeline", "svc-steps 0.1.0"]) {
      assert.include(page(night()), words)
    }
  })

  it("has no address, no link and nothing that a browser would load", () => {
    for (const report of [night(), thousands(500), empty(), requested()]) {
      const text = page(report).replaceAll(/svc-resume-restore -t https:\/\/lab\.example\.org/g, "")
      assert.notMatch(text, /(?:src|href|action|srcset|data)="(?!data:image\/svg)/i)
      assert.notMatch(text.replace("http://www.w3.org/2000/svg", ""), /https?:/)
    }
  })

  it("lets only its own style and script in, by their digests", () => {
    const text = page(night())
    const [, style = ""] = /<style>([\s\S]*?)<\/style>/.exec(text) ?? []
    const [, script = ""] = /<script>([\s\S]*?)<\/script>/.exec(text) ?? []
    assert.include(text, `style-src 'sha256-${sha256(style)}'`)
    assert.include(text, `script-src 'sha256-${sha256(script)}'`)
    assert.include(text, "default-src 'none'")
    assert.notMatch(text, /<[^>]* (?:style|on[a-z]+)=/i)
  })

  it("Y4 Z1 names and messages of a service that means harm stay text", () => {
    const text = page(hostile())
    assert.strictEqual(count(text, "<script"), 1)
    assert.strictEqual(count(text, "<style"), 1)
    assert.strictEqual(count(text, "<img"), 0)
    assert.notMatch(text, /<svg onload/i)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
    assert.notMatch(text, /[\u0000-\u0008\u001b\u202e]/)
    assert.isBelow(text.length, 60_000)
  })

  it.prop(
    "Y4 whatever a file is called, the page has the same elements",
    [Schema.String, Schema.String],
    ([name, message]) => {
      const report = (fileName: string, message: string): ReportDocument => {
        const { files, ...rest } = night()
        const file = { ...files[5], fileName, path: null, analysisId: fileName, error: { tag: message, message } }
        return { ...rest, host: fileName, files: [file as (typeof files)[number]] }
      }
      const tags = (text: string) => [...text.matchAll(/<\/?[a-z0-9!]+/gi)].map(([tag]) => tag).join(" ")
      assert.strictEqual(tags(page(report(`x${name}`, `y${message}`))), tags(page(report("x", "y"))))
    }
  )

  it("P11 thousands of files: failures first, all counted, the timelines of the longest", () => {
    const text = page(thousands(2_000))
    assert.strictEqual(count(text, "<tr>"), 2_001)
    const first = (word: string) => text.indexOf(`>${word}</span>`)
    assert.isBelow(first("Failed"), first("Being restored"))
    assert.isBelow(first("Being restored"), first("Downloaded"))
    assert.include(text, "The 40 longest of 1,960 transfers")
    assert.isBelow(count(text, "<svg"), 90)
    assert.include(text, "refused the link of ‹file› (403)")
  })

  it("P11 a page is bounded in size: rows that it cannot hold are counted, and those that failed are not among them", () => {
    const text = page(thousands(18_000))
    assert.isBelow(text.length, 8 * 1024 * 1024)
    const shown = count(text, "<tr>") - 1
    const left = new Intl.NumberFormat("en-US").format(18_000 - shown)
    assert.isBelow(shown, 18_000)
    assert.include(text, `${left} more files would make this page too large`)
    assert.strictEqual(count(text, ">Failed</span>"), 45)
  })

  it("of a run without files is a page all the same", () => {
    const text = page(empty())
    assert.include(text, "0 downloaded")
    assert.notInclude(text, '<h2 id="transfers">')
    for (const written of [text, page(hostile()), page(requested())]) {
      assert.notMatch(written.replace(/<script>[\s\S]*/, ""), /NaN|undefined|Infinity|\[object/)
    }
  })
})

describe("MultiQC", () => {
  it("one row per sample, as MultiQC names it, with the worst of its files", () => {
    const { data, plot_type } = multiQcJson(night())
    assert.strictEqual(plot_type, "table")
    assert.deepInclude(data["NA12878.hg38"], { status: "Downloaded", files: 2, failed: 0 })
    assert.deepInclude(data["mother"], { status: "Failed", files: 0, failed: 1 })
    assert.deepInclude(data["uncle.archived"], { status: "Being restored", files: 0 })
    assert.strictEqual(Object.keys(data).length, 9)
  })

  it("the same name in two analyses is two samples", () => {
    const report = night()
    const [first] = report.files
    const files = first === undefined ? [] : [first, { ...first, analysisId: "A9" }]
    assert.deepStrictEqual(Object.keys(multiQcJson({ ...report, files }).data), [
      "NA12878.hg38 (A1)",
      "NA12878.hg38 (A9)"
    ])
  })

  it("Y4 nothing of it is markup, for MultiQC writes it into its page as it is", () => {
    assert.notMatch(JSON.stringify(multiQcJson(hostile())), /[<>]/)
  })
})

describe("svc-verify --against", () => {
  it("says which form of the report it needs", () => {
    const wrong = (text: string) => {
      const parsed = parseManifest("r", text)
      return parsed._tag === "Failure" ? parsed.failure.message : "accepted"
    }
    assert.match(wrong(page(night())), /a page for people: give the report that was written as \.json/)
    assert.match(wrong(JSON.stringify(multiQcJson(night()))), /made for MultiQC: give the report/)
    assert.strictEqual(wrong(JSON.stringify(night())), "accepted")
  })
})
