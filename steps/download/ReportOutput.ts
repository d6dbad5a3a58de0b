/** Writes a report in the form that the name of its file asks for. */
import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import type { FileResult } from "../../core/src/download/FileResult.ts"
import { multiQcJson } from "../../core/src/report/MultiQc.ts"
import { reportPage } from "../../core/src/report/Page.ts"
import { type ReportRun, reportJson, reportPieces } from "../../core/src/report/Report.ts"
import { formOf } from "../../core/src/report/ReportForm.ts"
import { printableJson } from "../../core/src/text/Printable.ts"
import { Scrubber } from "../../core/src/text/Scrubber.ts"
import { replaceFile } from "../../platform/files/OutputFile.ts"

const sha256 = (text: string) => createHash("sha256").update(text).digest("base64")

/** The sentences in it lose the secrets of this process first. */
export const writeReport = Effect.fn("svc.step.writeReport")(function* (
  file: string,
  run: ReportRun,
  results: ReadonlyArray<FileResult>
) {
  const { document } = yield* Scrubber
  yield* replaceFile(file, encoded(textOf(file, run, results, document)), "the report")
})

const textOf = (
  file: string,
  run: ReportRun,
  results: ReadonlyArray<FileResult>,
  document: Scrubber["document"]
): Iterable<string> => {
  switch (formOf(file)) {
    case "page":
      return [reportPage(document(reportJson(run, results)), sha256)]
    case "multiqc":
      return [`${printableJson(multiQcJson(document(reportJson(run, results))))}\n`]
    case "json":
      return reportPieces(run, results, document)
  }
}

/** Characters of text that are written at a time. */
const batch = 64 * 1024

function* encoded(pieces: Iterable<string>): Generator<Uint8Array> {
  const encoder = new TextEncoder()
  let text = ""
  for (const piece of pieces) {
    text += piece
    if (text.length < batch) continue
    yield encoder.encode(text)
    text = ""
  }
  yield encoder.encode(text)
}
