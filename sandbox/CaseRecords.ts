import type { GeneEntry } from "./Genes.ts"
import * as SeededRandom from "./samples/SeededRandom.ts"
import type { Json, JsonObject, WireId } from "./WireIds.ts"

/** What the case records say of an analysis. */
export interface CaseAnalysis {
  readonly id: WireId
  readonly sampleId: string
  readonly type: string
  readonly kit: string
}

const metricTypes: ReadonlyArray<JsonObject> = [
  {
    id: 1,
    type: "COVERAGE",
    title: "Coverage",
    description: "Depth over the target regions",
    dimensions: [{ id: 11, name: "mean", description: null, grid: true, chart: true, threshold: true }],
    chartTitle: "Mean depth"
  },
  {
    id: 2,
    type: "SEX",
    title: "Sex check",
    description: "Sex from the reads against the record",
    dimensions: [{ id: 21, name: "inferred", grid: true, chart: false, threshold: false }]
  }
]

/** Quality metrics of a case; the results are a map whose one key is the LIMS id (docs/dev/service.md 12). */
export const qualityOf = (limsId: string, analyses: ReadonlyArray<CaseAnalysis>, seed: number): JsonObject => {
  const random = SeededRandom.make(seed)
  return {
    metricResults: {
      [limsId]: {
        personId: limsId,
        sampleIds: Object.fromEntries(analyses.map((analysis) => [String(analysis.id), analysis.sampleId])),
        metricResults: analyses.map((analysis) => ({
          analysisId: analysis.id,
          referenceAnalysisId: null,
          sampleId: analysis.sampleId,
          qualityMetricTypes: [1, 2],
          data: {
            mean: {
              analysisId: analysis.id,
              dimension: "mean",
              data: SeededRandom.measuredValue(random, 60, 160, 2),
              violated: false
            },
            inferred: {
              analysisId: analysis.id,
              dimension: "inferred",
              data: "FEMALE",
              violated: false,
              mappedData: { x: 2, y: 0 }
            }
          }
        })),
        sequencingBatchesMetricResults: []
      }
    },
    metricTypes,
    thresholdRanges: {
      enrichmentKits: [
        {
          id: 5,
          bedFile: "exome.v7.bed",
          bedRegionsSize: 35_700_000,
          canBeDeleted: false,
          disabledAnnotationFields: [{ name: "gnomad", displayName: "gnomAD" }],
          name: "Exome v7"
        }
      ],
      categories: [
        { id: 3, title: "Reads", description: "From the reads", name: "reads", types: metricTypes, order: 1 }
      ],
      ranges: { COVERAGE: { mean: { lowerBound: 80, upperBound: null, defaultLowerBound: 80, fixedValues: false } } }
    }
  }
}

const disease: JsonObject = {
  id: 88,
  shortName: null,
  name: "Marfan syndrome",
  omimId: 154700,
  icd10Id: "Q87.4",
  orphanetId: "558"
}

const reportGene = (gene: GeneEntry): JsonObject => gene.record

/** A case report with one item of each kind, and with a panel that is no longer used when `inactive` items are wanted. */
export const reportOf = (
  person: { readonly id: WireId; readonly limsId: string },
  analyses: ReadonlyArray<CaseAnalysis>,
  genes: ReadonlyArray<GeneEntry>,
  { draft, inactive }: { readonly draft: boolean; readonly inactive: boolean }
): JsonObject => {
  const used: ReadonlyArray<Json> = analyses.map((analysis) => ({
    analysisId: analysis.id,
    sampleId: analysis.sampleId,
    type: analysis.type,
    enrichmentKit: analysis.kit,
    sourceId: null,
    annotationSources: [{ name: "ClinVar", value: "2026-09" }],
    selected: true
  }))
  const analysisIds = analyses.map((analysis) => analysis.id)
  const gene = genes.find((each) => each.symbol === "FBN1")
  const genesOfVariant = gene === undefined ? [] : [reportGene(gene)]
  const common = {
    analysisIds,
    significance: { id: 4, name: "Likely pathogenic" },
    latestComment: null,
    commentCount: 0
  }
  return {
    draft,
    personId: person.id,
    submitter: "A. Reviewer",
    submitted: "2026-10-02T09:14:03.120Z",
    approver: draft ? null : "B. Approver",
    approved: draft ? null : "2026-10-05T16:40:00",
    title: "Exome analysis",
    comment: null,
    reportState: draft ? "DRAFT" : "APPROVED",
    items: [
      {
        type: "PERSON",
        personId: person.id,
        limsId: person.limsId,
        familyId: null,
        hpoTerms: ["HP:0001166"],
        comment: null,
        analyses: used,
        active: true
      },
      { type: "METHODS", analyses: used, active: true },
      {
        type: "VIRTUAL_PANEL",
        allGenesPanel: true,
        virtualPanelId: 1,
        name: "All genes",
        genes: genes.map(reportGene),
        appliedFilters: [{ name: "Rare", filter: "AF < 0.01" }],
        conclusions: [
          {
            diseases: [disease],
            disease,
            modeOfInheritance: "AUTOSOMAL_DOMINANT",
            genotype: "heterozygous",
            clinicalAssessment: "EXPLAINS_PHENOTYPE",
            comment: null,
            variantCategory: "SNV",
            cnvConclusions: [
              {
                ...common,
                variant: "Deletion of exon 4",
                cdna: null,
                hgvs: "chr15:g.48600000_48600900del",
                iscn: "arr[GRCh38] 15q21.1(48600000_48600900)x1",
                position: { chromosome: "15", start: 48_600_000, end: 48_600_900 },
                copyNumber: 1,
                type: "LOSS",
                mosaic: false,
                length: 901,
                log2: -0.98,
                refSpread: 0.05,
                affectedGenes: genesOfVariant,
                transcripts: ["NM_000138"],
                exons: [4],
                annotations: { "DGV:found": 0, localFoundLoss: 1 }
              }
            ],
            snvConclusions: [
              {
                ...common,
                genes: genesOfVariant,
                cdna: "c.1129C>T",
                position: { chromosome: "15", start: 48_505_037, end: 48_505_037 },
                transcript: "NM_000138",
                variant: "p.Arg377Ter",
                acmgVersion: "2015",
                acmgCriteria: ["PVS1", "PM2"],
                annotations: { AF: 0.48, ClinVar: ["pathogenic"], REVEL: null },
                selectedPaper: []
              }
            ]
          }
        ],
        active: true
      },
      ...(inactive ? [inactivePanel(genes)] : [])
    ]
  }
}

/** The item of a panel that was taken out of the report. */
const inactivePanel = (genes: ReadonlyArray<GeneEntry>): JsonObject => ({
  type: "VIRTUAL_PANEL",
  allGenesPanel: false,
  virtualPanelId: typeof genes[0]?.id === "string" ? "V2" : 2,
  name: "Hereditary cancer",
  genes: [],
  appliedFilters: [],
  conclusions: [],
  active: false
})
