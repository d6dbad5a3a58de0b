/**
 * `PartFiles` on Node: part files that follow no link, and a commit that survives a power cut.
 *
 * Offsets are absolute in every call, so several connections write one part, and what hashes it reads it meanwhile.
 */
import { createHash } from "node:crypto"
import fs from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { Busy, CannotCreate, LocalIo } from "../../core/src/Errors.ts"
import type { Algorithm } from "../../core/src/transfer/Digests.ts"
import { type PartFile, PartFiles, type PartPlace, readerOfPart, withMark } from "../../core/src/transfer/PartFiles.ts"
import { type Errno, modeless, tolerate } from "../Errno.ts"
import { sameFile } from "../FileIdentity.ts"
import { type FileLocks, makeFileLocks, takingOver } from "../locks/FileLock.ts"
import { checkName, type FreshFile, linkOrRename, makeModes, withFresh } from "./AtomicFile.ts"
import {
  call,
  named,
  openScoped,
  readExactly,
  remove,
  statPlainFile,
  sync,
  syncFolder,
  wantOfRoom,
  writeAll
} from "./FileCalls.ts"
import { hashingOf } from "./FileDigests.ts"
import { replaceFile } from "./OutputFile.ts"

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = fs.constants

/**
 * The kernel locks the file for each write, and those who wait for it spin on the processor. With two, the next write begins
 * without a round through the event loop; with four, 1.4 GB to ext4 took 3.3 s of CPU instead of 2.9.
 */
const writesAtOnce = 2

const longestJournal = 16 * 1024 * 1024

/** Part files on the disk of this machine. */
export const layer: Layer.Layer<PartFiles> = Layer.effect(
  PartFiles,
  Effect.gen(function* () {
    const modeAt = makeModes()
    // Under the name of a new journal, which is cleared away after a kill.
    const modeOf = (place: PartPlace) => {
      const path = join(place.directory, freshJournal(place))
      return modeAt(path).pipe(named(path, "create"))
    }
    const locks = yield* makeFileLocks
    return PartFiles.of({
      ours,
      claim: (place) => claim(place, locks),
      clearClaim: (place) => clearClaim(place, locks),
      fingerprint: (text) => Effect.sync(() => sha256(text)),
      settleExisting,
      isThere: (directory, name) => Effect.map(statPlainFile(join(directory, name)), (stats) => stats !== null),
      beside: openBeside,
      free,
      reopen: (place) => reopen(place, modeOf(place)),
      create: (place) => create(place, modeOf(place)),
      readJournal,
      writeJournal,
      withdraw,
      discard,
      digest: digestOf,
      replaceText,
      syncFolder: (directory) => Effect.ignore(syncFolder(directory))
    })
  })
)

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

// --- names -----------------------------------------------------------------------------------------------------------

/** A part is its owner's alone, so in a folder that several users share that of a colleague can neither be read nor written. */
const ours = Effect.fnUntraced(function* (place: PartPlace) {
  for (const name of [place.part, place.journal]) {
    const mode = fs.constants.R_OK | fs.constants.W_OK
    const other = yield* call((done) => fs.access(join(place.directory, name), mode, done)).pipe(
      Effect.as(false),
      Effect.catch(({ code }) => Effect.succeed(refusals.includes(code)))
    )
    if (!other) continue
    yield* Effect.logInfo(
      `${place.name}: the unfinished file of another user cannot be used, so this run begins one of its own`
    )
    // The claim stays that of all users: a colleague whose run lives is waited for.
    return { ...ownPlace(place), lock: place.lock }
  }
  return place
})

const refusals: ReadonlyArray<string> = ["EACCES", "EPERM"]

/** The place beside another user's. */
const ownPlace = (place: PartPlace) => withMark(place, sha256(`${place.part} ${process.geteuid?.()}`).slice(0, 8))

