/** Whether an index covers its data file: as many records of each reference as the walk through the data has counted. */
import * as Effect from "effect/Effect"
import { FileDamaged } from "../Errors.ts"
import type { RecordCounts } from "../genome/bgzf/ContentCheck.ts"
import type { TabixIndex } from "../genome/index/TabixIndex.ts"

/**
 * Gives notes on what could not be compared. Fails with `FileDamaged` `IndexMismatch` where counts differ, or where records are of a
 * reference that has no entry in the index. References without counts, which some writers leave out, are not compared.
 */
export const compareCounts = (
  file: string,
  { columns, index }: TabixIndex,
  data: string,
  counted: RecordCounts
): Effect.Effect<ReadonlyArray<string>, FileDamaged> => {
  const mismatch = (reason: string) =>
    Effect.fail(new FileDamaged({ file, fault: "IndexMismatch", reason: `it does not cover ${data}: ${reason}` }))
  if (!counted.sorted) return mismatch("its records are not in order, so no index can serve it")
  let hasCounts = false
  const names = columns?.names ?? [...counted.ofReference.keys()]
  for (const [i, name] of names.entries()) {
    const { bins, counts } = index.reference(i)
    const found = counted.ofReference.get(name) ?? 0
    if (counts === null) {
      if (found > 0 && bins.size === 0) return mismatch(`it has nothing of the ${found} records on ${name}`)
      continue
    }
    hasCounts = true
    const claimed = counts.mapped + counts.unmapped
    if (claimed !== found) return mismatch(`it counts ${claimed} records on ${name}, and there are ${found}`)
  }
  const covered = new Set(names)
  const missing = [...counted.ofReference].find(([name, found]) => found > 0 && !covered.has(name))
  if (missing !== undefined) return mismatch(`it does not know ${missing[0]}, which has ${missing[1]} records`)
  const { unplaced } = index
  if (unplaced === null || columns !== null || unplaced === counted.unplaced) return Effect.succeed([])
  // bamtools counts nothing, and writes 0 here.
  if (unplaced === 0 && !hasCounts) return Effect.succeed([`it counts none of the ${counted.unplaced} unplaced reads`])
  return mismatch(`it counts ${unplaced} unplaced reads, and there are ${counted.unplaced}`)
}
