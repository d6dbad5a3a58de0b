/** Power cuts after every operation of a run, on every disk that may be left then, and the run that follows. */
import { rmSync } from "node:fs"
import { Effect } from "effect"
import * as SeededRandom from "../../sandbox/samples/SeededRandom.ts"
import { DiskModel, type DiskState, materialise, stateKey } from "./DiskModel.ts"
import { faultsAfterwards, faultsIn, notDelivered } from "./Invariants.ts"
import { type Leg, readTree, type Scenario } from "./Scenario.ts"

export interface CutFailure {
  readonly leg: string
  /** The power went after this operation of the trace. */
  readonly number: number
  readonly after: string
  readonly state: string
  readonly faults: ReadonlyArray<string>
}

export interface Cuts {
  readonly points: number
  /** Points at which something had just been synced. */
  readonly syncs: number
  readonly states: number
  /** Of these, the different ones: what many points have in common counts once. */
  readonly distinct: number
  readonly reruns: number
  readonly failures: ReadonlyArray<CutFailure>
}

/** The run that follows, from a disk in that state. */
const rerun = Effect.fnUntraced(function* (scenario: Scenario, leg: Leg, state: DiskState) {
  const folder = scenario.place()
  materialise(state, folder)
  yield* scenario.reset
  const outcome = yield* scenario.run(leg, folder)
  const faults = faultsAfterwards(leg, state.tree, readTree(folder), outcome)
  rmSync(folder, { recursive: true })
  return faults
})

/**
 * Cuts the power after each operation and looks at every state; runs again from some states of every `stride`-th point,
 * from equal ones once.
 *
 * @param each - states of a point from which it runs again: the poorest, then random ones; all of them where there are fewer
 * @param wanted - commands by name; all of them when it names none
 */
export const powerCuts = Effect.fnUntraced(function* (
  scenario: Scenario,
  options: {
    readonly seed: number
    readonly stride: number
    readonly each: number
    readonly wanted?: ReadonlyArray<string>
    readonly tell?: (leg: string, points: number, states: number, distinct: number, reruns: number) => void
    /** Called at once, because the whole takes long. */
    readonly found?: (failure: CutFailure) => void
  }
) {
  const failures: Array<CutFailure> = []
  let [points, syncs, states, distinct, reruns] = [0, 0, 0, 0, 0]
  const named = scenario.legs.filter(({ name }) => options.wanted?.includes(name) === true)
  for (const leg of named.length === 0 ? scenario.legs : named) {
    const random = SeededRandom.make(SeededRandom.seedOf(options.seed, leg.name))
    const model = new DiskModel(leg.before)
    const last = leg.trace.at(-1)
    let [pointsHere, statesHere] = [0, 0]
    const seen = new Set<string>()
    const tried = new Set<string>()
    for (const operation of leg.trace) {
      model.apply(operation)
      if (operation.number === 0) continue
      points++
      pointsHere++
      if (operation.name === "sync") syncs++
      const here = model.states(random)
      statesHere += here.length
      const failed = (state: DiskState, faults: ReadonlyArray<string>) => {
        const { name, number, path } = operation
        if (faults.length === 0) return
        const failure = { leg: leg.name, number, after: `${name} ${path}`, state: state.key, faults }
        failures.push(failure)
        options.found?.(failure)
      }
      for (const state of here) {
        seen.add(stateKey(state))
        const done = operation === last ? notDelivered(leg, state.tree) : []
        failed(state, [...faultsIn(leg, state.tree, scenario), ...done])
      }
      if (points % options.stride !== 0) continue
      const [poorest, ...others] = here
      const some = Array.from({ length: options.each - 1 }, () => others[random.between(0, others.length)])
      for (const state of options.each < here.length ? [poorest, ...some] : here) {
        const key = state === undefined ? "" : stateKey(state)
        if (state === undefined || tried.has(key)) continue
        tried.add(key)
        failed(state, yield* rerun(scenario, leg, state))
      }
    }
    states += statesHere
    distinct += seen.size
    reruns += tried.size
    options.tell?.(leg.name, pointsHere, statesHere, seen.size, tried.size)
  }
  return { points, syncs, states, distinct, reruns, failures } satisfies Cuts
})
