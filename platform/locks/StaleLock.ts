/**
 * Whether the owner of a lock is gone, and taking its lock away.
 *
 * An owner has certainly ended, or its lock was not refreshed for long by the clock of the file system: the clocks of
 * two machines may differ by minutes. Where what an owner has begun may outlive it, its end proves nothing, and only the silence counts.
 */
import type { Stats } from "node:fs"
import { link, lstat, rename, unlink } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import { CannotCreate, noDescriptors } from "../../core/src/Errors.ts"
import { monotonicMillis } from "../../core/src/telemetry/MonotonicTime.ts"
import { type Errno, io, tolerate } from "../Errno.ts"
import { sameFile } from "../FileIdentity.ts"
import { hasEnded, type ProcessIdentity, thisProcess } from "../ProcessIdentity.ts"
import { claim, fileSystemTime, type LockCard, readIdentity, removeName } from "./LockCard.ts"

/** What a waiter has seen of the lock so far; times in ms. */
interface Sighting {
  readonly stats: Stats
  readonly identity: ProcessIdentity | null
  /** When the lock was first seen in this state, and when it was last looked at. */
  readonly since: number
  readonly looked: number
}

export interface LockWatch {
  /** What is there now; null when nothing is. `CannotCreate` for a link or a folder in the place of the lock. */
  readonly look: Effect.Effect<Sighting | null, Errno | CannotCreate>
  /** In how many ms the lock may be taken away, unless its owner shows itself; judged from what is seen now and was seen before. */
  readonly left: (seen: Sighting) => Effect.Effect<Patience, Errno>
  /** The owner that was seen last. */
  readonly owner: () => ProcessIdentity | null
}

/** How long to wait for an owner, in ms, and whether it has ended or has left its lock, so that only time can tell. */
export interface Patience {
  readonly ms: number
  readonly orphaned: boolean
}

/** A waiter must see the owner silent for this long (ms): after a suspension of its own it finds every owner silent. */
const seenSilent = 10_000
/** A lock that names no owner, as a power cut leaves it, counts for this long (ms) at most: nobody can be seen to have ended. */
const unnamedAfter = 60_000
/** When two looks are further apart than this (ms), this process was suspended in between, and the silence is counted anew. */
const furthestLooks = 2000

/**
 * @param card - the card of the waiter; writing it shows the time of the file system
 * @param limits - after how many ms without a refresh an owner counts as gone, also one that has ended where that is no proof
 * (`outlived`); `once`: a single look decides
 */
export const watchLock = (
  path: string,
  card: LockCard,
  { once, outlived, staleAfter }: { readonly staleAfter: number; readonly outlived: boolean; readonly once: boolean }
): LockWatch => {
  const self = thisProcess()
  let last: Sighting | null = null
  const look = Effect.gen(function* () {
    const stats = yield* statIfThere(path)
    if (stats === null) return null
    if (!stats.isFile()) {
      const what = stats.isSymbolicLink() ? "a symbolic link" : "something that is not a file"
      return yield* new CannotCreate({ path, reason: `${what} is in the place of the lock` })
    }
    const now = yield* monotonicMillis
    // The number of a file is soon used again: without its time, the lock of a new owner was taken for that of one that had ended.
    const known = last !== null && isUnchanged(last.stats, stats) ? last : null
    const silent = known !== null && now - known.looked < furthestLooks
    const card = known ?? (yield* Effect.map(readIdentity(path), (identity) => ({ identity })).pipe(tolerate("ENOENT")))
    if (card === null) return null
    const { identity } = card
    last = { stats, identity, since: silent ? known.since : now, looked: now }
    return last
  })
  /** What the file system said last of a lock, so that it is not asked at each look. */
  let told: { readonly seen: Stats; readonly until: number } | null = null
  const left = Effect.fnUntraced(function* ({
    identity,
    looked,
    since,
    stats
  }: Sighting): Effect.fn.Return<Patience, Errno> {
    const ended = identity !== null && hasEnded(identity, self)
    // One that is empty is being written.
    const orphaned = ended || (identity === null && stats.size > 0)
    if (ended && !outlived) return { ms: 0, orphaned }
    // By what was seen it is over at the latest then, whatever the clock of the file system has done since.
    const patience = identity === null ? Math.min(staleAfter, unnamedAfter) : staleAfter
    const seen = since + patience - looked
    const unseen = ended || once ? 0 : Math.min(seenSilent, patience) - (looked - since)
    if (told === null || !isUnchanged(told.seen, stats)) {
      told = { seen: stats, until: looked + patience - ((yield* fileSystemTime(card)) - stats.mtimeMs) }
    }
    return { ms: Math.max(0, Math.min(seen, Math.max(unseen, told.until - looked))), orphaned }
  })
  return { look, left, owner: () => last?.identity ?? null }
}

