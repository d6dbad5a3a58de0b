/** Quality metrics of a case (getQcCaseMetrics), and the coverage of target regions (getCoverageData). */
import * as Schema from "effect/Schema"
import { Reference, WireAnalysisId, WireLimsId, WireSampleId } from "./Ids.ts"
import { Figure, mapOf, maybe, openStruct, record } from "./Record.ts"

const batchId = maybe(Reference)

const MetricDimension = record("MetricDimension", {
  id: maybe(Reference),
  name: maybe(Schema.String),
  description: maybe(Schema.String),
  grid: maybe(Schema.Boolean),
  chart: maybe(Schema.Boolean),
  threshold: maybe(Schema.Boolean)
})

/** What a metric means. */
const MetricType = record("MetricType", {
  id: maybe(Reference),
  type: maybe(Schema.String),
  title: maybe(Schema.String),
  description: maybe(Schema.String),
  dimensions: maybe(Schema.Array(MetricDimension)),
  chartTitle: maybe(Schema.String)
})

/** A number, a word, or a map of them. */
const Value = Schema.Union([Figure, Schema.String, mapOf(Schema.Unknown)])

const MetricValue = record("MetricValue", {
  analysisId: maybe(WireAnalysisId),
  sequencingBatchId: batchId,
  dimension: maybe(Schema.String),
  data: maybe(Value),
  groupingKey: maybe(
    openStruct({ type: maybe(Schema.String), lane: maybe(Schema.String), linkedAnalysisId: maybe(WireAnalysisId) })
  ),
  violated: maybe(Schema.Boolean),
  mappedData: maybe(Value),
  linkedAnalysisId: maybe(WireAnalysisId),
  type: maybe(Schema.String)
})

/** The metrics of one analysis or sequencing batch. */
const MetricItem = record("MetricItem", {
  analysisId: maybe(WireAnalysisId),
  referenceAnalysisId: maybe(WireAnalysisId),
  sequencingBatchId: batchId,
  sampleId: maybe(WireSampleId),
  qualityMetricTypes: maybe(Schema.Array(Reference)),
  data: maybe(mapOf(MetricValue))
})

const PersonMetrics = record("PersonMetrics", {
  /** The LIMS id, in spite of its name. */
  personId: maybe(WireLimsId),
  /** By analysis. */
  sampleIds: maybe(mapOf(Schema.NullOr(Schema.String))),
  metricResults: maybe(Schema.Array(MetricItem)),
  sequencingBatchesMetricResults: maybe(Schema.Array(MetricItem))
})

const ThresholdRange = record("ThresholdRange", {
  lowerBound: maybe(Figure),
  upperBound: maybe(Figure),
  defaultLowerBound: maybe(Figure),
  defaultUpperBound: maybe(Figure),
  fixedValues: maybe(Schema.Boolean)
})

const EnrichmentKit = record("EnrichmentKit", {
  id: maybe(Reference),
  bedFile: maybe(Schema.String),
  /** Bases. */
  bedRegionsSize: maybe(Schema.Int),
  canBeDeleted: maybe(Schema.Boolean),
  disabledAnnotationFields: maybe(
    Schema.Array(openStruct({ name: maybe(Schema.String), displayName: maybe(Schema.String) }))
  ),
  name: maybe(Schema.String)
})

const MetricCategory = record("MetricCategory", {
  id: maybe(Reference),
  title: maybe(Schema.String),
  description: maybe(Schema.String),
  name: maybe(Schema.String),
  types: maybe(Schema.Array(MetricType)),
  order: maybe(Schema.Int)
})

const ThresholdRanges = record("ThresholdRanges", {
  enrichmentKits: maybe(Schema.Array(EnrichmentKit)),
  categories: maybe(Schema.Array(MetricCategory)),
  ranges: maybe(mapOf(mapOf(ThresholdRange)))
})

/**
 * The payload of `GET /api/qualitycontrol/metrics/case/{personId}`: `metricResults` maps the LIMS id of each person of the
 * case to the metrics. Only one key has been observed so far, that of the person asked for.
 *
 * @category schemas
 * @since 0.1.0
 */
export const QcCaseMetrics = record("QcCaseMetrics", {
  metricResults: mapOf(PersonMetrics),
  metricTypes: maybe(Schema.Array(MetricType)),
  thresholdRanges: maybe(ThresholdRanges)
})
export type QcCaseMetrics = typeof QcCaseMetrics.Type

/**
 * One region of `GET /api/{personId}/coverage`. Depths are reads per base.
 *
 * @category schemas
 * @since 0.1.0
 */
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
  analysisId: maybe(WireAnalysisId),
  laneQuality: maybe(Schema.String),
  gene: maybe(Schema.String),
  transcript: maybe(Schema.String),
  exonNumbers: maybe(Schema.Array(Schema.Int))
})
export type CoverageItem = typeof CoverageItem.Type
