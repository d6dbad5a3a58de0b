/** Reads a BGZF file from its first to its last byte and proves every block. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { FileDamaged } from "../Errors.ts"
import type { ByteReader } from "../genome/ByteReader.ts"
import * as Bgzf from "../genome/bgzf/Bgzf.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import type { ContentCheck } from "../genome/bgzf/ContentCheck.ts"
import { type BlockRun, type InflatedRun, inflateRun, inflateSingly, release } from "../genome/bgzf/InflatedRun.ts"
import { checkEnd } from "../genome/Structure.ts"

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

/** Bytes read at once: their content fits into the cache of a processor. Larger ones take more memory and little less time. */
const chunkSize = 0x40000

/** Chunks that are read at the same time, and runs that are inflated, while one is judged. */
const readAhead = 4
const inflatedAtOnce = 4

/** Most blocks of a run, so that it takes at most 2 MiB deflated and as much inflated. */
const mostBlocks = 32

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

const chunkRoom = Bgzf.maxBlock + chunkSize

/**
 * The blocks of a file in runs, up to the first place where no whole block follows.
 *
 * @param free - buffers of `chunkRoom` bytes to be used again: the collector would let fresh ones pile up
 * @param giveBack - puts one of them there
 */
const runsOf = <E>(
  file: string,
  reader: ByteReader<E>,
  free: Array<Uint8Array<ArrayBuffer>>,
  giveBack: (buffer: ArrayBufferLike) => void
): Stream.Stream<RunOrEnd, E> => {
  const read = Effect.fnUntraced(function* (i: number): Effect.fn.Return<Chunk, E> {
    const offset = i * chunkSize
    const length = Math.min(chunkSize, reader.size - offset)
    const buffer = (free.pop() ?? new Uint8Array(chunkRoom)).subarray(0, Bgzf.maxBlock + length)
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
  return Stream.range(0, Math.ceil(reader.size / chunkSize) - 1).pipe(
    Stream.mapEffect(read, { concurrency: readAhead }),
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

/**
 * Proves headers, size and CRC-32 of every block, the end-of-file block, and what `content` looks at. This finds any cut and
 * any flipped bit that changes the content. A flipped bit that does not (one of the unused bits after a deflate stream) is
 * found by a checksum of the file only.
 *
 * Fails with the first `Damage` of the file. `progress` hears how many bytes of the file are proven.
 */
export const walkWhole = Effect.fn("svc.verify.walkWhole")(function* <E>(
  file: string,
  reader: ByteReader<E>,
  content: ContentCheck,
  progress: (offset: number) => Effect.Effect<void>
): Effect.fn.Return<WalkFacts, Damage | E, Codec> {
  const codec = yield* Codec
  const free: Array<Uint8Array<ArrayBuffer>> = []
  const giveBack = (buffer: ArrayBufferLike) => {
    if (buffer instanceof ArrayBuffer && buffer.byteLength === chunkRoom) free.push(new Uint8Array(buffer))
  }
  let blocks = 0
  let inflated = 0
  let proven = 0

  const judge = (
    { first, run, starts }: Extract<RunOrEnd, { readonly _tag: "Run" }>,
    done: InflatedRun,
    wrong: string | null
  ): Damage | null => {
    const place = (i: number): BlockPosition => ({ block: first.block + i, offset: starts[i] ?? 0 })
    const { content: bytes, ends } = done
    const fault = content.take(bytes, { ends, offsets: starts })
    blocks += ends.length
    inflated += bytes.length
    proven = starts.at(-1) ?? 0
    release(done)
    giveBack(run.bytes.buffer)
    if (fault !== null) {
      const block = ends.findIndex((end) => end > fault.at)
      return damageAt(file, "BadRecord", place(Math.max(0, block)), fault.phrase)
    }
    return wrong === null ? null : damageAt(file, "BadBlock", place(ends.length), wrong)
  }

  const prove = (next: RunOrEnd): Effect.Effect<() => Damage | null> =>
    next._tag === "End"
      ? Effect.succeed(() => next.damage)
      : Effect.map(inflateRun(codec, next.run), (done) => () => {
          if (done !== null) return judge(next, done, null)
          const { wrong, ...sound } = inflateSingly(codec, next.run)
          return judge(next, sound, wrong)
        })
  // Runs come back in their order, so the first damage that is met is the first of the file.
  yield* Stream.mapEffect(runsOf(file, reader, free, giveBack), prove, { concurrency: inflatedAtOnce }).pipe(
    Stream.runForEach((verdict): Effect.Effect<void, Damage> => {
      const damage = verdict()
      return damage === null ? progress(proven) : Effect.fail(damage)
    })
  )
  yield* Effect.mapError(checkEnd(file, reader), (error) =>
    error instanceof FileDamaged ? new Damage({ error, place: null }) : error
  )
  const whole = (reason: string, fault: FileDamaged["fault"]) =>
    new Damage({ error: new FileDamaged({ file, fault, reason }), place: null })
  const cut = content.finish()
  if (cut !== null) return yield* whole(cut, "BadRecord")
  return { blocks, inflated }
})
