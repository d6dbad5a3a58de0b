/**
 * The account lock as files in a folder that all steps of a user share.
 *
 * Without such a folder the steps still run, each with its own logins and no protection from each other: a warning says so
 * once. File names are hashes, so that no name of a service or user reaches the disk. Beside the locks lie refused passwords.
 */

import { createHash } from "node:crypto"
import { lstat, mkdir } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Scope from "effect/Scope"
import { AccountLock } from "../../core/src/session/Gate.ts"
import { RefusedLogins } from "../../core/src/session/LoginHistory.ts"
import { errnoOf } from "../Errno.ts"
import { makeFileLocks, ourselves } from "./FileLock.ts"
import * as RefusedLoginFiles from "./RefusedLoginFiles.ts"

export interface AccountLockSettings {
  /** Folder shared by all steps of the account, also on several machines; null for the user's runtime folder. */
  readonly lockDir: string | null
}

/** `$XDG_RUNTIME_DIR/svc-steps`, or a folder of this user in the system's folder for temporary files. */
const usualFolder = Effect.map(
  Effect.orDie(Config.option(Config.NonEmptyString("XDG_RUNTIME_DIR"))),
  Option.match({
    onNone: () => join(tmpdir(), `svc-steps-${process.getuid?.() ?? "user"}`),
    onSome: (runtime) => join(runtime, "svc-steps")
  })
)

/** The folder that holds the locks. */
export const folderOf = ({ lockDir }: AccountLockSettings): Effect.Effect<string> =>
  lockDir === null ? usualFolder : Effect.succeed(lockDir)

/**
 * A folder and those above it. Node's own `recursive` says of a read-only file system that something is missing, and never
 * ends where that is said of a folder whose parent is there, as in `/proc`.
 */
const makeFolder = async (folder: string): Promise<void> => {
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    const code = errnoOf(error)
    if (code === "EEXIST") return
    const above = dirname(folder)
    if (code !== "ENOENT" || (await isThere(above))) throw error
    await makeFolder(above)
    await makeFolder(folder)
  }
}

const isThere = (path: string) =>
  lstat(path).then(
    () => true,
    () => false
  )

/** Why the folder cannot be used, or null after making sure that it can. `shared`: it was chosen by the user. */
export const unusable = (folder: string, shared: boolean): Effect.Effect<string | null> =>
  Effect.tryPromise(async () => {
    const stats = await lstat(folder).catch(() => makeFolder(folder).then(() => lstat(folder)))
    if (shared) return null
    // A folder in a place where everybody writes: another user must not have put it there.
    if (!stats.isDirectory()) return "it is not a folder"
    if (process.getuid !== undefined && stats.uid !== process.getuid()) return "it belongs to another user"
    return (stats.mode & 0o022) === 0 ? null : "other users may write to it"
  }).pipe(
    Effect.catch(({ cause }) =>
      Effect.succeed(cause instanceof Error && "code" in cause ? String(cause.code) : "it cannot be made")
    )
  )

const fileIn = (folder: string, key: string, kind: "lock" | "refused") =>
  join(folder, `${createHash("sha256").update(key).digest("hex").slice(0, 32)}.${kind}`)

/** Never fails: a lock that cannot be had is worth a warning only. */
export const layer = (settings: AccountLockSettings): Layer.Layer<AccountLock> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const folder = yield* folderOf(settings)
      const warned = yield* Ref.make(false)
      const warn = (reason: string) =>
        Effect.flatMap(Ref.getAndSet(warned, true), (before) =>
          before
            ? Effect.void
            : Effect.logWarning(
                `The lock folder ${folder} cannot be used (${reason}): do not run several steps of one account at a time, or set SVC_LOCK_DIR`
              )
        )
      const reason = yield* unusable(folder, settings.lockDir !== null)
      if (reason !== null) {
        yield* warn(reason)
        return Context.make(AccountLock, { withLock: () => (self) => self })
      }
      const { acquire } = yield* makeFileLocks
      const sayWhom = (owner: string) => {
        const whom = owner === ourselves ? "another session of this program" : `another step (${owner})`
        return Effect.logInfo(`Waiting for ${whom} that uses the same account`)
      }
      const lock = AccountLock.of({
        withLock: (key) => {
          const path = fileIn(folder, key, "lock")
          const take = Effect.gen(function* () {
            const owner = yield* Deferred.make<string>()
            const onWait = (name: string) => Effect.asVoid(Deferred.succeed(owner, name))
            const notice = Effect.flatMap(Effect.delay(Deferred.await(owner), "10 seconds"), sayWhom)
            const waiting = yield* Effect.forkScoped(notice)
            yield* acquire(path, { wait: Duration.infinity, onWait }).pipe(Effect.catch((error) => warn(error.message)))
            yield* Fiber.interrupt(waiting)
          })
          return (self) =>
            Effect.acquireUseRelease(
              Scope.make(),
              (scope) => Effect.andThen(Scope.provide(take, scope), self),
              (scope, exit) => Scope.close(scope, exit)
            )
        }
      })
      const refused = RefusedLoginFiles.make((key) => fileIn(folder, key, "refused"))
      return Context.make(AccountLock, lock).pipe(Context.add(RefusedLogins, refused))
    })
  )
