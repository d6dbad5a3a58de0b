/**
 * What the service speaks of: the schemas of its records, which keep fields and words that they do not know.
 *
 * @since 0.1.0
 */
export { AnalysisItem, FoundAnalysis } from "../contract/Analyses.ts"
export { CnvTargetResults, PendingCnvSegments, SnvAnnotations } from "../contract/Annotations.ts"
export { CaseReport, CaseReportInfo } from "../contract/CaseReports.ts"
export { enveloped } from "../contract/Envelope.ts"
export { ExactNumber } from "../contract/ExactNumber.ts"
export { AnalysisFiles, RestoreAnswer } from "../contract/Files.ts"
export { Gene, VirtualPanel, VirtualPanelSummary, VirtualPanelUpdate } from "../contract/Panels.ts"
export { Person, PersonUpdate } from "../contract/Persons.ts"
export { CoverageItem, QcCaseMetrics } from "../contract/QualityControl.ts"