const settleExisting = Effect.fnUntraced(function* (place: PartPlace) {
  const final = yield* statPlainFile(join(place.directory, place.name))
  if (final === null) return null
  const part = yield* statPlainFile(join(place.directory, place.part))
  if (part !== null && sameFile(part, final)) yield* remove(join(place.directory, place.part))
  if (part === null || sameFile(part, final)) yield* remove(join(place.directory, place.journal))
  return final.size
})

const openBeside = Effect.fnUntraced(function* (directory: string, name: string) {
  const path = join(directory, name)
  const fd = yield* openScoped(path, O_RDONLY | O_NONBLOCK).pipe(
    tolerate("ENOENT", "ELOOP", "ENXIO"),
    named(path, "open")
  )
  if (fd === null) return null
  const stats = yield* call<fs.Stats>((done) => fs.fstat(fd, done)).pipe(named(path, "look at"))
  if (!stats.isFile()) return null
  const read = (offset: number, length: number) => readExactly(fd, offset, length).pipe(named(path, "read"))
  const unchanged = Effect.map(
    statPlainFile(path),
    (now) => now !== null && sameFile(now, stats) && now.size === stats.size && now.mtimeMs === stats.mtimeMs
  )
  return { ...readerOfPart({ read }, stats.size), unchanged }
})

const digestOf = Effect.fnUntraced(function* (directory: string, name: string, algorithm: Algorithm) {
  const path = join(directory, name)
  const stats = yield* statPlainFile(path)
  if (stats === null) return yield* new LocalIo({ path, operation: "read", errno: "ENOENT" })
  const fd = yield* openScoped(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).pipe(named(path, "open"))
  return (yield* hashingOf(fd, path).digests(stats.size, [algorithm])).get(algorithm) ?? ""
}, Effect.scoped)

const replaceText = Effect.fnUntraced(function* (directory: string, name: string, text: string) {
  const path = join(directory, name)
  yield* statPlainFile(path)
  yield* replaceFile(path, [Buffer.from(text)], "the checksum")
})

const free = ({ directory }: Pick<PartPlace, "directory">) =>
  call<fs.StatsFs>((done) => fs.statfs(directory, done)).pipe(
    // A file system that counts no blocks (some network and memory ones) says nothing about its space.
    Effect.map(({ bavail, bsize, blocks }) => (blocks === 0 ? null : bavail * bsize)),
    Effect.orElseSucceed(() => null)
  )

const withdraw = Effect.fnUntraced(function* ({ directory, name }: PartPlace) {
  const path = join(directory, name)
  if ((yield* statPlainFile(path)) === null) return
  yield* remove(path)
  yield* named(directory, "sync")(syncFolder(directory))
})

const discard = Effect.fnUntraced(function* (place: PartPlace) {
  yield* remove(join(place.directory, freshJournal(place)))
  yield* remove(join(place.directory, place.journal))
  yield* remove(join(place.directory, place.part))
})

// --- claim -----------------------------------------------------------------------------------------------------------

const claim = (place: PartPlace, { acquire }: FileLocks) =>
  acquire(join(place.directory, place.lock), { wait: 0 }).pipe(
    // A lock that a killed run of another user left may not be removed in a folder with the sticky bit.
    Effect.catchIf(
      (error) => error._tag === "SvcLocalIo" && error.operation === takingOver,
      () => acquire(join(place.directory, ownPlace(place).lock), { wait: 0 })
    ),
    Effect.asVoid,
    Effect.catchTags({
      SvcBusy: ({ owner }) => new Busy({ file: place.name, owner }),
      // The claim is the first file that is made.
      SvcLocalIo: (error) =>
        error.errno === "ENOSPC"
          ? Effect.flatMap(wantOfRoom(place.directory), (errno) => new LocalIo({ ...error, errno }))
          : error
    })
  )

