/**
 * How each method of `ServiceClient` calls its endpoint: where its arguments go, and what a message calls its subject.
 */
import { Effect } from "effect"
import type { AnalysisId, LimsId, PersonId } from "../contract/Ids.ts"
import type { ServiceError } from "../Errors.ts"
import { SlowReply } from "../session/RequestMarks.ts"
import type { Calls, Reading } from "./Calls.ts"
import { panelQuery } from "./PanelChoice.ts"
import type { ServiceMethods } from "./ServiceClient.ts"

/** The conversion that other methods need too, always decoded. */
export const makeInternalId =
  ({ call }: Calls<"decoded">) =>
  (person: LimsId): Effect.Effect<PersonId, ServiceError> =>
    call("person", "getInternalPersonId", { params: { personLimsId: person } }, { subject: aPerson(person) })

/** The methods in one reading. */
export const makeMethods = <R extends Reading>(
  { call }: Calls<R>,
  internalId: (person: LimsId) => Effect.Effect<PersonId, ServiceError>
): ServiceMethods<R> => ({
  getInternalPersonId: (person) =>
    call("person", "getInternalPersonId", { params: { personLimsId: person } }, { subject: aPerson(person) }),

  getSnvAnnotations: (analysis) =>
    slowly(
      call("analysis", "getSnvAnnotations", { params: { analysisId: analysis } }, { subject: anAnalysis(analysis) })
    ),

  getCnvTargetResults: (person, analyses, panel = {}) =>
    call(
      "cnv",
      "getCnvTargetResults",
      { params: { personLimsId: person }, query: { analysisIds: analyses, ...panelQuery(panel) } },
      { subject: aPerson(person) }
    ),

  getPendingCnvSegments: (person, analyses, panel = {}) => {
    const known = typeof person === "string" ? internalId(person) : Effect.succeed(person.personId)
    const subject = `${theAnalyses(analyses)} of person ${typeof person === "string" ? person : person.personId}`
    return Effect.flatMap(known, (personId) =>
      call(
        "cnv",
        "getPendingCnvSegments",
        { query: { personId, analysesIds: analyses, ...panelQuery(panel) } },
        { subject }
      )
    )
  },

  getQcCaseMetrics: (person) =>
    call(
      "quality",
      "getQcCaseMetrics",
      { params: { personId: person } },
      { subject: `quality metrics of person ${person}` }
    ),

  getCoverageData: (person, panel = {}) =>
    call(
      "coverage",
      "getCoverageData",
      { params: { personId: person }, query: panelQuery(panel) },
      { subject: aPerson(person) }
    ),

  getAnalyses: (ids) =>
    call(
      "analysis",
      "getAnalyses",
      { query: ids === undefined ? {} : { analysisIds: ids } },
      // An empty list in the address could be taken for "all".
      ids?.length === 0 ? { known: [] } : {}
    ),

  getPersonAnalyses: (person) =>
    call("analysis", "getPersonAnalyses", { params: { personLimsId: person } }, { subject: aPerson(person) }),

  getCaseReport: (person, { draft = false, inactive = false } = {}) =>
    slowly(
      call(
        "report",
        "getCaseReport",
        {
          params: { personId: person },
          query: { ...(draft ? { draft: "true" } : {}), ...(inactive ? { inactive: "true" } : {}) }
        },
        { subject: `${draft ? "draft " : ""}${inactive ? "inactive " : ""}report of person ${person}` }
      )
    ),

  getCaseReportInfos: call("report", "getCaseReportInfos", {}),

  getPerson: (person) =>
    call("person", "getPerson", { params: { personLimsId: person } }, { subject: aPerson(person) }),

  createOrUpdatePerson: (update) =>
    call("person", "createOrUpdatePerson", { payload: update }, { subject: aPerson(update.id) }),

  findAnalysesByFilename: (parts) =>
    call("analysis", "findAnalysesByFilename", { query: { customerProvidedInputFileName: parts } }),

  getVirtualPanel: (panel) =>
    call("panel", "getVirtualPanel", { params: { id: panel } }, { subject: `virtual panel ${panel}` }),

  createOrUpdateVirtualPanel: (update) =>
    call(
      "panel",
      "createOrUpdateVirtualPanel",
      { payload: update },
      update.id == null ? {} : { subject: `virtual panel ${update.id}` }
    ),

  getVirtualPanelSummaries: call("panel", "getVirtualPanelSummaries", {}),

  getAllGenes: call("panel", "getAllGenes", {}),

  getFileDownloadLinks: (analysis) =>
    call("file", "getFileDownloadLinks", { params: { analysisId: analysis } }, { subject: anAnalysis(analysis) }),

  requestRestore: (analyses) =>
    call(
      "archive",
      "requestRestore",
      { payload: { analysisIds: analyses, disableArchive: "false" } },
      { subject: theAnalyses(analyses), whenNull: [], ...(analyses.length === 0 ? { known: [] } : {}) }
    )
})

const aPerson = (person: LimsId) => `person ${person}`
const anAnalysis = (analysis: AnalysisId) => `analysis ${analysis}`
const theAnalyses = (ids: ReadonlyArray<AnalysisId>) =>
  `${ids.length === 1 ? "analysis" : "analyses"} ${ids.join(", ")}`

/** For replies that take minutes to begin. */
const slowly = Effect.provideService(SlowReply, true)
