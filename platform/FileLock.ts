/**
 * Locks between processes as files, safe against `kill -9`, torn content and other machines on the same file system.
 *
 * A lock is a file made whole under a private name and then linked to the lock's name, which succeeds for one process
 * only, on NFS too. The owner rewrites it every few seconds. It is taken over when its owner has certainly ended, or
 * when it was not rewritten for a minute by the file system's own clock. Locks can lie on some file systems: who must
 * not be wrong asks `stillOwned` before a commit, and checks what it replaces.
 */

import { randomBytes } from "node:crypto"
import type { Stats } from "node:fs"
import { type FileHandle, link, lstat, open, readdir, rename, stat, unlink } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { Clock, Data, Duration, Effect, Scope } from "effect"
import { Busy, CannotCreate, LocalIo } from "../core/src/Errors.ts"
import { lockPoll } from "../core/src/Schedules.ts"
import { Errno, io, linkless, unless } from "./Errno.ts"
import { hasEnded, type ProcessIdentity, parseIdentity, thisProcess } from "./ProcessIdentity.ts"

export interface FileLockOptions {
  /** How long to wait for an owner that lives: zero tries once, `Duration.infinity` waits for ever. */
  readonly wait: Duration.Input
  /** Called once when there is someone to wait for; `owner` is `ourselves` when this very process holds the lock. */
  readonly onWait?: (owner: string) => Effect.Effect<void>
  /** Between two signs of life of the owner; 5 s. */
  readonly heartbeat?: Duration.Input
  /** After so long without a sign the owner counts as gone; 60 s. */
  readonly staleAfter?: Duration.Input
}

export interface HeldLock {
  /** False when another process has taken the lock over, for example while this one was suspended. */
  readonly stillOwned: Effect.Effect<boolean>
}

/** `Busy` after the wait; `CannotCreate` for a lock path that is a link or no file; `LocalIo` for the rest. */
export type FileLockError = Busy | CannotCreate | LocalIo

/** Somebody else holds the lock. */
class Held extends Data.TaggedError("Held")<{ readonly owner: string }> {}

/** A file of our own that says who we are; rewriting it tells the file system's time. */
interface Card {
  readonly path: string
  readonly handle: FileHandle
  readonly content: Buffer
}

const rewrite = (card: Card) => io(() => card.handle.write(card.content, 0, card.content.length, 0))

const fileSystemTime = (card: Card) =>
  Effect.andThen(
    rewrite(card),
    io(async () => (await card.handle.stat()).mtimeMs)
  )

const sameFile = (a: Stats, b: Stats) => a.ino === b.ino && a.dev === b.dev

const makeCard = (path: string, self: ProcessIdentity) =>
  Effect.acquireRelease(
    io(async (): Promise<Card> => {
      const handle = await open(path, "wx", 0o644)
      const content = Buffer.from(`${JSON.stringify(self)}\n`)
      await handle.write(content, 0, content.length, 0)
      return { path, handle, content }
    }),
    (card) => Effect.andThen(Effect.ignore(io(() => unlink(path))), Effect.ignore(io(() => card.handle.close())))
  )

/** Gives the card the lock's name, or null when the name is taken. */
const claim = Effect.fnUntraced(function* (path: string, card: Card) {
  const linked = yield* io(() => link(card.path, path)).pipe(
    Effect.as(card),
    Effect.catch((error) => {
      if (linkless.includes(error.code)) return claimWithoutLinks(path, card)
      // A lost reply of NFS: the link exists although it said otherwise.
      return Effect.map(
        Effect.orElseSucceed(owned(path, card), () => false),
        (ours) => (ours ? card : error.code === "EEXIST" ? null : error)
      )
    })
  )
  if (linked instanceof Errno) return yield* linked
  return linked
})

const claimWithoutLinks = (path: string, card: Card): Effect.Effect<Card | null, Errno> =>
  unless(
    io(async () => {
      const handle = await open(path, "wx", 0o644)
      try {
        await handle.write(card.content, 0, card.content.length, 0)
        return { ...card, handle }
      } catch (error) {
        await handle.close()
        await unlink(path)
        throw error
      }
    }),
    "EEXIST"
  )

/** So long, in ms, may a card say nothing of its owner, or the breaking of a lock last; then its process was killed. */
const briefly = 10_000

