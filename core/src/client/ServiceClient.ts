/**
 * The service, one method per row of docs/service.md 4.1.
 *
 * Requests go through `Session`, one at a time, with its logins and repeats. Replies are read leniently: unknown fields
 * and unknown words of an enumeration are kept. Every way the service has of saying "not found" is `NotFound`, every way
 * of saying "no" `RequestRejected`.
 */
import { Context, Effect, Layer } from "effect"
import type { HttpClientRequest } from "effect/http"
import type { AnalysisItem, FoundAnalysis } from "../contract/Analyses.ts"
import type { SnvAnnotations } from "../contract/Annotations.ts"
import type { RestoreAnswer } from "../contract/Archive.ts"
import type { CaseReport, CaseReportInfo } from "../contract/CaseReports.ts"
import type { CnvTargetResults, PendingCnvSegments } from "../contract/Cnv.ts"
import type { CoverageItem } from "../contract/Coverage.ts"
import type { AnalysisFiles } from "../contract/Files.ts"
import type { Gene } from "../contract/Genes.ts"
import type { AnalysisId, LimsId, PanelId, PersonId } from "../contract/Ids.ts"
import type { VirtualPanel, VirtualPanelSummary, VirtualPanelUpdate } from "../contract/Panels.ts"
import type { Person, PersonUpdate } from "../contract/Persons.ts"
import type { QcCaseMetrics } from "../contract/QualityControl.ts"
import type { ServiceError, UsageError } from "../Errors.ts"
import { Session } from "../session/Session.ts"
import { protectLinks } from "../text/Scrubber.ts"
import { decodedReading, makeCalls, type Reading, type Reply } from "./Calls.ts"
import { type GenericReply, makeRequest } from "./GenericRequest.ts"
import { makeInternalId, makeMethods } from "./Methods.ts"
import type { PanelChoice } from "./PanelChoice.ts"

/** A person by the identifier that the service gave, which saves the conversion. */
export interface InternalPerson {
  readonly personId: PersonId
}

/** Which of the reports of a case. */
export interface ReportChoice {
  readonly draft?: boolean
  readonly inactive?: boolean
}

/** The typed calls, in the reading `R`: `decoded` records, or `json` as the service sent it, envelope removed. */
export interface ServiceMethods<R extends Reading = "decoded"> {
  readonly getInternalPersonId: (person: LimsId) => Reply<R, PersonId>
  /** The whole table in memory; steps that print it stream it instead. */
  readonly getSnvAnnotations: (analysis: AnalysisId) => Reply<R, SnvAnnotations>
  readonly getCnvTargetResults: (
    person: LimsId,
    analyses: ReadonlyArray<AnalysisId>,
    panel?: PanelChoice
  ) => Reply<R, CnvTargetResults>
  /** Takes a LIMS identifier and converts it with a call of its own, or the internal one. */
  readonly getPendingCnvSegments: (
    person: LimsId | InternalPerson,
    analyses: ReadonlyArray<AnalysisId>,
    panel?: PanelChoice
  ) => Reply<R, PendingCnvSegments>
  /** `metricResults` is a map from LIMS identifiers: that of the person, and those of the family where the service has them. */
  readonly getQcCaseMetrics: (person: LimsId) => Reply<R, QcCaseMetrics>
  readonly getCoverageData: (person: LimsId, panel?: PanelChoice) => Reply<R, ReadonlyArray<CoverageItem>>
  /** All analyses, or those of `ids` that exist: unknown ones are left out by the service, without an error. */
  readonly getAnalyses: (ids?: ReadonlyArray<AnalysisId>) => Reply<R, ReadonlyArray<AnalysisItem>>
  readonly getPersonAnalyses: (person: LimsId) => Reply<R, ReadonlyArray<AnalysisItem>>
  /** Very large and always complete; may take minutes to begin. */
  readonly getCaseReport: (person: LimsId, choice?: ReportChoice) => Reply<R, CaseReport>
  /** Which cases have reports; observed, not specified (docs/service.md 12). */
  readonly getCaseReportInfos: Reply<R, ReadonlyArray<CaseReportInfo>>
  readonly getPerson: (person: LimsId) => Reply<R, Person>
  /** The internal identifier. Null and absent fields leave what is stored. Never repeated when its outcome is unknown. */
  readonly createOrUpdatePerson: (update: PersonUpdate) => Reply<R, PersonId>
  /** Analyses with an input file whose name contains every one of `parts`. */
  readonly findAnalysesByFilename: (parts: ReadonlyArray<string>) => Reply<R, ReadonlyArray<FoundAnalysis>>
  readonly getVirtualPanel: (panel: PanelId) => Reply<R, VirtualPanel>
  /** Creates without `id`, replaces with it. Never repeated when its outcome is unknown. */
  readonly createOrUpdateVirtualPanel: (update: VirtualPanelUpdate) => Reply<R, PanelId>
  /** Without the panel of all genes. */
  readonly getVirtualPanelSummaries: Reply<R, ReadonlyArray<VirtualPanelSummary>>
  readonly getAllGenes: Reply<R, ReadonlyArray<Gene>>
  /** The files with fresh presigned links. Asking for an archived file does not restore it. */
  readonly getFileDownloadLinks: (analysis: AnalysisId) => Reply<R, AnalysisFiles>
  /** Starts the restoration of the archived files of `analyses`, which costs money; empty when the service says only "yes". */
  readonly requestRestore: (analyses: ReadonlyArray<AnalysisId>) => Reply<R, ReadonlyArray<RestoreAnswer>>
}

/** The client: every endpoint as a method that gives decoded records, and `request` for all others. */
export class ServiceClient extends Context.Service<
  ServiceClient,
  ServiceMethods & {
    /**
     * Any other request of the API; its path begins with one `/` and is relative to the base URL. Replies that are
     * empty or not JSON are fine. `success: false` and statuses of 300 and above fail.
     */
    readonly request: (
      request: HttpClientRequest.HttpClientRequest
    ) => Effect.Effect<GenericReply, ServiceError | UsageError>
  }
>()("svc-steps/core/client/ServiceClient") {
  static readonly layer: Layer.Layer<ServiceClient, never, Session> = Layer.effect(
    ServiceClient,
    Effect.gen(function* () {
      const { http } = yield* Session
      const calls = makeCalls(http, decodedReading)
      const methods = makeMethods(calls, makeInternalId(calls))
      return ServiceClient.of({
        ...methods,
        getFileDownloadLinks: (analysis) =>
          Effect.tap(methods.getFileDownloadLinks(analysis), ({ apiFileLinks }) =>
            protectLinks(apiFileLinks.flatMap(({ downloadLink }) => downloadLink ?? []))
          ),
        request: makeRequest(http)
      })
    })
  )
}
