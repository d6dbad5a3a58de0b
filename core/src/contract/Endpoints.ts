/**
 * The endpoints of the service, each declared once: the client makes its requests from them, the sandbox its routes, the
 * documentation its table.
 *
 * Source: docs/dev/service.md 4.1 and 12 (what was observed of each endpoint). Endpoints carry the names of the client methods. The
 * session adds the session cookie and the `X-CSRF-TOKEN` header to every request, so they are not declared here.
 * `disableCodecs`: every record is already declared as it travels in JSON.
 */
import * as Context from "effect/Context"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { AnalysisItem, FoundAnalysis } from "./Analyses.ts"
import { CnvTargetResults, PendingCnvSegments, SnvAnnotations } from "./Annotations.ts"
import { CaseReport, CaseReportInfo } from "./CaseReports.ts"
import { type EndpointName, type EndpointNote, endpointNotes } from "./EndpointNotes.ts"
import { BadRequest, enveloped, Forbidden, NotFound, Unprocessable } from "./Envelope.ts"
import { AnalysisFiles, RestoreAnswer, RestoreRequest } from "./Files.ts"
import { AnalysisId, CommaJoined, LimsId, PanelId, PersonId, WirePanelId, WirePersonId } from "./Ids.ts"
import { Gene, VirtualPanel, VirtualPanelSummary, VirtualPanelUpdate } from "./Panels.ts"
import { Person, PersonUpdate } from "./Persons.ts"
import { CoverageItem, QcCaseMetrics } from "./QualityControl.ts"

const disableCodecs = true

/** Without it the server takes the panel that its user chose last. That is hidden state, so the client sends `1`, all genes. */
const virtualPanelId = Schema.optionalKey(PanelId)
const analysisId = { analysisId: AnalysisId }
const personLimsId = { personLimsId: LimsId }
const flag = Schema.optionalKey(Schema.Literals(["true", "false"]))

