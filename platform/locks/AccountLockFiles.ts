/**
 * The account lock as files in a folder that all steps of a user share.
 *
 * A lock that was not given back, since its process was killed or left it, counts for a minute after its last sign of life: what was
 * asked may still be worked on. Where a user has no folder for locks the steps still run, without protection from each other: a
 * warning says so once. File names are hashes, so that no name of a service or user reaches the disk. Beside the locks lie refused passwords.
 */

import { createHash } from "node:crypto"
import { lstat } from "node:fs/promises"
import { join } from "node:path"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { ConfigUnusable, fullDisk, LocalIo, meaningOf, noDescriptors } from "../../core/src/Errors.ts"
import { diskPoll } from "../../core/src/Schedules.ts"
import { AccountLock, longestAnswer, makeAccountLock, sayAtWork } from "../../core/src/session/Gate.ts"
import { RefusedLogins } from "../../core/src/session/LoginHistory.ts"
import { monotonicMillis } from "../../core/src/telemetry/MonotonicTime.ts"
import { io, tolerate } from "../Errno.ts"
import { type FileLockError, type FileLocks, makeFileLocks, makeNotice, ourselves, takingOver } from "./FileLock.ts"
import { findLockFolder, unusable } from "./LockFolder.ts"
import * as RefusedLoginFiles from "./RefusedLoginFiles.ts"

export interface AccountLockSettings {
  /** Folder shared by all steps of the account, also on several machines; null for the usual one (`LockFolder.ts`). */
  readonly lockDir: string | null
}

const fileIn = (folder: string, key: string, kind: "lock" | "refused") =>
  join(folder, `${createHash("sha256").update(key).digest("hex").slice(0, 32)}.${kind}`)

/**
 * How long a folder that could be used is waited for when it fails with this error. What no time mends is not: it became read-only, or was
 * closed to us. Room may come back on a full disk, or never:
 * it is waited for as long as for an answer of somebody who has left. Whatever else it says, it is away for now: going on without the lock
 * would end both runs.
 */
export const patienceWith = (errno: string): Duration.Duration =>
  refusals.includes(errno) ? Duration.zero : fullDisk.includes(errno) ? longestAnswer : Duration.infinity

const refusals = ["EROFS", "EACCES", "EPERM"]

const isLeft = (error: FileLockError): boolean => error._tag === "SvcLocalIo" && error.operation === takingOver

const why = ({ errno }: LocalIo) =>
  noDescriptors.includes(errno)
    ? `${meaningOf(errno)}: a higher limit (ulimit -n) or fewer runs at a time would help`
    : meaningOf(errno)

/** Locks in a folder that may be away for a while, which is said once: each by itself, for one that is held is not given back for want of the next. */
const makePatient = (folder: string) => {
  let said = false
  /** When it failed first since it could be used, in ms of the monotonic clock. */
  let awaySince: number | null = null
  const isAwaited = (error: FileLockError) =>
    Effect.map(monotonicMillis, (now) => {
      if (error._tag !== "SvcLocalIo" || isLeft(error)) return false
      awaySince ??= now
      return now - awaySince < Duration.toMillis(patienceWith(error.errno))
    })
  return <A, R>(work: Effect.Effect<A, FileLockError, R>) =>
    work.pipe(
      Effect.tap(
        Effect.sync(() => {
          awaySince = null
        })
      ),
      Effect.tapError(
        Effect.fnUntraced(function* (error) {
          if (error._tag !== "SvcLocalIo" || !(yield* isAwaited(error))) return
          if (!said)
            yield* Effect.logWarning(`The lock of the account has to wait for its folder ${folder} (${why(error)})`)
          said = true
          // One that was removed is made again.
          yield* unusable(folder, true)
        })
      ),
      Effect.retry({ schedule: diskPoll, while: isAwaited })
    )
}

/**
 * Takes the lock of an account until the scope closes.
 *
 * In a folder of several users with the sticky bit nobody can remove the lock of another user's killed run. Then a second lock beside
 * it counts: whoever has that one looks at the first again, and whoever has the first one also waits for the second.
 */
