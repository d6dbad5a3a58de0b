/**
 * The whole API, declared once: the client makes its requests from it, the sandbox its routes, the documentation its table.
 *
 * Source: docs/service.md 4.1, 11 (session) and 12 (what was observed of each endpoint). Endpoints carry the
 * names of the client methods. The session adds the session cookie and the `X-CSRF-TOKEN` header to every request, so they
 * are not declared here. `disableCodecs`: every record is already declared as it travels in JSON.
 */
import { Context, Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AnalysisItem, FoundAnalysis } from "./Analyses.ts"
import { SnvAnnotations } from "./Annotations.ts"
import { RestoreAnswer, RestoreRequest } from "./Archive.ts"
import { CaseReport, CaseReportInfo } from "./CaseReports.ts"
import { CnvTargetResults, PendingCnvSegments } from "./Cnv.ts"
import { CoverageItem } from "./Coverage.ts"
import { type EndpointName, type EndpointNote, endpointNotes } from "./EndpointNotes.ts"
import { enveloped } from "./Envelope.ts"
import { AnalysisFiles } from "./Files.ts"
import { Gene } from "./Genes.ts"
import { AnalysisId, CommaJoined, inAddress, LimsId, PanelId, PersonId } from "./Ids.ts"
import { VirtualPanel, VirtualPanelSummary, VirtualPanelUpdate } from "./Panels.ts"
import { Person, PersonUpdate } from "./Persons.ts"
import { QcCaseMetrics } from "./QualityControl.ts"
import { LoginForm, LogoutForm } from "./SessionForms.ts"
import { BadRequest, Forbidden, NotFound, Unprocessable } from "./WireErrors.ts"

const disableCodecs = true

/** The annotation that holds the note of an endpoint. */
export class Note extends Context.Service<Note, EndpointNote>()("svc-steps/core/contract/Note") {}

/** Without it the server takes the panel that its user chose last. That is hidden state, so the client sends `1`, all genes. */
const virtualPanelId = Schema.optionalKey(inAddress(PanelId))
const analysisId = { analysisId: inAddress(AnalysisId) }
const personLimsId = { personLimsId: inAddress(LimsId) }
const flag = Schema.optionalKey(Schema.Literals(["true", "false"]))

/** The endpoints that begin and end a session; their answers carry a token header and a session cookie (docs/service.md 11). */
const session = HttpApiGroup.make("session").add(
  HttpApiEndpoint.head("initialSession", "/", { disableCodecs, success: HttpApiSchema.Empty(200) }),
  HttpApiEndpoint.head("authenticate", "/authenticate", { disableCodecs, success: HttpApiSchema.Empty(200) }),
  HttpApiEndpoint.post("login", "/login", {
    disableCodecs,
    payload: LoginForm.pipe(HttpApiSchema.asFormUrlEncoded()),
    success: HttpApiSchema.Empty(200)
  }),
  HttpApiEndpoint.post("logout", "/logout", {
    disableCodecs,
    payload: LogoutForm.pipe(HttpApiSchema.asFormUrlEncoded()),
    success: HttpApiSchema.Empty(200)
  })
)

/** Attaches the note to its endpoint; pages of the API show its summary. An endpoint without a note is a type error. */
const withNote = <E extends { readonly identifier: EndpointName }>(declared: E): E => {
  const endpoint = declared as unknown as HttpApiEndpoint.Top
  const note: EndpointNote = endpointNotes[declared.identifier]
  return endpoint.annotate(Note, note).annotate(OpenApi.Summary, note.summary) as unknown as E
}

const person = HttpApiGroup.make("person").add(
  withNote(
    HttpApiEndpoint.get("getInternalPersonId", "/api/person/:personLimsId/id", {
      disableCodecs,
      params: personLimsId,
      success: enveloped(PersonId),
      error: [NotFound, Forbidden]
    })
  ),
  withNote(
    HttpApiEndpoint.get("getPerson", "/api/person/:personLimsId", {
      disableCodecs,
      params: personLimsId,
      success: enveloped(Person),
      error: [NotFound, Forbidden]
    })
  ),
  withNote(
    HttpApiEndpoint.put("createOrUpdatePerson", "/api/person", {
      disableCodecs,
      payload: PersonUpdate,
      success: PersonId,
      error: [BadRequest, Forbidden]
    })
  )
)

const analysis = HttpApiGroup.make("analysis").add(
  withNote(
    HttpApiEndpoint.get("getSnvAnnotations", "/api/analysis/:analysisId/annotations", {
      disableCodecs,
      params: analysisId,
      success: SnvAnnotations,
      error: [BadRequest, Forbidden]
    })
  ),
  withNote(
    HttpApiEndpoint.get("getAnalyses", "/api/analyses", {
      disableCodecs,
      query: { analysisIds: Schema.optionalKey(CommaJoined(inAddress(AnalysisId))) },
      success: enveloped(Schema.Array(AnalysisItem)),
      error: [BadRequest, Forbidden]
    })
  ),
  withNote(
    HttpApiEndpoint.get("getPersonAnalyses", "/person/:personLimsId/analyses", {
      disableCodecs,
      params: personLimsId,
      success: Schema.Array(AnalysisItem),
      error: [BadRequest, Forbidden]
    })
  ),
  withNote(
    HttpApiEndpoint.get("findAnalysesByFilename", "/analysis-list/find-by-customer-provided-input-file-name", {
      disableCodecs,
      query: { customerProvidedInputFileName: Schema.Array(Schema.String) },
      success: enveloped(Schema.Array(FoundAnalysis)),
      error: [BadRequest, Forbidden]
    })
  )
)

