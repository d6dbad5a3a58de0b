/**
 * The records of docs/dev/service.md 13 as shapes, and records thrown from them: what may be absent is so at times, and null at
 * others. Written from the page alone, so that it is a second opinion on `core/src/contract/`.
 *
 * Long on purpose: it is a table.
 */
import type { Schema } from "effect"
import type { EndpointName } from "../../core/src/contract/EndpointNotes.ts"
import type { SeededRandom } from "../../sandbox/samples/SeededRandom.ts"

type Json = Schema.Json

/** Throws one value. */
export type Shape = (random: SeededRandom) => Json

const int: Shape = (random) => random.between(0, 1_000_000)
const float: Shape = (random) => (random.next() - 0.5) * 200
const bool: Shape = (random) => random.chance(0.5)
const text: Shape = (random) =>
  Array.from({ length: random.between(0, 12) }, () =>
    random.pick(["a", "Z", "0", " ", "é", "/", '"', "\\", "\n", "染", "🧬"])
  ).join("")
const time: Shape = (random) =>
  `2026-0${random.between(1, 10)}-1${random.between(0, 10)}T10:00:0${random.between(0, 10)}${random.pick(["", "Z", ".123Z", "+02:00"])}`
const word =
  (...words: readonly [string, ...ReadonlyArray<string>]): Shape =>
  (random) =>
    random.pick([...words, "A_WORD_OF_TOMORROW"])
const list =
  (item: Shape): Shape =>
  (random) =>
    Array.from({ length: random.between(0, 4) }, () => item(random))
const mapOf =
  (value: Shape): Shape =>
  (random) =>
    Object.fromEntries(Array.from({ length: random.between(0, 4) }, (_, i) => [`key ${i}`, value(random)]))
const either =
  (...shapes: readonly [Shape, ...ReadonlyArray<Shape>]): Shape =>
  (random) =>
    random.pick(shapes)(random)

/** A name that ends in `?` may be absent or null. Records have fields that nobody knows yet, too. */
const record =
  (fields: Readonly<Record<string, Shape>>): Shape =>
  (random) => ({
    ...Object.fromEntries(
      Object.entries(fields).flatMap(([name, shape]) => {
        if (!name.endsWith("?")) return [[name, shape(random)]]
        const plain = name.slice(0, -1)
        const choice = random.between(0, 4)
        return choice === 0 ? [] : [[plain, choice === 1 ? null : shape(random)]]
      })
    ),
    ...(random.chance(0.2) ? { fieldOfTomorrow: [text(random), null] } : {})
  })

const analysisType = word(
  "SNV",
  "SANGER_MUT_SURVEYOR",
  "CNV",
  "QPCR",
  "SV",
  "MSI",
  "PATHO_UI_SV",
  "PATHO_UI_MSI",
  "STR"
)
const sampleOrigin = word("GERMLINE", "SOMATIC", "UNKNOWN", "SNPID", "MASKED")
const status = word("PENDING", "DONE", "FAILED")
const sex = word("UNKNOWN", "MALE", "FEMALE", "INTERSEX")
const presence = word("PRESENT", "ABSENT")
const level = word("MAJOR", "MINOR", "UNKNOWN")
const anything = either(int, float, text, bool, () => null, list(text))

const analysis = record({
  id: int,
  analysisType,
  status,
  regulatoryStatus: word("UNKNOWN", "IN_VITRO_DIAGNOSTIC", "RESEARCH_USE_ONLY", "PERFORMANCE_STUDY_ONLY"),
  "sourceId?": text,
  "sampleId?": text,
  "sampleOrigin?": sampleOrigin,
  "enrichmentKitName?": text,
  "referencedAnalysisId?": int,
  "personLimsId?": text,
  "jobName?": text,
  "analysisApproval?": record({
    analysisId: int,
    "userId?": int,
    userName: text,
    approvalTime: time,
    "status?": word("APPROVED", "REJECTED", "PENDING"),
    "comment?": text
  }),
  "sequencingBatchId?": int,
  "firstAnnotated?": time,
  "lastAnnotated?": time
})

const foundAnalysis = record({
  analysisId: int,
  "personId?": int,
  "enrichmentKitId?": int,
  analysisStatus: status,
  "matchingOriginalFileName?": text,
  "matchingCustomerProvidedInputFilePath?": text,
  sampleOrigin,
  analysisType,
  finishedDate: time
})

const term = { accession: text, name: text, description: text }
const modifiers = list(record({ ...term, synomys: list(text) }))

