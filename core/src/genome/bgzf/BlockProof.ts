/**
 * Proves the blocks of a file while its bytes arrive, in any order and over several connections: the CRC-32 and the size of each.
 *
 * One rule: **chains of proven blocks tile the file.** A chain grows by the bytes that came, and nothing is said of what could not be
 * proven so: what comes in front of the first block of a connection, a block across two of them, a damaged one. In the end what no
 * chain covers is read, from block to block, and only this finds damage. So a guess where blocks begin may be wrong: it costs a reading.
 */
import * as Effect from "effect/Effect"
import type * as Semaphore from "effect/Semaphore"
import type { FileDamaged } from "../../Errors.ts"
import type { ByteReader } from "../ByteReader.ts"
import * as Bgzf from "./Bgzf.ts"
import { badBlock, readBlocks } from "./Blocks.ts"
import type { Codec } from "./Codec.ts"
import { type BlockRun, inflateRun, inflateSingly, mostBlocks, release } from "./InflatedRun.ts"

export interface BlockProof {
  /** Proves what it can of bytes that lie at `offset`; they may change after it returns. Those of one connection come in their order. */
  readonly take: (offset: number, bytes: Uint8Array) => Effect.Effect<void>
  /** Proves the rest of the complete file. Fails with its first damage. */
  readonly finish: <E>(file: string, reader: ByteReader<E>) => Effect.Effect<void, FileDamaged | E>
}

/** Bytes that are read at once of what no chain covers, where there are as many. */
const readLength = 1024 * 1024
/** Chains that may still grow; each holds less than 64 KiB. A connection that ends leaves one, which nothing continues. */
const mostGrowing = 64

/** A chain, and the bytes of the block after it that have come. */
interface Growing {
  /** Where its first block begins in the file. */
  readonly from: number
  readonly begun: Uint8Array
}

const join = (one: Uint8Array, other: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(one.length + other.length)
  bytes.set(one)
  bytes.set(other, one.length)
  return bytes
}

/** Where the whole blocks from `first` on begin, and where the last of them ends. */
const wholeBlocks = (bytes: Uint8Array, first: number): ReadonlyArray<number> => {
  const starts = [first]
  for (let at = first; ; starts.push(at)) {
    const size = Bgzf.blockSize(bytes, at)
    if (size <= 0 || at + size > bytes.length) return starts
    at += size
  }
}

/** Where the first thing that looks like a block begins; null where nothing does. */
const firstBlock = (bytes: Uint8Array): number | null => {
  let at = bytes.indexOf(0x1f)
  while (at !== -1 && Bgzf.blockSize(bytes, at) <= 0) at = bytes.indexOf(0x1f, at + 1)
  return at === -1 ? null : at
}

const runsOf = ({ bytes, starts }: BlockRun): ReadonlyArray<BlockRun> =>
  Array.from({ length: Math.ceil((starts.length - 1) / mostBlocks) }, (_, i) => ({
    bytes,
    starts: starts.slice(i * mostBlocks, (i + 1) * mostBlocks + 1)
  }))

/** @param turns - one for each call that inflates, whatever file it is for */
export const make = (codec: Codec["Service"], turns: Semaphore.Semaphore): BlockProof => {
  /** Where chains end, by where they begin. */
  const chains = new Map<number, number>()
  /** By the byte that they wait for. */
  const growing = new Map<number, Growing>()

  /**
   * Whether all blocks of a run are sound. One that zlib refuses is halved down to single blocks: bytes that look like a second member
   * stand in sound blocks, too.
   */
  const isSound = (run: BlockRun): Effect.Effect<boolean> =>
    Effect.gen(function* () {
      const inflated = yield* turns.withPermit(inflateRun(codec, run))
      if (inflated !== null) {
        release(inflated.content)
        return true
      }
      const { bytes, starts } = run
      if (starts.length === 2) return inflateSingly(codec, run).wrong === null
      const middle = starts.length >> 1
      if (!(yield* isSound({ bytes, starts: starts.slice(0, middle + 1) }))) return false
      return yield* isSound({ bytes, starts: starts.slice(middle) })
    })

  /** The first run that is not sound; null when all are. */
  const firstUnsound = (runs: ReadonlyArray<BlockRun>) =>
    Effect.map(
      Effect.forEach(runs, isSound, { concurrency: "unbounded" }),
      (sound) => runs[sound.indexOf(false)] ?? null
    )

  const take = Effect.fnUntraced(function* (offset: number, bytes: Uint8Array) {
    const before = growing.get(offset)
    growing.delete(offset)
    let first = before === undefined ? (offset === 0 ? 0 : firstBlock(bytes)) : 0
    if (first === null) return
    const from = before?.from ?? offset + first
    const head: Array<BlockRun> = []
    if (before !== undefined && before.begun.length > 0) {
      const joined = join(before.begun, bytes.subarray(0, Bgzf.maxBlock))
      const size = Bgzf.blockSize(joined, 0)
      if (size < 0) return
      if (size === Bgzf.needMore || size > joined.length) {
        growing.set(offset + bytes.length, { from, begun: joined })
        return
      }
      head.push({ bytes: joined, starts: [0, size] })
      first = size - before.begun.length
    }
    const starts = wholeBlocks(bytes, first)
    const last = starts.at(-1) ?? first
    const unsound = yield* firstUnsound([...head, ...runsOf({ bytes, starts })])
    const sound = unsound === null ? last : unsound.bytes === bytes ? (unsound.starts[0] ?? first) : null
    if (sound !== null && offset + sound > from) chains.set(from, offset + sound)
    if (unsound !== null || bytes.length - last >= Bgzf.maxBlock) return
    growing.set(offset + bytes.length, { from, begun: bytes.slice(last) })
    const [oldest] = growing.keys()
    if (growing.size > mostGrowing && oldest !== undefined) growing.delete(oldest)
  })

  const finish = Effect.fnUntraced(function* <E>(
    file: string,
    reader: ByteReader<E>
  ): Effect.fn.Return<void, FileDamaged | E> {
    const begins = [...chains.keys(), reader.size].sort((one, other) => one - other)
    let at = 0
    while (at < reader.size) {
      const proven = chains.get(at)
      if (proven !== undefined) {
        at = proven
        continue
      }
      while ((begins[0] ?? reader.size) < at) begins.shift()
      const batch = yield* readBlocks(file, reader, at, Math.min(readLength, (begins[0] ?? reader.size) - at))
      const meets = batch.starts.findIndex((start, i) => i > 0 && chains.has(at + start))
      const starts = meets === -1 ? batch.starts : batch.starts.slice(0, meets + 1)
      const unsound = yield* firstUnsound(runsOf({ bytes: batch.bytes, starts }))
      if (unsound !== null) {
        const { ends, wrong } = inflateSingly(codec, unsound)
        return yield* badBlock(file, at + (unsound.starts[ends.length] ?? 0), `it ${wrong}`)
      }
      at += starts.at(-1) ?? 0
    }
  })

  return { take, finish }
}
