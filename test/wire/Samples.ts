/**
 * Records as a service with integer identifiers sends them: every field of every record at least once.
 *
 * Long on purpose: it is a table. Source: docs/dev/service.md 13.
 */
import type { Schema } from "effect"
import { AnalysisItem, FoundAnalysis } from "../../core/src/contract/Analyses.ts"
import { CnvTargetResults, PendingCnvSegments, SnvAnnotations } from "../../core/src/contract/Annotations.ts"
import { CaseReport, CaseReportInfo } from "../../core/src/contract/CaseReports.ts"
import { ErrorBody, enveloped } from "../../core/src/contract/Envelope.ts"
import { AnalysisFiles, RestoreAnswer } from "../../core/src/contract/Files.ts"
import { Gene, VirtualPanel, VirtualPanelSummary, VirtualPanelUpdate } from "../../core/src/contract/Panels.ts"
import { Person, PersonUpdate } from "../../core/src/contract/Persons.ts"
import { CoverageItem, QcCaseMetrics } from "../../core/src/contract/QualityControl.ts"

type Json = Schema.Json
export type JsonObject = { readonly [key: string]: Json }

const gene = {
  id: 2200,
  ncbiId: 2200,
  omimId: 134797,
  ensemblId: "ENSG00000166147",
  hgncId: 3603,
  lrgId: null,
  symbol: "FBN1",
  name: "fibrillin 1",
  transcript: "NM_000138",
  transcriptCdsLength: 8616,
  transcriptExonCount: 66,
  chromosome: "15",
  chromosomeLocation: "15q21.1",
  hpoTerms: ["HP:0001166", "HP:0001519"]
}
const column = {
  id: "AF",
  title: "Allele fraction",
  description: null,
  badge: "QC",
  url: "https://example.org/af",
  dataDictionary: { het: "heterozygous" },
  dataType: "FLOAT",
  fromMultiValue: false,
  property: 9,
  bioinfScoreThresholdsByAnalysisId: { "17": { lower: 0.2 } },
  category: "META_SCORE"
}
const modifier = { accession: "HP:0012825", name: "Mild", description: "", synomys: ["Slight"] }
const metricType = {
  id: 1,
  type: "COVERAGE",
  title: "Coverage",
  description: "Depth over targets",
  dimensions: [{ id: 11, name: "mean", description: null, grid: true, chart: true, threshold: true }],
  chartTitle: "Mean depth"
}
const personMetrics = {
  personId: "L-0001/a",
  sampleIds: { "17": "S17" },
  metricResults: [
    {
      analysisId: 17,
      referenceAnalysisId: null,
      sequencingBatchId: 4,
      sampleId: "S17",
      qualityMetricTypes: [1, 2],
      data: {
        mean: {
          analysisId: 17,
          sequencingBatchId: null,
          dimension: "mean",
          data: 88.25,
          groupingKey: { type: "LANE", lane: "L001", linkedAnalysisId: 18 },
          violated: false,
          mappedData: { x: 2, y: 0 },
          linkedAnalysisId: null,
          type: "COVERAGE"
        },
        inferred: { dimension: "inferred", data: "FEMALE", violated: true }
      }
    }
  ],
  sequencingBatchesMetricResults: []
}
const metrics = {
  metricTypes: [metricType],
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
    categories: [{ id: 3, title: "Reads", description: "From reads", name: "reads", types: [metricType], order: 1 }],
    ranges: { COVERAGE: { mean: { lowerBound: 80, upperBound: null, defaultLowerBound: 80.5, fixedValues: false } } }
  }
}
const cnvAnnotations = {
  "DGV:found": 3,
  "DGV:subtype": ["loss", "gain"],
  "DECIPHER:sig": "pathogenic",
  "DECIPHER:type": null,
  "DECIPHER:found": [1, 2],
  "ALLEXES_CNV:sig_gain": "",
  "ALLEXES_CNV:found_loss": 0,
  localFoundGain: 0,
  localFoundLoss: 1,
  localSignificanceGain: []
}
const conclusion = {
  analysisIds: [17],
  significance: { id: 4, name: "Likely pathogenic" },
  latestComment: null,
  commentCount: 0,
  position: "15:48505037"
}
const disease = {
  id: 88,
  shortName: null,
  name: "Marfan syndrome",
  omimId: 154700,
  icd10Id: "Q87.4",
  orphanetId: "558"
}
const reportAnalysis = {
  analysisId: 17,
  sampleId: "S17",
  type: "SNV",
  enrichmentKit: "Exome v7",
  sourceId: null,
  annotationSources: [{ name: "ClinVar", value: "2026-09" }],
  selected: true
}

