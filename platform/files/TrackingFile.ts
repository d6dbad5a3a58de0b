/**
 * `TrackingFile` on Node. A change takes the lock, reads the file, makes a new one durable beside it, looks whether the old one
 * still is what was read, and puts the new one in its place.
 *
 * The lock keeps runs from disturbing each other. The second look keeps entries where the lock cannot: on file systems
 * with unreliable locks, or with an editor that ignores the lock. A new file that another process left is removed under
 * the lock, so a run that was suspended for a minute finds it gone and begins anew instead of undoing what came after.
 */

import { isUtf8 } from "node:buffer"
import { randomBytes } from "node:crypto"
import {
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  statSync
} from "node:fs"
import { copyFile, link, lstat, open, readdir, readFile, realpath, stat, unlink } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import {
  empty,
  parse,
  render,
  type TrackingDocument,
  TrackingFile,
  withCleanEstimates
} from "../../core/src/archive/TrackingFile.ts"
import { Busy, CannotCreate, errnoOf, LocalIo, TrackingUnusable } from "../../core/src/Errors.ts"
import { lockPoll } from "../../core/src/Schedules.ts"
import { backupName, longestLockMark, shortened } from "../../core/src/selection/FileName.ts"
import { Scrubber } from "../../core/src/text/Scrubber.ts"
import { Errno, io, linkless, tolerate } from "../Errno.ts"
import { type FileLocks, type HeldLock, makeFileLocks, makeNotice } from "../locks/FileLock.ts"
import { removeLeavings } from "../locks/StaleLock.ts"
import { withFresh } from "./AtomicFile.ts"
import { openScoped, sync, syncFolder } from "./FileCalls.ts"

/** Long enough to take over a lock whose owner on another machine was killed. */
const lockWait = "90 seconds"

/** A run that looked before our rename has certainly renamed after this time: the two are some microseconds apart. */
const settling = "150 millis"

/** A change is given up when a program that ignores the lock has changed the file first this many times. */
const mostRetries = 50

/** The file is no longer the one that was read, or the lock is no longer ours. */
class Overtaken extends Data.TaggedError("Overtaken") {}

/** The restoration file at `path`, made when the first request is remembered. */
export const layer = (settings: { readonly path: string }): Layer.Layer<TrackingFile> =>
  Layer.effect(
    TrackingFile,
    Effect.gen(function* () {
      const { path } = settings
      const scrubber = yield* Scrubber
      const clean = (restoreEstimation: string) => scrubber.document({ restoreEstimation }).restoreEstimation
      const locks = yield* makeFileLocks
      const warned = yield* Ref.make(false)
      const warn = Effect.flatMap(Ref.getAndSet(warned, true), (before) =>
        before ? Effect.void : Effect.logWarning(`Locks do not hold in the folder of ${path}: going on without them`)
      )
      const failures = {
        Refused: ({ reason }: Refused) => new TrackingUnusable({ path, reason }),
        Errno: ({ code }: Errno) => new LocalIo({ path, operation: "use the restoration file", errno: code })
      }
      const sayTurn = (owner: string) =>
        Effect.logInfo(`Waiting for ${owner}, which asks for a restoration that ${path} is to remember`)
      const read = find(path).pipe(
        Effect.tap((found) => clearAway(found.path, locks)),
        Effect.flatMap(({ content }) => documentOf(content)),
        Effect.catchTags(failures)
      )
      const change = (edit: (document: TrackingDocument) => TrackingDocument, create: boolean) =>
        Effect.gen(function* () {
          const real = (yield* find(path)).path
          yield* folderExists(path, real)
          const waiting = (owner: string) => Effect.logInfo(`Waiting for ${owner}, which changes ${path}`)
          return yield* locks.withLock(lockOf(real), { wait: lockWait, onWait: waiting })((held) =>
            Effect.uninterruptible(attempt(real, held, edit, create, warn, clean))
          )
        }).pipe(
          Effect.retry({ schedule: lockPoll, times: mostRetries, while: (error) => error._tag === "Overtaken" }),
          Effect.catchTags({
            ...failures,
            Overtaken: () => new Busy({ file: path, owner: "one that does not wait for others" })
          })
        )
      const takeTurn = Effect.gen(function* () {
        const real = (yield* placeOf(path)).path
        yield* folderExists(path, real)
        const { onWait, over } = yield* makeNotice(sayTurn)
        const { stillOurs } = yield* locks.acquire(turnOf(real), { wait: Duration.infinity, onWait })
        yield* over
        return { document: yield* documentOf((yield* find(path)).content), stillOurs }
      }).pipe(Effect.catchTags(failures))
      return TrackingFile.of({
        path,
        read,
        change: Effect.fn("svc.platform.changeTracking")((edit) => change(edit, false)),
        inTurn: (self) => Effect.scopedWith((scope) => Effect.flatMap(Scope.provide(takeTurn, scope), self)),
        ensure: Effect.asVoid(change((document) => document, true))
      })
    })
  )

