/** A report in the form that the name of its file asks for; what only pages need is loaded only for them. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { ReportDocument } from "../../core/src/report/Report.ts"
import { formOf } from "../../core/src/report/ReportForm.ts"
import { printableJson } from "../../core/src/text/Printable.ts"
import { Scrubber } from "../../core/src/text/Scrubber.ts"

const sha256 = (text: string) => createHash("sha256").update(text).digest("base64")

/** Its sentences lose the secrets of this process first, for a page shows them as well. */
export const reportText = (file: string, report: ReportDocument): Effect.Effect<string> =>
  Effect.flatMap(Scrubber, ({ document }) => textOf(file, document(report)))

const textOf = (file: string, report: ReportDocument): Effect.Effect<string> => {
  switch (formOf(file)) {
    case "page":
      return Effect.map(
        Effect.promise(() => import("../../core/src/report/Page.ts")),
        ({ reportPage }) => reportPage(report, sha256)
      )
    case "multiqc":
      return Effect.map(
        Effect.promise(() => import("../../core/src/report/MultiQc.ts")),
        ({ multiQcJson }) => `${printableJson(multiQcJson(report))}\n`
      )
    case "json":
      return Effect.succeed(`${printableJson(report)}\n`)
  }
}
