/** Coverage of target regions (getCoverageData). */
import * as Schema from "effect/Schema"
import { AnalysisId } from "./Ids.ts"
import { Figure, maybe, record } from "./Record.ts"

/** One region of `GET /api/{personId}/coverage`. Depths are reads per base. */
export const CoverageItem = record("CoverageItem", {
  chromosome: Schema.String,
  start: Schema.Int,
  end: Schema.Int,
  /** Bases. */
  length: maybe(Schema.Int),
  minimumCoverage: maybe(Schema.Int),
  maximumCoverage: maybe(Schema.Int),
  meanCoverage: maybe(Figure),
  basePairsNotCovered: maybe(Schema.Int),
  /** 0 to 100. */
  percentCovered: maybe(Figure),
  regionName: maybe(Schema.String),
  sourceId: maybe(Schema.String),
  analysisId: maybe(AnalysisId),
  laneQuality: maybe(Schema.String),
  gene: maybe(Schema.String),
  transcript: maybe(Schema.String),
  exonNumbers: maybe(Schema.Array(Schema.Int))
})
export type CoverageItem = typeof CoverageItem.Type