const person = record({
  personalInformation: record({
    "limsId?": text,
    "familyId?": text,
    "firstName?": text,
    "lastName?": text,
    "comment?": text,
    "sex?": sex,
    "birthDate?": () => "2001-02-03",
    "country?": text,
    "consentType?": word("FULL_CONSENT", "NO_CONSENT", "UNKNOWN"),
    "validationStatus?": word("UNKNOWN", "FLAGGED", "PROCESSED", "VALIDATED", "DELETING")
  }),
  clinicalInformation: record({
    "limsId?": text,
    "hpoTerms?": list(record({ ...term, "synomys?": list(text), presence, level, modifiers })),
    "diseases?": list(record({ "shortName?": text, "name?": text, presence, level, modifiers })),
    "consanguineous?": bool,
    "parentageConfirmed?": bool
  })
})

const geneFields = {
  id: int,
  "omimId?": int,
  "ensemblId?": text,
  "hgncId?": int,
  "lrgId?": int,
  name: text,
  transcriptCdsLength: int,
  transcriptExonCount: int,
  chromosome: text,
  chromosomeLocation: text,
  hpoTerms: list(text)
}
const gene = record({ ...geneFields, ncbiId: int, symbol: text, "transcript?": text })
const reportGene = record({ ...geneFields, "ncbiId?": int, "symbol?": text, transcript: text })

const panel = record({
  "id?": int,
  name: text,
  active: bool,
  genes: list(gene),
  "description?": text,
  "personId?": int
})
const panelSummary = record({
  id: int,
  name: text,
  numberOfGenesInPanel: int,
  lengthOfTranscriptsCds: int,
  "active?": bool,
  "description?": text,
  "personId?": int,
  "creator?": text,
  "creationTime?": time,
  "usageCount?": int
})

const region = record({
  chromosome: text,
  start: int,
  end: int,
  length: int,
  minimumCoverage: int,
  maximumCoverage: int,
  meanCoverage: float,
  basePairsNotCovered: int,
  percentCovered: float,
  regionName: text,
  sourceId: text,
  analysisId: int,
  "laneQuality?": text,
  "gene?": text,
  "transcript?": text,
  "exonNumbers?": list(int)
})

const metricItem = record({
  "analysisId?": int,
  "referenceAnalysisId?": int,
  "sequencingBatchId?": int,
  "sampleId?": text,
  qualityMetricTypes: list(int),
  data: mapOf(
    record({
      "analysisId?": int,
      "sequencingBatchId?": int,
      dimension: text,
      data: either(float, text, mapOf(float)),
      "groupingKey?": record({ type: text, "lane?": text, "linkedAnalysisId?": int }),
      violated: bool,
      "mappedData?": either(float, text, mapOf(float)),
      "linkedAnalysisId?": int,
      "type?": text
    })
  )
})
const metricType = record({
  id: int,
  type: text,
  title: text,
  description: text,
  dimensions: list(record({ id: int, name: text, "description?": text, grid: bool, chart: bool, threshold: bool })),
  "chartTitle?": text
})
const metrics = record({
  metricResults: mapOf(
    record({
      personId: text,
      sampleIds: mapOf(text),
      metricResults: list(metricItem),
      sequencingBatchesMetricResults: list(metricItem)
    })
  ),
  metricTypes: list(metricType),
  thresholdRanges: record({
    enrichmentKits: list(
      record({
        id: int,
        bedFile: text,
        bedRegionsSize: int,
        canBeDeleted: bool,
        disabledAnnotationFields: list(record({ name: text, displayName: text })),
        name: text
      })
    ),
    categories: list(
      record({ id: int, title: text, description: text, name: text, types: list(metricType), order: int })
    ),
    ranges: mapOf(
      mapOf(
        record({
          "lowerBound?": float,
          "upperBound?": float,
          "defaultLowerBound?": float,
          "defaultUpperBound?": float,
          fixedValues: bool
        })
      )
    )
  })
})

const column = (property: Shape) =>
  record({
    id: text,
    title: text,
    "description?": text,
    "badge?": text,
    "url?": text,
    "dataDictionary?": mapOf(text),
    "dataType?": text,
    "fromMultiValue?": bool,
    "property?": property,
    "bioinfScoreThresholdsByAnalysisId?": mapOf(mapOf(float)),
    "category?": word("META_SCORE", "SCORE_WITH_THRESHOLD", "SCORE_WITHOUT_THRESHOLD", "SPLICING_SCORE")
  })
const rows = list(list(anything))

