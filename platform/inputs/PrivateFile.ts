/** Small files that may hold a password: the settings, or nothing but the password. */
import { constants } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import * as Effect from "effect/Effect"
import { errnoOf } from "../Errno.ts"

export interface SmallFile {
  readonly bytes: Buffer
  readonly mode: number
  /** Numeric id (uid) of its owner. */
  readonly owner: number
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  EACCES: "permission denied",
  EISDIR: "it is a folder",
  ENOTDIR: "its folder is not a folder"
}

const reasonOf = (error: unknown): string => {
  const code = errnoOf(error, "it cannot be read")
  return reasons[code] ?? code
}

/** Reads to the end, or one byte further than allowed; works for pipes too, such as `--config <(vault read ...)`. */
const readUpTo = async (file: FileHandle, limit: number): Promise<Buffer> => {
  const buffer = Buffer.alloc(limit + 1)
  let length = 0
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}

/** The file, one byte more than `limit` when it is longer. Fails with the reason as a part of a sentence. */
export const readSmallFile = (path: string, limit: number): Effect.Effect<SmallFile, string> =>
  Effect.tryPromise({
    try: async () => {
      const file = await open(path, constants.O_RDONLY)
      try {
        const info = await file.stat()
        return { bytes: await readUpTo(file, limit), mode: info.mode, owner: info.uid }
      } finally {
        await file.close()
      }
    },
    catch: reasonOf
  })

/** What others could do with a file that holds a password (docs/dev/service.md 5), as sentences for the log. */
export const exposure = (path: string, { mode, owner }: SmallFile): ReadonlyArray<string> => {
  const warnings: Array<string> = []
  if ((mode & 0o044) !== 0) {
    warnings.push(`${path} holds a password and other users can read it: make it private with chmod 600`)
  }
  const user = process.getuid?.()
  if (user !== undefined && owner !== user && owner !== 0) {
    warnings.push(`${path} holds a password and belongs to another user (uid ${owner})`)
  }
  return warnings
}
