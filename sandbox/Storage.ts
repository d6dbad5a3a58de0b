/** The objects of the link host, and the archive that they may lie in. */
import { createHash } from "node:crypto"
import { createReadStream, readFileSync } from "node:fs"
import type { Readable } from "node:stream"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { BehaviourValues } from "./Behaviour.ts"
import type { Stats } from "./Stats.ts"

/** One object of the link host. */
export interface StoredFile {
  /** Digits, unique, also when two files have one name. */
  readonly key: string
  readonly analysis: string
  /** As listed; may be hostile when a world file says so. */
  readonly name: string
  readonly source:
    | { readonly _tag: "Memory"; readonly bytes: () => Uint8Array }
    | { readonly _tag: "Disk"; readonly path: string }
  readonly size: number
  /** Strong, with its quotes. */
  readonly etag: string
  /** Milliseconds since the epoch, whole seconds. */
  readonly lastModified: number
  readonly startsArchived: boolean
  /** Sent as the download link instead of a presigned one. */
  readonly link?: string
  /** Sent as the size instead of the true one. */
  readonly listedSize?: number | null
}

export type FileIdentity = Omit<StoredFile, "source" | "size" | "etag" | "lastModified">

const md5 = (content: Uint8Array | string) => createHash("md5").update(content).digest("hex")

/** 2026-01-15T08:00:00Z: generated files have always been there. */
const generatedAt = 1_768_464_000_000

/** Its bytes may be made when they are first asked for, so nothing looks at them before. */
export const memoryFile = (identity: FileIdentity, bytes: () => Uint8Array): StoredFile => {
  let etag: string | null = null
  return {
    ...identity,
    source: { _tag: "Memory", bytes },
    get size() {
      return bytes().length
    },
    get etag() {
      etag ??= `"${md5(bytes())}"`
      return etag
    },
    lastModified: generatedAt
  }
}

/** `"<hash>-<parts>"` is what multi-part uploads look like; hashing gigabytes at the start would be for nothing. */
export const diskFile = (
  identity: FileIdentity,
  path: string,
  stat: { size: number; mtimeMs: number }
): StoredFile => ({
  ...identity,
  source: { _tag: "Disk", path },
  size: stat.size,
  etag: `"${md5(`${path}\n${stat.size}\n${stat.mtimeMs}`)}-2"`,
  lastModified: Math.floor(stat.mtimeMs / 1000) * 1000
})

const readWhole = (file: StoredFile): Uint8Array =>
  file.source._tag === "Memory" ? file.source.bytes() : readFileSync(file.source.path)

/** The bytes from `start` to `end` (0-based, end exclusive, not empty) of a file on disk. */
export const openDisk = (path: string, start: number, end: number): Readable =>
  createReadStream(path, { start, end: end - 1, highWaterMark: 1 << 20 })

const endBlockLength = 28

/**
 * The same file uploaded again: other bytes of the same length and meaning, and another ETag. Each BGZF block has a
 * time stamp field nobody reads (RFC 1952 MTIME), which takes the number of the version; the end block stays as it is.
 * A file that is not BGZF keeps its bytes.
 */
const nextVersion = (file: StoredFile, version: number): StoredFile => {
  const bytes = Buffer.from(readWhole(file))
  const isBgzf = bytes.length > endBlockLength && bytes.readUInt32LE(0) === 0x04088b1f
  for (let at = 0; isBgzf && at + endBlockLength < bytes.length; at += bytes.readUInt16LE(at + 16) + 1) {
    bytes.writeUInt32LE(version, at + 4)
  }
  return {
    ...file,
    source: { _tag: "Memory", bytes: () => bytes },
    etag: `"${md5(`${md5(bytes)} ${version}`)}"`,
    lastModified: file.lastModified + version * 1000
  }
}

/** Where a file is: readable, in the archive, or on its way back until `readyAt` (milliseconds since the epoch). */
type StorageState =
  | { readonly _tag: "Online" }
  | { readonly _tag: "Archived" }
  | { readonly _tag: "Thawing"; readonly readyAt: number }

const online: StorageState = { _tag: "Online" }
const archived: StorageState = { _tag: "Archived" }

/** The files as they are now: some of them replaced, some in the archive. A restore request starts a thaw, which ends by itself after `restoreDelay`. */
export const makeStorage = (files: ReadonlyArray<StoredFile>, behaviour: BehaviourValues, stats: Stats) => {
  const current = new Map<string, StoredFile>()
  // Per key: when the thaw ends, or `null` for "frozen by hand". Without an entry a file is where it started.
  const thaws = new Map<string, number | null>()
  const rearchiveAfter = behaviour.rearchiveAfter === null ? null : Duration.toMillis(behaviour.rearchiveAfter)
  let version = 0

  const stateAt = (file: StoredFile, now: number): StorageState => {
    const readyAt = thaws.get(file.key)
    if (readyAt === undefined) return file.startsArchived ? archived : online
    if (readyAt === null) return archived
    if (now < readyAt) return { _tag: "Thawing", readyAt }
    return rearchiveAfter !== null && now >= readyAt + rearchiveAfter ? archived : online
  }
  const reset = () => {
    for (const file of files) current.set(file.key, file)
    thaws.clear()
  }
  reset()

  return {
    byKey: (key: string) => current.get(key),
    /** In the order of their list. */
    ofAnalysis: (analysis: string) => [...current.values()].filter((file) => file.analysis === analysis),
    /** Puts another version of the file in its place, or the bytes of `analysis/file`. */
    swap: (file: StoredFile, to: true | string) => {
      const source = to === true ? file : [...current.values()].find((each) => `${each.analysis}/${each.name}` === to)
      const { source: content, size, etag, lastModified } = nextVersion(source ?? file, ++version)
      current.set(file.key, { ...file, source: content, size, etag, lastModified })
    },
    state: (file: StoredFile) => Effect.map(Clock.currentTimeMillis, (now) => stateAt(file, now)),
    /** Starts to restore an archived file; returns when the file can be read, in ms since 1970. */
    restore: (file: StoredFile) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const state = stateAt(file, now)
        if (state._tag === "Online") return now
        if (state._tag === "Thawing" && behaviour.restoreAgain === "same") return state.readyAt
        const readyAt = now + Duration.toMillis(behaviour.restoreDelay)
        thaws.set(file.key, readyAt)
        if (state._tag === "Archived") stats.restores++
        return readyAt
      }),
    /** Every restoration under way ends now. */
    thaw: Effect.map(Clock.currentTimeMillis, (now) => {
      for (const [key, readyAt] of thaws) if (readyAt !== null && readyAt > now) thaws.set(key, now)
    }),
    freeze: (file: StoredFile) => void thaws.set(file.key, null),
    reset
  }
}