export const makeTurns = (locks: Pick<FileLocks, "acquire">, folder: string) => {
  const patient = makePatient(folder)
  const acquire: FileLocks["acquire"] = (path, options) =>
    patient(locks.acquire(path, { ...options, outlived: true, staleAfter: longestAnswer }))
  /** Locks that were left so: they are not watched anew for each request. */
  const left = new Set<string>()
  /** A lock that another process tries to break at this moment looks taken again: what was said of it stays true. */
  const said = new Set<string>()
  return (path: string, onWait: NonNullable<Parameters<FileLocks["acquire"]>[1]["onWait"]>) =>
    Effect.gen(function* () {
      const second = path.replace(/lock$/, "second.lock")
      const whole = { wait: Duration.infinity, onWait }
      while (true) {
        if (!left.has(path)) {
          const first = yield* Effect.result(acquire(path, whole))
          if (Result.isSuccess(first)) {
            const both = yield* patient(isThere(second))
            return both ? [first.success, yield* acquire(second, whole)] : [first.success]
          }
          if (!isLeft(first.failure)) return yield* first.failure
          left.add(path)
          if (!said.has(path)) {
            yield* Effect.logWarning(
              `${path} was left by a run of another user that was killed, and only that user can remove it: a second lock is used. In a folder of a group without the sticky bit (chmod 2770) it would have been taken over`
            )
          }
          said.add(path)
        }
        const scope = yield* Scope.fork(yield* Effect.scope)
        const held = yield* Scope.provide(acquire(second, whole), scope)
        const again = yield* Effect.result(acquire(path, { wait: 0 }))
        if (Result.isFailure(again) && isLeft(again.failure)) return [held]
        left.delete(path)
        if (Result.isSuccess(again)) return [again.success, held]
        yield* Scope.close(scope, Exit.void)
      }
    })
}

const isThere = (path: string) =>
  io(() => lstat(path)).pipe(
    tolerate("ENOENT"),
    Effect.map((stats) => stats !== null),
    Effect.mapError(({ code }) => new LocalIo({ path, operation: "lock", errno: code }))
  )

const sayWhom = (owner: string) => {
  const whom = owner === ourselves ? "another session of this program" : `another step (${owner})`
  return Effect.logInfo(`Waiting for ${whom} that uses the same account`)
}

/** A folder that the user named and that cannot be used is a failure; where no other one can be used either, a warning says so. */
export const layer = (settings: AccountLockSettings): Layer.Layer<AccountLock, ConfigUnusable> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { chosen, insteadOf, path: folder, reason } = yield* findLockFolder(settings.lockDir)
      const alone = makeAccountLock()
      let warned = false
      const unlocked = (reason: string) =>
        Effect.suspend(() => {
          if (warned) return Effect.void
          warned = true
          return Effect.logWarning(
            `The lock folder ${folder} cannot be used (${reason}): do not run several steps of one account at a time, or set SVC_LOCK_DIR`
          )
        })
      if (insteadOf !== null) {
        yield* Effect.logWarning(
          `The lock folder ${insteadOf.path} cannot be used (${insteadOf.reason}): ${folder} takes its place. Runs that can use the first one do not wait for this one: set SVC_LOCK_DIR for all of them`
        )
      }
      if (reason !== null) {
        if (chosen) {
          return yield* new ConfigUnusable({
            path: folder,
            reason: `cannot be used (${meaningOf(reason)})`,
            what: "Lock folder"
          })
        }
        yield* unlocked(reason)
        return Context.make(AccountLock, alone)
      }
      const turns = makeTurns(yield* makeFileLocks, folder)
      const lock = AccountLock.of({
        take: (key) =>
          Effect.gen(function* () {
            const { onWait, over } = yield* makeNotice(sayWhom)
            const held = yield* turns(fileIn(folder, key, "lock"), (owner, orphaned) =>
              orphaned === null ? onWait(owner) : Effect.andThen(over, sayAtWork(Duration.millis(orphaned)))
            )
            yield* over
            return { leave: Effect.forEach(held, ({ leave }) => leave, { discard: true }) }
          }).pipe(
            // Something that is no lock is in its place, or the folder takes none any more.
            Effect.catch((error) => Effect.andThen(unlocked(error.message), alone.take(key)))
          )
      })
      const refused = RefusedLoginFiles.make((key) => fileIn(folder, key, "refused"))
      return Context.make(AccountLock, lock).pipe(Context.add(RefusedLogins, refused))
    })
  )
