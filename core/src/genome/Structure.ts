/**
 * Whether a file is what its name says, whole at both ends, and whether an index belongs to its data: checked on head,
 * tail and index alone, so the cost does not grow with the data.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { FileDamaged } from "../Errors.ts"
import { type ByteReader, fromBytes } from "./ByteReader.ts"
import * as Bgzf from "./bgzf/Bgzf.ts"
import { inflateAt, mostEmpty, prefixSteps, readBlocks } from "./bgzf/Blocks.ts"
import { Codec } from "./bgzf/Codec.ts"
import * as VirtualOffset from "./bgzf/VirtualOffset.ts"
import { largestHeader } from "./formats/BamHeader.ts"
import { kindOfName } from "./formats/FileNames.ts"
import type { FormatFile, ReferenceAt, Telling } from "./formats/Format.ts"
import { openFormat } from "./formats/Formats.ts"
import type { BinIndex, Chunk } from "./index/BinIndex.ts"
import { isIndex, magicLength, parseIndex, type TabixIndex } from "./index/TabixIndex.ts"

/** What a sound file says about itself. `references` and `samples` are null where the format has none. */
export interface StructureFacts {
  /** The suffix by which the name was known, such as `bam.bai`; `other` for names that promise nothing. */
  readonly kind: string
  /** The format that the file turned out to have. */
  readonly format: string | null
  readonly references: number | null
  readonly samples: number | null
  /** Chunks of an index that were compared with the data. */
  readonly compared: number
}

/** The file that an index belongs to. */
export interface DataFile<E> {
  readonly name: string
  readonly reader: ByteReader<E>
}

/** An index may take this many bytes; the largest of human genomes takes a tenth. */
export const largestIndex = 0x10000000

/** An index inflates to a few times its size; the constant is for the many zeros of a nearly empty one. */
const inflatedIndexLimit = (size: number) => Math.min(largestIndex, 0x1000000 + size * 16)

/** What is read at once where the content goes on without telling anything: more each time, up to this. Bytes. */
const largestLook = 0x400000

/** How many chunks of an index are compared with the data. */
const chunksToCompare = 8

/** True when the BGZF file ends with its end-of-file block. */
export const hasEnd = <E>(reader: ByteReader<E>): Effect.Effect<boolean, E> => {
  const { length } = Bgzf.eofBlock
  return Effect.map(reader.read(Math.max(0, reader.size - length), length), (tail) =>
    Bgzf.isEofBlock(tail, 0, tail.length)
  )
}

/** What is wrong with a file without it. */
export const noEnd = "it does not end with the BGZF end-of-file block"

/** The damage of a BGZF file that does not end with its end-of-file block. */
export const missingEnd = (file: string): FileDamaged =>
  new FileDamaged({ file, fault: "Truncated", reason: `${noEnd}, so its end is missing, or something follows it` })

/** Where a file has no end, not its index is to blame. */
export const blamedOnEnd = <E>(file: string, error: FileDamaged | E): FileDamaged | E => {
  if (!(error instanceof FileDamaged) || error.fault !== "IndexMismatch") return error
  return new FileDamaged({ file, fault: "Truncated", reason: `${noEnd}, so its end may be missing: ${error.reason}` })
}

/** Bytes that tell whether a file is BGZF. */
const beginningOfBlock = 18

/** Whether an index is in blocks: a TBI or CSI usually, a BAI seldom. Its first bytes say so, not its name. */
export const isInBlocks = <E>(index: ByteReader<E>): Effect.Effect<boolean, E> =>
  Effect.map(
    index.read(0, beginningOfBlock),
    (bytes) => Bgzf.isGzip(bytes) && Bgzf.blockSize(bytes, 0) !== Bgzf.notBgzf
  )

/**
 * Reads and parses an index, plain, BGZF or, as for htslib, plain gzip: which of BAI, CSI and TBI it is, its bytes say. Fails with `FileDamaged`: `BadIndex`, for BGZF
 * also `BadBlock`, `Truncated`.
 */
export const readIndex = Effect.fn("svc.genome.readIndex")(function* <E>(
  file: string,
  reader: ByteReader<E>
): Effect.fn.Return<TabixIndex, FileDamaged | E, Codec> {
  if (reader.size > largestIndex) {
    return yield* new FileDamaged({ file, fault: "BadIndex", reason: `too large for an index: ${reader.size} bytes` })
  }
  const parse = (content: Uint8Array) => Effect.fromResult(parseIndex(file, content))
  const bytes = yield* reader.read(0, reader.size)
  if (!Bgzf.isGzip(bytes)) return yield* parse(bytes)
  const limit = inflatedIndexLimit(reader.size)
  if (Bgzf.blockSize(bytes, 0) === Bgzf.notBgzf) {
    const { gunzip } = yield* Codec
    const content = gunzip(bytes, limit)
    const reason = `its gzip is cut or damaged, or holds more than ${limit} bytes`
    return yield* content === null ? new FileDamaged({ file, fault: "BadIndex", reason }) : parse(content)
  }
  const inflate = prefixSteps(file, fromBytes(bytes), limit, "BadIndex")
  const { bytes: head } = yield* inflate(magicLength)
  if (!isIndex(head)) return yield* parse(head)
  // One more than the limit, so that reaching it fails instead of cutting the index.
  return yield* parse((yield* inflate(limit + 1)).bytes)
})

