/** Power cuts after every operation of a run, on every disk that may be left then, and the run that follows. */
import { rmSync } from "node:fs"
import { Effect } from "effect"
import * as Dice from "../../sandbox/samples/Dice.ts"
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
 * Cuts the power after each operation and looks at every state; runs again from some states of every `stride`-th point.
 *
 * @param each - states of a point from which it runs again: the poorest, then random ones
 */
export const powerCuts = Effect.fnUntraced(function* (
  scenario: Scenario,
  options: {
    readonly seed: number
    readonly stride: number
    readonly each: number
    readonly tell?: (leg: string, points: number, states: number) => void
  }
) {
  const dice = Dice.make(options.seed)
  const failures: Array<CutFailure> = []
  const tried = new Set<string>()
  let [points, syncs, states, reruns] = [0, 0, 0, 0]
  for (const leg of scenario.legs) {
    const model = new DiskModel(leg.before)
    const last = leg.trace.at(-1)
    let [pointsHere, statesHere] = [0, 0]
    for (const operation of leg.trace) {
      model.apply(operation)
      if (operation.number === 0) continue
      points++
      pointsHere++
      if (operation.name === "sync") syncs++
      const here = model.states(dice)
      statesHere += here.length
      const failed = (state: DiskState, faults: ReadonlyArray<string>) => {
        const { name, number, path } = operation
        if (faults.length > 0) {
          failures.push({ leg: leg.name, number, after: `${name} ${path}`, state: state.key, faults })
        }
      }
      for (const state of here) {
        const done = operation === last ? notDelivered(leg, state.tree) : []
        failed(state, [...faultsIn(leg, state.tree, scenario), ...done])
      }
      if (points % options.stride !== 0) continue
      const [poorest, ...others] = here
      const some = Array.from({ length: options.each - 1 }, () => others[dice.between(0, others.length)])
      for (const state of [poorest, ...some]) {
        const key = state === undefined ? null : `${leg.name} ${stateKey(state)}`
        if (state === undefined || key === null || tried.has(key)) continue
        tried.add(key)
        reruns++
        failed(state, yield* rerun(scenario, leg, state))
      }
    }
    states += statesHere
    options.tell?.(leg.name, pointsHere, statesHere)
  }
  return { points, syncs, states, reruns, failures } satisfies Cuts
})
