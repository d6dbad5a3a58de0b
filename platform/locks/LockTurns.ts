/**
 * Whose turn it is at a lock. A process that has just given a lock back lets those in line go first. Beside locks that are new to
 * it, it removes what killed processes left.
 */
import { readdir } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import { monotonicMillis } from "../../core/src/MonotonicTime.ts"
import { type Errno, io } from "../Errno.ts"
import type { LockCard } from "./LockCard.ts"
import { leftAfter, removeLeft } from "./StaleLock.ts"

export interface LockTurns {
  /** Waits a moment when the lock was just given back here and others stand in line; to be called before it is taken. */
  readonly giveWay: (path: string, card: LockCard) => Effect.Effect<void, Errno>
  /** Remembers that the lock was given back now. */
  readonly gaveBack: (path: string) => Effect.Effect<void>
}

/** The card of a waiter that was not refreshed for this long (ms) is left over from a killed process. */
const waiterLeftAfter = 3_600_000

/** The head start of waiting processes, in ms: longer than the longest pause of `lockPoll`. */
const headStart = 40

export const makeLockTurns = (): LockTurns => {
  /** When each lock was given back, in ms of the monotonic clock, by path. */
  const givenBack = new Map<string, number>()
  /** The folder of the last new lock, as it was at the first look: a run of ten thousand files must not read it for each. */
  let lastFolder: { readonly folder: string; readonly leavings: ReadonlyArray<string> } | null = null

  const firstLook = Effect.fnUntraced(function* (folder: string) {
    if (lastFolder?.folder === folder) return lastFolder.leavings
    const leavings = yield* leavingsIn(folder)
    lastFolder = { folder, leavings }
    return leavings
  })

  return {
    giveWay: Effect.fnUntraced(function* (path, card) {
      const now = yield* monotonicMillis
      const last = givenBack.get(path)
      if (last !== undefined && now - last > headStart) return
      const leavings = yield* last === undefined ? firstLook(dirname(path)) : leavingsIn(dirname(path))
      const inLine = yield* othersInLine(path, card, leavings)
      if (inLine && last !== undefined) yield* Effect.sleep(headStart)
    }),
    gaveBack: (path) =>
      Effect.map(monotonicMillis, (now) => {
        // Old entries are removed: a run of ten thousand files takes ten thousand locks.
        for (const [other, time] of givenBack) if (now - time > headStart) givenBack.delete(other)
        givenBack.set(path, now)
      })
  }
}

/** What lies beside locks: cards of processes that wait or were killed, marks of those that break a lock, locks set aside. */
const leavingsIn = (folder: string): Effect.Effect<ReadonlyArray<string>, Errno> =>
  Effect.map(
    io(() => readdir(folder)),
    (names) => names.filter((name) => /\.(?:wait|break|stale)$/.test(name))
  )

/** Whether others wait for the lock. Removes cards, marks and locks set aside that killed processes left. */
const othersInLine = Effect.fnUntraced(function* (
  path: string,
  card: LockCard,
  leavings: ReadonlyArray<string>
): Effect.fn.Return<boolean, Errno> {
  const folder = dirname(path)
  const beside = leavings.filter((name) => name.startsWith(`${basename(path)}.`) && name !== basename(card.path))
  if (beside.length === 0) return false
  const { mtimeMs } = yield* io(() => card.handle.stat())
  const removeOld = (name: string, patience: number) =>
    removeLeft(join(folder, name), Effect.succeed(mtimeMs), patience)
  const breaker = beside.find((name) => name.endsWith(".break"))
  if (breaker === undefined || (yield* removeOld(breaker, leftAfter))) {
    for (const name of beside.filter((name) => name.endsWith(".stale"))) yield* removeOld(name, leftAfter)
  }
  let inLine = false
  for (const name of beside.filter((name) => name.endsWith(".wait"))) {
    if (!(yield* removeOld(name, waiterLeftAfter))) inLine = true
  }
  return inLine
})