/** Removes the lock that `judged` describes, unless it has changed since. True when it is gone. */
const breakLock = Effect.fnUntraced(function* (path: string, judged: Stats, card: Card) {
  const breaker = `${path}.break`
  // The breaking is itself done by one process at a time; a link tells from its first moment by which.
  const make = claim(breaker, card)
  const cleared = clearIfLeft(breaker, fileSystemTime(card), briefly)
  const made = (yield* make) ?? ((yield* cleared) ? yield* make : null)
  if (made === null) return false
  return yield* Effect.gen(function* () {
    const aside = `${card.path}.stale`
    const now = yield* unless(
      io(() => lstat(path)),
      "ENOENT"
    )
    if (now === null) return true
    if (!sameFile(now, judged) || now.mtimeMs !== judged.mtimeMs) return false
    yield* io(() => rename(path, aside))
    const moved = yield* io(() => lstat(aside))
    // Its owner showed itself in the last moment: give the lock back, unless somebody was faster.
    const alive = !sameFile(moved, judged) || moved.mtimeMs !== judged.mtimeMs
    if (alive)
      yield* unless(
        io(() => link(aside, path)),
        "EEXIST"
      )
    yield* io(() => unlink(aside))
    return !alive
  }).pipe(
    Effect.ensuring(Effect.ignore(io(() => unlink(breaker)))),
    Effect.ensuring(made.handle === card.handle ? Effect.void : Effect.ignore(io(() => made.handle.close())))
  )
})

/** Removes what a process that was killed left; false when it may live and `patience`, in ms, is not over. */
const clearIfLeft = Effect.fnUntraced(function* (path: string, time: Effect.Effect<number, Errno>, patience: number) {
  const stats = yield* unless(
    io(() => lstat(path)),
    "ENOENT"
  )
  if (stats === null) return true
  const owner = yield* Effect.orElseSucceed(readIdentity(path), () => null)
  const age = (yield* time) - stats.mtimeMs
  const left = owner === null ? age > briefly : age > patience || hasEnded(owner, thisProcess())
  if (left) yield* Effect.ignore(io(() => unlink(path)))
  return left
})

/** What a waiter has seen of the lock so far. */
interface Watch {
  readonly stats: Stats
  readonly identity: ProcessIdentity | null
  /** When it was first seen in this state, and last looked at, in ms. */
  readonly since: number
  readonly looked: number
}

const readIdentity = (path: string) =>
  io(async () => {
    const handle = await open(path, "r")
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(4096), 0, 4096, 0)
      return parseIdentity(buffer.toString("utf8", 0, bytesRead))
    } finally {
      await handle.close()
    }
  })

/** The owner of a lock when it is this process. */
export const ourselves = "this program itself"

const ownerText = (owner: ProcessIdentity | null, self: ProcessIdentity): string => {
  if (owner === null) return "owner unknown"
  const same = owner.pid === self.pid && owner.start === self.start && owner.space === self.space
  return same && owner.boot === self.boot && owner.host === self.host
    ? ourselves
    : `${owner.host}, process ${owner.pid}`
}

/** Locks that this process gave back a moment ago, so that it lets others have their turn. */
const givenBack = new Map<string, number>()
const politeFor = 40

