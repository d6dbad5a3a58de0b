/** Data that a user hands to a command, whole: a file, a pipe, or standard input; as a record, or as a list of identifiers. */

import { constants } from "node:fs"
import { access, open, stat } from "node:fs/promises"
import * as Effect from "effect/Effect"
import { errnoOf, InputMalformed, LocalIo, NotFound } from "../../core/src/Errors.ts"
import { type KeyName, keyNames, table } from "../../core/src/settings/Keys.ts"
import { type Layer, nameAt, type Source } from "../../core/src/settings/Settings.ts"

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
    catch: (error) => failureOf(name, error)
  })
  if (bytes === null) return yield* new InputMalformed({ input: name, reason: "it is larger than 64 MB" })
  return { name, bytes }
})

const failureOf = (name: string, error: unknown): NotFound | LocalIo | InputMalformed => {
  const errno = errnoOf(error)
  if (errno === "ENOENT" || errno === "ENOTDIR") return new NotFound({ what: `input file ${name}` })
  if (errno === "EISDIR") return new InputMalformed({ input: name, reason: "it is a folder" })
  return new LocalIo({ path: name, operation: "read", errno })
}

/** Fails as `readInput` would, for a file that is read in pieces and later. */
export const mustBeReadable = Effect.fn("svc.platform.mustBeReadable")(function* (
  path: string,
  givenBy: string
): Effect.fn.Return<void, NotFound | LocalIo | InputMalformed> {
  const name = `${path} of ${givenBy}`
  const found = yield* Effect.tryPromise({
    try: async () => {
      await access(path, constants.R_OK)
      return stat(path)
    },
    catch: (error) => failureOf(name, error)
  })
  if (!found.isFile()) return yield* new InputMalformed({ input: name, reason: "it is no file" })
})

/** Bytes as text; fails with what `malformed` makes of the reason when they are none. */
export const textIn = <E>(bytes: Uint8Array, malformed: (reason: string) => E): Effect.Effect<string, E> =>
  Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () => malformed("it is not UTF-8 text")
  })

/** The identifiers of a text: blank lines are left out, and so is what follows a `#` at the start of a line or after a space. */
export const idsIn = (text: string): ReadonlyArray<string> => [
  ...new Set(
    text
      .replace(/^\ufeff/, "")
      .split(/\r\n|\n|\r/)
      .map((line) => line.replace(/(?:^|\s)#.*$/, "").trim())
      .filter((line) => line !== "")
  )
]

/** The layer with the identifiers in these files (`--analysisIds @ids.txt`, or `@-`) in place of their names. */
export const withIdFiles = Effect.fnUntraced(function* (
  layer: Layer,
  source: Source
): Effect.fn.Return<Layer, InputMalformed | LocalIo | NotFound> {
  const read: { [K in KeyName]?: ReadonlyArray<string> } = { ...layer }
  for (const name of keyNames.filter((name) => table[name].fromFile === true)) {
    const texts = layer[name]
    if (texts?.some((text) => text.startsWith("@")) !== true) continue
    read[name] = (yield* Effect.forEach(texts, (text) =>
      text.startsWith("@") ? idsOf(text.slice(1), nameAt(name, source)) : Effect.succeed([text])
    )).flat()
  }
  return read
})

const idsOf = Effect.fnUntraced(function* (path: string, givenBy: string) {
  const input = yield* readInput(path, givenBy)
  const malformed = (reason: string) => new InputMalformed({ input: input.name, reason })
  const text = yield* textIn(input.bytes, malformed)
  const ids = idsIn(text)
  // An empty list would mean all analyses, or none: neither is what was meant.
  return ids.length > 0 ? ids : yield* malformed("it names nothing")
})
