import type { GeneEntry } from "./Genes.ts"
import * as SeededRandom from "./samples/SeededRandom.ts"
import type { Json, JsonObject, WireId } from "./WireIds.ts"

/** Regions of a gene: the exons that the findings need, 1-based and closed. */
const regionsOf = (gene: GeneEntry, count: number) => {
  const step = Math.floor((gene.end - gene.start) / count)
  return Array.from({ length: count }, (_, i) => {
    const start = gene.start + i * step
    return { start, end: Math.min(start + 180 + 7 * i, gene.end), exon: i + 1 }
  })
}

const regionsPerGene = 3

/** Coverage of one analysis (docs/dev/service.md 13.4). */
export const coverageOf = (
  analysisId: WireId,
  genes: ReadonlyArray<GeneEntry>,
  seed: number
): ReadonlyArray<JsonObject> =>
  genes.flatMap((gene) => {
    const random = SeededRandom.make(seed + gene.start)
    return regionsOf(gene, regionsPerGene).map(({ start, end, exon }) => {
      const minimum = random.between(0, 41)
      const length = end - start + 1
      const missing = minimum === 0 ? random.between(1, length + 1) : 0
      return {
        chromosome: gene.chromosome,
        start,
        end,
        length,
        minimumCoverage: minimum,
        maximumCoverage: minimum + random.between(20, 201),
        meanCoverage: minimum + SeededRandom.measuredValue(random, 5, 20, 2),
        basePairsNotCovered: missing,
        percentCovered: Number((100 * (1 - missing / length)).toFixed(2)),
        regionName: `${gene.symbol}_${exon}`,
        sourceId: "exons",
        analysisId,
        laneQuality: null,
        gene: gene.symbol,
        transcript: gene.transcript,
        exonNumbers: [exon]
      }
    })
  })

const cnvColumn = (id: string, title: string, property: string): JsonObject => ({
  id,
  title,
  property,
  dataType: "STRING"
})

/** CNV target results of one CNV analysis (docs/dev/service.md 13.7); rows of plain cells. */
export const cnvResultsOf = (analysisId: WireId, genes: ReadonlyArray<GeneEntry>, seed: number): JsonObject => {
  const random = SeededRandom.make(seed)
  const thresholds = { homDelThreshold: -1.5, hetDelThreshold: -0.6, dupThreshold: 0.4, multiDupThreshold: 0.9 }
  const data: ReadonlyArray<ReadonlyArray<Json>> = genes.flatMap((gene) =>
    regionsOf(gene, regionsPerGene).map(({ start, end }): ReadonlyArray<Json> => {
      const log2 = random.chance(0.1) ? random.pick([-0.9, 0.58]) : SeededRandom.measuredValue(random, -0.2, 0.2, 3)
      return [
        gene.chromosome,
        start,
        end,
        gene.symbol,
        log2,
        SeededRandom.measuredValue(random, 0.01, 0.2, 3),
        [analysisId]
      ]
    })
  )
  return {
    targetRegionsHeader: [
      cnvColumn("Chr", "Chromosome", "chromosome"),
      cnvColumn("Start", "Start", "start"),
      cnvColumn("End", "End", "end"),
      cnvColumn("Gene", "Gene", "gene"),
      cnvColumn("Log2", "log2 ratio", "log2Value"),
      cnvColumn("RefSpread", "Reference spread", "refSpread"),
      cnvColumn("Analyses", "Analyses", "analysisIds")
    ],
    data,
    bivariance: 0.021,
    maxValidBivariance: 0.05,
    meanCoverage: 118.4,
    refSpreadThreshold: 0.3,
    sex: "Female",
    thresholds,
    segmentationThresholds: thresholds,
    uniquePersonLabelSuffixes: {},
    wgs: false,
    geneIdToHpoTerms: Object.fromEntries(
      genes.map((gene) => [String(gene.id), [{ accessionId: 118, name: "Phenotypic abnormality", abbreviation: null }]])
    ),
    geneIdToHpoMoiTerms: {},
    geneIdToHpoMatchedTerms: {},
    geneIdToHpoSimScore: Object.fromEntries(
      genes.map((gene) => [String(gene.id), SeededRandom.measuredValue(random, 0, 1, 3)])
    )
  }
}

/** Pending CNV segments of one analysis (docs/dev/service.md 13.7); keys with a colon stand on the wire. */
export const pendingCnvOf = (
  analysisId: WireId,
  genes: ReadonlyArray<GeneEntry>,
  seed: number
): ReadonlyArray<JsonObject> => {
  const random = SeededRandom.make(seed)
  return genes.slice(0, 4).map((gene, i) => {
    const gain = random.chance(0.5)
    return {
      index: true,
      pendingCnvId: 7000 + i,
      detectedSegmentId: null,
      log2Value: gain ? 0.58 : -0.97,
      refSpread: SeededRandom.measuredValue(random, 0.01, 0.2, 3),
      copyNumber: gain ? 3 : 1,
      type: gain ? "GAIN" : "LOSS",
      position: { chromosome: gene.chromosome, start: gene.start, end: gene.end },
      regionInfo: null,
      exactBreakpointBegin: false,
      exactBreakpointEnd: false,
      cytoband: String(gene.record["chromosomeLocation"]),
      cdna: null,
      regionIndexBegin: i * regionsPerGene,
      regionIndexEnd: i * regionsPerGene + 2,
      mosaic: false,
      mosaicRelation: null,
      analysisId,
      relativeAnalysisIds: [],
      comment: null,
      iscn: `arr[GRCh38] ${gene.chromosome}(${gene.start}_${gene.end})x${gain ? 3 : 1}`,
      hgvs: `chr${gene.chromosome}:g.${gene.start}_${gene.end}${gain ? "dup" : "del"}`,
      inheritance: "UNKNOWN",
      geneIds: [gene.id],
      transcriptNcbiIds: [gene.transcript],
      exons: [1, 2, 3],
      localFoundGain: gain ? 1 : 0,
      localFoundLoss: gain ? 0 : 2,
      localSignificanceGain: [],
      localSignificanceLoss: [],
      overlapOperator: "AND",
      overlapParam: 0.7,
      otherOverlapParam: 0.7,
      commentCount: 0,
      recentComment: null,
      annotations: {
        "DGV:found": [3, 11],
        "DGV:subtype": ["loss", "gain+loss"],
        "DECIPHER:found": 1,
        "DECIPHER:sig": "uncertain",
        "ALLEXES_CNV:found_gain": 0,
        "ALLEXES_CNV:found_loss": 2,
        localFoundGain: 0
      },
      relativesData: {}
    }
  })
}

export const pendingCnvHeader: ReadonlyArray<JsonObject> = [
  cnvColumn("Position", "Position", "position"),
  cnvColumn("CopyNumber", "Copy number", "copyNumber"),
  cnvColumn("DGV:found", "Found in DGV", "annotations")
]
