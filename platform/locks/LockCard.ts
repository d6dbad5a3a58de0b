/**
 * The file that a lock is: it says which process owns it. It is made whole under a private name and then linked to the
 * name of the lock, which succeeds for one process only, on NFS too.
 */
import { type FileHandle, link, open, stat, unlink } from "node:fs/promises"
import * as Effect from "effect/Effect"
import { Errno, io, linkless, tolerate } from "../Errno.ts"
import { sameFile } from "../FileIdentity.ts"
import { type ProcessIdentity, parseIdentity } from "../ProcessIdentity.ts"

export interface LockCard {
  readonly path: string
  readonly handle: FileHandle
  /** The identity of the process, as JSON. */
  readonly content: Buffer
}

/** Makes the card of this process under a private name; the scope closes it. */
export const makeCard = (path: string, self: ProcessIdentity) =>
  Effect.acquireRelease(
    io(async (): Promise<LockCard> => {
      const content = Buffer.from(`${JSON.stringify(self)}\n`)
      return { path, content, handle: await newFile(path, content) }
    }),
    ({ handle }) => Effect.ignore(io(() => handle.close()))
  )

/** Removes a name. Asked for again when that fails: one lost reply of a network file system must not leave a file behind. */
export const removeName = (path: string) => Effect.retry(io(() => unlink(path)).pipe(tolerate("ENOENT")), { times: 2 })

/** Removes the private name of a card, under which others see that its process waits. */
export const removeCard = ({ path }: LockCard) => Effect.ignore(removeName(path))

/** Fails with EEXIST where a file is; one that cannot be written whole is removed. */
const newFile = async (path: string, content: Buffer): Promise<FileHandle> => {
  const handle = await open(path, "wx", 0o644)
  try {
    await handle.write(content, 0, content.length, 0)
    return handle
  } catch (error) {
    await handle.close()
    await unlink(path)
    throw error
  }
}

/** Writes the card again: a sign that its owner lives. */
export const refresh = (card: LockCard) => io(() => card.handle.write(card.content, 0, card.content.length, 0))

/** The clock of the file system, in ms since 1970: the time of a write. */
export const fileSystemTime = (card: LockCard) =>
  Effect.andThen(
    refresh(card),
    io(async () => (await card.handle.stat()).mtimeMs)
  )

/** Gives the card the name of the lock; null when the name is taken. Without hard links the lock is a file of its own. */
export const claim = Effect.fnUntraced(function* (path: string, card: LockCard) {
  const claimed = yield* io(() => link(card.path, path)).pipe(
    Effect.as(card),
    Effect.catch((error) => {
      if (linkless.includes(error.code)) return claimWithoutLinks(path, card)
      // NFS may lose a reply: then the link exists although the call failed.
      return Effect.map(
        Effect.orElseSucceed(hasName(path, card), () => false),
        (ours) => (ours ? card : error.code === "EEXIST" ? null : error)
      )
    })
  )
  if (claimed instanceof Errno) return yield* claimed
  return claimed
})

const claimWithoutLinks = (path: string, card: LockCard): Effect.Effect<LockCard | null, Errno> =>
  io(async () => ({ ...card, handle: await newFile(path, card.content) })).pipe(tolerate("EEXIST"))

/** Whether the file of that name is this card. */
export const hasName = (path: string, card: LockCard) =>
  io(async () => {
    const [named, ours] = await Promise.all([stat(path), card.handle.stat()])
    return sameFile(named, ours)
  })

/** The identity of the owner of the card at `path`; null when the card does not say. */
export const readIdentity = (path: string) =>
  io(async () => {
    const handle = await open(path, "r")
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(4096), 0, 4096, 0)
      return parseIdentity(buffer.toString("utf8", 0, bytesRead))
    } finally {
      await handle.close()
    }
  })
