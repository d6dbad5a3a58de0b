import { createHash } from "node:crypto"
import { createReadStream, readFileSync } from "node:fs"
import type { Readable } from "node:stream"

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
export const nextVersion = (file: StoredFile, version: number): StoredFile => {
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
