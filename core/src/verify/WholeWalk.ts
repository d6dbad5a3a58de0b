/** Reads a BGZF file from its first to its last byte and proves every block: for who judges it, and for who reads on. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { FileDamaged } from "../Errors.ts"
import type { ByteReader } from "../genome/ByteReader.ts"
import * as Bgzf from "../genome/bgzf/Bgzf.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import type { ContentCheck } from "../genome/bgzf/ContentCheck.ts"
import {
  type BlockRun,
  type InflatedRun,
  inflateRun,
  inflateSingly,
  mostBlocks,
  release
} from "../genome/bgzf/InflatedRun.ts"
import { missingEnd } from "../genome/Structure.ts"

export interface BlockPosition {
  /** From 1. */
  readonly block: number
  /** Of the block's first byte in the file, 0-based. */
  readonly offset: number
}

/** A damaged file; `place` is null when the damage is not in one block. */
export class Damage extends Data.TaggedError("Damage")<{
  readonly error: FileDamaged
  readonly place: BlockPosition | null
}> {}

export const isDamage = (error: unknown): error is Damage => error instanceof Damage

/** @param phrase - with the block as subject, such as `has a wrong checksum` */
export const damageAt = (file: string, fault: FileDamaged["fault"], place: BlockPosition, phrase: string): Damage =>
  new Damage({
    error: new FileDamaged({ file, fault, reason: `block ${place.block} at byte ${place.offset} ${phrase}` }),
    place
  })

/** What a whole file is made of; `inflated` in bytes. */
export interface WalkFacts {
  readonly blocks: number
  readonly inflated: number
}

/** How a file is read while it is walked. */
export interface WalkPace {
  /** Bytes read at once. */
  readonly chunk: number
  /** Bytes of the first `ahead` chunks, so that the first blocks come soon. */
  readonly first: number
  /** Chunks that are read at the same time. */
  readonly ahead: number
}

/** For files on the disk: the content of a chunk fits into the cache of a processor. Larger ones take more memory and little less time. */
const diskPace: WalkPace = { chunk: 0x40000, first: 0x40000, ahead: 4 }

/** Runs that are inflated at the same time, while one is judged. */
const inflatedAtOnce = 4

/** A run and where it lies; or, at the end of what can be read, the reason. */
type RunOrEnd =
  | {
      readonly _tag: "Run"
      readonly run: BlockRun
      readonly first: BlockPosition
      readonly starts: ReadonlyArray<number>
    }
  | { readonly _tag: "End"; readonly damage: Damage }

/** Bytes that follow those of the chunk before, after `Bgzf.maxBlock` free bytes in a buffer of their own. */
interface Chunk {
  readonly buffer: Uint8Array<ArrayBuffer>
  readonly isLast: boolean
}

/** What the chunks so far leave: the start of the next block, and where that block lies. */
interface Rest {
  readonly bytes: Uint8Array
  readonly place: BlockPosition
}

const runOf = (
  bytes: Uint8Array<ArrayBuffer>,
  starts: ReadonlyArray<number>,
  from: number,
  place: BlockPosition
): RunOrEnd => {
  const part = starts.slice(from, from + mostBlocks + 1)
  const [begin = 0] = part
  const end = part.at(-1) ?? begin
  const whole = begin === 0 && from + part.length === starts.length
  return {
    _tag: "Run",
    // Most chunks are one run and move as they are.
    run: { bytes: whole ? bytes : bytes.slice(begin, end), starts: whole ? part : part.map((at) => at - begin) },
    first: { block: place.block + from, offset: place.offset + begin },
    starts: part.map((at) => place.offset + at)
  }
}

/**
 * Cuts a chunk, with the rest of the one before it, into runs of whole blocks.
 *
 * @param giveBack - takes a buffer that no run uses
 */
