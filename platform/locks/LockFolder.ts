/**
 * Which folder holds the locks of a user, and whether it can be used.
 *
 * It depends on the uid alone. A folder out of the environment (`XDG_RUNTIME_DIR`, `TMPDIR`, `HOME`) is another one for a login shell, for
 * cron, and for each job of a workflow engine, so that two runs of one account met at the service.
 */
import { access, constants, lstat, mkdir, stat } from "node:fs/promises"
import { userInfo } from "node:os"
import { dirname, isAbsolute, join } from "node:path"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import { errnoOf } from "../../core/src/Errors.ts"

/** A folder of locks, and why it cannot be used; null when it can. */
export interface LockFolder {
  readonly path: string
  readonly reason: string | null
  /** Whether somebody named it, so that all who share it are meant to write there. */
  readonly chosen: boolean
  /** The folder that should have been used, when this one takes its place. */
  readonly insteadOf: { readonly path: string; readonly reason: string } | null
}

/** Who this process runs as, by the system and not by the environment. `home` is null for a uid without an entry in passwd. */
export interface SystemUser {
  readonly uid: number | null
  readonly home: string | null
}

const systemUser = (): SystemUser => {
  const uid = process.geteuid?.() ?? null
  try {
    return { uid, home: userInfo().homedir }
  } catch {
    return { uid, home: null }
  }
}

/** A folder that may hold the locks, and the one that must be there already. */
export interface Candidate {
  readonly path: string
  readonly below: string
}

/** The folder in the user's home, where it has one, and behind it those that every user may make below the system's own. */
export const usualFolders = ({ home, uid }: SystemUser = systemUser()): ReadonlyArray<Candidate> => [
  ...(home !== null && isAbsolute(home) && home !== "/"
    ? [{ path: join(home, ".svc-steps", "locks"), below: home }]
    : []),
  ...(uid === null ? [] : ["/var/tmp", "/tmp"].map((below) => ({ path: join(below, `svc-steps-${uid}`), below })))
]

/** The folder that holds the locks: the chosen one (`SVC_LOCK_DIR`, also in a program), else the first usual one that can be used. */
export const findLockFolder = Effect.fnUntraced(function* (
  lockDir: string | null,
  usual: ReadonlyArray<Candidate> = usualFolders()
): Effect.fn.Return<LockFolder> {
  const variable = yield* Effect.orDie(Config.withDefault(Config.String("SVC_LOCK_DIR"), ""))
  const chosen = lockDir ?? (variable === "" ? null : variable)
  if (chosen !== null) return { path: chosen, reason: yield* unusable(chosen, true), chosen: true, insteadOf: null }
  let insteadOf: LockFolder["insteadOf"] = null
  for (const { below, path } of usual) {
    // A home that is not there is none, and that is so for every run of this user.
    if (yield* isMissing(below)) continue
    const reason = yield* unusable(path, false)
    if (reason === null) return { path, reason, chosen: false, insteadOf }
    insteadOf ??= { path, reason }
  }
  return { path: "of this user", reason: "it has no home", chosen: false, ...insteadOf, insteadOf: null }
})

const isMissing = (path: string): Effect.Effect<boolean> =>
  Effect.promise(() =>
    stat(path).then(
      (stats) => !stats.isDirectory(),
      (error) => errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR"
    )
  )

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
    await access(folder, constants.W_OK | constants.X_OK)
    if (shared) return (await stat(folder)).isDirectory() ? null : "it is not a folder"
    // A folder in a place where everybody writes: another user must not have put it there.
    if (!stats.isDirectory()) return "it is not a folder"
    if (process.geteuid !== undefined && stats.uid !== process.geteuid()) return "it belongs to another user"
    return (stats.mode & 0o022) === 0 ? null : "other users may write to it"
  }).pipe(
    Effect.catch(({ cause }) =>
      Effect.succeed(cause instanceof Error && "code" in cause ? String(cause.code) : "it cannot be made")
    )
  )
