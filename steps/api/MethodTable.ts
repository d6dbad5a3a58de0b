/**
 * Every method of `svc-api`, in the order of the help: parsing, `--help`, completions and docs/svc-api.md are made of this
 * table (docs/service.md 4.1). `download-files` is added where the steps meet, as it is another step.
 *
 * Long on purpose: it is one table.
 */
import type { AnalysisId, LimsId, PersonId } from "../../core/src/contract/Ids.ts"
import type { CommandOption } from "../main/Step.ts"
import { type ApiMethod, eachAnalysis, eachPanel, eachPerson, list, one, special } from "./ApiMethod.ts"
import { panelOptions, personOptions } from "./RecordOptions.ts"

const whichPanel = {
  "virtual-panel-id": {
    type: "text",
    metavar: "ID|none",
    default: "1",
    help: "Only this panel; 1 is all genes, none leaves the choice to the service, which takes the one last used"
  }
} as const satisfies Record<string, CommandOption>

export const methodTable: ReadonlyArray<ApiMethod> = [
  eachPerson(
    {
      method: "get-internal-person-id",
      group: "Persons",
      endpoint: "GET /api/person/{personLimsId}/id",
      summary: "The internal identifier of a person",
      example: "get-internal-person-id LIMS-0001"
    },
    ({ api }, person) => api.getInternalPersonId(person)
  ),
  eachPerson(
    {
      method: "get-person",
      group: "Persons",
      endpoint: "GET /api/person/{personLimsId}",
      summary: "A person with the clinical information"
    },
    ({ api }, person) => api.getPerson(person)
  ),
  special(
    {
      method: "create-or-update-person",
      group: "Persons",
      endpoint: "PUT /api/person",
      summary: "Create a person, or change the given fields of one; prints the internal identifier",
      options: personOptions,
      example: "create-or-update-person --input person.json"
    },
    () => import("./SavePerson.ts").then(({ savePerson }) => savePerson)
  ),

  list(
    {
      method: "get-analyses",
      group: "Analyses",
      endpoint: "GET /api/analyses",
      summary: "All analyses, or the given ones",
      operands: { metavar: "ANALYSIS-ID", help: "An analysis; all of them when none is given", least: 0, most: 100_000 }
    },
    ({ api }, ids) => (ids.length === 0 ? api.getAnalyses() : api.getAnalyses(ids as ReadonlyArray<AnalysisId>)),
    (analyses, ids) => ids.filter((id) => !itemsOf(analyses).some((item) => String(item["id"]) === id))
  ),
  eachPerson(
    {
      method: "get-person-analyses",
      group: "Analyses",
      endpoint: "GET /person/{personLimsId}/analyses",
      summary: "The analyses of a person"
    },
    ({ api }, person) => api.getPersonAnalyses(person)
  ),
  list(
    {
      method: "find-analyses-by-filename",
      group: "Analyses",
      endpoint: "GET /analysis-list/find-by-customer-provided-input-file-name",
      summary: "Analyses with an input file whose name contains every part",
      operands: { metavar: "PART", help: "A part of the name", least: 1, most: 100 }
    },
    ({ api }, parts) => api.findAnalysesByFilename(parts)
  ),

  eachAnalysis(
    {
      method: "get-snv-annotations",
      group: "Findings",
      endpoint: "GET /api/analysis/{analysisId}/annotations",
      summary: "The annotated small variants of an analysis; svc-fetch-annotations gives them as rows",
      example: "get-snv-annotations A1 --output A1.json"
    },
    ({ api }, analysis) => api.getSnvAnnotations(analysis),
    ({ streams }, analysis) => streams.getSnvAnnotations(analysis)
  ),
  one(
    {
      method: "get-cnv-target-results",
      group: "Findings",
      endpoint: "GET /api/results/{personLimsId}/cnv",
      summary: "Copy-number results of a person's analyses over the target regions",
      operands: { metavar: "LIMS-ID ANALYSIS-ID", help: "The person, then the analyses", least: 2, most: 1000 },
      options: whichPanel,
      example: "get-cnv-target-results LIMS-0001 A5"
    },
    ({ api, panel }, [person, ...analyses]) =>
      api.getCnvTargetResults(person as LimsId, analyses as ReadonlyArray<string> as ReadonlyArray<AnalysisId>, panel)
  ),
  one(
    {
      method: "get-pending-cnv-segments",
      group: "Findings",
      endpoint: "GET /pending-cnv",
      summary: "Copy-number segments of a person's analyses that await a decision",
      operands: { metavar: "ANALYSIS-ID", help: "An analysis of the person", least: 1, most: 1000 },
      options: {
        "lims-id": { type: "text", metavar: "LIMS-ID", help: "The person, as the laboratory system names it" },
        "internal-person-id": { type: "text", metavar: "ID", help: "The person, by internal identifier" },
        ...whichPanel
      },
      example: "get-pending-cnv-segments --lims-id LIMS-0001 A5"
    },
    ({ api, panel }, analyses, { "internal-person-id": internal, "lims-id": lims }) =>
      api.getPendingCnvSegments(
        internal === null ? (lims as LimsId) : { personId: internal as PersonId },
        analyses as ReadonlyArray<AnalysisId>,
        panel
      ),
    ({ "internal-person-id": internal, "lims-id": lims }) =>
      (internal === null) === (lims === null) ? ["Give the person by --lims-id or by --internal-person-id"] : []
  ),
  eachPerson(
    {
      method: "get-qc-case-metrics",
      group: "Findings",
      endpoint: "GET /api/qualitycontrol/metrics/case/{personId}",
      summary: "Quality metrics of a person's case"
    },
    ({ api }, person) => api.getQcCaseMetrics(person)
  ),
  eachPerson(
    {
      method: "get-coverage-data",
      group: "Findings",
      endpoint: "GET /api/{personId}/coverage",
      summary: "Coverage of a person's analyses by region",
      options: whichPanel
    },
    ({ api, panel }, person) => api.getCoverageData(person, panel)
  ),

  eachPerson(
    {
      method: "get-case-report",
      group: "Reports",
      endpoint: "GET /api/cases/{personId}/report",
      summary: "The case report of a person, complete however large it is",
      options: {
        draft: { type: "flag", help: "The draft" },
        inactive: { type: "flag", help: "With inactive items" }
      }
    },
    ({ api }, person, choice) => api.getCaseReport(person, choice),
    ({ streams }, person, choice) => streams.getCaseReport(person, choice)
  ),
  list(
    {
      method: "get-reports-info",
      group: "Reports",
      endpoint: "GET /api/cases/reports/info",
      summary: "Which cases have reports, and since when"
    },
    ({ api }) => api.getCaseReportInfos
  ),

  eachPanel(
    {
      method: "get-virtual-panel",
      group: "Virtual panels and genes",
      endpoint: "GET /virtual-panel/{id}",
      summary: "A virtual panel with its genes"
    },
    ({ api }, panel) => api.getVirtualPanel(panel)
  ),
  list(
    {
      method: "get-virtual-panel-summaries",
      group: "Virtual panels and genes",
      endpoint: "GET /virtual-panels",
      summary: "All virtual panels but the one of all genes, without their genes"
    },
    ({ api }) => api.getVirtualPanelSummaries
  ),
  special(
    {
      method: "create-virtual-panel",
      group: "Virtual panels and genes",
      endpoint: "POST /api/virtual-panel",
      summary: "Create a virtual panel, active unless --no-active is given; prints its identifier",
      options: panelOptions,
      example: "create-virtual-panel --name Aorta --gene-ids 10001,10002"
    },
    () => import("./CreatePanel.ts").then(({ createPanel }) => createPanel)
  ),
  special(
    {
      method: "update-virtual-panel",
      group: "Virtual panels and genes",
      endpoint: "POST /api/virtual-panel",
      summary: "Change the given fields of a virtual panel and keep the others; prints its identifier",
      operands: { metavar: "PANEL-ID", help: "The virtual panel", least: 1, most: 1 },
      options: panelOptions,
      example: "update-virtual-panel 7 --name 'Aorta, revised'"
    },
    () => import("./UpdatePanel.ts").then(({ updatePanel }) => updatePanel)
  ),
  list(
    {
      method: "get-all-genes",
      group: "Virtual panels and genes",
      endpoint: "GET /virtual-panel-genes",
      summary: "All genes that the service knows"
    },
    ({ api }) => api.getAllGenes
  ),

  eachAnalysis(
    {
      method: "get-file-download-links",
      group: "Files",
      endpoint: "GET /api/analysis/{analysisId}/get-file-download-links",
      summary: "The files of an analysis with their links, which are as good as a password while they last"
    },
    ({ api }, analysis) => api.getFileDownloadLinks(analysis)
  ),

  special(
    {
      method: "request",
      group: "Anything else",
      endpoint: "any",
      summary: "Send any request with the session; prints the body of the reply as it is",
      operands: {
        metavar: "METHOD PATH",
        help: "Such as GET '/person-list?a=b'; the path is relative to the base URL",
        least: 2,
        most: 2
      },
      options: {
        input: { type: "path", metavar: "FILE|-", help: "Body to send, from a file or standard input" },
        "content-type": {
          type: "text",
          metavar: "TYPE",
          default: "application/json",
          help: "What the body is; JSON is checked before it is sent"
        }
      },
      example: "request GET /person-list"
    },
    () => import("./GenericRequest.ts").then(({ genericRequest }) => genericRequest)
  )
]

const itemsOf = (payload: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  Array.isArray(payload) ? payload.filter((item) => typeof item === "object" && item !== null) : []
