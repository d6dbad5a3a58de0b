/**
 * svc-steps as a library: the client of the service, its session, its records and its errors, as Effect services.
 *
 * This part is free of Node; `svc-steps/node` has the layers that do the work, and `svc-steps/sandbox` a service to test
 * against. Every export is documented where it is declared.
 */

// --- the service: one method per endpoint -----------------------------------------------------------------------------

export type { GenericBody, GenericReply } from "./client/GenericRequest.ts"
export { allGenes, type PanelChoice, type ServersChoice, serversChoice } from "./client/PanelChoice.ts"
export { ServiceClient } from "./client/ServiceClient.ts"
export { ServiceJson } from "./client/ServiceJson.ts"
export type {
  DerivedMethods,
  InternalPerson,
  MethodReply,
  Reading,
  ReportChoice,
  ServiceMethods
} from "./client/ServiceMethods.ts"
export { type PayloadStream, ServiceStreams, type StreamMethods } from "./client/ServiceStreams.ts"

// --- annotations of any size, row by row ----------------------------------------------------------------------------------

export { type AnnotationRow, type AnnotationRowsWish, annotationRows } from "./annotations/AnnotationRows.ts"
export type { AnnotationsError } from "./annotations/AnnotationsFetch.ts"
export { type Spool, Spools } from "./annotations/Spool.ts"

// --- identifiers and records ------------------------------------------------------------------------------------------

export { AnalysisItem, FoundAnalysis } from "./contract/Analyses.ts"
export { SnvAnnotations } from "./contract/Annotations.ts"
export { RestoreAnswer } from "./contract/Archive.ts"
export { CaseReport, CaseReportInfo } from "./contract/CaseReports.ts"
export { CnvTargetResults, PendingCnvSegments } from "./contract/Cnv.ts"
export { CoverageItem } from "./contract/Coverage.ts"
export type { EndpointName } from "./contract/EndpointNotes.ts"
export type { Enveloped } from "./contract/Envelope.ts"
export { ExactNumber } from "./contract/ExactNumber.ts"
export { AnalysisFiles, FileLink } from "./contract/Files.ts"
export { Gene } from "./contract/Genes.ts"
export { AnalysisId, GeneId, LimsId, PanelId, PersonId, SampleId } from "./contract/Ids.ts"
export { VirtualPanel, VirtualPanelSummary, VirtualPanelUpdate } from "./contract/Panels.ts"
export { Person, PersonUpdate } from "./contract/Persons.ts"
export { QcCaseMetrics } from "./contract/QualityControl.ts"
export { type ServiceApi, serviceApi } from "./contract/ServiceApi.ts"
export * as WireErrors from "./contract/WireErrors.ts"

// --- the session, for those who wire it themselves ----------------------------------------------------------------------

export { AccountLock } from "./session/AccountLock.ts"
export type { Conversation } from "./session/Conversation.ts"
export { type CookieJar, CookieJars } from "./session/CookieJars.ts"
export { RepeatSafe, SlowReply } from "./session/RequestMarks.ts"
export { Session } from "./session/Session.ts"
export { makeSessionProfile, type SessionProfile, SessionProfileOverrides } from "./session/SessionProfile.ts"
export type { SessionLimits, SessionSettings, SessionTimeouts } from "./session/SessionSettings.ts"
export { type ServiceSettings, serviceConfig } from "./settings/ServiceConfig.ts"
export type { ProxyAddress } from "./settings/Settings.ts"

// --- files from link hosts: whole, or regions of them ---------------------------------------------------------------------

export { existingSlice } from "./download/ExistingSlice.ts"
export { Codec } from "./genome/bgzf/Codec.ts"
export { parseBed } from "./genome/regions/BedText.ts"
export { parseRange, type Reading as RegionReading, type RegionText } from "./genome/regions/RegionText.ts"
export type { KeptFile } from "./transfer/ChecksumFile.ts"
export { FileTransfer } from "./transfer/FileTransfer.ts"
export type { LinkedFile } from "./transfer/LinkLease.ts"
export type { TransferSettings } from "./transfer/LinkPool.ts"
export type { PartPlace } from "./transfer/PartFiles.ts"
export type {
  SliceEstimate,
  SliceKind,
  SliceOutcome,
  SliceRequest,
  SliceSourceFile,
  SliceState,
  SliceTask,
  SliceWish
} from "./transfer/SliceRequest.ts"
export { SliceTransfer } from "./transfer/SliceTransfer.ts"
export type {
  FreshLink,
  PartReader,
  TransferCheck,
  TransferOutcome,
  TransferProgress,
  TransferRequest
} from "./transfer/TransferRequest.ts"

// --- downloads: from the ids of analyses to files on the disk ---------------------------------------------------------------

export type {
  LinksItem,
  ListItem,
  PlanOutcome,
  PlanSubject,
  RunOutcome
} from "./download/DownloadForms.ts"
export type {
  Decision,
  DownloadPlan,
  ForeseenFile,
  ForeseenRestoration,
  Outlook,
  PlanError,
  PlanFailure,
  PlannedFile
} from "./download/DownloadPlan.ts"
export type {
  DownloadOptions,
  RegionOptions,
  RequestError
} from "./download/DownloadRequest.ts"
export { Downloads, type EventsOptions, type Looks, type RunFailure } from "./download/Downloads.ts"
export {
  DownloadsFailed,
  type FileFailure,
  type FileReason,
  FileResult,
  type SkipReason,
  type Throughput,
  type Totals,
  totalsOf
} from "./download/FileResult.ts"
export type { LinkError, LinksOf } from "./download/LinkListing.ts"
export { type LinkEntry, type LinkManifest, linksJson, readLinks } from "./download/LinkManifest.ts"
export type { DiskNeed, DiskSpace } from "./download/Planning.ts"
export { isSettled, type RestorationState, type RestorationStatus } from "./download/RestorationStatus.ts"
export type { Awaited, Ended, RunEvent, Tell } from "./download/RunEvents.ts"
export { makeRunRecord, type RunRecord } from "./download/RunRecord.ts"
export type { RefusedEstimate } from "./download/SliceTasks.ts"
export {
  type ChecksumKind,
  type FileType,
  fileTypes,
  type OfferedDataType
} from "./genome/formats/FileNames.ts"
export type { ListedAnalysis, ListedFile } from "./selection/ListedFiles.ts"
export { type Layout, type OutputPath, pathOf } from "./selection/OutputPath.ts"
export type { SelectedAnalysis } from "./selection/Selection.ts"
export type { WantedFile, WantedSlice } from "./selection/WantedFiles.ts"

// --- files in the archive: who agrees to a restoration, what is remembered, when to look --------------------------------------

export { type RestoreMode, RestorePolicy } from "./archive/Policy.ts"
export type { Restoration } from "./archive/Restoration.ts"
export type { StoredRequest, StoredRequests } from "./archive/StoredRequests.ts"
export type { Item as TrackingItem, TrackingDocument } from "./archive/TrackingDocument.ts"
export type { StoredOptions, TrackingEntry } from "./archive/TrackingEntry.ts"
export { TrackingFile } from "./archive/TrackingFile.ts"
export { type Found, type Patience, untilRestored } from "./archive/Waiting.ts"
export type { Look } from "./download/RestorationStatus.ts"
export { type LookFailure, untilBack } from "./download/Resume.ts"
export { type RestorationOutlook, restorationPoll } from "./Schedules.ts"
export { Operator } from "./settings/Operator.ts"

// --- everything that can go wrong, with its sentence and exit code ----------------------------------------------------------

export * from "./Errors.ts"
