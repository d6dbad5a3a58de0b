/**
 * From the ids of analyses to files on the disk: what can be asked for, what is planned, what happens, and what came of it.
 *
 * @since 0.1.0
 */
export type { ListItem, PlanOutcome, RunOutcome } from "../download/DownloadForms.ts"
export { DownloadOptions, RegionOptions, type RequestError } from "../download/DownloadRequest.ts"
export { Downloads, type RunFailure, type RunOptions } from "../download/Downloads.ts"
export { DownloadsFailed, FileResult } from "../download/FileResult.ts"
export type { OpenFile, OpenOptions } from "../download/OneFile.ts"
export { RunEvent } from "../download/RunEvent.ts"
export type { Ended } from "../download/RunEvents.ts"
export { type FileType, fileTypes } from "../genome/formats/FileNames.ts"
export type { Region } from "../genome/regions/RegionText.ts"
export { type OutputPath, pathOf } from "../selection/OutputPath.ts"
export type { RunFile } from "../selection/RunFile.ts"
export type { ListedAnalysis, ListedFile } from "../selection/WantedFiles.ts"