/** Takes the lock `path` until the scope closes. */
export const acquire = (path: string, options: FileLockOptions): Effect.Effect<HeldLock, FileLockError, Scope.Scope> =>
  Effect.gen(function* () {
    const heartbeat = Duration.fromInputUnsafe(options.heartbeat ?? "5 seconds")
    const staleAfter = Duration.toMillis(options.staleAfter ?? "60 seconds")
    const wait = Duration.fromInputUnsafe(options.wait)
    const self = thisProcess()
    const waiting = `${path}.${process.pid}-${randomBytes(6).toString("hex")}.wait`
    const card = yield* makeCard(waiting, self)
    let watch: Watch | null = null
    let told = false
    let touched = yield* Clock.currentTimeMillis

    /** Whether the lock may be broken, judged from what is seen now and was seen before. */
    const isStale = Effect.fnUntraced(function* (seen: Watch) {
      if (seen.identity !== null && hasEnded(seen.identity, self)) return true
      const tryingOnce = Duration.isZero(wait)
      // After our own suspension every owner looks silent; so it must have been silent before our eyes as well.
      if (!tryingOnce && seen.looked - seen.since < Math.min(10_000, staleAfter)) return false
      return (yield* fileSystemTime(card)) - seen.stats.mtimeMs > staleAfter
    })

    const look = Effect.fnUntraced(function* () {
      const stats = yield* unless(
        io(() => lstat(path)),
        "ENOENT"
      )
      if (stats === null) return null
      if (!stats.isFile()) {
        const what = stats.isSymbolicLink() ? "a symbolic link" : "something that is not a file"
        return yield* new CannotCreate({ path, reason: `${what} is in the place of the lock` })
      }
      const now = yield* Clock.currentTimeMillis
      const known = watch !== null && sameFile(watch.stats, stats) ? watch : null
      const silent = known !== null && known.stats.mtimeMs === stats.mtimeMs && now - known.looked < 2000
      const identity = known?.identity ?? (yield* unless(readIdentity(path), "ENOENT"))
      watch = { stats, identity, since: silent ? known.since : now, looked: now }
      return watch
    })

    const attempt: Effect.Effect<Card, Errno | Held | CannotCreate> = Effect.gen(function* () {
      // A card that is not touched for an hour counts as left behind.
      const now = yield* Clock.currentTimeMillis
      if (now - touched > 60_000) {
        touched = now
        yield* rewrite(card)
      }
      // A lock that vanishes while we look is tried again at once; a few times, for others may be as quick.
      for (let round = 0; round < 3; round++) {
        const claimed = yield* claim(path, card)
        if (claimed !== null) return claimed
        const seen = yield* look()
        if (seen === null || ((yield* isStale(seen)) && (yield* breakLock(path, seen.stats, card)))) continue
        break
      }
      const identity = watch?.identity
      return yield* new Held({ owner: ownerText(identity ?? null, self) })
    })

    const release = (claimed: Card) =>
      Effect.gen(function* () {
        // A reply that was lost once must not leave a lock that nobody comes back for.
        if (yield* owned(path, claimed))
          yield* Effect.retry(
            unless(
              io(() => unlink(path)),
              "ENOENT"
            ),
            { times: 2 }
          )
        const now = yield* Clock.currentTimeMillis
        // A run of ten thousand files takes as many locks.
        for (const [other, time] of givenBack) if (now - time > politeFor) givenBack.delete(other)
        givenBack.set(path, now)
        if (claimed.handle !== card.handle) yield* io(() => claimed.handle.close())
      }).pipe(Effect.ignore)

    // Uninterruptible in each attempt, so that a lock taken is always a lock given back.
    const take = Effect.acquireRelease(attempt, release)
    yield* giveWay(path, card)
    let owner = ownerText(null, self)
    const waitForIt = take.pipe(
      Effect.tapErrorTag("Held", (held) => {
        owner = held.owner
        const first = !told && !Duration.isZero(wait)
        told = true
        return first && options.onWait !== undefined ? options.onWait(held.owner) : Effect.void
      }),
      Effect.retry({ schedule: lockPoll, while: (error) => error._tag === "Held" && !Duration.isZero(wait) })
    )
    const claimed = yield* Duration.isFinite(wait) && !Duration.isZero(wait)
      ? Effect.timeoutOrElse(waitForIt, { duration: wait, orElse: () => new Held({ owner }) })
      : waitForIt
    yield* Effect.ignore(io(() => unlink(waiting)))
    yield* rewrite(claimed).pipe(Effect.ignore, Effect.delay(heartbeat), Effect.forever, Effect.forkScoped)
    return { stillOwned: Effect.orElseSucceed(owned(path, claimed), () => false) }
  }).pipe(
    Effect.catchTags({
      Held: ({ owner }) => new Busy({ file: path, owner }),
      Errno: ({ code }) => new LocalIo({ path, operation: "lock", errno: code })
    })
  )

const owned = (path: string, card: Card) =>
  io(async () => {
    const [named, ours] = await Promise.all([stat(path), card.handle.stat()])
    return sameFile(named, ours)
  })

/**
 * Waits a moment when this process has just given the lock back and others stand in line, and removes the cards and marks
 * of processes that were killed.
 */
const giveWay = Effect.fnUntraced(function* (path: string, card: Card) {
  const now = yield* Clock.currentTimeMillis
  const last = givenBack.get(path)
  if (last !== undefined && now - last > politeFor) return
  const folder = dirname(path)
  const names = yield* io(() => readdir(folder))
  const mine = basename(card.path)
  const { mtimeMs } = yield* io(() => card.handle.stat())
  const clear = (name: string, patience: number) => clearIfLeft(join(folder, name), Effect.succeed(mtimeMs), patience)
  const beside = names.filter((name) => name.startsWith(`${basename(path)}.`) && name !== mine)
  const breaker = beside.find((name) => name.endsWith(".break"))
  if (breaker === undefined || (yield* clear(breaker, briefly))) {
    for (const name of beside.filter((name) => name.endsWith(".stale"))) yield* clear(name, briefly)
  }
  let inLine = false
  for (const name of beside.filter((name) => name.endsWith(".wait"))) {
    if (!(yield* clear(name, 3_600_000))) inLine = true
  }
  if (inLine && last !== undefined) yield* Effect.sleep(politeFor)
})

/** Runs `use` while this process holds the lock `path`. */
export const withLock =
  (path: string, options: FileLockOptions) =>
  <A, E, R>(use: (lock: HeldLock) => Effect.Effect<A, E, R>): Effect.Effect<A, E | FileLockError, R> =>
    Effect.acquireUseRelease(
      Scope.make(),
      (scope) => Effect.flatMap(Scope.provide(acquire(path, options), scope), use),
      (scope, exit) => Scope.close(scope, exit)
    )