/** The service really spells the list of analyses in two ways: `analysisIds` and `analysesIds`. */
const cnv = HttpApiGroup.make("cnv").add(
  withNote(
    HttpApiEndpoint.get("getCnvTargetResults", "/api/results/:personLimsId/cnv", {
      disableCodecs,
      params: personLimsId,
      query: { analysisIds: Schema.Array(inAddress(AnalysisId)), virtualPanelId },
      success: CnvTargetResults,
      error: [NotFound, Unprocessable, Forbidden]
    })
  ),
  withNote(
    HttpApiEndpoint.get("getPendingCnvSegments", "/pending-cnv", {
      disableCodecs,
      query: { personId: inAddress(PersonId), analysesIds: Schema.Array(inAddress(AnalysisId)), virtualPanelId },
      success: enveloped(PendingCnvSegments),
      error: [BadRequest, Forbidden]
    })
  )
)

/** The path parameter `personId` is a LIMS id in spite of its name. */
const quality = HttpApiGroup.make("quality").add(
  withNote(
    HttpApiEndpoint.get("getQcCaseMetrics", "/api/qualitycontrol/metrics/case/:personId", {
      disableCodecs,
      params: { personId: inAddress(LimsId) },
      success: enveloped(QcCaseMetrics),
      error: [BadRequest, Forbidden]
    })
  )
)

/** The path parameter `personId` is a LIMS id in spite of its name. */
const coverage = HttpApiGroup.make("coverage").add(
  withNote(
    HttpApiEndpoint.get("getCoverageData", "/api/:personId/coverage", {
      disableCodecs,
      params: { personId: inAddress(LimsId) },
      query: { virtualPanelId },
      success: Schema.Array(CoverageItem),
      error: [BadRequest, Forbidden]
    })
  )
)

const report = HttpApiGroup.make("report").add(
  withNote(
    HttpApiEndpoint.get("getCaseReport", "/api/cases/:personId/report", {
      disableCodecs,
      params: { personId: inAddress(LimsId) },
      query: { draft: flag, inactive: flag },
      success: enveloped(CaseReport),
      error: [NotFound, Forbidden]
    })
  ),
  withNote(
    HttpApiEndpoint.get("getCaseReportInfos", "/api/cases/reports/info", {
      disableCodecs,
      success: enveloped(Schema.Array(CaseReportInfo)),
      error: [Forbidden]
    })
  )
)

const panel = HttpApiGroup.make("panel").add(
  withNote(
    HttpApiEndpoint.get("getVirtualPanel", "/virtual-panel/:id", {
      disableCodecs,
      params: { id: inAddress(PanelId) },
      success: enveloped(VirtualPanel),
      error: [Forbidden]
    })
  ),
  withNote(
    HttpApiEndpoint.post("createOrUpdateVirtualPanel", "/api/virtual-panel", {
      disableCodecs,
      payload: VirtualPanelUpdate,
      success: enveloped(PanelId),
      error: [BadRequest, Forbidden]
    })
  ),
  withNote(
    HttpApiEndpoint.get("getVirtualPanelSummaries", "/virtual-panels", {
      disableCodecs,
      success: enveloped(Schema.Array(VirtualPanelSummary)),
      error: [Forbidden]
    })
  ),
  withNote(
    HttpApiEndpoint.get("getAllGenes", "/virtual-panel-genes", {
      disableCodecs,
      success: enveloped(Schema.Array(Gene)),
      error: [Forbidden]
    })
  )
)

const file = HttpApiGroup.make("file").add(
  withNote(
    HttpApiEndpoint.get("getFileDownloadLinks", "/api/analysis/:analysisId/get-file-download-links", {
      disableCodecs,
      params: analysisId,
      success: enveloped(AnalysisFiles),
      error: [BadRequest, Forbidden]
    })
  )
)

const archive = HttpApiGroup.make("archive").add(
  withNote(
    HttpApiEndpoint.post("requestRestore", "/archive/analysis/restore", {
      disableCodecs,
      payload: RestoreRequest.pipe(HttpApiSchema.asFormUrlEncoded()),
      success: enveloped(Schema.Array(RestoreAnswer)),
      error: [BadRequest, Forbidden]
    })
  )
)

/** The contract of the service: endpoints by group, with the schemas of their requests and answers. */
export class ServiceApi extends HttpApi.make("service")
  .add(session)
  .add(person)
  .add(analysis)
  .add(cnv)
  .add(quality)
  .add(coverage)
  .add(report)
  .add(panel)
  .add(file)
  .add(archive) {}