/** Whether it is the same file, and nobody has written to it since. */
const isUnchanged = (now: Stats, before: Stats) => sameFile(now, before) && now.mtimeMs === before.mtimeMs

const statIfThere = (path: string) => io(() => lstat(path)).pipe(tolerate("ENOENT"))

/** A file that names no owner, or a lock that is being taken away, is left over from a killed process after this long (ms). */
const leftAfter = 10_000

/** Takes away the lock that was seen as `judged`, unless it has changed since. True when it is gone. */
export const breakLock = Effect.fnUntraced(function* (path: string, judged: Stats, card: LockCard) {
  const breaker = `${path}.break`
  // One process at a time takes a lock away; from its first moment the link says which.
  const take = claim(breaker, card)
  const cleared = removeLeft(breaker, fileSystemTime(card), leftAfter)
  const taken = (yield* take) ?? ((yield* cleared) ? yield* take : null)
  if (taken === null) return false
  return yield* moveAside(path, judged, `${card.path}.stale`).pipe(
    Effect.ensuring(Effect.ignore(removeName(breaker))),
    Effect.ensuring(taken.handle === card.handle ? Effect.void : Effect.ignore(io(() => taken.handle.close())))
  )
})

const moveAside = Effect.fnUntraced(function* (path: string, judged: Stats, aside: string) {
  const now = yield* statIfThere(path)
  if (now === null) return true
  if (!isUnchanged(now, judged)) return false
  yield* io(() => rename(path, aside))
  const gone = isUnchanged(yield* io(() => lstat(aside)), judged)
  // The owner refreshed the lock at the last moment: it gets the lock back, unless another process has taken it.
  if (!gone) yield* io(() => link(aside, path)).pipe(tolerate("EEXIST"))
  yield* removeName(aside)
  return gone
})

/**
 * Removes what a killed process left; false when its owner may live.
 *
 * @param time - of the file system, in ms
 * @param patience - without a refresh for this long (ms) an owner is gone, whatever is known of it
 */
export const removeLeft = Effect.fnUntraced(function* (
  path: string,
  time: Effect.Effect<number, Errno>,
  patience: number
) {
  const stats = yield* statIfThere(path)
  if (stats === null) return true
  const owner = yield* readIdentity(path).pipe(
    // A card that says nothing is left over sooner; here it is this process that cannot read it.
    Effect.catch((error) => (noDescriptors.includes(error.code) ? Effect.fail(error) : Effect.succeed(null)))
  )
  const age = (yield* time) - stats.mtimeMs
  const left = owner === null ? age > leftAfter : age > patience || hasEnded(owner, thisProcess())
  if (left) yield* Effect.ignore(io(() => unlink(path)))
  return left
})

/** What lies beside locks: cards of processes that wait or were killed, marks of those that break a lock, locks set aside. */
export const isLeaving = (name: string) => /\.(?:wait|break|stale)$/.test(name)

/** The card of a waiter that was not refreshed for this long (ms) is left over from a killed process. */
const waiterLeftAfter = 3_600_000

/**
 * Removes cards, marks and locks set aside that killed processes left beside the lock `path`; true when there are cards of others.
 *
 * @param names - of the files in its folder
 * @param time - of the file system, in ms
 */
export const removeLeavings = Effect.fnUntraced(function* (
  path: string,
  names: ReadonlyArray<string>,
  time: Effect.Effect<number, Errno>
): Effect.fn.Return<boolean, Errno> {
  const folder = dirname(path)
  const beside = names.filter((name) => name.startsWith(`${basename(path)}.`) && isLeaving(name))
  if (beside.length === 0) return false
  const now = Effect.succeed(yield* time)
  const removeOld = (name: string, patience: number) => removeLeft(join(folder, name), now, patience)
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