export const samples: ReadonlyArray<readonly [name: string, schema: Schema.Top, wire: JsonObject]> = [
  [
    "AnalysisItem",
    AnalysisItem,
    {
      id: 17,
      analysisType: "SNV",
      status: "DONE",
      regulatoryStatus: "RESEARCH_USE_ONLY",
      sourceId: "seq-4",
      sampleId: "S17",
      sampleOrigin: "GERMLINE",
      enrichmentKitName: "Exome v7",
      referencedAnalysisId: 16,
      personLimsId: "L-0001/a",
      jobName: "job",
      analysisApproval: {
        analysisId: 17,
        userId: 3,
        userName: "reviewer",
        approvalTime: "2026-10-02T09:14:03.120Z",
        status: "APPROVED",
        comment: null
      },
      sequencingBatchId: 4,
      firstAnnotated: "2026-09-30T08:00:00",
      lastAnnotated: "2026-10-01T08:00:00.5+02:00"
    }
  ],
  [
    "FoundAnalysis",
    FoundAnalysis,
    {
      analysisId: 17,
      personId: 1001,
      enrichmentKitId: 5,
      analysisStatus: "DONE",
      matchingOriginalFileName: "S17_R1.fastq.gz",
      matchingCustomerProvidedInputFilePath: "run 7/S17 & co+1_R1.fastq.gz",
      sampleOrigin: "GERMLINE",
      analysisType: "SNV",
      finishedDate: "2026-10-01T08:00:00Z"
    }
  ],
  [
    "Person",
    Person,
    {
      personalInformation: {
        limsId: "L-0001/a",
        familyId: "F1",
        firstName: "Ada",
        lastName: "Größe",
        comment: "",
        sex: "FEMALE",
        birthDate: "1990-02-03",
        country: "DE",
        consentType: "FULL_CONSENT",
        validationStatus: "VALIDATED"
      },
      clinicalInformation: {
        limsId: "L-0001/a",
        hpoTerms: [
          {
            accession: "HP:0001166",
            name: "Arachnodactyly",
            description: "Long fingers",
            synomys: ["Spider fingers"],
            presence: "PRESENT",
            level: "MAJOR",
            modifiers: [modifier]
          },
          { accession: "HP:0001519", name: "Tall", description: "", presence: "ABSENT", level: "MINOR", modifiers: [] }
        ],
        diseases: [{ shortName: "MFS", name: "Marfan", presence: "PRESENT", level: "UNKNOWN", modifiers: [] }],
        consanguineous: false,
        parentageConfirmed: null
      }
    }
  ],
  [
    "PersonUpdate",
    PersonUpdate,
    {
      id: "200000000",
      familyId: "F1",
      firstName: "Ada",
      lastName: "Größe",
      comment: null,
      country: "DE",
      sex: "FEMALE",
      birthDateYear: 1990,
      birthDateMonth: 2,
      birthDateDay: 3,
      hpoTermIds: ["HP:0001166"]
    }
  ],
  [
    "CaseReportInfo",
    CaseReportInfo,
    { limsId: "L1", timeSubmitted: "2026-10-02T09:14:03Z", timeApproved: null, markedForApproval: true }
  ],
  [
    "VirtualPanelSummary",
    VirtualPanelSummary,
    {
      id: 7,
      name: "Aorta",
      numberOfGenesInPanel: 12,
      lengthOfTranscriptsCds: 40_000,
      active: true,
      description: "",
      personId: 1001,
      creator: "reviewer",
      creationTime: "2026-10-02T09:14:03Z",
      usageCount: 3
    }
  ],
  [
    "VirtualPanel",
    VirtualPanel,
    { id: 7, name: "Aorta", active: true, genes: [gene], description: null, personId: null }
  ],
  [
    "VirtualPanelUpdate",
    VirtualPanelUpdate,
    { id: 7, name: "Aorta", active: false, geneIds: [2200, "G7"], description: "", personId: 1001 }
  ],
  ["Gene", Gene, gene],
  [
    "CoverageItem",
    CoverageItem,
    {
      chromosome: "15",
      start: 48_408_312,
      end: 48_408_489,
      length: 177,
      minimumCoverage: 12,
      maximumCoverage: 98,
      meanCoverage: 61.5,
      basePairsNotCovered: 0,
      percentCovered: 100,
      regionName: "FBN1_66",
      sourceId: "seq-4",
      analysisId: 17,
      laneQuality: null,
      gene: "FBN1",
      transcript: "NM_000138",
      exonNumbers: [65, 66]
    }
  ],
  ["QcCaseMetrics", QcCaseMetrics, { ...metrics, metricResults: { "L-0001/a": personMetrics } }],
  [
    "SnvAnnotations",
    SnvAnnotations,
    {
      data: [
        ["V1", "15", 48_505_037, "C", "T", ["FBN1"], 0.48, null, true],
        ["V2", "X", 1, "", "<DEL>", [], 1, 'said "benign"\t5′', false]
      ],
      header: [column, { id: "ID", title: "Variant" }],
      uniquePersonLabelSuffixes: { "17": "a" },
      uniqueCnvPersonLabelSuffixes: null,
      filterApplied: false,
      thresholdViolated: true,
      threshold: 500_000
    }
  ],
  [
    "CnvTargetResults",
    CnvTargetResults,
    {
      targetRegionsHeader: [{ ...column, property: "log2" }],
      data: [["15", 48_408_312, null, [0.5]]],
      bivariance: 0.1,
      maxValidBivariance: 0.5,
      meanCoverage: 100.5,
      refSpreadThreshold: 0.2,
      sex: "Female",
      thresholds: { homDelThreshold: -2, hetDelThreshold: -0.6, dupThreshold: 0.4, multiDupThreshold: null },
      segmentationThresholds: { dupThreshold: 0.4 },
      uniquePersonLabelSuffixes: {},
      wgs: false,
      geneIdToHpoTerms: { "2200": [{ accessionId: 1166, name: "Arachnodactyly", abbreviation: null }] },
      geneIdToHpoMoiTerms: { "2200": [] },
      geneIdToHpoMatchedTerms: { "2200": [1166] },
      geneIdToHpoSimScore: { "2200": 0.75 }
    }
  ],
  [
    "PendingCnvSegments",
    PendingCnvSegments,
    {
      data: [
        {
          index: true,
          pendingCnvId: 9,
          detectedSegmentId: null,
          log2Value: -0.98,
          refSpread: 0.05,
          copyNumber: 1,
          type: "LOSS",
          position: { chromosome: "15", start: 48_600_000, end: 48_600_900 },
          regionInfo: null,
          exactBreakpointBegin: false,
          exactBreakpointEnd: true,
          cytoband: "15q21.1",
          cdna: null,
          regionIndexBegin: 3,
          regionIndexEnd: 4,
          mosaic: false,
          mosaicRelation: null,
          analysisId: 17,
          relativeAnalysisIds: [18, 19],
          comment: null,
          iscn: "arr 15q21.1x1",
          hgvs: "chr15:g.48600000_48600900del",
          inheritance: "DE_NOVO",
          geneIds: [2200],
          transcriptNcbiIds: ["NM_000138"],
          exons: [4],
          localFoundGain: 0,
          localFoundLoss: 1,
          localSignificanceGain: [],
          localSignificanceLoss: [{ id: 4 }],
          overlapOperator: "AND",
          overlapParam: 0.7,
          otherOverlapParam: 0.7,
          commentCount: 0,
          recentComment: null,
          annotations: cnvAnnotations,
          relativesData: { "18": { copyNumbers: [2], types: ["GAIN"] } }
        }
      ],
      cnvHeader: [{ ...column, property: "log2Value" }]
    }
  ],
  [
    "CaseReport",
    CaseReport,
    {
      draft: false,
      personId: 1001,
      submitter: "A. Reviewer",
      submitted: "2026-10-02T09:14:03.120Z",
      approver: null,
      approved: null,
      title: "Exome analysis",
      comment: null,
      reportState: "APPROVED",
      items: [
        {
          type: "PERSON",
          personId: 1001,
          limsId: "L1",
          familyId: null,
          hpoTerms: ["HP:0001166"],
          comment: null,
          analyses: [reportAnalysis],
          active: true
        },
        { type: "METHODS", analyses: [{ analysisId: 18, analysisType: "CNV", selected: false }], active: true },
        {
          type: "VIRTUAL_PANEL",
          allGenesPanel: true,
          virtualPanelId: 1,
          name: "All genes",
          genes: [gene],
          appliedFilters: [{ name: "Rare", filter: "AF < 0.01" }],
          conclusions: [
            {
              diseases: [disease],
              disease: { ...disease, orphanetId: 558 },
              modeOfInheritance: "AUTOSOMAL_DOMINANT",
              genotype: "heterozygous",
              clinicalAssessment: "EXPLAINS_PHENOTYPE",
              comment: null,
              variantCategory: "SNV",
              cnvConclusions: [
                {
                  ...conclusion,
                  variant: "Deletion of exon 4",
                  hgvs: "chr15:g.48600000_48600900del",
                  iscn: "arr 15q21.1x1",
                  copyNumber: 1,
                  type: "LOSS",
                  mosaic: false,
                  length: 901,
                  log2: -0.98,
                  refSpread: 0.05,
                  affectedGenes: [gene],
                  transcripts: ["NM_000138"],
                  exons: [4],
                  annotations: cnvAnnotations
                }
              ],
              snvConclusions: [
                {
                  ...conclusion,
                  genes: [gene],
                  cdna: "c.1129C>T",
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
        { type: "A_KIND_OF_TOMORROW", text: "kept" }
      ]
    }
  ],
  [
    "AnalysisFiles",
    AnalysisFiles,
    {
      id: 17,
      sampleId: "S17",
      limsId: null,
      customerProvidedInputFilePaths: ["run 7/S17_R1.fastq.gz"],
      apiFileLinks: [
        {
          fileName: "S17.bam",
          downloadLink: "https://files.example.org/S17.bam?X-Amz-Signature=0",
          currentlyArchived: false,
          estimatedRestoreTime: null,
          size: 9_007_199_254_740_991
        },
        { fileName: null, downloadLink: null, currentlyArchived: true, estimatedRestoreTime: "2026-11-21T12:00:00Z" },
        {}
      ]
    }
  ],
  ["RestoreAnswer", RestoreAnswer, { analysisId: 17, restoreEstimation: "2026-11-21T12:00:00Z" }],
  [
    "ErrorBody",
    ErrorBody,
    {
      success: false,
      response: null,
      errorMessageId: "PERSON_NOT_FOUND",
      errorExpected: true,
      errorId: "e-1",
      additionalInformation: "No such person"
    }
  ],
  ["an envelope", enveloped(Gene), { success: true, response: gene, errorMessageId: null, errorId: 7 }]
]
