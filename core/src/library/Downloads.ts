/**
 * From the ids of analyses to files on the disk: what can be asked for, what is planned, what happens, and what came of it.
 *
 * @since 0.1.0
 */
export type { ListItem, PlanOutcome, PlanSubject, RunOutcome } from "../download/DownloadForms.ts"
export type {
  DownloadPlan,
  ForeseenFile,
  ForeseenRestoration,
  Outlook
} from "../download/DownloadPlan.ts"
export type { RequestError } from "../download/DownloadRequest.ts"
export { DownloadOptions, RegionOptions } from "../download/DownloadRequest.ts"
export { Downloads, type RunEvents, type RunFailure, type RunOptions } from "../download/Downloads.ts"
export {
  DownloadsFailed,
  type FailedResult,
  FileResult,
  type FileTransferred,
  type RunResult,
  type SkipReason,
  type Totals,
  totalsOf
} from "../download/FileResult.ts"
export type { OneFileError, OpenFile, OpenOptions } from "../download/OneFile.ts"
export type { DiskNeed, DiskSpace } from "../download/Planning.ts"
export type { PlanFailure } from "../download/PlanRemarks.ts"
export { type AnalysisOwner, Decision, RunEvent } from "../download/RunEvent.ts"
export type { Ended } from "../download/RunEvents.ts"
export type { RefusedEstimate } from "../download/SliceTasks.ts"
export { type ChecksumKind, type FileType, fileTypes, type OfferedDataType } from "../genome/formats/FileNames.ts"
export { type Layout, type OutputPath, pathOf } from "../selection/OutputPath.ts"
export { RunFile } from "../selection/RunFile.ts"
export type { SelectedAnalysis } from "../selection/Selection.ts"
export type { ListedAnalysis, ListedFile } from "../selection/WantedFiles.ts"
export type { SliceEstimate, SliceIndex } from "../transfer/SliceRequest.ts"
export { TransferProgress } from "../transfer/TransferRequest.ts"
