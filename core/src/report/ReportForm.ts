/** The format of a report, chosen by its file name. */

/** `page`: for people, one HTML file. `multiqc`: a section of a MultiQC report. `json`: `svc.report/1`, for programs. */
export type ReportForm = "json" | "page" | "multiqc"

/** `.html` and `.htm` make a page, `_mqc.json` (the name that MultiQC looks for) its custom content, all else JSON. */
export const formOf = (path: string): ReportForm => {
  const name = path.toLowerCase()
  if (name.endsWith(".html") || name.endsWith(".htm")) return "page"
  return name.endsWith("_mqc.json") ? "multiqc" : "json"
}
