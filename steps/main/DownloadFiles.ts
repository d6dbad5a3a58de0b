/** `svc-api download-files`: the run of `svc-download`. */
import { downloadStep } from "../download/DownloadStep.ts"
import type { Method } from "./Step.ts"

export const downloadFiles: Method = {
  ...downloadStep,
  method: "download-files",
  group: "Files",
  summary: "Download the files of analyses: the same as svc-download, with its options",
  examples: [{ command: "A1 A2 -f vcf.gz,vcf.gz.tbi -d data", says: "the variants of two analyses" }]
}
