/** Looks at folders by using them: writes a small file and removes it, takes a lock and gives it back. */

import { randomBytes } from "node:crypto"
import { open, readdir, readFile, stat, statfs, unlink } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { CannotCreate, errnoOf, LocalIo } from "../../core/src/Errors.ts"
import { unsyncable } from "../Errno.ts"
import { makeFileLocks } from "../locks/FileLock.ts"
import { hasEnded, parseIdentity, thisProcess, userName } from "../ProcessIdentity.ts"

/** What a folder turned out to be. */
export interface TriedFolder {
  /** Bytes free for this user, null when the file system does not say. */
  readonly free: number | null
  /** Whether the file system can sync: say when data is on the disk. */
  readonly syncs: boolean
}

/** Writes and removes a hidden file. */
export const tryFolder = (folder: string): Effect.Effect<TriedFolder, CannotCreate | LocalIo> => {
  const path = join(folder, `.svc-doctor.${process.pid}-${randomBytes(4).toString("hex")}`)
  return Effect.tryPromise({
    try: async () => {
      const file = await open(path, "wx", 0o600)
      let syncs = true
      try {
        await file.write("svc-doctor")
        await file.sync().catch((error) => {
          if (!unsyncable.includes(errnoOf(error))) throw error
          syncs = false
        })
      } finally {
        await file.close()
        await unlink(path)
      }
      const { bavail, blocks, bsize } = await statfs(folder)
      return { free: blocks === 0 ? null : bavail * bsize, syncs }
    },
    catch: (error) => {
      const code = errnoOf(error)
      return code === "ENOENT" || code === "ENOTDIR"
        ? new CannotCreate({ path: folder, reason: "the folder does not exist" })
        : new LocalIo({ path: folder, operation: "write to", errno: code })
    }
  })
}

/** Takes and releases a lock of its own in the folder, then says whose it is (`ana (uid 1000)`), and which living processes hold the others. */
export const tryLocks = (folder: string) =>
  Effect.andThen(
    Effect.flatMap(makeFileLocks, ({ acquire }) =>
      Effect.scoped(acquire(join(folder, `doctor-${process.pid}-${randomBytes(4).toString("hex")}.lock`), { wait: 0 }))
    ),
    Effect.tryPromise({
      try: async () => {
        const names = (await readdir(folder)).filter((name) => name.endsWith(".lock") && !name.startsWith("doctor-"))
        const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8").catch(() => "")))
        const { uid } = await stat(folder)
        const held = texts.flatMap((text) => {
          const owner = parseIdentity(text)
          return owner === null || hasEnded(owner, thisProcess()) ? [] : [`process ${owner.pid} on ${owner.host}`]
        })
        return { held, owner: uid === process.geteuid?.() ? `${userName()} (uid ${uid})` : `uid ${uid}` }
      },
      catch: (error) => new LocalIo({ path: folder, operation: "read", errno: errnoOf(error) })
    })
  )
