/**
 * `--latest`: of several analyses of one person only the newest, which is the one with the highest analysis id.
 */
import { compareNatural } from "./Natural.ts"

/** What `latest` looks at in a record. */
export interface OfPerson {
  readonly id: string
  readonly personLimsId?: string | null | undefined
}

/** Keeps one analysis per `personLimsId`, in the order given; those without a LIMS id are all kept. */
export const latest = <A extends OfPerson>(analyses: ReadonlyArray<A>): ReadonlyArray<A> => {
  const newest = new Map<string, A>()
  for (const analysis of analyses) {
    if (analysis.personLimsId == null) continue
    const rival = newest.get(analysis.personLimsId)
    if (rival === undefined || compareNatural(analysis.id, rival.id) > 0) newest.set(analysis.personLimsId, analysis)
  }
  return analyses.filter((it) => it.personLimsId == null || newest.get(it.personLimsId) === it)
}
