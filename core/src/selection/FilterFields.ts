/**
 * The fields of an analysis record that filters may name: those of the contract, so that a typing error is found before
 * the first request.
 */
import { AnalysisApproval, AnalysisItem } from "../contract/Analyses.ts"

/** Nested ones with a dot, such as `analysisApproval.userName`. */
export const filterFields: ReadonlyArray<string> = Object.keys(AnalysisItem.schema.fields).flatMap((field) =>
  field === "analysisApproval"
    ? Object.keys(AnalysisApproval.schema.fields).map((nested) => `${field}.${nested}`)
    : [field]
)
