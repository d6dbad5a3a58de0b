/**
 * Files that are whole before they have their name: written beside it under a hidden one, made durable, and put in its place.
 * Readers see the old file or the new one, also after a power cut.
 *
 * What a killed process left under a hidden name is cleared away: `.<name>.<machine>-<process>-<start>-<chance>.new`. A process
 * number alone says nothing, since it is the same in every container. So the name holds the boot and the process space as
 * well; a process that cannot judge them leaves the file alone for a day.
 */
import { createHash, randomBytes } from "node:crypto"
import fs from "node:fs"
import { lstat, readdir, unlink } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { CannotCreate, type LocalIo } from "../../core/src/Errors.ts"
import { shortened } from "../../core/src/selection/FileName.ts"
import { type Errno, linkless, tolerate } from "../Errno.ts"
import { hasEnded, thisProcess } from "../ProcessIdentity.ts"
import { call, named, openScoped, statPlainFile, sync, syncFolder, writeAll } from "./FileCalls.ts"

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = fs.constants

/** A file that nobody else has open. */
export interface FreshFile {
  readonly write: (offset: number, bytes: Uint8Array) => Effect.Effect<void, Errno>
  readonly truncate: (size: number) => Effect.Effect<void, Errno>
  /** Returns when what was written survives a power cut. */
  readonly sync: Effect.Effect<void, Errno>
  /** Gives it the name `path`, whatever had that before. */
  readonly rename: (path: string) => Effect.Effect<void, Errno>
  /** The same, and the name survives a power cut. */
  readonly putInPlace: (path: string) => Effect.Effect<void, Errno>
}

const removed = (path: string) => call((done) => fs.unlink(path, done)).pipe(tolerate("ENOENT"), Effect.asVoid)

/** Makes a file where none is; what still has that name when the scope closes is removed. */
export const freshFile = Effect.fnUntraced(function* (
  path: string,
  mode: number
): Effect.fn.Return<FreshFile, Errno, Scope.Scope> {
  let here = true
  // A link that somebody put there is not followed. An interruption while the file is opened removes it too.
  const fd = yield* Effect.acquireRelease(openScoped(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode), () =>
    here ? Effect.ignore(removed(path)) : Effect.void
  )
  const rename = (name: string) =>
    Effect.map(
      call((done) => fs.rename(path, name, done)),
      () => {
        here = false
      }
    )
  return {
    write: (offset, bytes) => writeAll(fd, bytes, offset),
    truncate: (size) => call((done) => fs.ftruncate(fd, size, done)),
    sync: Effect.asVoid(sync(fd)),
    rename,
    putInPlace: (name) => Effect.andThen(rename(name), Effect.asVoid(syncFolder(dirname(name))))
  }
})

/** Hands a durable file of that content to `use`; it is gone afterwards unless it got another name. */
export const withFresh = <A, E, R>(
  path: string,
  bytes: Uint8Array,
  mode: number,
  use: (file: FreshFile) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | Errno, Exclude<R, Scope.Scope>> =>
  Effect.scoped(
    Effect.gen(function* () {
      const file = yield* freshFile(path, mode)
      yield* file.write(0, bytes)
      yield* file.sync
      return yield* use(file)
    })
  )

/**
 * The mode that new files get in the folder of a path: by the user's umask, or by the default ACL with which the folder is shared, and
 * which a mode made of the umask would take away. Once for a folder a file is made at the path to see it.
 */
export const makeModes = () => {
  const known = new Map<string, number>()
  return Effect.fnUntraced(function* (path: string): Effect.fn.Return<number, Errno> {
    const before = known.get(dirname(path))
    if (before !== undefined) return before
    yield* removed(path)
    const { mode } = yield* Effect.scoped(
      Effect.andThen(
        freshFile(path, 0o666),
        call<fs.Stats>((done) => fs.lstat(path, done))
      )
    )
    known.set(dirname(path), mode & 0o666)
    return mode & 0o666
  })
}

/** Milliseconds without a change after which a file of an unknown process counts as left behind. */
const longAgo = 86_400_000

/** Bytes of a mark at most; a process begins 15 digits of ticks after the boot, or earlier. */
const longestMark = ".01234567-4194304-000000000000000-01234567.new".length

const machineOf = ({ boot, space }: { readonly boot: string | null; readonly space: string | null }) =>
  createHash("sha256").update(`${boot} ${space}`).digest("hex").slice(0, 8)

const stemOf = (path: string) => `.${shortened(basename(path), ".".length + longestMark)}`

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

/** Fails where the name is taken, or is that of what this user may not replace. */
export const checkName = Effect.fnUntraced(function* (final: string, overwrite: boolean) {
  const there = yield* statPlainFile(final)
  if (there === null) return
  if (!overwrite) return yield* appearedError(final)
  const folder = yield* call<fs.Stats>((done) => fs.stat(dirname(final), done)).pipe(named(final, "look at"))
  const me = process.geteuid?.() ?? 0
  if ((folder.mode & sticky) === 0 || me === 0 || me === there.uid || me === folder.uid) return
  const reason = "it is another user's, and its folder (with the sticky bit) lets only its owner replace it"
  return yield* new CannotCreate({ path: final, reason })
})

const sticky = 0o1000

/** Hard links never replace a file. A file system without them gets a check and a rename, which leaves a small race. */
export const linkOrRename = (path: string, final: string): Effect.Effect<void, CannotCreate | LocalIo> =>
  call((done) => fs.link(path, final, done)).pipe(
    Effect.catch((error): Effect.Effect<void, CannotCreate | LocalIo | Errno> => {
      if (error.code === "EEXIST") return appearedError(final)
      if (!linkless.includes(error.code)) return error
      return Effect.flatMap(
        statPlainFile(final),
        (stats): Effect.Effect<void, CannotCreate | Errno> =>
          stats === null ? call((done) => fs.rename(path, final, done)) : appearedError(final)
      )
    }),
    named(final, "create")
  )

const appearedError = (final: string) =>
  new CannotCreate({ path: final, reason: "a file of that name appeared during the download" })
