/**
 * Hidden names for files that get their final name when they are complete, and the clearing away of those that a killed
 * process left: `.<name>.<machine>-<process>-<start>-<chance>.new`.
 *
 * A process number alone says nothing: it is the same in every container. So the name holds the boot and the process
 * space as well; a process that cannot judge them leaves the file alone for a day.
 */
import { createHash, randomBytes } from "node:crypto"
import { lstat, readdir, unlink } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { hasEnded, thisProcess } from "../ProcessIdentity.ts"

/** Milliseconds without a change after which a file of an unknown process counts as left behind. */
const longAgo = 86_400_000

/** Room for the mark in a name of 255 bytes. */
const longestStem = 190

const machineOf = ({ boot, space }: { readonly boot: string | null; readonly space: string | null }) =>
  createHash("sha256").update(`${boot} ${space}`).digest("hex").slice(0, 8)

const stemOf = (path: string) =>
  `.${Buffer.from(basename(path))
    .subarray(0, longestStem)
    .toString("utf8")
    .replace(/\ufffd+$/, "")}`

const marked = /^([0-9a-f]{8})-(\d+)-(\d*)-[0-9a-f]{8}\.new$/

/** A name beside `path` that no other process has. */
export const temporaryBeside = (path: string): string => {
  const self = thisProcess()
  const mark = `${machineOf(self)}-${self.pid}-${self.start ?? ""}-${randomBytes(4).toString("hex")}`
  return join(dirname(path), `${stemOf(path)}.${mark}.new`)
}

/** Removes what processes that have ended left beside `path`. Never fails: it is a courtesy. */
export const clearTemporaries = Effect.fn("svc.platform.clearTemporaries")(function* (path: string) {
  const now = yield* Clock.currentTimeMillis
  const stem = `${stemOf(path)}.`
  yield* Effect.ignore(
    Effect.tryPromise(async () => {
      const self = thisProcess()
      for (const name of await readdir(dirname(path))) {
        if (!name.startsWith(stem)) continue
        const [, machine, pid, start] = marked.exec(name.slice(stem.length)) ?? []
        if (machine === undefined) continue
        const file = join(dirname(path), name)
        const owner = { ...self, pid: Number(pid), start: start === "" || start === undefined ? null : start }
        const ended = machine === machineOf(self) && hasEnded(owner, self)
        if (ended || now - (await lstat(file)).mtimeMs > longAgo) await unlink(file)
      }
    })
  )
})
