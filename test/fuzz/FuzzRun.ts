/** Feeds readers with hostile inputs: each must end with a refusal or a sound result, within a second and 256 MB. */
import { setImmediate } from "node:timers/promises"
import * as SeededRandom from "../../sandbox/samples/SeededRandom.ts"
import type { Target } from "./Mutation.ts"

/** Milliseconds of the processor for one input, and bytes above the start. */
const slowest = 1_000
const largest = 2 ** 28

export interface Finding {
  readonly target: string
  readonly input: number
  readonly bytes: Uint8Array
  readonly fault: string
}

export interface Fuzzed {
  /** Inputs of which the content was reached, by target. */
  readonly past: ReadonlyMap<string, number>
  readonly refusals: number
  readonly slowest: number
  readonly grown: number
  readonly findings: ReadonlyArray<Finding>
}

/** What is wrong with how a target took an input; null when nothing is. */
export const faultOf = (
  target: Target,
  bytes: Uint8Array
): { readonly refused: boolean; readonly past: boolean; readonly fault: string | null } => {
  try {
    const { past, tags } = target.read(bytes)
    const odd = tags.find((tag) => !target.refusals.includes(tag))
    return { refused: tags.length > 0, past, fault: odd === undefined ? null : `it ended with ${odd}` }
  } catch (error) {
    return {
      refused: false,
      past: true,
      fault: error instanceof Error ? (error.stack ?? error.message) : String(error)
    }
  }
}

/** The targets in turn, so that each gets its share; the inputs of one target depend on the seed alone. */
export const fuzz = async (targets: ReadonlyArray<Target>, inputs: number, seed: number): Promise<Fuzzed> => {
  const random = targets.map(({ name }) => SeededRandom.make(SeededRandom.seedOf(seed, name)))
  const before = process.memoryUsage().rss
  const findings: Array<Finding> = []
  const reached = new Map<string, number>()
  let [refusals, longest, grown] = [0, 0, 0]
  for (let input = 0; input < inputs; input++) {
    const turn = input % targets.length
    const [target, own] = [targets[turn], random[turn]]
    if (target === undefined || own === undefined) break
    const bytes = target.make(own)
    const begun = process.cpuUsage()
    const { fault, past, refused } = faultOf(target, bytes)
    const used = process.cpuUsage(begun).user / 1000
    longest = Math.max(longest, used)
    // Node gives back what its zlib holds when its own turn comes.
    if (input % 100 === 0) await setImmediate()
    if (input % 100 === 0) grown = Math.max(grown, process.memoryUsage().rss - before)
    if (refused) refusals++
    if (past) reached.set(target.name, (reached.get(target.name) ?? 0) + 1)
    const heavy = used > slowest ? `it took ${used.toFixed(0)} ms` : grown > largest ? "it took too much memory" : null
    const wrong = fault ?? heavy
    if (wrong !== null) findings.push({ target: target.name, input, bytes, fault: wrong })
    if (findings.length === 20) break
  }
  return { past: reached, refusals, slowest: longest, grown, findings }
}
