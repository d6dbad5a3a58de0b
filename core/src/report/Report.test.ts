import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { downloaded, failed, kept, transferred } from "../../../test/Results.ts"
import { AnalysisId } from "../contract/Ids.ts"
import { failedFile, failureResult } from "../download/FileResult.ts"
import { InArchive, NotFound } from "../Errors.ts"
import { printableJson } from "../text/Printable.ts"
import { type ReportRun, Row, reportJson, reportPieces, rowJson, statusOf } from "./Report.ts"

const missing = new NotFound({ what: "analysis A9" })

describe("Report", () => {
  it("has totals, one entry per file, seconds, and the meaning of the exit code", () => {
    const run = {
      version: "1.2.3",
      host: "svc.example.org",
      command: "svc-download A1 --destination data",
      machine: "node1",
      user: "pipeline",
      startedAt: new Date(0),
      finishedAt: new Date(1500),
      milliseconds: 1500
    }
    const id = { analysisId: AnalysisId.make("A1"), fileName: "a.bam", path: "out/a.bam", bytes: 10 }
    const done = downloaded({ ...id, transfer: transferred(100, 1300, { seconds: 1.2345 }), sha256: "ab" })
    const more = { step: "download", throughput: { intervalSeconds: 0.25, bytes: [10] }, advice: ["again"] } as const
    const adviceOf = () => "look again"
    const document = reportJson({ ...run, ...more, adviceOf, exitCode: 66 }, [
      done,
      kept(id),
      failureResult(AnalysisId.make("A1"), missing)
    ])
    const keys =
      "analysisId fileName path action reason bytes listedBytes resumedFrom sha256 provenBy regions records index fetched " +
      "warnings attempts renewals seconds startedAt finishedAt restoration error"
    for (const file of document.files) assert.strictEqual(Object.keys(file).join(" "), keys)
    assert.deepStrictEqual(document.totals, { downloaded: 1, skipped: 1, failed: 1, bytes: 10 })
    assert.strictEqual(document.schema, "svc.report/1")
    assert.strictEqual(document.seconds, 1.5)
    assert.strictEqual(document.startedAt, "1970-01-01T00:00:00.000Z")
    assert.match(document.exitMeaning, /not found/)
    assert.deepStrictEqual(document.files[0], {
      ...id,
      action: "downloaded",
      reason: null,
      listedBytes: null,
      resumedFrom: 0,
      sha256: "ab",
      provenBy: "blocks",
      regions: null,
      records: null,
      index: null,
      fetched: null,
      warnings: [],
      attempts: 0,
      renewals: 0,
      seconds: 1.235,
      startedAt: "1970-01-01T00:00:00.100Z",
      finishedAt: "1970-01-01T00:00:01.300Z",
      restoration: null,
      error: null
    })
    assert.deepInclude(document, more)
    assert.deepStrictEqual(document.files[2]?.error, {
      tag: "NotFound",
      exit: 66,
      message: "analysis A9: not found",
      advice: "look again",
      what: "analysis A9"
    })
    const again = Schema.decodeUnknownSync(Schema.Array(Row))(JSON.parse(JSON.stringify(document.files)))
    assert.deepStrictEqual(again[2]?.error, missing)
    assert.deepStrictEqual(again[0]?.finishedAt, new Date(1300))
  })

  it("C1 its seconds are those that passed, also when the clock was set back meanwhile", () => {
    const times = { startedAt: new Date(7_200_000), finishedAt: new Date(1500), milliseconds: 1500 }
    const run = {
      version: "1",
      host: "h",
      command: "svc-download A1",
      machine: "node1",
      user: "pipeline",
      step: "download",
      exitCode: 0,
      advice: [],
      adviceOf: () => null,
      ...times
    } as const
    assert.strictEqual(reportJson({ ...run, throughput: { intervalSeconds: 1, bytes: [] } }, []).seconds, 1.5)
  })

  it("a file that failed because it lies in the archive is `archived`, however far its run came", () => {
    const analysisId = AnalysisId.make("A1")
    const file = { analysisId, fileName: "a.bam", path: "a.bam", bytes: 1, listedBytes: 1, restoration: null }
    const error = InArchive.of(file, null)
    const failures = [failedFile(file, error), failureResult(analysisId, error)]
    for (const result of failures) {
      const row = rowJson(result, () => null)
      assert.deepStrictEqual([row.reason, statusOf(row).word], ["archived", "Not restored"])
    }
  })

  it("as text in pieces it is the same document, of any number of files and with names that need escapes", () => {
    const run: ReportRun = {
      step: "download",
      version: "1.2.3",
      host: "svc.example.org",
      command: "svc-download A1",
      machine: "node1",
      user: "pipeline",
      startedAt: new Date(0),
      finishedAt: new Date(1),
      milliseconds: 1,
      exitCode: 66,
      throughput: { intervalSeconds: 0.25, bytes: [] },
      advice: [],
      adviceOf: () => null
    }
    const names = ["a.bam", 'line\nfeed "quoted" \u2028 \u202e.bam', "]\n}.bam"]
    const results = names.map((fileName) =>
      failed(missing, { analysisId: AnalysisId.make("A1"), fileName, path: fileName, bytes: 1 })
    )
    const hidden = <A>(value: A): A => JSON.parse(JSON.stringify(value).replaceAll("A9", "***"))
    for (const count of [0, 1, 3]) {
      const some = results.slice(0, count)
      const pieces = [...reportPieces(run, some, hidden)]
      assert.strictEqual(pieces.join(""), `${printableJson(hidden(reportJson(run, some)))}\n`)
      assert.isAtLeast(pieces.length, count)
    }
  })
})
