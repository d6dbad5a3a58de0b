/** Reads BGZF blocks one after another in batches of bytes, inflating only when asked. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { FileDamaged } from "../../Errors.ts"
import type { ByteReader } from "../ByteReader.ts"
import { firstWhere } from "../Search.ts"
import * as Bgzf from "./Bgzf.ts"
import { Codec } from "./Codec.ts"
import * as VirtualOffset from "./VirtualOffset.ts"

/** Consecutive whole blocks of a file: block `i` is `[starts[i], starts[i + 1])` of `bytes`. */
export interface BlockBatch {
  /** Byte offset in the file of `bytes[0]`. */
  readonly offset: number
  readonly bytes: Uint8Array
  /** One more than there are blocks; the last one is where the next batch begins. */
  readonly starts: ReadonlyArray<number>
}

const noBlock: Readonly<Record<number, string>> = {
  [Bgzf.notBgzf]: "no block begins there",
  [Bgzf.badHeader]: "its header contradicts itself"
}

/** Most empty blocks before content; writers leave one or two where files are joined, and thousands where many empty ones are. */
export const mostEmpty = 0x10000

/** The error for a bad block. */
export const badBlock = (file: string, offset: number, reason: string): FileDamaged =>
  new FileDamaged({ file, fault: "BadBlock", reason: Bgzf.damageText(offset, reason) })

/** What begins so, and comes under names of other formats. */
const beginnings: ReadonlyArray<readonly [begin: string, what: string]> = [
  ["<", "an HTML or XML page"],
  ["BAM\x01", "a BAM file"],
  ["CRAM", "a CRAM file"],
  ["BCF\x02", "a BCF file"],
  ["##fileformat=VCF", "a VCF file"],
  ["@HD\t", "a SAM file"],
  ["@SQ\t", "a SAM file"],
  ["version https://git-lfs", "a pointer of Git LFS in place of the file: git lfs pull brings it"]
]

/** What inflated bytes are that begin as nothing that is wanted, in words. */
export const foreignContent = (bytes: Uint8Array): string => {
  if (bytes.length === 0) return "it is empty"
  if (Bgzf.isGzip(bytes)) return "it is compressed twice"
  const head = String.fromCharCode(...bytes.subarray(0, 256)).trimStart()
  const found = beginnings.find(([begin]) => head.startsWith(begin))
  return found === undefined ? "its first bytes are of another format" : `it is ${found[1]}`
}

const firstBlock = (file: string, bytes: Uint8Array): FileDamaged => {
  const what = Bgzf.isGzip(bytes) ? "it is plain gzip; compress it with bgzip" : foreignContent(bytes)
  return new FileDamaged({ file, fault: "NotBgzf", reason: `not a BGZF file: ${what}` })
}

/** Finds the whole blocks in `bytes`, which start at `offset` of a file of `fileSize` bytes. Fails with `FileDamaged`. */
const findBlocks = (
  file: string,
  bytes: Uint8Array,
  offset: number,
  fileSize: number
): Result.Result<BlockBatch, FileDamaged> => {
  const starts = [0]
  let at = 0
  while (at < bytes.length) {
    const size = Bgzf.blockSize(bytes, at)
    if (size < 0) {
      return Result.fail(
        offset + at === 0 && size === Bgzf.notBgzf
          ? firstBlock(file, bytes)
          : badBlock(file, offset + at, noBlock[size] ?? "")
      )
    }
    if (size === Bgzf.needMore || at + size > bytes.length) break
    at += size
    starts.push(at)
  }
  if (at < bytes.length && offset + bytes.length >= fileSize) {
    return Result.fail(
      new FileDamaged({ file, fault: "Truncated", reason: `ends inside the BGZF block at byte ${offset + at}` })
    )
  }
  return Result.succeed({ offset, bytes, starts })
}

/**
 * The blocks that lie wholly in `[offset, offset + length)`, where a block must start at `offset`; `length` is raised to
 * one block. Fails with `FileDamaged` (`NotBgzf`, `BadBlock`, `Truncated`). At the end of the file the batch is empty.
 */
