/** The invented records of the sandbox: `samples/records.json`, with the ids and places of those they are about. */
import records from "./samples/records.json" with { type: "json" }
import type { Json, JsonObject, WireId, WireIds } from "./WireJson.ts"

/** A gene with the coordinates (1-based, GRCh38) that the findings lie in. */
export interface GeneEntry {
  readonly id: WireId
  readonly symbol: string
  readonly chromosome: string
  readonly start: number
  readonly end: number
  readonly transcript: string
  readonly record: JsonObject
}

/** The gene list. The records have the fields of docs/dev/service.md 13.3, some of them null as in real lists. */
export const makeGenes = (ids: WireIds): ReadonlyArray<GeneEntry> =>
  records.genes.map(({ start, end, ...facts }, i) => {
    const id = ids.gene(i + 1)
    const { chromosome, symbol, transcript } = facts
    return { id, symbol, chromosome, start, end, transcript, record: { id, ...facts } }
  })

/** A person as `GET /api/person/{lims}` shows it, with both its ids. */
export interface PersonRecord {
  readonly id: WireId
  readonly limsId: string
  readonly personalInformation: JsonObject
  readonly clinicalInformation: JsonObject
}

export const limsIdOf = (n: number) => `LIMS-${String(n).padStart(4, "0")}`

/** Five invented people: a child with both parents, one adult, and one nothing is known about. */
export const makePersons = (ids: WireIds): ReadonlyArray<PersonRecord> =>
  records.persons.map(({ personalInformation, clinicalInformation }, i) => {
    const limsId = limsIdOf(i + 1)
    return {
      id: ids.person(i + 1),
      limsId,
      personalInformation: { limsId, ...personalInformation },
      clinicalInformation: { limsId, ...clinicalInformation }
    }
  })

export interface PanelRecord {
  readonly id: WireId
  readonly name: string
  readonly active: boolean
  readonly description: string | null
  readonly personId: WireId | null
  readonly geneIds: ReadonlyArray<WireId>
}

/** One panel of all genes, and two of some. */
export const makePanels = (genes: ReadonlyArray<GeneEntry>, ids: WireIds): ReadonlyArray<PanelRecord> =>
  records.panels.map(({ name, description, symbols }, i) => ({
    id: ids.panel(i + 1),
    name,
    active: true,
    description,
    personId: null,
    geneIds: genes.filter((gene) => symbols === null || symbols.includes(gene.symbol)).map((gene) => gene.id)
  }))

type Values = Readonly<Record<string, Json>>

/** A sample record in which each text `$name`, keys included, is replaced by the value of that name. */
const fill = (record: unknown, values: Values): Json => {
  const named = (text: string) => (text.startsWith("$") ? values[text.slice(1)] : undefined)
  if (typeof record === "string") return named(record) ?? (record.startsWith("$") ? null : record)
  if (Array.isArray(record)) return record.map((one) => fill(one, values))
  return typeof record === "object" && record !== null ? fillFields(record, values) : (record as Json)
}

const fillFields = (record: object, values: Values): JsonObject =>
  Object.fromEntries(
    Object.entries(record).map(([key, value]) => [
      key.startsWith("$") ? String(values[key.slice(1)]) : key,
      fill(value, values)
    ])
  )

/** What the list of analyses says of one that differs between them. */
export interface AnalysisFacts {
  readonly personLimsId: string | null
  readonly sampleId: string | null
  readonly type: string
  readonly status: string
}

/** The n-th analysis as `GET /api/analyses` lists it; the first one is approved. */
export const analysisItemOf = (id: WireId, n: number, about: AnalysisFacts): JsonObject => {
  const done = about.status === "DONE"
  return fillFields(records.analysis, {
    ...{ id, ...about, jobName: `run-${100 + n}`, batch: 40 + Math.ceil(n / 3) },
    kit: about.type === "CNV" ? null : "Exome v7",
    approval: n === 1 ? fill(records.approval, { id }) : null,
    firstAnnotated: done ? `2026-09-${String(10 + (n % 18)).padStart(2, "0")}T08:30:00.250Z` : null,
    lastAnnotated: done ? "2026-11-02T21:05:11" : null
  })
}

