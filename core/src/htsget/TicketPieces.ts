/**
 * The pieces that make a BAM or VCF file of the wanted regions when they are put together: header, ranges of whole BGZF blocks
 * of the file, and end. Records may be among them that nobody asked for, none is missing (htsget permits exactly that).
 *
 * A stretch of records begins and ends in the middle of BGZF blocks. So its first and last block are cut at the border of a record and
 * compressed again, and the whole blocks between them are byte ranges of the file.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { FileDamaged } from "../Errors.ts"
import type { ByteReader } from "../genome/ByteReader.ts"
import * as Bgzf from "../genome/bgzf/Bgzf.ts"
import { compress } from "../genome/bgzf/BgzfWriter.ts"
import { badBlock, inflateAt, readBlocks } from "../genome/bgzf/Blocks.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import * as VirtualOffset from "../genome/bgzf/VirtualOffset.ts"
import type { Place, ReferenceAt, Slicing } from "../genome/formats/Format.ts"
import { gapsText, type IndexedFile, type IndexedSource, openIndexed, planIndexed } from "../genome/IndexedFile.ts"
import type { BinIndex } from "../genome/index/BinIndex.ts"
import { Leads } from "../genome/index/Tiling.ts"
import { lengthOf, type ReferenceRegions, resolveRegions } from "../genome/regions/Regions.ts"
import { noEnd, toldAt } from "../genome/Structure.ts"
import { misledText } from "../genome/slice/SliceDamage.ts"
import type { Stretches } from "../genome/slice/StretchPlan.ts"
import { type Datatype, HtsgetError, type TicketRequest, typeOf } from "./TicketRequest.ts"

/** What a ticket needs to know of a file: its header, its references and its index, read once for many tickets. */
export interface OpenedFile<E = unknown>
  extends Pick<Slicing, "references" | "holdsUnplaced">,
    Pick<ReferenceAt, "first">,
    Pick<IndexedFile<E>, "name" | "checkLastEnd" | "dataEnd"> {
  /** The inflated bytes that a file of any of its records begins with. */
  readonly header: Uint8Array
  readonly index: BinIndex
  /** What has to be read for regions, and for the unplaced reads too where these are wanted, and where the index leads there. */
  readonly plan: (
    regions: ReadonlyArray<ReferenceRegions>,
    takeUnplaced: boolean
  ) => Effect.Effect<{ readonly stretches: Stretches; readonly leads: Leads }, FileDamaged>
}

/**
 * Reads header and index; fails with `FileDamaged` when they are not sound or do not belong together. Whether the file ends where its
 * index does is looked at once records are wanted, and once for all of them.
 */
export const openFile = Effect.fn("svc.htsget.openFile")(function* <E>(
  datatype: Datatype,
  source: IndexedSource<E>
): Effect.fn.Return<OpenedFile<E>, FileDamaged | E, Codec> {
  const opened = yield* openIndexed(source, typeOf[datatype])
  const { dataEnd, hasEnd, header, name, slicing } = opened
  if (!hasEnd) yield* Effect.logWarning(`${name}: ${noEnd}: what is there can be had, and more may be missing`)
  const { holdsUnplaced, references } = slicing
  let checked = false
  let toldGaps = false
  // A failure may be the link host's, so only that it is sound is remembered.
  const checkLastEnd = Effect.suspend(() =>
    checked
      ? Effect.void
      : Effect.map(opened.checkLastEnd, () => {
          checked = true
        })
  )
  const plan: OpenedFile["plan"] = Effect.fnUntraced(function* (regions, takeUnplaced) {
    const { gaps, stretches } = yield* Effect.fromResult(planIndexed(opened, regions, takeUnplaced))
    if (gaps.length > 0 && !toldGaps) yield* Effect.logInfo(gapsText(opened, gaps))
    toldGaps ||= gaps.length > 0
    return { stretches, leads: Leads.of(opened.tabix.index, opened.order, regions) }
  })
  return {
    name,
    first: opened.records.first,
    index: opened.tabix.index,
    references,
    holdsUnplaced,
    dataEnd,
    checkLastEnd,
    plan,
    header: header.bytes()
  }
})

export type TicketPiece =
  /** BGZF blocks that are sent inside the ticket. */
  | { readonly _tag: "Inline"; readonly part: "header" | "body"; readonly bytes: Uint8Array }
  /** The file as it is. */
  | { readonly _tag: "Whole" }
  /** Bytes `[first, end)` of the file. */
  | { readonly _tag: "Range"; readonly first: number; readonly end: number }

