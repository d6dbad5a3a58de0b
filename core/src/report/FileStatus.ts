/** What became of a file, in a word and a colour. */
import type { FileReason, SkipReason } from "../download/FileResult.ts"
import type { ReportedFile } from "./Report.ts"

export interface FileStatus {
  readonly word: string
  readonly tone: "good" | "bad" | "open" | "calm"
  /** What needs somebody's attention comes first. */
  readonly rank: number
}

const skipped: Readonly<Record<SkipReason, FileStatus>> = {
  pending: { word: "Being restored", tone: "open", rank: 1 },
  archived: { word: "In the archive", tone: "open", rank: 2 },
  exists: { word: "Kept", tone: "calm", rank: 4 },
  "no-reads": { word: "Nothing to take", tone: "calm", rank: 4 }
}

const failed: { readonly [R in FileReason]?: string } = {
  differs: "Differs",
  archived: "Not restored",
  missing: "Not listed"
}

export const statusOf = ({ action, error, reason }: ReportedFile): FileStatus => {
  if (action === "failed" || reason === "differs" || reason === "missing") {
    const word = (reason === null ? undefined : failed[reason]) ?? (error?.tag === "Stopped" ? "Stopped" : "Failed")
    return { word, tone: "bad", rank: 0 }
  }
  if (action === "downloaded") return { word: "Downloaded", tone: "good", rank: 3 }
  return reason === null ? { word: "Skipped", tone: "calm", rank: 4 } : skipped[reason]
}

/** The last part of the path where there is one: a slice has a name of its own. */
export const nameOf = ({ analysisId, fileName, path }: ReportedFile): string =>
  path?.split("/").at(-1) ?? fileName ?? (analysisId === null ? "The whole run" : `Analysis ${analysisId}`)
