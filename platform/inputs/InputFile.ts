/** Data that a user hands to a command: a file, a pipe, or standard input, whole. */

import { open } from "node:fs/promises"
import * as Effect from "effect/Effect"
import { InputMalformed, LocalIo, NotFound } from "../../core/src/Errors.ts"
import { errnoOf } from "../Errno.ts"

export interface Input {
  /** How messages call it. */
  readonly name: string
  readonly bytes: Uint8Array
}

/** Bytes. What is larger is no record. */
const largest = 64 * 1024 * 1024

const readAll = async (chunks: AsyncIterable<Uint8Array>): Promise<Buffer | null> => {
  const parts: Array<Uint8Array> = []
  let size = 0
  for await (const chunk of chunks) {
    parts.push(chunk)
    size += chunk.length
    if (size > largest) return null
  }
  return Buffer.concat(parts)
}

const readFile = async (path: string): Promise<Buffer | null> => {
  const file = await open(path)
  try {
    const found = await file.stat()
    if (!found.isFile()) return await readAll(file.createReadStream({ autoClose: false }))
    return found.size > largest ? null : await file.readFile()
  } finally {
    await file.close()
  }
}

/**
 * Reads `path`, or standard input for `-`. A file that does not exist is NotFound.
 *
 * @param givenBy - the option that named it, for messages
 */
export const readInput = Effect.fn("svc.platform.readInput")(function* (
  path: string,
  givenBy: string | null = null
): Effect.fn.Return<Input, NotFound | LocalIo | InputMalformed> {
  const name = `${path === "-" ? "standard input" : path}${givenBy === null ? "" : ` of ${givenBy}`}`
  const bytes = yield* Effect.tryPromise({
    try: () => (path === "-" ? readAll(process.stdin) : readFile(path)),
    catch: (error) => {
      const errno = errnoOf(error)
      if (errno === "ENOENT" || errno === "ENOTDIR") return new NotFound({ what: `input file ${name}` })
      if (errno === "EISDIR") return new InputMalformed({ input: name, reason: "it is a folder" })
      return new LocalIo({ path: name, operation: "read", errno })
    }
  })
  if (bytes === null) return yield* new InputMalformed({ input: name, reason: "it is larger than 64 MB" })
  return { name, bytes }
})