/** Each endpoint is made when it is asked for: making all takes 4 ms of CPU, and a job calls one or two. */
const endpoints = {
  getInternalPersonId: () =>
    HttpApiEndpoint.get("getInternalPersonId", "/api/person/:personLimsId/id", {
      disableCodecs,
      params: personLimsId,
      success: enveloped(WirePersonId),
      error: [NotFound, Forbidden]
    }),
  getPerson: () =>
    HttpApiEndpoint.get("getPerson", "/api/person/:personLimsId", {
      disableCodecs,
      params: personLimsId,
      success: enveloped(Person),
      error: [NotFound, Forbidden]
    }),
  createOrUpdatePerson: () =>
    HttpApiEndpoint.put("createOrUpdatePerson", "/api/person", {
      disableCodecs,
      payload: PersonUpdate,
      success: WirePersonId,
      error: [BadRequest, Forbidden]
    }),
  getSnvAnnotations: () =>
    HttpApiEndpoint.get("getSnvAnnotations", "/api/analysis/:analysisId/annotations", {
      disableCodecs,
      params: analysisId,
      success: SnvAnnotations,
      error: [BadRequest, Forbidden]
    }),
  getAnalyses: () =>
    HttpApiEndpoint.get("getAnalyses", "/api/analyses", {
      disableCodecs,
      query: { analysisIds: Schema.optionalKey(CommaJoined(AnalysisId)) },
      success: enveloped(Schema.Array(AnalysisItem)),
      error: [BadRequest, Forbidden]
    }),
  getPersonAnalyses: () =>
    HttpApiEndpoint.get("getPersonAnalyses", "/person/:personLimsId/analyses", {
      disableCodecs,
      params: personLimsId,
      success: Schema.Array(AnalysisItem),
      error: [BadRequest, Forbidden]
    }),
  findAnalysesByFilename: () =>
    HttpApiEndpoint.get("findAnalysesByFilename", "/analysis-list/find-by-customer-provided-input-file-name", {
      disableCodecs,
      query: { customerProvidedInputFileName: Schema.Array(Schema.String) },
      success: enveloped(Schema.Array(FoundAnalysis)),
      error: [BadRequest, Forbidden]
    }),
  /** The service really spells the list of analyses in two ways: `analysisIds` and `analysesIds`. */
  getCnvTargetResults: () =>
    HttpApiEndpoint.get("getCnvTargetResults", "/api/results/:personLimsId/cnv", {
      disableCodecs,
      params: personLimsId,
      query: { analysisIds: Schema.Array(AnalysisId), virtualPanelId },
      success: CnvTargetResults,
      error: [NotFound, Unprocessable, Forbidden]
    }),
  getPendingCnvSegments: () =>
    HttpApiEndpoint.get("getPendingCnvSegments", "/pending-cnv", {
      disableCodecs,
      query: { personId: PersonId, analysesIds: Schema.Array(AnalysisId), virtualPanelId },
      success: enveloped(PendingCnvSegments),
      error: [BadRequest, Forbidden]
    }),
  /** The path parameter `personId` is a LIMS id in spite of its name. */
  getQcCaseMetrics: () =>
    HttpApiEndpoint.get("getQcCaseMetrics", "/api/qualitycontrol/metrics/case/:personId", {
      disableCodecs,
      params: { personId: LimsId },
      success: enveloped(QcCaseMetrics),
      error: [BadRequest, Forbidden]
    }),
  /** The path parameter `personId` is a LIMS id in spite of its name. */
  getCoverageData: () =>
    HttpApiEndpoint.get("getCoverageData", "/api/:personId/coverage", {
      disableCodecs,
      params: { personId: LimsId },
      query: { virtualPanelId },
      success: Schema.Array(CoverageItem),
      error: [BadRequest, Forbidden]
    }),
  getCaseReport: () =>
    HttpApiEndpoint.get("getCaseReport", "/api/cases/:personId/report", {
      disableCodecs,
      params: { personId: LimsId },
      query: { draft: flag, inactive: flag },
      success: enveloped(CaseReport),
      error: [NotFound, Forbidden]
    }),
  getCaseReportInfos: () =>
    HttpApiEndpoint.get("getCaseReportInfos", "/api/cases/reports/info", {
      disableCodecs,
      success: enveloped(Schema.Array(CaseReportInfo)),
      error: [Forbidden]
    }),
  getVirtualPanel: () =>
    HttpApiEndpoint.get("getVirtualPanel", "/virtual-panel/:id", {
      disableCodecs,
      params: { id: PanelId },
      success: enveloped(VirtualPanel),
      error: [Forbidden]
    }),
  createOrUpdateVirtualPanel: () =>
    HttpApiEndpoint.post("createOrUpdateVirtualPanel", "/api/virtual-panel", {
      disableCodecs,
      payload: VirtualPanelUpdate,
      success: enveloped(WirePanelId),
      error: [BadRequest, Forbidden]
    }),
  getVirtualPanelSummaries: () =>
    HttpApiEndpoint.get("getVirtualPanelSummaries", "/virtual-panels", {
      disableCodecs,
      success: enveloped(Schema.Array(VirtualPanelSummary)),
      error: [Forbidden]
    }),
  getAllGenes: () =>
    HttpApiEndpoint.get("getAllGenes", "/virtual-panel-genes", {
      disableCodecs,
      success: enveloped(Schema.Array(Gene)),
      error: [Forbidden]
    }),
  getFileDownloadLinks: () =>
    HttpApiEndpoint.get("getFileDownloadLinks", "/api/analysis/:analysisId/get-file-download-links", {
      disableCodecs,
      params: analysisId,
      success: enveloped(AnalysisFiles),
      error: [BadRequest, Forbidden]
    }),
  requestRestore: () =>
    HttpApiEndpoint.post("requestRestore", "/archive/analysis/restore", {
      disableCodecs,
      payload: RestoreRequest.pipe(HttpApiSchema.asFormUrlEncoded()),
      success: enveloped(Schema.Array(RestoreAnswer)),
      error: [BadRequest, Forbidden]
    })
} satisfies Readonly<Record<EndpointName, () => unknown>>

/** The annotation that holds the note of an endpoint. */
export class Note extends Context.Service<Note, EndpointNote>()("svc-steps/core/contract/Note") {}

/** The declaration of an endpoint with its note; pages of the API show the summary in it. */
export const declare = <N extends EndpointName>(name: N): ReturnType<(typeof endpoints)[N]> => {
  const endpoint = endpoints[name]() as unknown as HttpApiEndpoint.Top
  const note: EndpointNote = endpointNotes[name]
  return endpoint.annotate(Note, note).annotate(OpenApi.Summary, note.summary) as unknown as ReturnType<
    (typeof endpoints)[N]
  >
}
