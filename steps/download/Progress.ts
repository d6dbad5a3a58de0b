/** What a person sees while files are fetched: a line per file in transfer and one for all. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import type { PlannedFile } from "../../core/src/download/DownloadPlan.ts"
import type { FileResult } from "../../core/src/download/FileResult.ts"
import { makeTraffic } from "../../core/src/download/Traffic.ts"
import { pathOf } from "../../core/src/selection/OutputPath.ts"
import type { TransferProgress } from "../../core/src/transfer/TransferRequest.ts"
import { type StatusScreen, showStatus } from "../main/LiveStatus.ts"
import { type Overview, statusLines } from "./ProgressLines.ts"
import { recentRate, type Sample, withSample } from "./ProgressRate.ts"

export interface Progress {
  readonly event: (file: PlannedFile, event: TransferProgress) => Effect.Effect<void>
  /** The file is no longer in transfer. */
  readonly settled: (file: PlannedFile, result: FileResult) => Effect.Effect<void>
}

/** Bytes that came over the network, and how many there had been at times. */
interface Received {
  readonly received: number
  readonly samples: ReadonlyArray<Sample>
}

interface Active extends Received {
  readonly path: string
  /** Bytes on the disk. */
  readonly done: number
  readonly size: number | null
}

interface State extends Received {
  readonly active: ReadonlyMap<string, Active>
  readonly files: number
  /** Bytes of the files that are done. */
  readonly bytes: number
}

const addSample = <A extends Received>(some: A, at: number): A => ({
  ...some,
  samples: withSample(some.samples, { at, bytes: some.received })
})

const now = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))

/**
 * Shows how far it is until the scope closes.
 *
 * @param files - the files that are to be fetched
 */
export const makeProgress = Effect.fnUntraced(function* (
  screen: StatusScreen,
  files: ReadonlyArray<PlannedFile>
): Effect.fn.Return<Progress, never, Scope.Scope> {
  const traffic = makeTraffic<string>()
  const begun: Received = { received: 0, samples: [{ at: yield* now, bytes: 0 }] }
  const state = yield* Ref.make<State>({ ...begun, active: new Map(), files: 0, bytes: 0 })
  const all = files.reduce<number | null>((sum, { size }) => (sum === null || size === null ? null : sum + size), 0)

  const overviewOf = ({ active, bytes, files: done, samples }: State): Overview => {
    const running = [...active.values()]
    return {
      active: running.map(({ samples, size, ...file }) => ({ ...file, all: size, rate: recentRate(samples) })),
      files: { done, all: files.length },
      done: running.reduce((sum, file) => sum + file.done, bytes),
      all,
      rate: recentRate(samples)
    }
  }
  yield* showStatus(
    screen,
    Effect.fnUntraced(function* (columns) {
      const at = yield* now
      const look = yield* Ref.updateAndGet(state, (old) => {
        const active = new Map([...old.active].map(([path, file]) => [path, addSample(file, at)] as const))
        return addSample({ ...old, active }, at)
      })
      return statusLines(overviewOf(look), columns)
    })
  )

  const addProgress = Effect.fnUntraced(function* (file: PlannedFile, done: number, size: number | null, more: number) {
    const path = pathOf(file)
    const fresh = [{ at: yield* now, bytes: 0 }]
    yield* Ref.update(state, (old) => {
      const { received, samples } = old.active.get(path) ?? { received: 0, samples: fresh }
      const active = new Map(old.active).set(path, { path, done, size, received: received + more, samples })
      return { ...old, received: old.received + more, active }
    })
  })

  return {
    event: (file, event) =>
      Effect.suspend(() => {
        const more = traffic.note(pathOf(file), event, 0)
        if (event._tag === "Started") return addProgress(file, event.resumedFrom, event.size, more)
        return event._tag === "Bytes" ? addProgress(file, event.done, event.size, more) : Effect.void
      }),
    settled: (file, result) =>
      Effect.suspend(() => {
        if (file.decision._tag !== "Fetch") return Effect.void
        const path = pathOf(file)
        traffic.forget(path)
        return Ref.update(state, (old) => {
          const active = new Map(old.active)
          active.delete(path)
          const bytes = old.bytes + (result.error === null ? (result.bytes ?? 0) : 0)
          return { ...old, active, files: old.files + 1, bytes }
        })
      })
  }
})
