/** Digests of an open file, which follow its writers: they read what was just written out of the page cache, a stride at a time. */
import { createHash } from "node:crypto"
import fs from "node:fs"
// By its default export: Node 18 has no `crc32` to import, and would fail before `Runtime.ts` can say what it needs.
import zlib from "node:zlib"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { LocalIo } from "../../core/src/Errors.ts"
import { type Algorithm, type Digests, Hashing, type RunningDigest } from "../../core/src/transfer/Digests.ts"
import { call, named, readExactly } from "./FileCalls.ts"

/** A file is followed stride by stride; a smaller one is read when it is complete. */
const stride = 4 * 1024 * 1024
/** Small enough to stay in the cache of a processor between the read and the hash. */
const readLength = 256 * 1024

export interface FileHashing {
  /** Says that the bytes before `frontier` are final. The first call that begins the work says which digests are computed on the way. */
  readonly follow: (frontier: number, algorithms: ReadonlyArray<Algorithm>) => Effect.Effect<void>
  /** Digests of the first `size` bytes, which are final. */
  readonly digests: (size: number, algorithms: ReadonlyArray<Algorithm>) => Effect.Effect<Digests, LocalIo>
}

const inHex = (sum: number) => (sum >>> 0).toString(16).padStart(8, "0")

const crc32 = (): RunningDigest => {
  let sum = 0
  return {
    update: (bytes) => {
      sum = zlib.crc32(bytes, sum)
    },
    digest: () => inHex(sum)
  }
}

type Tables = readonly [Int32Array, Int32Array, Int32Array, Int32Array]
let tables: Tables | null = null

const at = (table: Int32Array, i: number): number => table[i & 255] ?? 0

const makeTables = (): Tables => {
  const first = new Int32Array(256)
  for (let i = 0; i < 256; i++) {
    let c = i
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0x82f63b78 : c >>> 1
    first[i] = c
  }
  const next = (before: Int32Array) => before.map((c) => (c >>> 8) ^ at(first, c))
  const second = next(first)
  const third = next(second)
  return [first, second, third, next(third)]
}

/** CRC-32C (RFC 3720, appendix B.4), four bytes at a time; Node has only the CRC-32 of gzip. */
const crc32c = (): RunningDigest => {
  tables ??= makeTables()
  const [t0, t1, t2, t3] = tables
  let c = -1
  return {
    update: (bytes) => {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      let i = 0
      for (; i + 4 <= bytes.length; i += 4) {
        c ^= view.getInt32(i, true)
        c = at(t3, c) ^ at(t2, c >>> 8) ^ at(t1, c >>> 16) ^ at(t0, c >>> 24)
      }
      for (; i < bytes.length; i++) c = (c >>> 8) ^ at(t0, c ^ view.getUint8(i))
    },
    digest: () => inHex(c ^ -1)
  }
}

const begin = (algorithm: Algorithm): RunningDigest =>
  algorithm === "crc32" ? crc32() : algorithm === "crc32c" ? crc32c() : createHash(algorithm)

/** Digests of what is in memory. */
export const layer: Layer.Layer<Hashing> = Layer.succeed(Hashing, { begin })

type Hashes = ReadonlyMap<Algorithm, RunningDigest>

const hashesOf = (algorithms: ReadonlyArray<Algorithm>): Hashes =>
  new Map(algorithms.map((algorithm) => [algorithm, begin(algorithm)]))

/** Hashes the file behind `fd`. Nothing of it is read before it is large enough to be followed, or complete. */
export const hashingOf = (fd: number, path: string): FileHashing => {
  let followed: Hashes | null = null
  /** Bytes that the followed digests have seen, and those that they may. */
  let seen = 0
  let frontier = 0
  let buffer = Buffer.alloc(0)
  const turn = Semaphore.makeUnsafe(1)

  const read = Effect.fnUntraced(function* (hashes: Hashes, offset: number, end: number) {
    // No larger than the file: ten thousand buffers of 256 KiB for small files kept the garbage collector busy.
    const length = Math.min(end - offset, readLength)
    if (buffer.length < length) buffer = Buffer.allocUnsafeSlow(length)
    const bytes = yield* readExactly(fd, offset, length, buffer.subarray(0, length)).pipe(named(path, "read"))
    if (bytes.length === 0) return yield* new LocalIo({ path, operation: "read", errno: "EIO" })
    for (const hash of hashes.values()) hash.update(bytes)
    return bytes.length
  })

  /** Whoever comes meanwhile need not wait: the frontier is looked at again. */
  const advance = Effect.fnUntraced(function* (hashes: Hashes) {
    while (seen < frontier) seen += yield* read(hashes, seen, frontier)
  })

  const whole = Effect.fnUntraced(function* (size: number, algorithms: ReadonlyArray<Algorithm>) {
    const hashes = hashesOf(algorithms)
    for (let offset = 0; offset < size; ) offset += yield* read(hashes, offset, size)
    return hashes
  })

  return {
    follow: (next, algorithms) =>
      Effect.suspend(() => {
        frontier = Math.max(frontier, next)
        if (frontier - seen < stride) return Effect.void
        const hashes = followed ?? hashesOf(algorithms)
        followed = hashes
        // What cannot be read is said when the digests are asked for.
        return Effect.ignore(turn.withPermitsIfAvailable(1)(advance(hashes)))
      }),
    digests: (size, algorithms) =>
      turn.withPermit(
        Effect.gen(function* () {
          frontier = size
          // Cut by somebody else, after it was read.
          const stats = yield* call<fs.Stats>((done) => fs.fstat(fd, done)).pipe(named(path, "read"))
          if (stats.size < size) return yield* new LocalIo({ path, operation: "read", errno: "EIO" })
          // It was made shorter since then.
          if (seen > size) followed = null
          if (followed !== null) yield* advance(followed)
          // What became known only late costs a second reading.
          const late = algorithms.filter((algorithm) => followed?.has(algorithm) !== true)
          const rest = late.length === 0 ? new Map<Algorithm, RunningDigest>() : yield* whole(size, late)
          const digests = new Map([...(followed ?? []), ...rest].map(([name, hash]) => [name, hash.digest("hex")]))
          followed = null
          seen = 0
          buffer = Buffer.alloc(0)
          return digests
        })
      )
  }
}
