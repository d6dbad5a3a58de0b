/**
 * `--latest`: the analyses of one person by age; the highest analysis id is the newest.
 */
import { compareNatural } from "./NaturalOrder.ts"

/** What `newestFirst` looks at in a record. */
export interface OfPerson {
  readonly id: string
  readonly personLimsId?: string | null | undefined
}

/** The analyses of each `personLimsId`, newest first, in the order in which the newest are given; each without a LIMS id stands alone. */
export const newestFirst = <A extends OfPerson>(
  analyses: ReadonlyArray<A>
): ReadonlyArray<readonly [A, ...Array<A>]> => {
  const sorted = analyses.toSorted((a, b) => compareNatural(b.id, a.id))
  const groups = Map.groupBy(sorted, (it) => it.personLimsId ?? it)
  return analyses.flatMap((it) => {
    const [newest, ...older] = groups.get(it.personLimsId ?? it) ?? []
    return newest === it ? [[newest, ...older] as const] : []
  })
}