const hiddenBeside = (path: string) =>
  join(dirname(path), `.${shortened(basename(path), ".".length + turnMark.length + longestLockMark)}`)

const lockOf = (path: string) => `${hiddenBeside(path)}.lock`

/** Held while the service is asked, which may take minutes: the file can be changed meanwhile. */
const turnOf = (path: string) => `${hiddenBeside(path)}${turnMark}.lock`

const turnMark = ".asking"

/**
 * A run that only reads still clears away what a killed one left; a living one is not disturbed. The turn of one that was suspended
 * is not given to others for the asking: only its end is certain enough.
 */
const clearAway = Effect.fnUntraced(function* (path: string, { withLock }: FileLocks) {
  if (existsSync(lockOf(path))) yield* Effect.ignore(withLock(lockOf(path), { wait: 0 })(() => removeLeftovers(path)))
  if (existsSync(turnOf(path))) {
    yield* Effect.ignore(withLock(turnOf(path), { wait: 0, staleAfter: Duration.infinity })(() => Effect.void))
  }
})

const folderExists = Effect.fnUntraced(function* (given: string, real: string) {
  const folder = yield* io(() => stat(dirname(real))).pipe(tolerate("ENOENT", "ENOTDIR"))
  if (folder?.isDirectory() !== true) {
    return yield* new CannotCreate({ path: given, reason: "its folder does not exist" })
  }
})

/** One try under the lock. Never interrupted, so that the lock is not given back in the middle of it. */
const attempt = Effect.fnUntraced(function* (
  path: string,
  lock: HeldLock,
  edit: (document: TrackingDocument) => TrackingDocument,
  create: boolean,
  warn: Effect.Effect<void>,
  clean: (estimate: string) => string
): Effect.fn.Return<TrackingDocument, Errno | LocalIo | Refused | Overtaken> {
  if (!lock.holds) yield* warn
  yield* removeLeftovers(path)
  const found = yield* find(path)
  // The path became a symbolic link since it was read.
  if (found.path !== path) return yield* new Overtaken()
  const before = yield* documentOf(found.content)
  const edited = edit(before)
  const after = edited === before ? before : withCleanEstimates(edited, before, clean)
  if (after === before && !(create && found.content === null)) return before
  if (found.content !== null && (found.content.stats.mode & 0o200n) === 0n) return yield* new Errno({ code: "EACCES" })

  const own = `${process.pid}-${randomBytes(6).toString("hex")}`
  const fresh = `${hiddenBeside(path)}.${own}.new`
  const replaced = Effect.gen(function* () {
    if (before.layout === "object" && found.content !== null) yield* keepOriginal(path, found.content.bytes)
    if (!(yield* lock.stillOurs)) return yield* new Overtaken()
    yield* Effect.try({
      try: () => replace(path, fresh, found.content),
      catch: (error) =>
        error instanceof Overtaken || ["ENOENT", "EEXIST"].includes(errnoOf(error))
          ? new Overtaken()
          : new Errno({ code: errnoOf(error) })
    })
  })
  yield* withFresh(fresh, Buffer.from(render(after)), 0o600, () => replaced)
  yield* syncFolder(dirname(path))
  if (!lock.holds) yield* checkStillThere(path, edit)
  return { ...after, layout: "array" }
})

/**
 * Where locks do not hold, another run may have looked before our rename and renamed after it, and our change is gone. Waits
 * until such a run has renamed; `Overtaken`, so that the change is made again, when it is gone.
 */
const checkStillThere = Effect.fnUntraced(function* (
  path: string,
  edit: (document: TrackingDocument) => TrackingDocument
) {
  yield* Effect.sleep(settling)
  const now = yield* documentOf((yield* find(path)).content)
  if (render(edit(now)) !== render(now)) return yield* new Overtaken()
})

const removeLeftovers = Effect.fnUntraced(function* (path: string) {
  const folder = dirname(path)
  const names = yield* io(() => readdir(folder))
  const left = names.filter((name) => name.startsWith(`${basename(hiddenBeside(path))}.`) && name.endsWith(".new"))
  for (const name of left) yield* Effect.ignore(io(() => unlink(join(folder, name))))
  // Whoever asks next would do it too, but that may be never. The lock that is held was refreshed a moment ago.
  const time = Effect.map(
    io(() => lstat(lockOf(path))),
    ({ mtimeMs }) => mtimeMs
  )
  yield* Effect.ignore(removeLeavings(turnOf(path), names, time))
})

const syncFile = (path: string) =>
  Effect.scoped(Effect.flatMap(openScoped(path, constants.O_RDONLY | constants.O_NOFOLLOW), sync))

/** Compares and replaces in one turn: synchronous calls, so that nothing else in this process comes in between. */
const replace = (path: string, fresh: string, content: Found["content"]): void => {
  if (content === null) createFrom(fresh, path)
  else {
    if (!isUnchanged(path, content)) throw new Overtaken()
    renameSync(fresh, path)
  }
}

