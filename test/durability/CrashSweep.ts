/** Runs that end, or meet a failing disk, at one operation each; then the run that a person would start again. */
import { createHash } from "node:crypto"
import { rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { faultsAfterwards, faultsIn, faultsOf, notDelivered } from "./Invariants.ts"
import { type Leg, operationsIn, preloaded, readTree, type Scenario, type Tree } from "./Scenario.ts"

export interface FaultKind {
  readonly name: string
  readonly env: Readonly<Record<string, string>>
}

/** Death first, then the ways in which a disk fails. */
const faultKinds: ReadonlyArray<FaultKind> = [
  { name: "kill", env: {} },
  { name: "killed after", env: { KILL_AFTER: "1" } },
  { name: "torn", env: { KILL_TORN: "1" } },
  { name: "ENOSPC", env: { KILL_ERRNO: "28", KILL_LASTING: "1" } },
  { name: "EIO", env: { KILL_ERRNO: "5" } },
  { name: "EROFS", env: { KILL_ERRNO: "30", KILL_LASTING: "1" } },
  // A file system that lacks an operation, such as a sync or a change of modes.
  { name: "ENOTSUP", env: { KILL_ERRNO: "95" } }
]

export interface Point {
  readonly leg: string
  readonly kind: string
  readonly number: number
}

export interface Failure extends Point {
  readonly faults: ReadonlyArray<string>
}

export interface Sweep {
  /** Points at which something happened. */
  readonly points: number
  /** Different states that the next run started from. */
  readonly states: number
  readonly failures: ReadonlyArray<Failure>
}

/** A folder without what differs from process to process: numbers, names that chance gave, times. */
const stateOf = (leg: Leg, folder: string, tree: Tree, service: unknown): string => {
  const hash = createHash("sha256").update(JSON.stringify([leg.name, service]))
  for (const [path, bytes] of tree) {
    const name = path.replace(/\.\d+(?:-[0-9a-f]{12})?\.(?=wait|new)/, ".").replace(/\.[0-9a-f-]{8,}\.spool/, ".spool")
    hash.update(`${name} ${statSync(join(folder, path)).nlink} `)
    if (bytes === null) continue
    if (/\.lock(?:\.|$)/.test(name)) hash.update(bytes.length === 0 ? "empty" : "card")
    else if (name.endsWith(".json") || name.endsWith(".json..new")) {
      hash.update(bytes.toString("utf8").replace(/"writer":"\w+"|\d{4}-\d\d-\d\dT[\d:.]+Z|"seconds": ?[\d.]+/g, ""))
    } else hash.update(bytes)
  }
  return hash.digest("hex")
}

/** What came of the next run, by the state it started from: the same start has the same end. */
type Known = Map<string, ReadonlyArray<string>>

/** Null when the run ended before the point was reached. */
const tryPoint = Effect.fnUntraced(function* (
  scenario: Scenario,
  leg: Leg,
  kind: FaultKind,
  number: number,
  known: Known
) {
  const folder = scenario.copy(leg)
  yield* scenario.reset
  const outcome = yield* scenario.run(leg, folder, { ...preloaded(folder), KILL_AT: String(number), ...kind.env })
  const reached = operationsIn(folder) >= number
  const tree = readTree(folder)
  const killed = outcome.exitCode === 137
  const said = killed ? [] : faultsOf(outcome, scenario)
  const left = [...faultsIn(leg, tree, scenario), ...(outcome.exitCode === 0 ? notDelivered(leg, tree) : [])]
  const state = stateOf(leg, folder, tree, yield* scenario.service)
  let afterwards = known.get(state)
  if (afterwards === undefined) {
    const next = yield* scenario.run(leg, folder)
    afterwards = faultsAfterwards(leg, tree, readTree(folder), next)
    known.set(state, afterwards)
  }
  rmSync(folder, { recursive: true })
  rmSync(`${folder}.log`, { force: true })
  return reached || said.length > 0 ? [...said, ...left, ...afterwards] : null
})

/**
 * Every `stride`-th of all points of all commands and kinds, from number `first` on, by as many at a time as there are
 * scenarios.
 *
 * @param wanted - commands and kinds; all of them when it names none
 */
export const sweep = Effect.fnUntraced(function* (
  scenarios: readonly [Scenario, ...ReadonlyArray<Scenario>],
  options: {
    readonly stride: number
    readonly first?: number
    readonly wanted?: ReadonlyArray<string>
    readonly tell?: (leg: string, kind: string, points: number) => void
    /** Called at once, because the whole takes long. */
    readonly found?: (failure: Failure) => void
  }
) {
  const chosen = <A extends { readonly name: string }>(all: ReadonlyArray<A>) => {
    const named = all.filter(({ name }) => options.wanted?.includes(name) === true)
    return named.length === 0 ? all : named
  }
  const failures: Array<Failure> = []
  const known: Known = new Map()
  let points = 0
  let skip = (options.first ?? 1) - 1
  for (const { name, operations } of chosen(scenarios[0].legs)) {
    for (const kind of chosen(faultKinds)) {
      let next = skip + 1
      let reached = 0
      const work = Effect.fnUntraced(function* (scenario: Scenario) {
        const leg = scenario.legs.find((one) => one.name === name)
        // The number of operations differs a little from run to run: when all are wanted, on until none is reached.
        const most = operations + (options.stride === 1 ? 20 : 0)
        while (leg !== undefined && next <= most) {
          const number = next
          next += options.stride
          const faults = yield* tryPoint(scenario, leg, kind, number, known)
          if (faults === null) {
            if (number > operations) return
            continue
          }
          points++
          reached++
          if (faults.length === 0) continue
          const failure = { leg: name, kind: kind.name, number, faults }
          failures.push(failure)
          options.found?.(failure)
        }
      })
      yield* Effect.all(scenarios.map(work), { concurrency: "unbounded", discard: true })
      options.tell?.(name, kind.name, reached)
      skip = (((skip - operations) % options.stride) + options.stride) % options.stride
    }
  }
  return { points, states: known.size, failures } satisfies Sweep
})
