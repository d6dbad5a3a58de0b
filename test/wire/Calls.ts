/** A call of each method of the client: the one list of them for all tests that go through every endpoint. */
import type { Effect, Schema } from "effect"
import { allGenes, type ServiceMethods } from "../../core/src/client/ServiceMethods.ts"
import type { EndpointName } from "../../core/src/contract/EndpointNotes.ts"
import { AnalysisId, GeneId, LimsId, PanelId, PersonId } from "../../core/src/contract/Ids.ts"
import type { OutcomeUnknown, ServiceError } from "../../core/src/Errors.ts"

const lims = LimsId.make("L1")
const analysis = AnalysisId.make("7")
const ids = ["7", "A8"].map((id) => AnalysisId.make(id))

export type Call = (client: ServiceMethods) => Effect.Effect<object | string, ServiceError | OutcomeUnknown>

/** A call, the request it makes, the least payload it takes, and what a "not found" is about: null where nothing is named. */
type Example = readonly [call: Call, line: string, payload: Schema.Json, subject: string | null]

/** By endpoint, which is also the name of the method. */
export const calls: { readonly [N in EndpointName]: readonly [Example, ...ReadonlyArray<Example>] } = {
  getInternalPersonId: [[(c) => c.getInternalPersonId(lims), "GET /api/person/L1/id", 1001, "person L1"]],
  getSnvAnnotations: [
    [(c) => c.getSnvAnnotations(analysis), "GET /api/analysis/7/annotations", { data: [], header: [] }, "analysis 7"]
  ],
  getCnvTargetResults: [
    [
      (c) => c.getCnvTargetResults(lims, ids),
      "GET /api/results/L1/cnv?analysisIds=7&analysisIds=A8&virtualPanelId=1",
      { targetRegionsHeader: [], data: [] },
      "person L1"
    ]
  ],
  getPendingCnvSegments: [
    [
      (c) => c.getPendingCnvSegments({ personId: PersonId.make("1001") }, ids),
      "GET /pending-cnv?personId=1001&analysesIds=7&analysesIds=A8&virtualPanelId=1",
      { data: [], cnvHeader: [] },
      "analyses 7, A8 of person 1001"
    ]
  ],
  getQcCaseMetrics: [
    [
      (c) => c.getQcCaseMetrics(lims),
      "GET /api/qualitycontrol/metrics/case/L1",
      { metricResults: { L1: { personId: "L1" } } },
      "quality metrics of person L1"
    ]
  ],
  getCoverageData: [
    [
      (c) => c.getCoverageData(lims, { virtualPanelId: PanelId.make("V 2") }),
      "GET /api/L1/coverage?virtualPanelId=V+2",
      [],
      "person L1"
    ]
  ],
  getAnalyses: [
    [(c) => c.getAnalyses(ids), "GET /api/analyses?analysisIds=7%2CA8", [], null],
    [(c) => c.getAnalyses(), "GET /api/analyses", [], null]
  ],
  getPersonAnalyses: [[(c) => c.getPersonAnalyses(lims), "GET /person/L1/analyses", [], "person L1"]],
  getCaseReport: [
    [(c) => c.getCaseReport(lims), "GET /api/cases/L1/report", { items: [] }, "report of person L1"],
    [
      (c) => c.getCaseReport(lims, { draft: true, inactive: true }),
      "GET /api/cases/L1/report?draft=true&inactive=true",
      { items: [] },
      "draft inactive report of person L1"
    ]
  ],
  getCaseReportInfos: [[(c) => c.getCaseReportInfos, "GET /api/cases/reports/info", [], null]],
  getPerson: [[(c) => c.getPerson(lims), "GET /api/person/L1", {}, "person L1"]],
  findAnalysesByFilename: [
    [
      (c) => c.findAnalysesByFilename(["a+b", "c&d=e"]),
      "GET /analysis-list/find-by-customer-provided-input-file-name?customerProvidedInputFileName=a%2Bb&customerProvidedInputFileName=c%26d%3De",
      [],
      null
    ]
  ],
  getVirtualPanel: [
    [(c) => c.getVirtualPanel(allGenes), "GET /virtual-panel/1", { name: "x", genes: [] }, "virtual panel 1"]
  ],
  getVirtualPanelSummaries: [[(c) => c.getVirtualPanelSummaries, "GET /virtual-panels", [], null]],
  getAllGenes: [[(c) => c.getAllGenes, "GET /virtual-panel-genes", [], null]],
  getFileDownloadLinks: [
    [
      (c) => c.getFileDownloadLinks(analysis),
      "GET /api/analysis/7/get-file-download-links",
      { id: 7, apiFileLinks: [] },
      "analysis 7"
    ]
  ],
  createOrUpdatePerson: [[(c) => c.createOrUpdatePerson({ id: lims }), "PUT /api/person", 1001, "person L1"]],
  createOrUpdateVirtualPanel: [
    [
      (c) => c.createOrUpdateVirtualPanel({ name: "x", active: true, geneIds: [GeneId.make("1")] }),
      "POST /api/virtual-panel",
      17,
      null
    ]
  ],
  requestRestore: [[(c) => c.requestRestore(ids), "POST /archive/analysis/restore", [], "analyses 7, A8"]]
}

/** The same as the rows of a table. */
export const callRows: ReadonlyArray<readonly [name: EndpointName, ...Example]> = (
  Object.keys(calls) as ReadonlyArray<EndpointName>
).flatMap((name) => calls[name].map((example) => [name, ...example] as const))