/** Hard links never replace a file. A file system without them gets a check and a rename, which leaves a small race. */
const createFrom = (fresh: string, path: string): void => {
  try {
    linkSync(fresh, path)
  } catch (error) {
    if (!linkless.includes(errnoOf(error))) throw error
  }
  // Hard links are not supported, or the call succeeded without making one.
  if (!existsSync(path)) renameSync(fresh, path)
  else if (statSync(path).ino !== statSync(fresh).ino) throw new Overtaken()
}

const isUnchanged = (path: string, { bytes, stats }: NonNullable<Found["content"]>): boolean => {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    return sameVersion(fstatSync(fd, { bigint: true }), stats) && readFileSync(fd).equals(bytes)
  } finally {
    closeSync(fd)
  }
}

/** Keeps a file in the object layout as `<name>.bak`, or with a number when another one is there already. */
const keepOriginal = Effect.fnUntraced(function* (path: string, bytes: Buffer) {
  for (let number = 0; ; number++) {
    const backup = join(dirname(path), backupName(basename(path), number))
    const copy = io(() => copyFile(path, backup, constants.COPYFILE_EXCL))
    const made = yield* io(() => link(path, backup)).pipe(
      Effect.catch((error) => (linkless.includes(error.code) ? copy : error)),
      Effect.as(true),
      tolerate("EEXIST")
    )
    if (made === null && !(yield* io(() => holds(backup, bytes)))) continue
    // It must be on the disk before the only other file that holds the original is replaced.
    yield* syncFile(backup)
    yield* syncFolder(dirname(path))
    return
  }
})

const holds = async (path: string, bytes: Buffer) => {
  const stats = await lstat(path)
  return stats.isFile() && stats.size === bytes.length && (await readFile(path)).equals(bytes)
}

/** Bytes; a hundred thousand entries are about half of it. */
const largest = 128 * 1024 * 1024

/** The file must not be used. */
class Refused extends Data.TaggedError("Refused")<{ readonly reason: string }> {}

interface Place {
  /** The path with all symbolic links resolved. */
  readonly path: string
  readonly stats: BigIntStats | null
}

interface Found extends Pick<Place, "path"> {
  /** Null when there is no file. */
  readonly content: { readonly stats: BigIntStats; readonly bytes: Buffer } | null
}

/** What the file says; an empty document where none is. */
const documentOf = (content: Found["content"]): Effect.Effect<TrackingDocument, Refused> =>
  content === null
    ? Effect.succeed(empty)
    : !isUtf8(content.bytes)
      ? Effect.fail(new Refused({ reason: "it is not text in UTF-8" }))
      : Effect.fromResult(Result.mapError(parse(content.bytes.toString("utf8")), (reason) => new Refused({ reason })))

/** Where the file lies, and what it is; `stats` null where none is. A pipe or device in its place is not even opened. */
const placeOf = Effect.fnUntraced(function* (given: string): Effect.fn.Return<Place, Errno | Refused> {
  const seen = yield* io(() => lstat(given, { bigint: true })).pipe(tolerate("ENOENT"))
  if (seen === null) return { path: resolve(given), stats: null }
  if (seen.isSymbolicLink() && !isTrusted(seen)) {
    return yield* new Refused({ reason: "it is a symbolic link of another user" })
  }
  const path = yield* io(() => realpath(given)).pipe(tolerate("ENOENT", "ELOOP"))
  if (path === null) return yield* new Refused({ reason: "it is a symbolic link that leads nowhere" })
  const stats = yield* io(() => lstat(path, { bigint: true }))
  const reason = reasonAgainst(stats)
  return reason === null ? { path, stats } : yield* new Refused({ reason })
})

/** Reads the file without waiting for anything. */
const find = Effect.fnUntraced(function* (given: string): Effect.fn.Return<Found, Errno | Refused> {
  const { path, stats } = yield* placeOf(given)
  if (stats === null) return { path, content: null }
  const bytes = yield* io(async () => {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      return sameVersion(await handle.stat({ bigint: true }), stats) ? await handle.readFile() : null
    } finally {
      await handle.close()
    }
  })
  // Replaced between the two looks: the next look sees the new one.
  return bytes === null ? yield* find(given) : { path, content: { stats, bytes } }
})

const ownUser = process.geteuid?.()

/** The file says where other files are written, so nobody else may have written it. */
const isTrusted = ({ uid }: BigIntStats) => ownUser === undefined || uid === BigInt(ownUser) || uid === 0n

const reasonAgainst = (stats: BigIntStats): string | null => {
  if (stats.isDirectory()) return "it is a folder"
  if (!stats.isFile()) return "it is a device, pipe or socket and no file"
  if (!isTrusted(stats)) return "it belongs to another user, who could decide where downloads are written"
  if ((stats.mode & 0o022n) !== 0n) {
    return "other users may write to it and so decide where downloads are written (chmod go-w helps)"
  }
  return stats.size > BigInt(largest) ? `it is larger than ${largest} bytes` : null
}

const sameVersion = (a: BigIntStats, b: BigIntStats) =>
  a.ino === b.ino && a.dev === b.dev && a.size === b.size && a.mtimeNs === b.mtimeNs
