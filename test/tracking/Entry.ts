/** The request of a restoration, of which a test says only whose file it is. */
import type { NewEntry } from "../../core/src/archive/TrackingEntry.ts"
import { AnalysisId } from "../../core/src/contract/Ids.ts"

export const entry = (analysisId: string): NewEntry => ({
  target: "here",
  analysisId: AnalysisId.make(analysisId),
  fileName: "S1.bam",
  restoreEstimation: null,
  requestTime: "2026-11-21T00:00:00.000Z",
  status: "pending",
  options: { destination: ".", overwrite: false, range: null, bed: null, restorationFile: "t.json", filetypes: ["bam"] }
})