/** Taking over the lock of a run that ended, and giving it back, removes it. */
const clearClaim = (place: PartPlace, locks: FileLocks) =>
  Effect.suspend(() =>
    fs.existsSync(join(place.directory, place.lock)) ? Effect.scoped(claim(place, locks)) : Effect.void
  ).pipe(Effect.ignore)

// --- journal ---------------------------------------------------------------------------------------------------------

/** A journal that is being written. */
const freshJournal = ({ journal }: PartPlace) => `${journal}.new`

const readJournal = Effect.fnUntraced(function* (place: PartPlace) {
  const path = join(place.directory, place.journal)
  const stats = yield* statPlainFile(path)
  if (stats === null || stats.size > longestJournal) return null
  return yield* Effect.scoped(
    Effect.flatMap(openScoped(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK), (fd) => readExactly(fd, 0, stats.size))
  ).pipe(
    Effect.map((bytes) => Buffer.from(bytes).toString("utf8")),
    tolerate("ENOENT"),
    named(path, "read")
  )
})

const writeJournal = Effect.fnUntraced(function* (place: PartPlace, text: string) {
  const path = join(place.directory, place.journal)
  const fresh = join(place.directory, freshJournal(place))
  yield* statPlainFile(path)
  yield* remove(fresh)
  const bytes = Buffer.from(text, "utf8")
  const replace = (file: FreshFile) => named(path, "replace")(file.rename(path))
  yield* named(fresh, "write")(withFresh(fresh, bytes, 0o600, replace))
})

// --- part ------------------------------------------------------------------------------------------------------------

const reopen = Effect.fnUntraced(function* (place: PartPlace, mode: Effect.Effect<number, LocalIo>) {
  const path = join(place.directory, place.part)
  const seen = yield* statPlainFile(path)
  // A second name of the same file may be a finished download: it must not be written to.
  if (seen === null || seen.nlink !== 1) return null
  const fd = yield* openScoped(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK).pipe(tolerate("ENOENT"), named(path, "open"))
  if (fd === null) return null
  const stats = yield* call<fs.Stats>((done) => fs.fstat(fd, done)).pipe(named(path, "look at"))
  return sameFile(stats, seen) ? yield* partFile(place, fd, stats, yield* mode) : null
})

const create = Effect.fnUntraced(function* (place: PartPlace, mode: Effect.Effect<number, LocalIo>) {
  const path = join(place.directory, place.part)
  const journal = join(place.directory, place.journal)
  const [oldPart, oldJournal] = [yield* statPlainFile(path), yield* statPlainFile(journal)]
  if (oldPart !== null || oldJournal !== null) {
    // No old journal must ever be read as that of the new part, nor a new one as that of the old part: not even after a
    // power cut, which may forget any change of the folder that was not synced.
    yield* remove(journal)
    yield* remove(path)
    yield* named(place.directory, "sync")(syncFolder(place.directory))
  }
  const fd = yield* openScoped(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW).pipe(
    Effect.catch(
      (error): Effect.Effect<never, CannotCreate | Errno> =>
        error.code === "ENOENT" || error.code === "ENOTDIR"
          ? new CannotCreate({ path: join(place.directory, place.name), reason: "its folder does not exist" })
          : error
    ),
    named(path, "create")
  )
  const stats = yield* call<fs.Stats>((done) => fs.fstat(fd, done)).pipe(named(path, "look at"))
  return yield* partFile(place, fd, stats, yield* mode)
})

