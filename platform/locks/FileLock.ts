/**
 * Locks between processes as files, safe against `kill -9`, torn content and other machines on the same file system.
 *
 * The owner refreshes its lock every few seconds. The lock is taken over when its owner has certainly ended, or when it
 * was not refreshed for a minute. Locks are not reliable on every file system: code that must not be wrong asks whether the lock
 * is `stillOurs` before a commit, and checks what it replaces.
 */
import { randomBytes } from "node:crypto"
import { readdir } from "node:fs/promises"
import { basename, dirname } from "node:path"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Ref from "effect/Ref"
import * as Scope from "effect/Scope"
import { Busy, type CannotCreate, LocalIo } from "../../core/src/Errors.ts"
import { lockPoll } from "../../core/src/Schedules.ts"
import { monotonicMillis } from "../../core/src/telemetry/MonotonicTime.ts"
import { Errno, io, tolerate } from "../Errno.ts"
import { type ProcessIdentity, thisProcess } from "../ProcessIdentity.ts"
import { claim, hasName, type LockCard, makeCard, readIdentity, refresh, removeCard, removeName } from "./LockCard.ts"
import { breakLock, isLeaving, type LockWatch, removeLeavings, watchLock } from "./StaleLock.ts"

export interface FileLockOptions {
  /** How long to wait for an owner that lives: zero tries once, `Duration.infinity` waits for ever. */
  readonly wait: Duration.Input
  /**
   * Called once when there is someone to wait for, and once when nobody is left of it; `owner` is `ourselves` when this very process
   * holds the lock, `orphaned` says for how many ms a lock counts whose owner has ended or has left it.
   */
  readonly onWait?: (owner: string, orphaned: number | null) => Effect.Effect<void>
  /** How often the owner refreshes its lock; default 5 s. */
  readonly heartbeat?: Duration.Input
  /** A lock that was not refreshed for this long is stale; default 60 s. */
  readonly staleAfter?: Duration.Input
  /** What an owner has begun may outlive it: its lock counts until it is stale, also when its owner has ended. */
  readonly outlived?: boolean
}

export interface HeldLock {
  /** False where a lock that was taken cannot be seen to be there: locks do not hold in such a folder. */
  readonly holds: boolean
  /**
   * False when another process has taken the lock over, for example while this one was suspended. Where locks do not hold, nobody can
   * be seen to have done so.
   */
  readonly stillOurs: Effect.Effect<boolean, LocalIo>
  /** To be called when what was begun may go on: the lock is not given back when the scope closes, and counts until it is stale. */
  readonly leave: Effect.Effect<void>
}

/** `Busy` after the wait; `CannotCreate` for a lock path that is a link or no file; `LocalIo` for the rest. */
export type FileLockError = Busy | CannotCreate | LocalIo

/** The operation of a `LocalIo` for a lock whose owner is gone, which only that owner's user may remove (a folder with the sticky bit). */
export const takingOver = "take over"

/** Somebody else holds the lock. */
class Held extends Data.TaggedError("Held")<{ readonly owner: string; readonly orphaned: number | null }> {}

export interface FileLocks {
  /** Takes the lock `path` until the scope closes. */
  readonly acquire: (path: string, options: FileLockOptions) => Effect.Effect<HeldLock, FileLockError, Scope.Scope>
  /** Runs `use` while this process holds the lock `path`. */
  readonly withLock: (
    path: string,
    options: FileLockOptions
  ) => <A, E, R>(use: (lock: HeldLock) => Effect.Effect<A, E, R>) => Effect.Effect<A, E | FileLockError, R>
}

/** Locks for one purpose, such as those of part files. They remember which were just given back, so that others get their turn. */
export const makeFileLocks: Effect.Effect<FileLocks> = Effect.sync(() => {
  const turns = makeLockTurns()
  const acquire: FileLocks["acquire"] = (path, options) => take(path, options, turns)
  return {
    acquire,
    withLock: (path, options) => (use) =>
      Effect.scopedWith((scope) => Effect.flatMap(Scope.provide(acquire(path, options), scope), use))
  }
})

