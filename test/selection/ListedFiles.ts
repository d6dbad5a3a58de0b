/** Files as a listing of the service has them, and as a plan has them. */
import { AnalysisId } from "../../core/src/contract/Ids.ts"
import type { PlannedFile } from "../../core/src/download/DownloadPlan.ts"
import type { ListedFile } from "../../core/src/selection/WantedFiles.ts"

/** A file of 100 bytes; one that is archived has no link. */
export const listedFile = <Name extends string | null>(fileName: Name, some: Partial<ListedFile> = {}) => ({
  size: 100,
  archived: false,
  estimatedRestoreTime: null,
  hasLink: some.archived !== true,
  ...some,
  fileName
})

/** A file of analysis A1 that will be fetched. */
export const plannedFile = (fileName: string, some: Partial<PlannedFile> = {}): PlannedFile => ({
  ...listedFile(fileName),
  analysisId: AnalysisId.make("A1"),
  type: fileName.endsWith(".bai") ? "bam.bai" : "bam",
  folder: "",
  slice: null,
  decision: { _tag: "Fetch" },
  ...some
})
