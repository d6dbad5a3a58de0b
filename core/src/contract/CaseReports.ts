/** Case reports, very large and always complete (getCaseReport, getCaseReportInfos). */
import * as Schema from "effect/Schema"
import { AnalysisType } from "./Analyses.ts"
import { CnvAnnotations, CnvType, Position } from "./Annotations.ts"
import { Reference, WireAnalysisId, WireLimsId, WirePanelId, WirePersonId, WireSampleId } from "./Ids.ts"
import { ReportGene } from "./Panels.ts"
import { Figure, mapOf, maybe, openStruct, record } from "./Record.ts"

/**
 * One report of `GET /api/cases/reports/info`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CaseReportInfo = record("CaseReportInfo", {
  limsId: WireLimsId,
  timeSubmitted: maybe(Schema.String),
  timeApproved: maybe(Schema.String),
  markedForApproval: maybe(Schema.Boolean)
})
export type CaseReportInfo = typeof CaseReportInfo.Type

/** An analysis that the report is based on. Older servers send `analysisType` in place of `type`. */
const ReportAnalysis = record("ReportAnalysis", {
  analysisId: WireAnalysisId,
  sampleId: maybe(WireSampleId),
  type: maybe(AnalysisType),
  analysisType: maybe(AnalysisType),
  enrichmentKit: maybe(Schema.String),
  sourceId: maybe(Schema.String),
  annotationSources: maybe(Schema.Array(openStruct({ name: maybe(Schema.String), value: maybe(Schema.Unknown) }))),
  selected: maybe(Schema.Boolean)
})

const Disease = record("Disease", {
  id: maybe(Reference),
  shortName: maybe(Schema.String),
  name: maybe(Schema.String),
  omimId: maybe(Schema.Int),
  icd10Id: maybe(Schema.String),
  orphanetId: maybe(Reference)
})

const Significance = record("Significance", {
  id: maybe(Reference),
  name: maybe(Schema.String)
})

const conclusion = {
  analysisIds: maybe(Schema.Array(WireAnalysisId)),
  significance: maybe(Significance),
  variant: maybe(Schema.String),
  cdna: maybe(Schema.String),
  /** An object as in pending CNV segments; older servers send text. */
  position: maybe(Schema.Union([Position, Schema.String])),
  latestComment: maybe(Schema.Unknown),
  commentCount: maybe(Schema.Int)
}

const SnvConclusion = record("SnvConclusion", {
  ...conclusion,
  genes: maybe(Schema.Array(ReportGene)),
  transcript: maybe(Schema.String),
  acmgVersion: maybe(Schema.String),
  acmgCriteria: maybe(Schema.Array(Schema.String)),
  annotations: maybe(mapOf(Schema.Unknown)),
  selectedPaper: maybe(Schema.Array(Schema.Unknown))
})

const CnvConclusion = record("CnvConclusion", {
  ...conclusion,
  hgvs: maybe(Schema.String),
  iscn: maybe(Schema.String),
  copyNumber: maybe(Schema.Int),
  type: maybe(CnvType),
  mosaic: maybe(Schema.Boolean),
  /** Bases. */
  length: maybe(Schema.Int),
  log2: maybe(Figure),
  refSpread: maybe(Figure),
  affectedGenes: maybe(Schema.Array(ReportGene)),
  transcripts: maybe(Schema.Array(Schema.String)),
  exons: maybe(Schema.Array(Schema.Int)),
  annotations: maybe(CnvAnnotations)
})

const Conclusion = record("Conclusion", {
  diseases: maybe(Schema.Array(Disease)),
  disease: maybe(Disease),
  modeOfInheritance: maybe(Schema.String),
  genotype: maybe(Schema.String),
  clinicalAssessment: maybe(Schema.String),
  comment: maybe(Schema.String),
  variantCategory: maybe(Schema.String),
  cnvConclusions: maybe(Schema.Array(CnvConclusion)),
  snvConclusions: maybe(Schema.Array(SnvConclusion))
})

const active = { active: maybe(Schema.Boolean) }

const PersonItem = record("PersonItem", {
  ...active,
  type: Schema.Literal("PERSON"),
  personId: maybe(WirePersonId),
  limsId: maybe(WireLimsId),
  familyId: maybe(Schema.String),
  hpoTerms: maybe(Schema.Array(Schema.String)),
  comment: maybe(Schema.String),
  analyses: maybe(Schema.Array(ReportAnalysis))
})

const MethodsItem = record("MethodsItem", {
  ...active,
  type: Schema.Literal("METHODS"),
  analyses: maybe(Schema.Array(ReportAnalysis))
})

const VirtualPanelItem = record("VirtualPanelItem", {
  ...active,
  type: Schema.Literal("VIRTUAL_PANEL"),
  allGenesPanel: maybe(Schema.Boolean),
  virtualPanelId: maybe(WirePanelId),
  name: maybe(Schema.String),
  genes: maybe(Schema.Array(ReportGene)),
  appliedFilters: maybe(Schema.Array(openStruct({ name: maybe(Schema.String), filter: maybe(Schema.String) }))),
  conclusions: maybe(Schema.Array(Conclusion))
})

/** An item of a kind this release does not know. */
const UnknownItem = record("UnknownItem", {
  type: Schema.String.check(Schema.makeFilter((type) => !["PERSON", "METHODS", "VIRTUAL_PANEL"].includes(type)))
})

/**
 * The payload of `GET /api/cases/{personId}/report`; items are told apart by `type`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CaseReport = record("CaseReport", {
  draft: maybe(Schema.Boolean),
  personId: maybe(WirePersonId),
  submitter: maybe(Schema.String),
  submitted: maybe(Schema.String),
  approver: maybe(Schema.String),
  approved: maybe(Schema.String),
  title: maybe(Schema.String),
  comment: maybe(Schema.String),
  reportState: maybe(Schema.String),
  items: Schema.Array(Schema.Union([PersonItem, MethodsItem, VirtualPanelItem, UnknownItem]))
})
export type CaseReport = typeof CaseReport.Type
