import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { BehaviourValues } from "./Behaviour.ts"
import { type FaultRule, makeFaults } from "./Faults.ts"
import { makeLinks } from "./Links.ts"
import { makeSessions } from "./Sessions.ts"
import { Stats } from "./Stats.ts"
import { makeStorage } from "./Storage.ts"
import { makeRegistry, makeWorld, type WorldInput } from "./World.ts"

/** What a sandbox is started with. */
export interface Beginnings {
  readonly behaviour: BehaviourValues
  readonly world: WorldInput
  readonly faults: ReadonlyArray<FaultRule>
  /** Where the link host listens. */
  readonly linkPort: number
}

/** All that a sandbox knows: how it behaves, the world it began with, and what has happened to each part of it since. */
export class State extends Context.Service<State>()("svc-steps/sandbox/State", {
  make: Effect.fnUntraced(function* ({ behaviour, faults, linkPort, world: input }: Beginnings) {
    const world = yield* makeWorld(input, behaviour)
    const stats = new Stats()
    const parts = {
      sessions: makeSessions(world.accounts, behaviour, stats),
      faults: makeFaults(faults, stats),
      links: makeLinks(linkPort, behaviour),
      storage: makeStorage(world.files, behaviour, stats),
      registry: makeRegistry(world)
    }
    return {
      behaviour,
      world,
      stats,
      ...parts,
      /** Everything as it was at the start: no sessions, the faults of the start, archived files archived, and no count but of what is in flight. */
      reset: () => {
        for (const part of Object.values(parts)) part.reset()
        const { apiInFlight, linkInFlight } = stats
        Object.assign(stats, new Stats(), { apiInFlight, linkInFlight })
      }
    }
  })
}) {
  static readonly layer = (beginnings: Beginnings) => Layer.effect(State, State.make(beginnings))
}
