/**
 * svc-steps as a library: the client of the service, its session, its records and its errors, as Effect services.
 *
 * This part is free of Node; `svc-steps/node` has the layers that do the work, and `svc-steps/sandbox` a service to test
 * against. Every export is documented where it is declared.
 */

// --- the service: one method per endpoint -----------------------------------------------------------------------------

export type { GenericBody, GenericReply } from "./client/GenericRequest.ts"
export { ServiceClient, ServiceJson } from "./client/ServiceClient.ts"
export {
  allGenes,
  type DerivedMethods,
  type InternalPerson,
  type MethodReply,
  type PanelChoice,
  type Reading,
  type ReportChoice,
  type ServersChoice,
  type ServiceMethods,
  serversChoice
} from "./client/ServiceMethods.ts"
export { type PayloadStream, ServiceStreams, type StreamMethods } from "./client/ServiceStreams.ts"

// --- annotations of any size, row by row ----------------------------------------------------------------------------------

export { type AnnotationOptions, type AnnotationRow, Annotations } from "./annotations/Annotations.ts"
export type { AnnotationsError } from "./annotations/AnnotationsFetch.ts"

// --- identifiers and records ------------------------------------------------------------------------------------------

export { AnalysisItem, FoundAnalysis } from "./contract/Analyses.ts"
export { CnvTargetResults, PendingCnvSegments, SnvAnnotations } from "./contract/Annotations.ts"
export { CaseReport, CaseReportInfo } from "./contract/CaseReports.ts"
export type { EndpointName } from "./contract/EndpointNotes.ts"
export { ExactNumber } from "./contract/ExactNumber.ts"
export { AnalysisFiles, FileLink, RestoreAnswer } from "./contract/Files.ts"
export { AnalysisId, GeneId, LimsId, PanelId, PersonId, SampleId } from "./contract/Ids.ts"
export { Gene, VirtualPanel, VirtualPanelSummary, VirtualPanelUpdate } from "./contract/Panels.ts"
export { Person, PersonUpdate } from "./contract/Persons.ts"
export { CoverageItem, QcCaseMetrics } from "./contract/QualityControl.ts"

// --- the session, and the settings of a service --------------------------------------------------------------------------

export { RepeatSafe } from "./session/RequestMarks.ts"
export { type Conversation, Session } from "./session/Session.ts"
export {
  makeSessionProfile,
  type SessionLimits,
  type SessionProfile,
  SessionProfileOverrides,
  type SessionTimeouts
} from "./session/SessionSettings.ts"
export { Operator } from "./settings/Operator.ts"
export { type ServiceSettings, serviceConfig } from "./settings/ServiceConfig.ts"
export type { ProxyAddress } from "./settings/Settings.ts"
export type { TransferSettings } from "./transfer/LinkPool.ts"

// --- downloads: from the ids of analyses to files on the disk ---------------------------------------------------------------

export type {
  LinksItem,
  ListItem,
  PlanOutcome,
  PlanSubject,
  RunOutcome
} from "./download/DownloadForms.ts"
export type { DownloadOptions, RegionOptions } from "./download/DownloadOptions.ts"
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
export type { RequestError } from "./download/DownloadRequest.ts"
export { Downloads, type Looks, type RunFailure, type RunOptions } from "./download/Downloads.ts"
export {
  DownloadsFailed,
  type FileReason,
  FileResult,
  type SkipReason,
  type Totals,
  totalsOf
} from "./download/FileResult.ts"
export type { LinkError, LinksOf } from "./download/LinkManifest.ts"
export { type LinkEntry, type LinkManifest, linksJson, readLinks } from "./download/LinkManifest.ts"
export type { DiskNeed, DiskSpace } from "./download/Planning.ts"
export type { AnalysisOwner, Awaited, Ended, RunEvent } from "./download/RunEvents.ts"
export type { RefusedEstimate } from "./download/SliceTasks.ts"
export {
  type ChecksumKind,
  type FileType,
  fileTypes,
  type OfferedDataType
} from "./genome/formats/FileNames.ts"
export { type Layout, type OutputPath, pathOf } from "./selection/OutputPath.ts"
export type { SelectedAnalysis } from "./selection/Selection.ts"
export type { ListedAnalysis, ListedFile, WantedFile, WantedSlice } from "./selection/WantedFiles.ts"
export type { SliceEstimate, SliceIndex } from "./transfer/SliceRequest.ts"
export type { TransferProgress } from "./transfer/TransferRequest.ts"

// --- files in the archive: who agrees to a restoration, and where it stands --------------------------------------------------

export type { RestoreMode } from "./archive/Policy.ts"
export type { StoredOptions, TrackingEntry } from "./archive/TrackingEntry.ts"
export type { Restoration } from "./archive/Waiting.ts"
export {
  isSettled,
  type Look,
  type RestorationState,
  type RestorationStatus
} from "./download/RestorationStatus.ts"

// --- everything that can go wrong, with its sentence and exit code ----------------------------------------------------------

export {
  type AdviceName,
  Busy,
  CannotCreate,
  ConfigUnusable,
  CredentialsMissing,
  codeOf,
  DiskTooSmall,
  EntryUnusable,
  type ExitCode,
  ExitCodes,
  FileArchived,
  FileDamaged,
  FileDiffers,
  FileError,
  Forbidden,
  InputMalformed,
  LinkExpired,
  LinkForbidden,
  LinkProtocol,
  LinkRefused,
  LocalIo,
  LoginProtocol,
  LoginRefused,
  mostSevere,
  NameCollision,
  NotFound,
  type OptionName,
  OutcomeUnknown,
  PasswordFileUnusable,
  ProxyRefused,
  ReplyMalformed,
  ReplyTooLarge,
  RequestRejected,
  type ServiceError,
  SessionContention,
  type SessionError,
  Stopped,
  TlsRefused,
  type TrackingError,
  type TrackingReadError,
  TrackingUnusable,
  type TransferError,
  Unavailable,
  UnsafeName,
  UsageError
} from "./Errors.ts"