const take = (
  path: string,
  options: FileLockOptions,
  turns: LockTurns
): Effect.Effect<HeldLock, FileLockError, Scope.Scope> =>
  Effect.gen(function* () {
    const heartbeat = Duration.fromInputUnsafe(options.heartbeat ?? "5 seconds")
    const staleAfter = Duration.toMillis(options.staleAfter ?? "60 seconds")
    const wait = Duration.fromInputUnsafe(options.wait)
    const isLeft = yield* Ref.make(false)
    const waiting = `${path}.${process.pid}-${randomBytes(6).toString("hex")}.wait`
    const takeWith = Effect.fnUntraced(function* (card: LockCard) {
      const watch = watchLock(path, card, {
        staleAfter,
        once: Duration.isZero(wait),
        outlived: options.outlived === true
      })
      yield* turns.giveWay(path, card)
      const alive = yield* signOfLife(card)
      // Uninterruptible in each attempt, so that a lock taken is always a lock given back.
      const attempts = Effect.acquireRelease(Effect.andThen(alive, attempt(path, card, watch)), (taken) =>
        release(path, taken, card, turns, isLeft)
      )
      return yield* waitFor(attempts, wait, options.onWait ?? (() => Effect.void))
    })
    // Of its own: a caller that tries again would keep the descriptor of each try that failed until its scope closes.
    const scope = yield* Scope.fork(yield* Effect.scope)
    const taken = yield* Effect.acquireUseRelease(makeCard(waiting, thisProcess()), takeWith, removeCard).pipe(
      Scope.provide(scope),
      Effect.onExit((exit) => (Exit.isFailure(exit) ? Scope.close(scope, exit) : Effect.void))
    )
    yield* refresh(taken).pipe(Effect.ignore, Effect.delay(heartbeat), Effect.forever, Effect.forkScoped)
    const { holds } = taken
    const holder = Effect.catchTags(holderOf(path, taken), { Errno: unusable(path) })
    const leave = Ref.set(isLeft, true)
    return { holds, leave, stillOurs: holds ? Effect.map(holder, (now) => now === "us") : Effect.succeed(true) }
  }).pipe(
    Effect.catchTags({
      Held: ({ owner }) => new Busy({ file: path, owner }),
      Errno: unusable(path)
    })
  )

const unusable =
  (path: string) =>
  ({ code }: Errno) =>
    new LocalIo({ path, operation: "lock", errno: code })

/** How often a look at a lock that fails is repeated: for a second or longer, as a network disk may be away for a moment. */
const mostLooks = 50

/**
 * Whose the lock is: ours, another's, or nobody's as far as can be told. A look that fails is no lost lock; ESTALE says that the file
 * of the card is gone.
 */
const holderOf = (path: string, card: LockCard) =>
  Effect.gen(function* () {
    if (yield* hasName(path, card).pipe(tolerate("ENOENT", "ESTALE"))) return "us"
    const named = Effect.map(readIdentity(path), (owner) => (owner !== null && isSelf(owner) ? "nobody" : "another"))
    return (yield* named.pipe(tolerate("ENOENT"))) ?? "nobody"
  }).pipe(Effect.retry({ schedule: lockPoll, times: mostLooks }))

interface TakenCard extends LockCard, Pick<HeldLock, "holds"> {}

/** Takes the lock if it is free or stale. */
const attempt = Effect.fnUntraced(function* (
  path: string,
  card: LockCard,
  watch: LockWatch
): Effect.fn.Return<TakenCard, Errno | LocalIo | CannotCreate | Held> {
  // A lock that vanishes while we look is tried again at once; a few times, for others may be as quick.
  for (let round = 0; round < 3; round++) {
    const taken = yield* claim(path, card)
    if (taken !== null) {
      const holder = yield* Effect.orElseSucceed(holderOf(path, taken), () => "us")
      // Some file systems say that they have made a link although a file of that name was there.
      if (holder !== "another" || taken !== card) return { ...taken, holds: holder !== "nobody" }
    }
    const seen = yield* watch.look
    if (seen === null) continue
    const { ms, orphaned } = yield* watch.left(seen)
    const gone = ms === 0 && (yield* notPermitted(path, breakLock(path, seen.stats, card)))
    if (!gone) return yield* new Held({ owner: ownerText(watch.owner()), orphaned: orphaned ? ms : null })
  }
  return yield* new Held({ owner: ownerText(watch.owner()), orphaned: null })
})

const notPermitted = <A, E, R>(path: string, self: Effect.Effect<A, E | Errno, R>) =>
  Effect.mapError(self, (error) =>
    error instanceof Errno && (error.code === "EPERM" || error.code === "EACCES")
      ? new LocalIo({ path, operation: takingOver, errno: error.code })
      : error
  )

