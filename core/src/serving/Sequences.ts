/** The reference sequences of a file, as a browser of genomes needs to know them: it then needs no genome from elsewhere. */
import * as Effect from "effect/Effect"
import type { FileDamaged } from "../Errors.ts"
import type { ByteReader } from "../genome/ByteReader.ts"
import { badBlock } from "../genome/bgzf/Blocks.ts"
import type { Codec } from "../genome/bgzf/Codec.ts"
import * as VirtualOffset from "../genome/bgzf/VirtualOffset.ts"
import { binStart, levelOf } from "../genome/index/Bins.ts"
import { lengthOf } from "../genome/regions/Regions.ts"
import { toldAt } from "../genome/Structure.ts"
import type { OpenedFile } from "../htsget/TicketPieces.ts"

export interface FileSequence {
  readonly name: string
  /** Bases; where the header does not say, so many that all records lie within. */
  readonly length: number
  /** Where the first record stands, 1-based; null for all but the first sequence that has one. */
  readonly first: number | null
}

/** What BAI and TBI can hold. */
const usualLength = 2 ** 29

/** In the order of the index. Fails with `FileDamaged` where the index leads to no block. */
export const sequencesOf = Effect.fn("svc.serving.sequencesOf")(function* <E>(
  file: OpenedFile,
  reader: ByteReader<E>
): Effect.fn.Return<ReadonlyArray<FileSequence>, FileDamaged | E, Codec> {
  // A bin without chunks has no record.
  const begun = file.references.findIndex((_, ref) => firstChunk(file, ref) !== null)
  const chunk = firstChunk(file, begun)
  const first = chunk === null ? null : yield* firstRecord(file, begun, chunk, reader)
  return file.references.map((reference, ref) => {
    const told = lengthOf(reference)
    return {
      name: reference.name,
      length: Number.isFinite(told) ? told : endOfBins(file, ref) || usualLength,
      first: ref === begun ? first : null
    }
  })
})

interface FirstChunk {
  readonly begin: VirtualOffset.VirtualOffset
  /** Where its bin begins, 0-based. */
  readonly start: number
}

const firstChunk = ({ index }: OpenedFile, ref: number): FirstChunk | null => {
  let first: FirstChunk | null = null
  if (ref < 0) return first
  for (const { chunks, id } of index.reference(ref).bins.values()) {
    for (const { begin } of chunks) {
      if (first !== null && begin >= first.begin) continue
      first = { begin, start: binStart(id, index.minShift, index.depth) }
    }
  }
  return first
}

/** Of a large index some 100,000: more than a call takes as its arguments. */
const endOfBins = ({ index: { depth, minShift, reference } }: OpenedFile, ref: number): number => {
  let end = 0
  for (const { id } of reference(ref).bins.values()) {
    end = Math.max(end, binStart(id, minShift, depth) + 2 ** (minShift + 3 * (depth - levelOf(id, depth))))
  }
  return end
}

/** Bins do not tell: htslib puts the records of small ones into larger ones. */
const firstRecord = Effect.fnUntraced(function* <E>(
  file: OpenedFile,
  ref: number,
  { begin, start }: FirstChunk,
  reader: ByteReader<E>
) {
  const at = VirtualOffset.block(begin)
  const wrong = badBlock(file.name, at, "the index points past its end, or no block begins there")
  const told = yield* toldAt({ name: file.name, reader }, begin, file.first(), wrong)
  return (told?.ref === ref ? told.start : start) + 1
})