const cut = (
  file: string,
  { bytes: head, place }: Rest,
  { buffer, isLast }: Chunk,
  giveBack: (buffer: ArrayBuffer) => void
): [Rest, ReadonlyArray<RunOrEnd>] => {
  const from = Bgzf.maxBlock - head.length
  buffer.set(head, from)
  const bytes = buffer.subarray(from)
  const starts = [0]
  let damage: Damage | null = null
  let at = 0
  while (at < bytes.length && damage === null) {
    const next = { block: place.block + starts.length - 1, offset: place.offset + at }
    const size = Bgzf.blockSize(bytes, at)
    if (size < 0) {
      damage = damageAt(file, next.offset === 0 ? "NotBgzf" : "BadBlock", next, misfits[size] ?? "")
    } else if (size === Bgzf.needMore || at + size > bytes.length) {
      if (!isLast) break
      damage = damageAt(file, "Truncated", next, "is cut off by the end of the file")
    } else {
      at += size
      starts.push(at)
    }
  }
  const rest = {
    bytes: bytes.slice(at),
    place: { block: place.block + starts.length - 1, offset: place.offset + at }
  }
  const found: Array<RunOrEnd> = []
  for (let first = 0; first + 1 < starts.length; first += mostBlocks) found.push(runOf(bytes, starts, first, place))
  // Of several runs each has a copy, and the rest is one too.
  if (found.length !== 1) giveBack(buffer.buffer)
  return [rest, damage === null ? found : [...found, { _tag: "End", damage }]]
}

/**
 * The blocks of a file in runs, up to the first place where no whole block follows.
 *
 * @param free - buffers with room for a chunk to be used again: the collector would let fresh ones pile up
 * @param giveBack - puts one of them there
 */
const runsOf = <E>(
  file: string,
  reader: ByteReader<E>,
  { ahead, chunk, first }: WalkPace,
  free: Array<Uint8Array<ArrayBuffer>>,
  giveBack: (buffer: ArrayBufferLike) => void
): Stream.Stream<RunOrEnd, E> => {
  const read = Effect.fnUntraced(function* (i: number): Effect.fn.Return<Chunk, E> {
    const offset = Math.min(i, ahead) * first + Math.max(0, i - ahead) * chunk
    const length = Math.min(i < ahead ? first : chunk, reader.size - offset)
    const buffer = (free.pop() ?? new Uint8Array(Bgzf.maxBlock + chunk)).subarray(0, Bgzf.maxBlock + length)
    if (reader.readInto !== undefined) yield* reader.readInto(offset, buffer.subarray(Bgzf.maxBlock))
    else {
      const bytes = yield* reader.read(offset, length)
      buffer.set(bytes, Bgzf.maxBlock)
      // Given back at once, as the collector would let it pile up; but not what is a view of a whole file in memory.
      if (length < reader.size && bytes.buffer instanceof ArrayBuffer && bytes.buffer.byteLength === length) {
        bytes.buffer.transfer(0)
      }
    }
    return { buffer, isLast: offset + length === reader.size }
  })
  const start: Rest = { bytes: new Uint8Array(0), place: { block: 1, offset: 0 } }
  const later = Math.max(0, reader.size - ahead * first)
  const chunks = Math.ceil(Math.min(reader.size, ahead * first) / first) + Math.ceil(later / chunk)
  return Stream.range(0, chunks - 1).pipe(
    Stream.mapEffect(read, { concurrency: ahead }),
    Stream.mapAccum(
      () => start,
      (rest, chunk: Chunk) => cut(file, rest, chunk, giveBack)
    ),
    Stream.takeUntil(({ _tag }) => _tag === "End")
  )
}

const misfits: Readonly<Record<number, string>> = {
  [Bgzf.notBgzf]: "does not begin as a BGZF block",
  [Bgzf.badHeader]: "has a header that contradicts itself"
}

/** Consecutive blocks that are sound, and so are all before them; their bytes are used again when the next ones are asked for. */
export interface ProvenRun {
  /** The blocks as they stand in the file. */
  readonly raw: Uint8Array
  readonly content: Uint8Array
  readonly blocks: number
  /** Where they end in the file (bytes). */
  readonly end: number
}

/**
 * The blocks of a file, proven: headers, size and CRC-32 of every block, the end-of-file block, and what `check` looks at. This finds
 * any cut and any flipped bit that changes the content. A flipped bit that does not (one of the unused bits after a deflate
 * stream) is found by a checksum of the file only.
 *
 * Fails with the first `Damage` of the file, after the blocks before it, and the content before the record that is damaged.
 */