/** Virtual offsets: of the first record, and of the end of the last. */
interface Stretch {
  begin: VirtualOffset.VirtualOffset
  end: VirtualOffset.VirtualOffset
}

/** Stretches nearer to each other than this, in bytes, are one: a request costs more than as many bytes. */
const smallestGap = 0x10000
/** Each costs two blocks inside the ticket. Of more, those nearest to each other are one. */
const mostStretches = 1000
/** How many first and last blocks are read at the same time. */
const atOnce = 4
const level = 4

/**
 * Fails with `HtsgetError` for regions that the file cannot have, and with `FileDamaged` where the index leads to no block or, where a
 * stretch begins or ends, to a record outside of its bin, or records are wanted of a file that does not end where its index does: what an
 * index leads to in vain would be missing without a word.
 */
export const piecesOf = Effect.fn("svc.htsget.piecesOf")(function* <E>(
  file: OpenedFile<E>,
  reader: ByteReader<E>,
  request: TicketRequest
): Effect.fn.Return<ReadonlyArray<TicketPiece>, HtsgetError | FileDamaged | E, Codec> {
  const codec = yield* Codec
  const { leads, stretches } = request.header ? nothing : yield* stretchesOf(file, request)
  if (!request.header) yield* file.checkLastEnd
  const body = yield* Effect.forEach(stretches, (stretch) => piecesOfStretch(file, reader, stretch), {
    concurrency: atOnce
  })
  for (const { at, place } of body.flatMap(({ met }) => met)) {
    if (place === null || leads.allow(...VirtualOffset.pairOf(at), place.ref, place.start)) continue
    const names = file.references.map(({ name }) => name)
    const reason = misledText(names, place, VirtualOffset.block(at))
    return yield* new FileDamaged({ file: file.name, fault: "IndexMismatch", reason })
  }
  const header = withoutEnd(compress(codec, file.header, level))
  return [
    { _tag: "Inline", part: "header", bytes: header },
    ...body.flatMap(({ pieces }) => pieces),
    // The protocol wants `class: header` on every piece of a ticket for the header alone.
    { _tag: "Inline", part: request.header ? "header" : "body", bytes: Bgzf.eofBlock }
  ]
})

const nothing = { stretches: [], leads: Leads.none }

const stretchesOf = Effect.fnUntraced(function* (
  { dataEnd, holdsUnplaced, plan, references }: OpenedFile,
  { regions, unplaced }: TicketRequest
) {
  const last = VirtualOffset.make(dataEnd, 0)
  const known = yield* Effect.fromResult(checkRegions(regions ?? [], references))
  const wanted = yield* Effect.fromResult(resolve(known, references))
  const { leads, stretches: planned } = yield* plan(wanted, unplaced && holdsUnplaced)
  // Older writers let the last chunk end after the end-of-file block.
  const stretches = Array.from({ length: planned.length }, (_, i) => planned.at(i))
    .filter((stretch) => stretch !== undefined)
    .map(({ begin, end }) => ({ begin: VirtualOffset.make(...begin), end: VirtualOffset.make(...end) }))
    .filter(({ begin, end }) => begin < end && begin < last)
    .map(({ begin, end }): Stretch => (end > last ? { begin, end: last } : { begin, end }))
  return { stretches: joinNearest(stretches, smallestGap, mostStretches), leads }
})

/** Makes stretches in order one where less than `gap` bytes lie between them, and of more than `most` those nearest to each other. */
export const joinNearest = (stretches: ReadonlyArray<Stretch>, gap: number, most: number): ReadonlyArray<Stretch> => {
  const near = joined(stretches, gap)
  const gaps = near.slice(1).map((next, i) => gapBetween(near[i] ?? next, next))
  const widest = gaps.toSorted((a, b) => b - a)[most - 1]
  return widest === undefined ? near : joined(near, widest)
}

/** Bytes between two stretches; less than nothing when they overlap. */
const gapBetween = (one: Stretch, next: Stretch): number =>
  VirtualOffset.block(next.begin) - VirtualOffset.block(one.end)

const joined = (stretches: ReadonlyArray<Stretch>, gap: number): ReadonlyArray<Stretch> => {
  const merged: Array<Stretch> = []
  for (const next of stretches) {
    const last = merged.at(-1)
    if (last === undefined || gapBetween(last, next) > gap) merged.push({ ...next })
    else if (next.end > last.end) last.end = next.end
  }
  return merged
}

type Regions = NonNullable<TicketRequest["regions"]>

