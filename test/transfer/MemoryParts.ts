/** `PartFiles` in memory: one folder, with a hook that fails chosen operations. */
import { createHash } from "node:crypto"
import { crc32 } from "node:zlib"
import { Effect, Layer } from "effect"
import { Busy, CannotCreate, LocalIo } from "../../core/src/Errors.ts"
import { fromBytes } from "../../core/src/genome/ByteReader.ts"
import type { Algorithm, Digests } from "../../core/src/transfer/Digests.ts"
import { type PartFile, PartFiles, type PartPlace } from "../../core/src/transfer/PartFiles.ts"

export type DiskOperation = "create" | "write" | "read" | "sync" | "journal" | "commit" | "checksum"

const hex = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex")

const digestsOf = (bytes: Uint8Array, algorithms: ReadonlyArray<Algorithm>): Digests =>
  new Map(algorithms.map((one) => [one, own[one]?.(bytes) ?? createHash(one).update(bytes).digest("hex")]))

/** Bit by bit. */
export const crc32c = (bytes: Uint8Array): string => {
  const table = Int32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0)
    return crc
  })
  let crc = -1
  for (const byte of bytes) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0)
  return (~crc >>> 0).toString(16).padStart(8, "0")
}

/** Those that are no hash of `node:crypto`. */
const own: Partial<Record<Algorithm, (bytes: Uint8Array) => string>> = {
  crc32: (bytes) => crc32(bytes).toString(16).padStart(8, "0"),
  crc32c
}

export class MemoryParts {
  readonly files = new Map<string, Uint8Array>()
  readonly claimed = new Set<string>()
  /** Names of what is no file. */
  readonly odd = new Set<string>()
  /** Operations that happened, with the operand that matters. */
  readonly log: Array<string> = []
  /** Bytes of parts that were read. */
  bytesRead = 0
  freeBytes: number | null = null
  /** The system's name of the error that an operation gives, null for none. */
  fails: (operation: DiskOperation, count: number) => string | null = () => null
  readonly #counts = new Map<DiskOperation, number>()

  /** Names that exist, sorted. */
  get names(): ReadonlyArray<string> {
    return [...this.files.keys()].sort()
  }

  get layer(): Layer.Layer<PartFiles> {
    return Layer.succeed(PartFiles, {
      ours: (place) => Effect.succeed(place),
      fingerprint: (text) => Effect.sync(() => hex(text)),
      settleExisting: ({ name }) => Effect.sync(() => this.files.get(name)?.length ?? null),
      isThere: (_, name) => Effect.map(this.#plain(name), () => this.files.has(name)),
      beside: (_, name) =>
        Effect.sync(() => {
          const bytes = this.files.get(name)
          const unchanged = Effect.sync(() => this.files.get(name) === bytes)
          return bytes === undefined ? null : { ...fromBytes(bytes), unchanged }
        }),
      free: () => Effect.sync(() => this.freeBytes),
      reopen: (place) => Effect.sync(() => (this.files.has(place.part) ? this.#part(place) : null)),
      create: (place) =>
        this.#does("create", place.part, () => {
          this.files.delete(place.journal)
          this.files.set(place.part, new Uint8Array(0))
          return this.#part(place)
        }),
      readJournal: ({ journal }) => Effect.sync(() => this.#text(journal)),
      writeJournal: ({ journal }, text) =>
        this.#does("journal", journal, () => {
          this.files.set(journal, new TextEncoder().encode(text))
        }),
      withdraw: ({ name }) =>
        Effect.andThen(
          this.#plain(name),
          Effect.sync(() => void this.files.delete(name))
        ),
      digest: (_, name, algorithm) =>
        Effect.sync(() => digestsOf(this.files.get(name) ?? new Uint8Array(0), [algorithm]).get(algorithm) ?? ""),
      replaceText: (_, name, text) =>
        this.#does("checksum", name, () => void this.files.set(name, new TextEncoder().encode(text))),
      syncFolder: () => Effect.void,
      discard: ({ part, journal }) =>
        Effect.sync(() => {
          this.log.push("discard")
          this.files.delete(part)
          this.files.delete(journal)
        }),
      clearClaim: () => Effect.void,
      claim: ({ part, name }) =>
        Effect.asVoid(
          Effect.acquireRelease(
            Effect.suspend(() => {
              if (this.claimed.has(part)) return new Busy({ file: name, owner: "another" })
              this.claimed.add(part)
              return Effect.void
            }),
            () => Effect.sync(() => this.claimed.delete(part))
          )
        )
    })
  }

  #plain(name: string): Effect.Effect<void, CannotCreate> {
    return Effect.suspend(() =>
      this.odd.has(name) ? new CannotCreate({ path: name, reason: "no file" }) : Effect.void
    )
  }

  #text(name: string): string | null {
    const bytes = this.files.get(name)
    return bytes === undefined ? null : new TextDecoder().decode(bytes)
  }

  #does<A>(operation: DiskOperation, path: string, work: () => A): Effect.Effect<A, LocalIo> {
    return Effect.suspend(() => {
      const count = (this.#counts.get(operation) ?? 0) + 1
      this.#counts.set(operation, count)
      this.log.push(operation)
      const errno = this.fails(operation, count)
      return errno === null ? Effect.sync(work) : new LocalIo({ path, operation, errno })
    })
  }

  #part(place: PartPlace): PartFile {
    const { part, name, journal } = place
    const bytes = () => this.files.get(part) ?? new Uint8Array(0)
    let settled = 0
    const checkName = (overwrite: boolean) =>
      Effect.suspend(() =>
        this.files.has(name) && !overwrite ? new CannotCreate({ path: name, reason: "it appeared" }) : Effect.void
      )
    return {
      checkName,
      allocated: bytes().length,
      write: (offset, data) =>
        this.#does("write", part, () => {
          assertSettled(offset >= settled, "bytes that were promised to be final are written again")
          const end = offset + data.length
          const old = bytes()
          const room = end <= old.buffer.byteLength ? old.buffer : roomFor(end)
          const grown = new Uint8Array(room, 0, Math.max(old.length, end))
          if (room !== old.buffer) grown.set(old)
          grown.set(data, offset)
          this.files.set(part, grown)
        }),
      read: (offset, length) =>
        this.#does("read", part, () => {
          const found = bytes().slice(offset, offset + length)
          this.bytesRead += found.length
          return found
        }),
      sync: this.#does("sync", part, () => undefined),
      finalUpTo: (frontier) =>
        Effect.sync(() => {
          settled = Math.max(settled, frontier)
        }),
      digests: (size, algorithms) => Effect.sync(() => digestsOf(bytes().subarray(0, size), algorithms)),
      commit: (size, overwrite) =>
        Effect.andThen(
          this.#does("commit", name, () => undefined),
          Effect.andThen(
            checkName(overwrite),
            Effect.sync(() => {
              this.files.set(name, bytes().subarray(0, size))
              this.files.delete(part)
              this.files.delete(journal)
            })
          )
        )
    }
  }
}

/** Room for `end` bytes and more, so that a growing file is hardly ever copied. What is not written takes no memory. */
const roomFor = (end: number) => new ArrayBuffer(end < 0x100000 ? end * 2 : end + 0x10000000)

const assertSettled = (holds: boolean, message: string) => {
  if (!holds) throw new Error(message)
}
