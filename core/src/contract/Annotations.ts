/** SNV annotations: a table whose header may come after its rows (getSnvAnnotations). */
import * as Schema from "effect/Schema"
import { Reference } from "./Ids.ts"
import { Figure, mapOf, maybe, openEnum, record } from "./Record.ts"

/** One column; cell i of a row belongs to column i. `property` is a number here and text in CNV tables. */
export const HeaderItem = record("HeaderItem", {
  id: Schema.String,
  title: maybe(Schema.String),
  description: maybe(Schema.String),
  badge: maybe(Schema.String),
  url: maybe(Schema.String),
  dataDictionary: maybe(mapOf(Schema.Unknown)),
  dataType: maybe(Schema.String),
  fromMultiValue: maybe(Schema.Boolean),
  property: maybe(Reference),
  bioinfScoreThresholdsByAnalysisId: maybe(mapOf(Schema.Unknown)),
  category: maybe(openEnum(["META_SCORE", "SCORE_WITH_THRESHOLD", "SCORE_WITHOUT_THRESHOLD", "SPLICING_SCORE"]))
})
export type HeaderItem = typeof HeaderItem.Type

/** The cells of one row: scalars and arrays, as they came. */
export const Row = Schema.Array(Schema.Unknown)

/** The body of `GET /api/analysis/{analysisId}/annotations`; large, so steps stream it instead of decoding it. */
export const SnvAnnotations = record("SnvAnnotations", {
  data: Schema.Array(Row),
  header: Schema.Array(HeaderItem),
  uniquePersonLabelSuffixes: maybe(mapOf(Schema.Unknown)),
  uniqueCnvPersonLabelSuffixes: maybe(mapOf(Schema.Unknown)),
  filterApplied: maybe(Schema.Boolean),
  thresholdViolated: maybe(Schema.Boolean),
  threshold: maybe(Figure)
})
export type SnvAnnotations = typeof SnvAnnotations.Type