/** An unknown reference is `NotFound`, a start past the end of a known one `InvalidRange`. */
const checkRegions = (regions: Regions, references: OpenedFile["references"]): Result.Result<Regions, HtsgetError> => {
  const lengths = new Map(references.map((reference) => [reference.name, lengthOf(reference)]))
  for (const { readings } of regions) {
    for (const { name, starts } of readings) {
      const length = lengths.get(name)
      if (length === undefined) {
        return Result.fail(new HtsgetError({ kind: "NotFound", message: `the file has no reference ${name}` }))
      }
      if ((starts[0] ?? 0) >= length) {
        return Result.fail(new HtsgetError({ kind: "InvalidRange", message: `${name} has ${length} bases` }))
      }
    }
  }
  return Result.succeed(regions)
}

const resolve = (regions: Regions, references: OpenedFile["references"]) =>
  Result.mapError(
    resolveRegions(regions, references, "the file"),
    ({ message }) => new HtsgetError({ kind: "InvalidRange", message })
  )

interface StretchPieces {
  readonly pieces: ReadonlyArray<TicketPiece>
  /** The records where it begins and ends, as far as they lie in blocks that are read, in file order. */
  readonly met: ReadonlyArray<{ readonly at: VirtualOffset.VirtualOffset; readonly place: Place | null }>
}

/** The piece of the first block, the blocks between, the piece of the last block; fewer where they are the same or whole. */
const piecesOfStretch = Effect.fnUntraced(function* <E>(
  file: OpenedFile<E>,
  reader: ByteReader<E>,
  { begin, end }: Stretch
): Effect.fn.Return<StretchPieces, FileDamaged | E, Codec> {
  const [first, last] = [VirtualOffset.block(begin), VirtualOffset.block(end)]
  const [from, to] = [VirtualOffset.within(begin), VirtualOffset.within(end)]
  const opening = yield* contentAt(file.name, reader, first)
  const closing = first === last ? opening : to === 0 ? null : yield* contentAt(file.name, reader, last)
  const pieces: Array<TicketPiece> = []
  if (closing === opening) pieces.push(yield* cut(opening, from, to))
  else {
    if (from > 0 && from !== opening.content.length) pieces.push(yield* cut(opening, from, opening.content.length))
    const at = from > 0 ? first + opening.size : first
    if (last > at) pieces.push({ _tag: "Range", first: at, end: last })
    if (closing !== null) pieces.push(yield* cut(closing, 0, to))
  }
  const met = [{ at: begin, place: yield* placeAt(file, reader, opening, from) }]
  if (closing !== null) met.push({ at: end, place: yield* placeAt(file, reader, closing, to) })
  return { pieces, met }
})

/** Where the first record from byte `within` of a block on stands; null where the file ends. */
const placeAt = Effect.fnUntraced(function* <E>(
  { dataEnd, first, name }: OpenedFile<E>,
  reader: ByteReader<E>,
  { at, content, size }: Block,
  within: number
) {
  const tell = first()
  const told = tell(content.subarray(within))
  if (told !== null || at + size >= dataEnd) return told
  const next = VirtualOffset.make(at + size, 0)
  return yield* toldAt({ name, reader }, next, tell, badBlock(name, at + size, "no block begins there"))
})

interface Block {
  readonly file: string
  readonly at: number
  /** Bytes of the file. */
  readonly size: number
  readonly content: Uint8Array
}

const contentAt = Effect.fnUntraced(function* <E>(
  file: string,
  reader: ByteReader<E>,
  at: number
): Effect.fn.Return<Block, FileDamaged | E, Codec> {
  const codec = yield* Codec
  const batch = yield* readBlocks(file, reader, at, 0)
  const size = batch.starts[1]
  if (size === undefined) return yield* badBlock(file, at, "the index points past the end of the file")
  return { file, at, size, content: yield* Effect.fromResult(inflateAt(file, codec, batch, 0)) }
})

/** Blocks of a part of the content of one. */
const cut = Effect.fnUntraced(function* ({ at, content, file }: Block, from: number, to: number) {
  const codec = yield* Codec
  if (from > to || to > content.length) return yield* badBlock(file, at, "the index points past its end")
  const piece: TicketPiece = {
    _tag: "Inline",
    part: "body",
    bytes: withoutEnd(compress(codec, content.subarray(from, to), level))
  }
  return piece
})

/** The end-of-file block stands once, after all pieces. */
const withoutEnd = (file: Uint8Array): Uint8Array => file.subarray(0, file.length - Bgzf.eofBlock.length)