/** The exons that the findings are about: where the n-th of three lies in a gene, and what is the same in every gene. */
const inExons = (genes: ReadonlyArray<GeneEntry>, perExon: ReadonlyArray<unknown>, values: Values) =>
  genes.flatMap((gene) =>
    perExon.map((record, i) => {
      const start = gene.start + i * Math.floor((gene.end - gene.start) / perExon.length)
      const { chromosome, symbol, transcript } = gene
      const region = `${symbol}_${i + 1}`
      return fill(record, { ...values, chromosome, symbol, transcript, region, start, end: start + 180 + 7 * i })
    })
  )

/** Coverage of one analysis (docs/dev/service.md 13.4). */
export const coverageOf = (analysisId: WireId, genes: ReadonlyArray<GeneEntry>): ReadonlyArray<Json> =>
  inExons(genes, records.coverage, { analysisId })

const byGene = (genes: ReadonlyArray<GeneEntry>, value: Json): JsonObject =>
  Object.fromEntries(genes.map((gene) => [String(gene.id), value]))

/** CNV target results of one CNV analysis (docs/dev/service.md 13.7); rows of plain cells. */
export const cnvResultsOf = (analysisId: WireId, genes: ReadonlyArray<GeneEntry>): JsonObject =>
  fillFields(records.cnvResults, {
    rows: inExons(genes, records.cnvRows, { analysisId }),
    terms: byGene(genes, records.geneTerms),
    scores: byGene(genes, 0.914)
  })

/** Pending CNV segments of one analysis, losses and gains in turn (docs/dev/service.md 13.7); keys with a colon stand on the wire. */
export const pendingCnvOf = (analysisId: WireId, genes: ReadonlyArray<GeneEntry>): ReadonlyArray<JsonObject> =>
  genes.slice(0, 4).map(({ chromosome, end, id, record, start, transcript }, i) => {
    const kind = records.pendingKinds[i % records.pendingKinds.length]
    return fillFields(
      { ...records.pendingCnv, ...kind },
      {
        ...{ analysisId, chromosome, start, end, transcript, geneId: id, pendingId: 7000 + i },
        ...{ band: record["chromosomeLocation"] ?? "", firstRegion: 3 * i, lastRegion: 3 * i + 2 },
        iscn: `arr[GRCh38] ${chromosome}(${start}_${end})x${kind?.copyNumber}`,
        hgvs: `chr${chromosome}:g.${start}_${end}${kind?.type === "GAIN" ? "dup" : "del"}`
      }
    )
  })

export const pendingCnvHeader: ReadonlyArray<JsonObject> = records.pendingCnvHeader

export const annotationsHeader: ReadonlyArray<JsonObject> = records.annotationsHeader

export interface CaseAnalysis {
  readonly id: WireId
  readonly sampleId: string
  readonly type: string
  readonly kit: string
}

const valuesOf = ({ id, ...rest }: CaseAnalysis): Values => ({ analysisId: id, ...rest })

/** Quality metrics of a case; the results are a map whose one key is the LIMS id (docs/dev/service.md 12). */
export const qualityOf = (limsId: string, analyses: ReadonlyArray<CaseAnalysis>): JsonObject =>
  fillFields(records.quality, {
    limsId,
    sampleIds: Object.fromEntries(analyses.map(({ id, sampleId }) => [String(id), sampleId])),
    metrics: analyses.map((analysis) => fill(records.metric, valuesOf(analysis)))
  })

/** A case report with one item of each kind, and with a panel that is no longer used when `inactive` items are wanted. */
export const reportOf = (
  person: { readonly id: WireId; readonly limsId: string },
  analyses: ReadonlyArray<CaseAnalysis>,
  genes: ReadonlyArray<GeneEntry>,
  { draft, inactive }: { readonly draft: boolean; readonly inactive: boolean }
): JsonObject => {
  const { items, ...report } = records.report
  const panelId = typeof genes[0]?.id === "string" ? "V2" : 2
  return fillFields(
    { ...report, items: inactive ? [...items, records.inactivePanel] : items },
    {
      ...{ draft, reportState: draft ? "DRAFT" : "APPROVED" },
      ...(draft ? {} : { approver: "B. Approver", approved: "2026-10-05T16:40:00" }),
      ...{ personId: person.id, limsId: person.limsId, panelId },
      analyses: analyses.map((analysis) => fill(records.reportAnalysis, valuesOf(analysis))),
      analysisIds: analyses.map(({ id }) => id),
      genes: genes.map(({ record }) => record),
      affectedGenes: genes.filter(({ symbol }) => symbol === "FBN1").map(({ record }) => record)
    }
  )
}
