/**
 * What was found in a genome: SNV annotations, a table whose header may come after its rows (getSnvAnnotations), and copy-number
 * variants, as results of target regions and pending segments (getCnvTargetResults, getPendingCnvSegments).
 */
import * as Schema from "effect/Schema"
import { Reference, WireAnalysisId, WireGeneId } from "./Ids.ts"
import { Figure, mapOf, maybe, openEnum, openStruct, record } from "./Record.ts"

/** One column; cell i of a row belongs to column i. `property` is a number here and text in CNV tables. */
const HeaderItem = record("HeaderItem", {
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

/** The cells of one row: scalars and arrays, as they came. */
export const Row = Schema.Array(Schema.Unknown)

/**
 * The body of `GET /api/analysis/{analysisId}/annotations`; large, so steps stream it instead of decoding it.
 *
 * @category schemas
 * @since 0.1.0
 */
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

export const CnvType = openEnum(["LOSS", "GAIN"])

const Thresholds = record("CnvThresholds", {
  homDelThreshold: maybe(Figure),
  hetDelThreshold: maybe(Figure),
  dupThreshold: maybe(Figure),
  multiDupThreshold: maybe(Figure)
})

const GeneTerm = record("CnvGeneTerm", {
  accessionId: maybe(Reference),
  name: maybe(Schema.String),
  abbreviation: maybe(Schema.String)
})

/**
 * The body of `GET /api/results/{personLimsId}/cnv`; maps named `geneIdTo...` are keyed by gene id.
 *
 * @category schemas
 * @since 0.1.0
 */
export const CnvTargetResults = record("CnvTargetResults", {
  targetRegionsHeader: Schema.Array(HeaderItem),
  data: Schema.Array(Row),
  bivariance: maybe(Figure),
  maxValidBivariance: maybe(Figure),
  meanCoverage: maybe(Figure),
  refSpreadThreshold: maybe(Figure),
  /** In mixed case, unlike the sex of a person record. */
  sex: maybe(openEnum(["Male", "Female", "Unknown", "Intersex"])),
  thresholds: maybe(Thresholds),
  segmentationThresholds: maybe(Thresholds),
  uniquePersonLabelSuffixes: maybe(mapOf(Schema.Unknown)),
  wgs: maybe(Schema.Boolean),
  geneIdToHpoTerms: maybe(mapOf(Schema.Array(GeneTerm))),
  geneIdToHpoMoiTerms: maybe(mapOf(Schema.Array(GeneTerm))),
  geneIdToHpoMatchedTerms: maybe(mapOf(Schema.Array(Schema.Unknown))),
  geneIdToHpoSimScore: maybe(mapOf(Schema.NullOr(Figure)))
})
export type CnvTargetResults = typeof CnvTargetResults.Type

/** 1-based, both ends included. */
export const Position = record("Position", {
  chromosome: maybe(Schema.String),
  start: maybe(Schema.Int),
  end: maybe(Schema.Int)
})

const Found = maybe(Schema.Union([Schema.Int, Schema.Array(Schema.Unknown)]))
const Words = maybe(Schema.Union([Schema.String, Schema.Array(Schema.Unknown)]))

/** What databases know of a copy-number variant. On the wire, too, the keys contain a colon. */
export const CnvAnnotations = record("CnvAnnotations", {
  "DGV:found": Found,
  "DGV:subtype": Words,
  "DECIPHER:sig": Words,
  "DECIPHER:type": Words,
  "DECIPHER:found": Found,
  "ALLEXES_CNV:sig_gain": Words,
  "ALLEXES_CNV:sig_loss": Words,
  "ALLEXES_CNV:found_gain": Found,
  "ALLEXES_CNV:found_loss": Found,
  localFoundGain: Found,
  localFoundLoss: Found,
  localSignificanceGain: maybe(Schema.Unknown),
  localSignificanceLoss: maybe(Schema.Unknown)
})
export type CnvAnnotations = typeof CnvAnnotations.Type

/** One segment. Its fields were inferred from samples, so only its identifier is required. */
const PendingCnvSegment = record("PendingCnvSegment", {
  index: maybe(Schema.Boolean),
  pendingCnvId: Reference,
  detectedSegmentId: maybe(Reference),
  log2Value: maybe(Figure),
  refSpread: maybe(Figure),
  copyNumber: maybe(Schema.Int),
  type: maybe(CnvType),
  position: maybe(Position),
  regionInfo: maybe(Schema.Unknown),
  exactBreakpointBegin: maybe(Schema.Boolean),
  exactBreakpointEnd: maybe(Schema.Boolean),
  cytoband: maybe(Schema.String),
  cdna: maybe(Schema.String),
  regionIndexBegin: maybe(Schema.Int),
  regionIndexEnd: maybe(Schema.Int),
  mosaic: maybe(Schema.Boolean),
  mosaicRelation: maybe(Schema.Unknown),
  analysisId: maybe(WireAnalysisId),
  relativeAnalysisIds: maybe(Schema.Array(WireAnalysisId)),
  comment: maybe(Schema.String),
  iscn: maybe(Schema.String),
  hgvs: maybe(Schema.String),
  inheritance: maybe(Schema.String),
  geneIds: maybe(Schema.Array(WireGeneId)),
  transcriptNcbiIds: maybe(Schema.Array(Schema.String)),
  exons: maybe(Schema.Array(Schema.Int)),
  localFoundGain: maybe(Schema.Int),
  localFoundLoss: maybe(Schema.Int),
  localSignificanceGain: maybe(Schema.Unknown),
  localSignificanceLoss: maybe(Schema.Unknown),
  overlapOperator: maybe(openEnum(["AND", "OR"])),
  overlapParam: maybe(Figure),
  otherOverlapParam: maybe(Figure),
  commentCount: maybe(Schema.Int),
  recentComment: maybe(Schema.Unknown),
  annotations: maybe(CnvAnnotations),
  relativesData: maybe(
    mapOf(openStruct({ copyNumbers: maybe(Schema.Array(Schema.Int)), types: maybe(Schema.Array(CnvType)) }))
  )
})

/**
 * The payload of `GET /pending-cnv`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PendingCnvSegments = record("PendingCnvSegments", {
  data: Schema.Array(PendingCnvSegment),
  cnvHeader: maybe(Schema.Array(HeaderItem))
})
export type PendingCnvSegments = typeof PendingCnvSegments.Type
