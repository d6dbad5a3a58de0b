/**
 * Which analyses are meant: `analysisIds`, `sampleIds` and `limsIds` (all of them must fit), filters, `--latest`.
 *
 * Source: docs/dev/service.md 2.4 and 7.
 */
import type { AnalysisId, LimsId, SampleId } from "../contract/Ids.ts"
import { NotFound } from "../Errors.ts"
import { compareNatural } from "../text/Condition.ts"
import { type Filter, matches } from "./Filter.ts"

/** What the user asked for; identifiers as text, in the order given. */
export interface SelectionRequest {
  readonly analysisIds: ReadonlyArray<AnalysisId>
  readonly sampleIds: ReadonlyArray<SampleId>
  readonly limsIds: ReadonlyArray<LimsId>
  readonly filters: ReadonlyArray<Filter>
  readonly latest: boolean
}

/** What the selection looks at in a record of `GET /api/analyses`; filters may look at every other field. */
export interface AnalysisRecord {
  readonly id: AnalysisId
  readonly sampleId?: string | null | undefined
  readonly personLimsId?: string | null | undefined
}

/**
 * An analysis that takes part in a run.
 *
 * @category models
 * @since 0.1.0
 */
export interface SelectedAnalysis {
  readonly analysisId: AnalysisId
  /** The user named this analysis by its id, so a missing file of it is an error and not just a smaller result. */
  readonly named: boolean
}

/** One that takes part in the run, or with `latest` the newest of a person. */
export interface ChosenAnalysis extends SelectedAnalysis {
  /** The person's others, newest first: the first that has wanted files takes its place when it has none. */
  readonly older: ReadonlyArray<SelectedAnalysis>
}

/** An id, sample or person that nothing fits. */
export interface Missing {
  /** Set when it is an analysis. */
  readonly analysisId: AnalysisId | null
  readonly error: NotFound
}

export interface Selection {
  /** In the order of `analysisIds` when given, else in the order of the service; each analysis once. */
  readonly analyses: ReadonlyArray<ChosenAnalysis>
  /** What cannot be selected; these fail, the others go on. */
  readonly missing: ReadonlyArray<Missing>
}

/** Whether the records of analyses are needed: ids alone already say everything. */
export const needsRecords = (request: SelectionRequest): boolean =>
  request.sampleIds.length > 0 || request.limsIds.length > 0 || request.filters.length > 0 || request.latest

/** Longer lists of ids are left out of the request, as they could exceed what a server takes as an address. */
const mostIdsInAddress = 200

/** The ids to ask `GET /api/analyses` for, or null for all, as telling "no such sample" from "of another analysis" needs all. */
export const idsToAsk = (request: SelectionRequest): ReadonlyArray<AnalysisId> | null => {
  const ids = unique(request.analysisIds)
  const justIds = ids.length > 0 && request.sampleIds.length === 0 && request.limsIds.length === 0
  return justIds && ids.length <= mostIdsInAddress ? ids : null
}

/** The selection when `needsRecords` is false. */
export const byIds = (request: SelectionRequest): Selection => ({
  analyses: unique(request.analysisIds).map((analysisId) => ({ analysisId, named: true, older: [] })),
  missing: []
})

/** The selection out of `records`: ids, samples and persons first, then the filters, then the newest of each person. */
export const select = <A extends AnalysisRecord>(request: SelectionRequest, records: ReadonlyArray<A>): Selection => {
  const byId = new Map<string, A>()
  for (const record of records) if (!byId.has(record.id)) byId.set(record.id, record)
  const all = [...byId.values()]
  const ids = unique(request.analysisIds)
  const samples = new Set(request.sampleIds)
  const persons = new Set(request.limsIds)

  const missing: Array<Missing> = [
    ...ids.filter((id) => !byId.has(id)).map((id) => missingOf(`analysis ${id}`, id)),
    ...missingFrom(samples, all, "sampleId").map((id) => missingOf(`sample ${id}`, null, "no analysis is of it")),
    ...missingFrom(persons, all, "personLimsId").map((id) =>
      missingOf(`person ${id}`, null, "no analysis is of this person")
    )
  ]

  const candidates = ids.length === 0 ? all : ids.flatMap((id) => byId.get(id) ?? [])
  const identified = candidates.filter((it) => fits(samples, it.sampleId) && fits(persons, it.personLimsId))
  const filtered = identified.filter((it) => request.filters.every((filter) => matches(filter, it)))
  const chosen = request.latest ? newestFirst(filtered) : filtered.map((it) => [it] as const)

  if (chosen.length === 0 && missing.length === 0) {
    const detail =
      identified.length === 0
        ? "none fits the analysis, sample and LIMS ids together"
        : `${identified.length} fit the ids, none passes the filters`
    missing.push({ analysisId: null, error: new NotFound({ what: "selected analyses", detail }) })
  }
  const named = new Set(ids)
  const selectionOf = ({ id }: A): SelectedAnalysis => ({ analysisId: id, named: named.has(id) })
  return {
    analyses: chosen.map(([first, ...older]) => ({ ...selectionOf(first), older: older.map(selectionOf) })),
    missing
  }
}

const missingOf = (what: string, analysisId: AnalysisId | null = null, detail?: string): Missing => ({
  analysisId,
  error: new NotFound({
    what,
    ...(detail === undefined ? {} : { detail }),
    next: "findId"
  })
})

const unique = <Id extends string>(ids: ReadonlyArray<Id>) => [...new Set(ids)]

const fits = (wanted: ReadonlySet<string>, value: string | null | undefined) =>
  wanted.size === 0 || (value != null && wanted.has(value))

const missingFrom = <A extends AnalysisRecord>(
  wanted: ReadonlySet<string>,
  records: ReadonlyArray<A>,
  key: "sampleId" | "personLimsId"
): ReadonlyArray<string> => {
  const present = new Set(records.map((record) => record[key]))
  return [...wanted].filter((id) => !present.has(id))
}

/** An id of a sample or person; an empty text names none, and those without a name have nothing in common. */
export const statedId = <Id extends string>(id: Id | null | undefined): Id | null =>
  id == null || id.trim() === "" ? null : id

/** What `newestFirst` looks at in a record. */
interface OfPerson {
  readonly id: string
  readonly personLimsId?: string | null | undefined
}

/** The analyses of each `personLimsId`, newest first, in the order in which the newest are given; each without a LIMS id stands alone. */
export const newestFirst = <A extends OfPerson>(
  analyses: ReadonlyArray<A>
): ReadonlyArray<readonly [A, ...Array<A>]> => {
  const sorted = analyses.toSorted((a, b) => compareNatural(b.id, a.id))
  const ownerOf = (it: A) => statedId(it.personLimsId) ?? it
  const groups = Map.groupBy(sorted, ownerOf)
  return analyses.flatMap((it) => {
    const [newest, ...older] = groups.get(ownerOf(it)) ?? []
    return newest === it ? [[newest, ...older] as const] : []
  })
}
