/** Reads a BGZF file from its first to its last byte and proves every block. */
import { Effect, Option, Stream } from "effect"
import { FileDamaged } from "../Errors.ts"
import type { ByteReader } from "../genome/ByteReader.ts"
import * as Bgzf from "../genome/bgzf/Bgzf.ts"
import { type BlockRun, type InflatedRun, mostBlocks } from "../genome/bgzf/BlockRun.ts"
import type { Codec } from "../genome/bgzf/Codec.ts"
import type { ContentCheck } from "../genome/bgzf/ContentCheck.ts"
import { checkEnd } from "../genome/Structure.ts"
import { BlockPool } from "./BlockPool.ts"
import { type BlockPosition, Damage, damageAt } from "./Damage.ts"

/** What a whole file is made of; `inflated` in bytes. */
export interface WalkFacts {
  readonly blocks: number
  readonly inflated: number
}

/** Bytes read at once: their content fits into the cache of a processor (measured: 1 MiB is a third slower). */
const batchSize = 0x40000

/** A run and where it lies; or, at the end of what can be read, the reason. */
type Piece =
  | {
      readonly _tag: "Run"
      readonly run: BlockRun
      readonly first: BlockPosition
      readonly starts: ReadonlyArray<number>
    }
  | { readonly _tag: "End"; readonly damage: Damage }

const pieceOf = (
  bytes: Uint8Array<ArrayBuffer>,
  starts: ReadonlyArray<number>,
  from: number,
  batch: BlockPosition
): Piece => {
  const part = starts.slice(from, from + mostBlocks + 1)
  const [begin = 0] = part
  const end = part.at(-1) ?? begin
  const whole = begin === 0 && from + part.length === starts.length
  return {
    _tag: "Run",
    // Most batches are one run and move as they are.
    run: { bytes: whole ? bytes : bytes.slice(begin, end), starts: whole ? part : part.map((at) => at - begin) },
    first: { block: batch.block + from, offset: batch.offset + begin },
    starts: part.map((at) => batch.offset + at)
  }
}

/** The blocks of a file in runs; never more than one batch is read ahead of whoever takes them. */
const pieces = <E>(file: string, reader: ByteReader<E>): Stream.Stream<Piece, E> => {
  const read = Effect.fnUntraced(function* (
    batch: BlockPosition
  ): Effect.fn.Return<readonly [ReadonlyArray<Piece>, Option.Option<BlockPosition>], E> {
    const bytes = ownBuffer(yield* reader.read(batch.offset, batchSize))
    const starts = [0]
    let damage: Damage | null = null
    let at = 0
    while (at < bytes.length && damage === null) {
      const place = { block: batch.block + starts.length - 1, offset: batch.offset + at }
      const size = Bgzf.blockSize(bytes, at)
      if (size < 0) {
        damage = damageAt(file, place.offset === 0 ? "NotBgzf" : "BadBlock", place, misfits[size] ?? "")
      } else if (size === Bgzf.needMore || at + size > bytes.length) {
        if (batch.offset + bytes.length < reader.size) break
        damage = damageAt(file, "Truncated", place, "is cut off by the end of the file")
      } else {
        at += size
        starts.push(at)
      }
    }
    const found: Array<Piece> = []
    for (let from = 0; from + 1 < starts.length; from += mostBlocks) found.push(pieceOf(bytes, starts, from, batch))
    if (damage !== null) return [[...found, { _tag: "End", damage }], Option.none()]
    const next = { block: batch.block + starts.length - 1, offset: batch.offset + at }
    return [found, next.offset < reader.size ? Option.some(next) : Option.none()]
  })
  return Stream.paginate<BlockPosition, Piece, E>({ block: 1, offset: 0 }, read)
}

const misfits: Readonly<Record<number, string>> = {
  [Bgzf.notBgzf]: "does not begin as a BGZF block",
  [Bgzf.badHeader]: "has a header that contradicts itself"
}

/** A reader of memory gives views; only a buffer of its own may move to another thread. */
const ownBuffer = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength
    ? new Uint8Array(bytes.buffer)
    : bytes.slice()

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
): Effect.fn.Return<WalkFacts, Damage | E, BlockPool | Codec> {
  const pool = yield* BlockPool
  let blocks = 0
  let inflated = 0
  let proven = 0

  const judge = (piece: Extract<Piece, { readonly _tag: "Run" }>, done: InflatedRun): Damage | null => {
    const place = (i: number): BlockPosition => ({ block: piece.first.block + i, offset: piece.starts[i] ?? 0 })
    const length = done.content.length
    const fault = content.take(done.content, { ends: done.ends, offsets: piece.starts })
    pool.giveBack(done)
    if (fault !== null) {
      const block = done.ends.findIndex((end) => end > fault.at)
      return damageAt(file, "BadRecord", place(Math.max(0, block)), fault.phrase)
    }
    blocks += done.ends.length
    inflated += length
    proven = piece.starts.at(-1) ?? 0
    return done.wrong === null ? null : damageAt(file, "BadBlock", place(done.ends.length), done.wrong)
  }

  const prove = (piece: Piece): Effect.Effect<() => Damage | null> =>
    piece._tag === "End"
      ? Effect.succeed(() => piece.damage)
      : Effect.map(pool.inflate(piece.run), (done) => () => judge(piece, done))
  // Runs come back in their order, so the first damage that is met is the first of the file.
  yield* Stream.mapEffect(pieces(file, reader), prove, { concurrency: pool.width }).pipe(
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