export const readBlocks = Effect.fnUntraced(function* <E>(
  file: string,
  reader: ByteReader<E>,
  offset: number,
  length: number
): Effect.fn.Return<BlockBatch, FileDamaged | E> {
  const bytes = yield* reader.read(offset, Math.max(Bgzf.maxBlock, length))
  if (offset === 0 && bytes.length === 0) return yield* firstBlock(file, bytes)
  return yield* Effect.fromResult(findBlocks(file, bytes, offset, reader.size))
})

/** Inflated bytes of block `i` of a batch. */
export const inflateAt = (
  file: string,
  codec: Codec["Service"],
  batch: BlockBatch,
  i: number
): Result.Result<Uint8Array, FileDamaged> => {
  const [at, end] = [batch.starts[i]!, batch.starts[i + 1]!]
  if (Bgzf.isEofBlock(batch.bytes, at, end)) return Result.succeed(new Uint8Array(0))
  const inflated = Bgzf.inflateBlock(codec, batch.bytes, at, end - at)
  return typeof inflated === "string"
    ? Result.fail(badBlock(file, batch.offset + at, `it ${inflated}`))
    : Result.succeed(inflated)
}

/** The first inflated bytes of a file. */
export interface Inflated {
  readonly bytes: Uint8Array
  /** True when the file ends here. */
  readonly ended: boolean
  /** Where byte `n` of `bytes`, or what follows them, lies in the file. */
  readonly offsetOf: (n: number) => VirtualOffset.VirtualOffset
}

/** Inflates the start of a file in steps: each gives all bytes so far, at least `wanted` or all that the file has. */
export type PrefixSteps<E> = (wanted: number) => Effect.Effect<Inflated, FileDamaged | E, Codec>

/**
 * Steps that inflate no byte twice. More than `limit` bytes, or blocks without content that hide where they are, fail with `fault`. What
 * the bytes themselves claim costs no memory before it is there.
 */
export const prefixSteps = <E>(
  file: string,
  reader: ByteReader<E>,
  limit: number,
  fault: "BadHeader" | "BadIndex"
): PrefixSteps<E> => {
  let bytes = new Uint8Array(0)
  let length = 0
  /** Where the content of each block ends in `bytes`, and where the block begins in the file. */
  const ends: Array<number> = []
  const offsets: Array<number> = []
  let offset = 0
  let empty = 0
  const append = (content: Uint8Array, wanted: number) => {
    const needed = length + content.length
    if (needed > bytes.length) {
      const larger = new Uint8Array(Math.max(needed, Math.min(2 * needed, wanted + Bgzf.maxBlock)))
      larger.set(bytes.subarray(0, length))
      bytes = larger
    }
    bytes.set(content, length)
    length = needed
    ends.push(length)
    offsets.push(offset)
  }
  const offsetOf = (n: number) => {
    const block = firstWhere(ends.length, (i) => n < ends[i]!)
    return block === ends.length
      ? VirtualOffset.make(offset, 0)
      : VirtualOffset.make(offsets[block]!, n - (ends[block - 1] ?? 0))
  }
  return Effect.fnUntraced(function* (wanted) {
    const codec = yield* Codec
    while (length < wanted && (offset < reader.size || offset === 0)) {
      const batch = yield* readBlocks(file, reader, offset, Math.min(wanted - length, 0x100000))
      for (let i = 0; i + 1 < batch.starts.length && length < wanted; i++) {
        const inflated = yield* Effect.fromResult(inflateAt(file, codec, batch, i))
        if (inflated.length === 0) empty++
        else append(inflated, wanted)
        offset = batch.offset + batch.starts[i + 1]!
        if (length > limit || empty > mostEmpty) {
          const reason =
            length > limit ? `inflates to more than ${limit} bytes` : `has more than ${mostEmpty} empty blocks`
          return yield* new FileDamaged({ file, fault, reason })
        }
      }
    }
    return { bytes: bytes.subarray(0, length), ended: offset >= reader.size, offsetOf }
  })
}