const annotations = record({
  data: rows,
  header: list(column(int)),
  "uniquePersonLabelSuffixes?": mapOf(text),
  "uniqueCnvPersonLabelSuffixes?": mapOf(text),
  "filterApplied?": bool,
  "thresholdViolated?": bool,
  "threshold?": int
})

const thresholds = record({
  "homDelThreshold?": float,
  "hetDelThreshold?": float,
  "dupThreshold?": float,
  "multiDupThreshold?": float
})
const hpoOfGene = mapOf(list(record({ accessionId: int, name: text, "abbreviation?": text })))
const targetResults = record({
  targetRegionsHeader: list(column(text)),
  data: rows,
  "bivariance?": float,
  "maxValidBivariance?": float,
  "meanCoverage?": float,
  "refSpreadThreshold?": float,
  "sex?": word("Male", "Female", "Unknown", "Intersex"),
  thresholds,
  segmentationThresholds: thresholds,
  uniquePersonLabelSuffixes: mapOf(text),
  wgs: bool,
  geneIdToHpoTerms: hpoOfGene,
  geneIdToHpoMoiTerms: hpoOfGene,
  geneIdToHpoMatchedTerms: mapOf(list(int)),
  geneIdToHpoSimScore: mapOf(float)
})

const position = record({ chromosome: text, start: int, end: int })
const cnvType = word("LOSS", "GAIN")
const found = either(int, list(int))
const label = either(text, list(text))
const cnvAnnotations = record({
  "DGV:found?": found,
  "DGV:subtype?": label,
  "DECIPHER:sig?": label,
  "DECIPHER:type?": label,
  "DECIPHER:found?": found,
  "ALLEXES_CNV:sig_gain?": label,
  "ALLEXES_CNV:sig_loss?": label,
  "ALLEXES_CNV:found_gain?": found,
  "ALLEXES_CNV:found_loss?": found,
  "localFoundGain?": int,
  "localFoundLoss?": int,
  "localSignificanceGain?": list(text),
  "localSignificanceLoss?": list(text)
})
const pendingSegments = record({
  data: list(
    record({
      index: bool,
      pendingCnvId: int,
      "detectedSegmentId?": int,
      log2Value: float,
      refSpread: float,
      copyNumber: int,
      "type?": cnvType,
      position,
      "regionInfo?": text,
      exactBreakpointBegin: bool,
      exactBreakpointEnd: bool,
      cytoband: text,
      "cdna?": text,
      regionIndexBegin: int,
      regionIndexEnd: int,
      mosaic: bool,
      "mosaicRelation?": text,
      analysisId: int,
      relativeAnalysisIds: list(int),
      "comment?": text,
      iscn: text,
      hgvs: text,
      inheritance: text,
      geneIds: list(int),
      transcriptNcbiIds: list(text),
      exons: list(int),
      localFoundGain: int,
      localFoundLoss: int,
      localSignificanceGain: list(text),
      localSignificanceLoss: list(text),
      overlapOperator: word("AND", "OR"),
      overlapParam: float,
      otherOverlapParam: float,
      commentCount: int,
      "recentComment?": text,
      annotations: cnvAnnotations,
      relativesData: mapOf(record({ copyNumbers: list(int), types: list(cnvType) }))
    })
  ),
  cnvHeader: list(column(text))
})

