/**
 * The account lock as files in a folder that all steps of a user share.
 *
 * Without such a folder the steps still run, each with its own logins and no protection from each other: a warning says so
 * once. File names are hashes, so that no name of a service or user reaches the disk. Beside the locks lie refused passwords.
 */

import { createHash } from "node:crypto"
import { lstat } from "node:fs/promises"
import { join } from "node:path"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { type LocalIo, meaningOf, noDescriptors } from "../../core/src/Errors.ts"
import { descriptorPoll } from "../../core/src/Schedules.ts"
import { AccountLock } from "../../core/src/session/Gate.ts"
import { RefusedLogins } from "../../core/src/session/LoginHistory.ts"
import { type FileLockError, type FileLocks, makeFileLocks, makeNotice, ourselves, takingOver } from "./FileLock.ts"
import { findLockFolder } from "./LockFolder.ts"
import * as RefusedLoginFiles from "./RefusedLoginFiles.ts"

export interface AccountLockSettings {
  /** Folder shared by all steps of the account, also on several machines; null for the usual one (`LockFolder.ts`). */
  readonly lockDir: string | null
}

const fileIn = (folder: string, key: string, kind: "lock" | "refused") =>
  join(folder, `${createHash("sha256").update(key).digest("hex").slice(0, 32)}.${kind}`)

/** Such a failure passes, and going on without the lock would end both runs: another one would use the same session. */
const lacksDescriptors = (error: FileLockError): error is LocalIo =>
  error._tag === "SvcLocalIo" && noDescriptors.includes(error.errno)

/**
 * Takes the lock of an account until the scope closes.
 *
 * In a folder of several users with the sticky bit nobody can remove the lock of another user's killed run. Then a second lock beside
 * it counts: whoever has that one looks at the first again, and whoever has the first one also waits for the second.
 */
const makeTurns = (locks: FileLocks) => {
  let said = false
  // Each lock by itself: one that is held already is not given back for want of the next.
  const acquire: FileLocks["acquire"] = (path, options) =>
    locks.acquire(path, options).pipe(
      Effect.tapError((error) => {
        if (said || !lacksDescriptors(error)) return Effect.void
        said = true
        return Effect.logWarning(
          `The lock of the account has to wait (${meaningOf(error.errno)}): a higher limit (ulimit -n) or fewer runs at a time would help`
        )
      }),
      Effect.retry({ schedule: descriptorPoll, while: lacksDescriptors })
    )
  /** Locks that were left so: they are not watched anew for each request. */
  const left = new Set<string>()
  const isLeft = (error: FileLockError) => error._tag === "SvcLocalIo" && error.operation === takingOver
  return (path: string, onWait: (owner: string) => Effect.Effect<void>) =>
    Effect.gen(function* () {
      const second = path.replace(/lock$/, "second.lock")
      const patient = { wait: Duration.infinity, onWait }
      while (true) {
        if (!left.has(path)) {
          const first = yield* Effect.result(acquire(path, patient))
          if (Result.isSuccess(first)) {
            if (yield* isThere(second)) yield* acquire(second, patient)
            return
          }
          if (!isLeft(first.failure)) return yield* first.failure
          left.add(path)
          yield* Effect.logWarning(
            `${path} was left by a run of another user that was killed, and only that user can remove it: a second lock is used. In a folder of a group without the sticky bit (chmod 2770) it would have been taken over`
          )
        }
        const scope = yield* Scope.fork(yield* Effect.scope)
        yield* Scope.provide(acquire(second, patient), scope)
        const again = yield* Effect.result(acquire(path, { wait: 0 }))
        if (Result.isFailure(again) && isLeft(again.failure)) return
        left.delete(path)
        if (Result.isSuccess(again)) return
        yield* Scope.close(scope, Exit.void)
      }
    })
}

const isThere = (path: string) =>
  Effect.promise(() =>
    lstat(path).then(
      () => true,
      () => false
    )
  )

/** Never fails: a lock that cannot be had is worth a warning only. */
export const layer = (settings: AccountLockSettings): Layer.Layer<AccountLock> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { insteadOf, path: folder, reason } = yield* findLockFolder(settings.lockDir)
      const warned = yield* Ref.make(false)
      const warn = (reason: string) =>
        Effect.flatMap(Ref.getAndSet(warned, true), (before) =>
          before
            ? Effect.void
            : Effect.logWarning(
                `The lock folder ${folder} cannot be used (${reason}): do not run several steps of one account at a time, or set SVC_LOCK_DIR`
              )
        )
      if (insteadOf !== null) {
        yield* Effect.logWarning(
          `The lock folder ${insteadOf.path} cannot be used (${insteadOf.reason}): ${folder} takes its place. Runs that can use the first one do not wait for this one: set SVC_LOCK_DIR for all of them`
        )
      }
      if (reason !== null) {
        yield* warn(reason)
        return Context.make(AccountLock, { withLock: () => (self) => self })
      }
      const turns = makeTurns(yield* makeFileLocks)
      const sayWhom = (owner: string) => {
        const whom = owner === ourselves ? "another session of this program" : `another step (${owner})`
        return Effect.logInfo(`Waiting for ${whom} that uses the same account`)
      }
      const lock = AccountLock.of({
        withLock: (key) => {
          const path = fileIn(folder, key, "lock")
          const take = Effect.gen(function* () {
            const { onWait, over } = yield* makeNotice(sayWhom)
            yield* turns(path, onWait).pipe(Effect.catch((error) => warn(error.message)))
            yield* over
          })
          return (self) => Effect.scopedWith((scope) => Effect.andThen(Scope.provide(take, scope), self))
        }
      })
      const refused = RefusedLoginFiles.make((key) => fileIn(folder, key, "refused"))
      return Context.make(AccountLock, lock).pipe(Context.add(RefusedLogins, refused))
    })
  )