/** Number of the reads that have a reference and no position behind these places, to which an index leads to nothing. */
export const countPlaceless = Effect.fnUntraced(function* <E>(
  file: string,
  places: ReadonlyArray<VirtualOffset.VirtualOffset>,
  data: DataFile<E>,
  { placeless }: ReferenceAt
): Effect.fn.Return<number, FileDamaged | E, Codec> {
  let count = 0
  for (const place of places) {
    const wrong = mismatch(file, data.name, `no block begins at byte ${VirtualOffset.block(place)}`)
    yield* toldAt(
      data,
      place,
      placeless(() => void count++),
      wrong
    )
  }
  return count
})

/** The refusal of an index that is not that of `data`. */
export const mismatch = (file: string, data: string, reason: string) =>
  new FileDamaged({ file, fault: "IndexMismatch", reason: `it is not the index of ${data}: ${reason}` })

interface SampleChunk {
  readonly reference: number
  readonly chunk: Chunk
}

/** The first chunks of a few references: some spread over all, then, where those are empty, the first ones. */
const sampleChunks = (index: BinIndex): ReadonlyArray<SampleChunk> => {
  const step = Math.max(1, Math.floor(index.references / chunksToCompare))
  const found = new Map<number, SampleChunk>()
  for (let visit = 0; visit < 8 * chunksToCompare && found.size < chunksToCompare; visit++) {
    const reference = visit < chunksToCompare ? visit * step : visit - chunksToCompare
    if (reference >= index.references || found.has(reference)) continue
    const [bin] = index.reference(reference).bins.values()
    const chunk = bin?.chunks[0]
    if (chunk !== undefined) found.set(reference, { reference, chunk })
  }
  return [...found.values()]
}

/**
 * What is told by the content from a virtual offset on, `null` where the data ends before that. Fails with `wrong` when the offset does
 * not lie in a block.
 */
export const toldAt = Effect.fnUntraced(function* <A, E>(
  data: DataFile<E>,
  at: VirtualOffset.VirtualOffset,
  tell: Telling<A>,
  wrong: FileDamaged
): Effect.fn.Return<A | null, FileDamaged | E, Codec> {
  const codec = yield* Codec
  let offset = VirtualOffset.block(at)
  let within = VirtualOffset.within(at)
  let empty = 0
  let passed = 0
  for (let length = Bgzf.maxBlock; offset < data.reader.size; length = Math.min(2 * length, largestLook)) {
    const bytes = yield* data.reader.read(offset, length)
    let begin = 0
    while (begin < bytes.length) {
      const size = Bgzf.blockSize(bytes, begin)
      const isWhole = size > 0 && begin + size <= bytes.length
      if (!isWhole && begin > 0 && size >= 0) break
      if (!isWhole) return yield* wrong
      const block = { offset: offset + begin, bytes: bytes.subarray(begin, begin + size), starts: [0, size] }
      const inflated = yield* Effect.fromResult(inflateAt(data.name, codec, block, 0))
      if (within > inflated.length) return yield* wrong
      const told = tell(inflated.subarray(within))
      if (told !== null) return told
      // The end of a block is the start of the next one, some writers leave thousands of empty blocks between, and the header of
      // another file may follow.
      begin += size
      within = 0
      passed += inflated.length
      if (inflated.length === 0) empty++
      if (empty > mostEmpty || passed > largestHeader) {
        const what = empty > mostEmpty ? `${mostEmpty} empty blocks` : `${largestHeader} bytes without a placed record`
        const reason = `has more than ${what} where an index leads, from byte ${VirtualOffset.block(at)} on`
        return yield* new FileDamaged({ file: data.name, fault: "BadBlock", reason })
      }
    }
    offset += begin
  }
  return offset === data.reader.size && within === 0 ? null : yield* wrong
})

/**
 * Compares sampled chunks with the data: where a chunk begins, a record of its reference begins; where the last one ends,
 * no record follows that the index should cover.
 */