const partFile = Effect.fnUntraced(function* (
  place: PartPlace,
  fd: number,
  stats: fs.Stats,
  mode: number
): Effect.fn.Return<PartFile, LocalIo, Scope.Scope> {
  const path = join(place.directory, place.part)
  const folder = yield* openScoped(place.directory, O_RDONLY | O_DIRECTORY).pipe(named(place.directory, "open"))
  const hashing = hashingOf(fd, path)
  const writing = yield* Semaphore.make(writesAtOnce)
  const read = (at: number, length: number, room?: Uint8Array) =>
    readExactly(fd, at, length, room).pipe(named(path, "read"))

  return {
    // A part may have holes, so its length says little; 512 is the unit of POSIX.
    allocated: Math.min(stats.size, stats.blocks * 512),
    write: (offset, bytes) => writeAll(fd, bytes, offset).pipe(writing.withPermit, named(path, "write")),
    read,
    sync: sync(fd).pipe(named(path, "sync"), Effect.asVoid),
    finalUpTo: hashing.follow,
    digests: hashing.digests,
    checkName: (overwrite) => checkName(join(place.directory, place.name), overwrite),
    commit: (size, overwrite) => Effect.uninterruptible(commit(place, { fd, folder, stats, mode }, size, overwrite))
  }
})

// --- commit ----------------------------------------------------------------------------------------------------------

interface Opened {
  readonly fd: number
  readonly folder: number
  readonly stats: fs.Stats
  readonly mode: number
}

const commit = Effect.fnUntraced(function* (place: PartPlace, open: Opened, size: number, overwrite: boolean) {
  const path = join(place.directory, place.part)
  const final = join(place.directory, place.name)
  yield* Effect.gen(function* () {
    // Cutting off nothing would still make it younger than the index beside it, of which samtools and picard then warn.
    const { size: length } = yield* call<fs.Stats>((done) => fs.fstat(open.fd, done))
    if (length !== size) yield* call((done) => fs.ftruncate(open.fd, size, done))
    yield* call((done) => fs.fchmod(open.fd, open.mode, done)).pipe(tolerate(...modeless))
    yield* sync(open.fd)
  }).pipe(named(path, "complete"))
  yield* checkUnmoved(place, open)
  yield* checkName(final, overwrite)
  if (overwrite) yield* call((done) => fs.rename(path, final, done)).pipe(named(final, "create"))
  else yield* linkOrRename(path, final)
  const back = overwrite ? Effect.void : Effect.ignore(takeBack(path, final))
  yield* Effect.onError(sync(open.folder).pipe(named(place.directory, "sync")), () => back)
  // The file is there for good; `settleExisting` clears away what cannot be removed now.
  if (!overwrite) yield* Effect.ignore(Effect.retry(remove(path), { times: 2 }))
  yield* Effect.ignore(Effect.retry(remove(join(place.directory, place.journal)), { times: 2 }))
})

/** Removes the final name again after a failed commit; the part keeps its own name, so nothing is lost. */
const takeBack = (path: string, final: string) =>
  Effect.flatMap(Effect.all([statPlainFile(path), statPlainFile(final)]), ([part, made]) =>
    part !== null && made !== null && sameFile(part, made) ? remove(final) : Effect.void
  )

/** The names must still lead to the folder and file that were opened: otherwise someone else's would be renamed. */
const checkUnmoved = Effect.fnUntraced(function* (place: PartPlace, { folder, stats }: Opened) {
  const path = join(place.directory, place.part)
  const [ours, now, part] = yield* Effect.all([
    call<fs.Stats>((done) => fs.fstat(folder, done)),
    call<fs.Stats>((done) => fs.stat(place.directory, done)).pipe(tolerate("ENOENT", "ENOTDIR")),
    call<fs.Stats>((done) => fs.lstat(path, done)).pipe(tolerate("ENOENT", "ENOTDIR"))
  ]).pipe(named(place.directory, "look at"))
  if (now === null || !sameFile(ours, now)) {
    return yield* new CannotCreate({
      path: place.directory,
      reason: `the folder was moved or replaced meanwhile${orNumbers}`
    })
  }
  if (part === null || !sameFile(part, stats)) {
    return yield* new CannotCreate({ path, reason: `the unfinished file was moved or replaced meanwhile${orNumbers}` })
  }
})

const orNumbers =
  ", or its file system gives the same file another number (inode) each time and is no safe place for downloads"