const reportInfo = record({ limsId: text, "timeSubmitted?": time, "timeApproved?": time, "markedForApproval?": bool })
const reportAnalyses = list(
  record({
    analysisId: int,
    "sampleId?": text,
    type: analysisType,
    "enrichmentKit?": text,
    "sourceId?": text,
    annotationSources: list(record({ name: text, value: text })),
    selected: bool
  })
)
const disease = record({
  id: int,
  "shortName?": text,
  name: text,
  "omimId?": int,
  "icd10Id?": text,
  "orphanetId?": either(int, text)
})
const significance = record({ id: int, name: text })
const conclusion = record({
  diseases: list(disease),
  disease,
  modeOfInheritance: text,
  genotype: text,
  clinicalAssessment: text,
  "comment?": text,
  variantCategory: text,
  cnvConclusions: list(
    record({
      analysisIds: list(int),
      significance,
      variant: text,
      "cdna?": text,
      hgvs: text,
      iscn: text,
      position,
      copyNumber: int,
      type: cnvType,
      mosaic: bool,
      length: int,
      log2: float,
      refSpread: float,
      affectedGenes: list(reportGene),
      transcripts: list(text),
      exons: list(int),
      "latestComment?": text,
      commentCount: int,
      annotations: cnvAnnotations
    })
  ),
  snvConclusions: list(
    record({
      analysisIds: list(int),
      significance,
      genes: list(reportGene),
      cdna: text,
      position: either(position, text),
      transcript: text,
      variant: text,
      acmgVersion: text,
      acmgCriteria: list(text),
      "latestComment?": text,
      commentCount: int,
      annotations: mapOf(either(float, text, list(text), () => null)),
      selectedPaper: list(text)
    })
  )
})
const kind = (name: string) => ({ type: () => name })
const report = record({
  "draft?": bool,
  "personId?": int,
  "submitter?": text,
  "submitted?": time,
  "approver?": text,
  "approved?": time,
  "title?": text,
  "comment?": text,
  "reportState?": text,
  items: list(
    either(
      record({
        ...kind("PERSON"),
        personId: int,
        "limsId?": text,
        "familyId?": text,
        hpoTerms: list(text),
        "comment?": text,
        analyses: reportAnalyses,
        active: bool
      }),
      record({ ...kind("METHODS"), analyses: reportAnalyses, active: bool }),
      record({
        ...kind("VIRTUAL_PANEL"),
        allGenesPanel: bool,
        virtualPanelId: int,
        name: text,
        genes: list(reportGene),
        appliedFilters: list(record({ name: text, filter: text })),
        conclusions: list(conclusion),
        active: bool
      })
    )
  )
})

const files = record({
  // The analysis that the tests ask for: the links of another one are refused.
  id: () => 7,
  "sampleId?": text,
  "limsId?": text,
  customerProvidedInputFilePaths: list(text),
  apiFileLinks: list(
    record({
      "fileName?": text,
      "downloadLink?": () => "https://files.example.org/a?X-Amz-Signature=x",
      "currentlyArchived?": bool,
      "estimatedRestoreTime?": time,
      "size?": int
    })
  )
})

const limsId: Shape = (random) => `L${int(random)}`
const restored = record({ "analysisId?": int, "restoreEstimation?": time })

/** The records that answers are made of, and those that are sent, by the names of the contract. */
export const records = {
  AnalysisItem: analysis,
  FoundAnalysis: foundAnalysis,
  Person: person,
  PersonUpdate: record({
    id: limsId,
    "familyId?": text,
    "firstName?": text,
    "lastName?": text,
    "comment?": text,
    "country?": text,
    "sex?": sex,
    "birthDateYear?": int,
    "birthDateMonth?": int,
    "birthDateDay?": int,
    "hpoTermIds?": list(text)
  }),
  CaseReportInfo: reportInfo,
  VirtualPanelSummary: panelSummary,
  VirtualPanel: panel,
  VirtualPanelUpdate: record({
    "id?": int,
    name: text,
    active: bool,
    geneIds: list(int),
    "description?": text,
    "personId?": int
  }),
  Gene: gene,
  CoverageItem: region,
  QcCaseMetrics: metrics,
  SnvAnnotations: annotations,
  CnvTargetResults: targetResults,
  PendingCnvSegments: pendingSegments,
  CaseReport: report,
  AnalysisFiles: files,
  RestoreAnswer: restored,
  Envelope: record({ "success?": bool, "response?": gene, "errorMessageId?": text, "errorId?": text })
} as const satisfies Readonly<Record<string, Shape>>

/** What each endpoint answers, by the name of its method; `E` in the envelope, `B` as the body. */
export const answers: { readonly [N in EndpointName]: readonly ["E" | "B", Shape] } = {
  getInternalPersonId: ["E", either(int, (random) => String(int(random)))],
  getSnvAnnotations: ["B", annotations],
  getCnvTargetResults: ["B", targetResults],
  getPendingCnvSegments: ["E", pendingSegments],
  getQcCaseMetrics: ["E", metrics],
  getCoverageData: ["B", list(region)],
  getAnalyses: ["E", list(analysis)],
  getPersonAnalyses: ["B", list(analysis)],
  getCaseReport: ["E", report],
  getCaseReportInfos: ["E", list(reportInfo)],
  getPerson: ["E", person],
  createOrUpdatePerson: ["B", int],
  findAnalysesByFilename: ["E", list(foundAnalysis)],
  getVirtualPanel: ["E", panel],
  createOrUpdateVirtualPanel: ["E", int],
  getVirtualPanelSummaries: ["E", list(panelSummary)],
  getAllGenes: ["E", list(gene)],
  getFileDownloadLinks: ["E", files],
  requestRestore: ["E", list(restored)]
}