const compareChunks = Effect.fnUntraced(function* <E>(
  file: string,
  index: BinIndex,
  data: DataFile<E>,
  referenceAt: ReferenceAt
): Effect.fn.Return<number, FileDamaged | E, Codec> {
  const lastBlock = VirtualOffset.block(endOf(index, referenceAt))
  const beyond = mismatch(file, data.name, `it points to byte ${lastBlock} of ${data.reader.size}`)
  if (lastBlock > data.reader.size) return yield* beyond
  const chunks = sampleChunks(index)
  for (const { chunk, reference } of chunks) {
    const offset = VirtualOffset.block(chunk.begin)
    const wrong = mismatch(
      file,
      data.name,
      `no record of reference ${referenceAt.nameOf(reference)} begins at byte ${offset}`
    )
    const found = yield* toldAt(data, chunk.begin, referenceAt.first(), wrong)
    if (found?.ref !== reference) return yield* wrong
  }
  yield* checkLastEnd(file, index, data, referenceAt)
  return chunks.length
})

/** Where the records end to which an index leads. */
const endOf = ({ lastEnd }: BinIndex, { firstRecord }: ReferenceAt) => lastEnd ?? firstRecord

/** What `checkLastEnd` reads of data of `size` bytes; null where the index ends with the data. */
export const lastEndRange = (
  index: BinIndex,
  size: number,
  referenceAt: ReferenceAt
): { readonly offset: number; readonly length: number } | null => {
  const end = endOf(index, referenceAt)
  const offset = VirtualOffset.block(end)
  const ends = offset === size || offset === size - Bgzf.eofBlock.length
  if (ends && VirtualOffset.within(end) === 0) return null
  return { offset, length: Math.max(0, Math.min(Bgzf.maxBlock, size - offset)) }
}

/**
 * Where the index ends, a block of the data begins, and in it no record that the index should cover: so no block before it is
 * missing or too much. Reads one block, or a few where that does not say, and none where the index ends with the data.
 */
export const checkLastEnd = Effect.fnUntraced(function* <E>(
  file: string,
  index: BinIndex,
  data: DataFile<E>,
  referenceAt: ReferenceAt
): Effect.fn.Return<void, FileDamaged | E, Codec> {
  const { size } = data.reader
  if (lastEndRange(index, size, referenceAt) === null) return
  const end = endOf(index, referenceAt)
  const block = VirtualOffset.block(end)
  const wrong = mismatch(file, data.name, `it points to byte ${block} of ${size}`)
  if ((yield* toldAt(data, end, referenceAt.goesOn(), wrong)) === true) {
    return yield* mismatch(file, data.name, `more records follow where it ends, at byte ${block}`)
  }
})

/** Compares an index with the file that it should belong to, whose header was read; gives the number of chunks that were compared. */
export const compareWith = Effect.fnUntraced(function* <E>(
  file: string,
  parsed: TabixIndex,
  data: DataFile<E>,
  { referenceAt }: Pick<FormatFile, "referenceAt">
): Effect.fn.Return<number, FileDamaged | E, Codec> {
  const found = referenceAt(parsed)
  if (Result.isFailure(found)) return yield* mismatch(file, data.name, found.failure)
  return yield* compareChunks(file, parsed.index, data, found.success)
})

/**
 * Checks a file by the suffix of `name`, in any case; names that promise nothing pass as `other`. With `data`, an index is
 * also compared with the file it should belong to.
 *
 * Reads head, tail and index, never the whole data: damage in the middle is found by `verify`. Fails with
 * `FileDamaged`: `NotBgzf`, `Truncated`, `BadBlock`, `BadHeader`, `BadIndex`, `IndexMismatch`.
 */
export const checkStructure = Effect.fn("svc.genome.checkStructure")(function* <E, E2 = never>(
  name: string,
  reader: ByteReader<E>,
  data?: DataFile<E2>
): Effect.fn.Return<StructureFacts, FileDamaged | E | E2, Codec> {
  const found = kindOfName(name)
  if (found === null) return { kind: "other", format: null, references: null, samples: null, compared: 0 }
  const { index, kind, type } = found
  if (index === null || (yield* isInBlocks(reader))) {
    yield* readBlocks(name, reader, 0, 0)
    if (!(yield* hasEnd(reader))) return yield* missingEnd(name)
  }
  if (index === null) {
    const { format, references, samples } = yield* openFormat(name, reader, type)
    return { kind, format: format.name, references, samples, compared: 0 }
  }
  const parsed = yield* readIndex(name, reader)
  const compared =
    data === undefined
      ? 0
      : yield* compareWith(
          name,
          parsed,
          data,
          yield* openFormat(data.name, data.reader, kindOfName(data.name)?.type ?? type)
        )
  return { kind, format: parsed.index.format, references: parsed.index.references, samples: null, compared }
})
