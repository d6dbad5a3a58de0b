/**
 * The fields of an analysis record that filters may name, with their types: those of the contract, so that a mistake is
 * found before the first request.
 */
import { AnalysisApproval, AnalysisItem } from "../contract/Analyses.ts"
import { type FieldType, fieldTypeOf } from "../contract/Record.ts"

/** Nested ones with a dot, such as `analysisApproval.userName`. */
export const filterFields: ReadonlyMap<string, FieldType> = new Map(
  Object.entries(AnalysisItem.schema.fields).flatMap(([field, schema]) =>
    field === "analysisApproval"
      ? Object.entries(AnalysisApproval.schema.fields).map(
          ([nested, schema]) => [`${field}.${nested}`, fieldTypeOf(schema)] as const
        )
      : [[field, fieldTypeOf(schema)] as const]
  )
)