export const provenRuns = <E>(
  file: string,
  reader: ByteReader<E>,
  check: ContentCheck,
  pace: WalkPace = diskPace
): Stream.Stream<ProvenRun, Damage | E, Codec> => {
  const free: Array<Uint8Array<ArrayBuffer>> = []
  let ended = false
  const giveBack = (buffer: ArrayBufferLike) => {
    if (buffer instanceof ArrayBuffer && buffer.byteLength === Bgzf.maxBlock + pace.chunk) {
      free.push(new Uint8Array(buffer))
    }
  }

  /** What is sound of a run, and the damage after it. */
  const judge = (
    { first, run, starts }: Extract<RunOrEnd, { readonly _tag: "Run" }>,
    { content, ends }: InflatedRun,
    wrong: string | null
  ) => {
    const place = (i: number): BlockPosition => ({ block: first.block + i, offset: starts[i] ?? 0 })
    const fault = check.take(content, { ends, offsets: starts })
    const sound = (blocks: number, content: Uint8Array): ProvenRun => {
      const raw = run.bytes.subarray(run.starts[0], run.starts[blocks])
      ended = Bgzf.isEofBlock(raw, raw.length - Bgzf.eofBlock.length, raw.length)
      return { raw, content, blocks, end: starts[blocks] ?? 0 }
    }
    if (fault !== null) {
      const block = Math.max(
        0,
        ends.findIndex((end) => end > fault.at)
      )
      const damage = damageAt(file, "BadRecord", place(block), fault.phrase)
      return { proven: sound(block, content.subarray(0, fault.at)), damage }
    }
    const damage = wrong === null ? null : damageAt(file, "BadBlock", place(ends.length), wrong)
    return { proven: sound(ends.length, content), damage }
  }

  /** What is sound of a run is lent; then its buffers are free again. */
  const lend = (run: Extract<RunOrEnd, { readonly _tag: "Run" }>, inflated: InflatedRun, wrong: string | null) =>
    Stream.suspend(() => {
      const { damage, proven } = judge(run, inflated, wrong)
      const after = Effect.suspend(() => {
        release(inflated.content)
        giveBack(run.run.bytes.buffer)
        return damage === null ? Effect.void : Effect.fail(damage)
      })
      return Stream.concat(Stream.succeed(proven), Stream.fromEffectDrain(after))
    })
  const prove = Effect.fnUntraced(function* (
    next: RunOrEnd
  ): Effect.fn.Return<Stream.Stream<ProvenRun, Damage>, never, Codec> {
    if (next._tag === "End") return Stream.fail(next.damage)
    const codec = yield* Codec
    const inflated = yield* inflateRun(codec, next.run)
    if (inflated !== null) return lend(next, inflated, null)
    const { wrong, ...sound } = inflateSingly(codec, next.run)
    return lend(next, sound, wrong)
  })
  const finish = Effect.suspend(() => {
    const cut = ended ? check.finish() : null
    if (ended && cut === null) return Effect.void
    const error = cut === null ? missingEnd(file) : new FileDamaged({ file, fault: "BadRecord", reason: cut })
    return Effect.fail(new Damage({ error, place: null }))
  })
  // Runs come back in their order, so the first damage that is met is the first of the file.
  return runsOf(file, reader, pace, free, giveBack).pipe(
    Stream.mapEffect(prove, { concurrency: inflatedAtOnce }),
    Stream.flatten,
    Stream.concat(Stream.fromEffectDrain(finish))
  )
}

/** Proves a file as `provenRuns` does. `progress` hears how many bytes of it are proven. */
export const walkWhole = Effect.fn("svc.verify.walkWhole")(function* <E>(
  file: string,
  reader: ByteReader<E>,
  content: ContentCheck,
  progress: (offset: number) => Effect.Effect<void>
): Effect.fn.Return<WalkFacts, Damage | E, Codec> {
  let blocks = 0
  let inflated = 0
  yield* Stream.runForEach(provenRuns(file, reader, content), (run) => {
    blocks += run.blocks
    inflated += run.content.length
    return progress(run.end)
  })
  return { blocks, inflated }
})
