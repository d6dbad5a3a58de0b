import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readEntry } from "../archive/TrackingEntry.ts"
import { untransferredResult } from "../download/FileResult.ts"
import type { RestorationStatus } from "../download/RestorationStatus.ts"
import { EntryUnusable, NotFound } from "../Errors.ts"
import { restorationsJson, restorationsText } from "./RestorationList.ts"

const asIs = (text: string) => text

const status = (
  analysisId: string,
  fileName: string,
  state: RestorationStatus["state"],
  path?: string
): RestorationStatus => ({
  entry: Result.getOrThrow(readEntry({ analysisId, fileName })),
  state,
  results:
    path === undefined
      ? []
      : [
          untransferredResult(
            { analysisId, fileName, path, bytes: null },
            { action: "skipped", reason: "pending", error: null }
          )
        ]
})
const time = "2026-11-21T15:00:00Z"
const look = {
  statuses: [
    status("A1", "S.bam", { _tag: "Done" }, "out/S.bam"),
    status("A2", "T.bam", { _tag: "Requested", requestedAt: null, estimate: time, underWay: true }, "out/T.bam"),
    status("A1", "U.bam", { _tag: "Available" }),
    status("A2", "V.bam", { _tag: "Requested", requestedAt: null, estimate: null, underWay: false }),
    status("A2", "X.bam", { _tag: "NotRequested" }),
    status("A3", "W.bam", { _tag: "Failed", error: new NotFound({ what: "W.bam", detail: "gone\u001b[2J" }) })
  ],
  others: [
    Result.getOrThrow(
      readEntry({ analysisId: "A9", fileName: "Y.bam", target: "https://elsewhere/", status: "pending" })
    )
  ],
  unusable: [new EntryUnusable({ path: "r.json", position: 6, reason: "it is not an object" })]
}

describe("the list of restorations", () => {
  it("as text: by analysis, with the state of each file, and what cannot be used at the end", () => {
    const lines = restorationsText(look, asIs).split("\n")
    assert.deepStrictEqual(lines.slice(0, 9), [
      "Analysis ID: A1",
      "  S.bam  [DOWNLOADED]",
      "  U.bam  [AVAILABLE]",
      "Analysis ID: A2",
      `  T.bam  [ARCHIVED]  requested, expected at ${time}`,
      "  V.bam  [ARCHIVED]  requested, but no restoration is under way",
      "  X.bam  [ARCHIVED]  not requested: no restoration is under way",
      "Analysis ID: A3",
      "  W.bam  [FAILED]  W.bam: not found (gone\\u001b[2J)"
    ])
    assert.deepStrictEqual(lines.slice(9, 11), [
      "Of another target, not looked at: https://elsewhere/",
      "  Y.bam (analysis A9)"
    ])
    assert.match(lines[11] ?? "", /r\.json.*6.*it is not an object/)
    assert.strictEqual(lines.length, 12)
    assert.notInclude(lines.join(), "pending")
  })

  it("as one JSON document with the same facts", () => {
    const document = restorationsJson(look)
    assert.strictEqual(document.schema, "svc.restorations/1")
    assert.deepStrictEqual(document.restorations[1], {
      analysisId: "A2",
      fileName: "T.bam",
      path: "out/T.bam",
      status: "requested",
      estimatedRestoreTime: time,
      error: null
    })
    assert.deepStrictEqual(
      document.restorations.map(({ path, status }) => [status, path]),
      [
        ["available", "out/S.bam"],
        ["requested", "out/T.bam"],
        ["available", null],
        ["requested", null],
        ["notRequested", null],
        ["failed", null]
      ]
    )
    assert.strictEqual(document.restorations[5]?.error?.tag, "NotFound")
    assert.deepStrictEqual(document.others, [{ analysisId: "A9", fileName: "Y.bam", target: "https://elsewhere/" }])
    assert.strictEqual(document.failures.length, 1)
    assert.strictEqual(document.failures[0]?.error.tag, "EntryUnusable")
  })

  it("an empty list says that it is empty", () => {
    const nothing = { statuses: [], unusable: [], others: [] }
    assert.strictEqual(restorationsText(nothing, asIs), "No restorations")
    assert.deepStrictEqual(restorationsJson(nothing), {
      schema: "svc.restorations/1",
      restorations: [],
      others: [],
      failures: []
    })
    const broken = restorationsText({ ...nothing, unusable: look.unusable }, asIs)
    assert.match(broken, /it is not an object/)
    assert.notMatch(broken, /No restorations/)
  })
})