/** Tries until the wait is over; `onWait` hears once of whom it waits for. */
const waitFor = Effect.fnUntraced(function* <E, R>(
  take: Effect.Effect<TakenCard, E | Held, R>,
  wait: Duration.Duration,
  onWait: NonNullable<FileLockOptions["onWait"]>
) {
  if (Duration.isZero(wait)) return yield* take
  let last: Held | null = null
  const tell = (held: Held) => {
    const news = last === null || (last.orphaned === null && held.orphaned !== null)
    last = held
    return news ? onWait(held.owner, held.orphaned) : Effect.void
  }
  const until = take.pipe(
    Effect.tapError((error) => (error instanceof Held ? tell(error) : Effect.void)),
    Effect.retry({ schedule: lockPoll, while: (error) => error instanceof Held })
  )
  if (!Duration.isFinite(wait)) return yield* until
  return yield* Effect.timeoutOrElse(until, {
    duration: wait,
    orElse: () => last ?? new Held({ owner: ownerText(null), orphaned: null })
  })
})

/** Most waits are over before anybody would want to read of them. */
const noticeAfter = "10 seconds"

/** An `onWait` that says for whom is waited once that has taken a while; `over` when the wait is. */
export const makeNotice = Effect.fnUntraced(function* (say: (owner: string) => Effect.Effect<void>) {
  const owner = yield* Deferred.make<string>()
  const waiting = yield* Effect.forkScoped(Effect.flatMap(Effect.delay(Deferred.await(owner), noticeAfter), say))
  const onWait = (name: string) => Effect.asVoid(Deferred.succeed(owner, name))
  return { onWait, over: Fiber.interrupt(waiting) }
})

/** The owner of a lock when it is this process. */
export const ourselves = "this program itself"

const ownerText = (owner: ProcessIdentity | null): string => {
  if (owner === null) return "owner unknown"
  return isSelf(owner) ? ourselves : `${owner.host}, process ${owner.pid}`
}

const isSelf = (owner: ProcessIdentity): boolean => {
  const self = thisProcess()
  const same = owner.pid === self.pid && owner.start === self.start && owner.space === self.space
  return same && owner.boot === self.boot && owner.host === self.host
}

/** How often a waiter refreshes its card, in ms. */
const signEvery = 60_000

/** Refreshes the card of a waiter when the last refresh is `signEvery` ms old. */
const signOfLife = Effect.fnUntraced(function* (card: LockCard) {
  let last = yield* monotonicMillis
  return Effect.gen(function* () {
    const now = yield* monotonicMillis
    if (now - last <= signEvery) return
    last = now
    yield* refresh(card)
  })
})

/** A lock that is left is cut, and names no owner from then on. */
const release = (path: string, taken: LockCard, card: LockCard, turns: LockTurns, isLeft: Ref.Ref<boolean>) =>
  Effect.gen(function* () {
    if (yield* Ref.get(isLeft)) yield* io(() => taken.handle.truncate(1))
    else if (yield* hasName(path, taken)) yield* removeName(path)
    yield* turns.gaveBack(path)
    if (taken.handle !== card.handle) yield* io(() => taken.handle.close())
  }).pipe(Effect.ignore)

/**
 * Whose turn it is at a lock. A process that has just given a lock back lets those in line go first. Beside locks that are new to
 * it, it removes what killed processes left.
 */
interface LockTurns {
  /** Waits a moment when the lock was just given back here and others stand in line; to be called before it is taken. */
  readonly giveWay: (path: string, card: LockCard) => Effect.Effect<void, Errno>
  /** Remembers that the lock was given back now. */
  readonly gaveBack: (path: string) => Effect.Effect<void>
}

/** The head start of waiting processes, in ms: longer than the longest pause of `lockPoll`. */
const headStart = 40

const makeLockTurns = (): LockTurns => {
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

const leavingsIn = (folder: string): Effect.Effect<ReadonlyArray<string>, Errno> =>
  Effect.map(
    io(() => readdir(folder)),
    (names) => names.filter(isLeaving)
  )

/** Whether others wait for the lock. Removes what killed processes left beside it. */
const othersInLine = (path: string, card: LockCard, leavings: ReadonlyArray<string>) =>
  removeLeavings(
    path,
    leavings.filter((name) => name !== basename(card.path)),
    Effect.map(
      io(() => card.handle.stat()),
      ({ mtimeMs }) => mtimeMs
    )
  )
