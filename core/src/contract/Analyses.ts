/** The records of analyses in lists (endpoints getAnalyses, getPersonAnalyses, findAnalysesByFilename). */
import * as Schema from "effect/Schema"
import { Reference, WireAnalysisId, WireLimsId, WirePersonId, WireSampleId } from "./Ids.ts"
import { maybe, openEnum, record, Timestamp } from "./Record.ts"

export const AnalysisType = openEnum([
  "SNV",
  "SANGER_MUT_SURVEYOR",
  "CNV",
  "QPCR",
  "SV",
  "MSI",
  "PATHO_UI_SV",
  "PATHO_UI_MSI",
  "STR"
])
const SampleOrigin = openEnum(["GERMLINE", "SOMATIC", "UNKNOWN", "SNPID", "MASKED"])
const AnalysisStatus = openEnum(["PENDING", "DONE", "FAILED"])

export const AnalysisApproval = record("AnalysisApproval", {
  analysisId: maybe(WireAnalysisId),
  userId: maybe(Reference),
  userName: maybe(Schema.String),
  approvalTime: maybe(Timestamp),
  status: maybe(openEnum(["APPROVED", "REJECTED", "PENDING"])),
  comment: maybe(Schema.String)
})

/**
 * One analysis of `GET /api/analyses` and `GET /person/{personLimsId}/analyses`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AnalysisItem = record("AnalysisItem", {
  id: WireAnalysisId,
  analysisType: maybe(AnalysisType),
  status: maybe(AnalysisStatus),
  regulatoryStatus: maybe(openEnum(["UNKNOWN", "IN_VITRO_DIAGNOSTIC", "RESEARCH_USE_ONLY", "PERFORMANCE_STUDY_ONLY"])),
  sourceId: maybe(Schema.String),
  sampleId: maybe(WireSampleId),
  sampleOrigin: maybe(SampleOrigin),
  enrichmentKitName: maybe(Schema.String),
  referencedAnalysisId: maybe(WireAnalysisId),
  personLimsId: maybe(WireLimsId),
  jobName: maybe(Schema.String),
  analysisApproval: maybe(AnalysisApproval),
  sequencingBatchId: maybe(Reference),
  firstAnnotated: maybe(Timestamp),
  lastAnnotated: maybe(Timestamp)
})
export type AnalysisItem = typeof AnalysisItem.Type

/**
 * One analysis of `GET /analysis-list/find-by-customer-provided-input-file-name`: other fields than {@link AnalysisItem}.
 *
 * @category schemas
 * @since 0.1.0
 */
export const FoundAnalysis = record("FoundAnalysis", {
  analysisId: WireAnalysisId,
  personId: maybe(WirePersonId),
  enrichmentKitId: maybe(Reference),
  analysisStatus: maybe(AnalysisStatus),
  matchingOriginalFileName: maybe(Schema.String),
  matchingCustomerProvidedInputFilePath: maybe(Schema.String),
  sampleOrigin: maybe(SampleOrigin),
  analysisType: maybe(AnalysisType),
  finishedDate: maybe(Timestamp)
})
export type FoundAnalysis = typeof FoundAnalysis.Type
