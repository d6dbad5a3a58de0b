/** What header and index of a file tell: the pieces that a ticket lists, and the sequences that it is of. */
import * as Cache from "effect/Cache"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import type { FileDamaged } from "../Errors.ts"
import type { ByteReader } from "../genome/ByteReader.ts"
import { badBlock } from "../genome/bgzf/Blocks.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import * as VirtualOffset from "../genome/bgzf/VirtualOffset.ts"
import { indexAmong, kindOfName } from "../genome/formats/FileNames.ts"
import { binStart, levelOf } from "../genome/index/Bins.ts"
import { lengthOf } from "../genome/regions/Regions.ts"
import { toldAt } from "../genome/Structure.ts"
import { longestPiece } from "../htsget/Ticket.ts"
import { type OpenedFile, openFile, piecesOf, type TicketPiece } from "../htsget/TicketPieces.ts"
import { type Datatype, HtsgetError, type TicketRequest, typeOf } from "../htsget/TicketRequest.ts"
import { printable } from "../text/Printable.ts"
import { type BytesError, FileBytes, type SizedVersion } from "./FileBytes.ts"
import { InArchive, LinkStore, type ServedFile } from "./LinkStore.ts"
import { makeReaderShare } from "./ReaderShare.ts"

export interface TicketParts {
  readonly file: ServedFile
  readonly pieces: ReadonlyArray<TicketPiece>
}

export type TicketError = BytesError | HtsgetError

export class Tickets extends Context.Service<
  Tickets,
  {
    /** @param id - an analysis, or an analysis and a file with a slash between them */
    readonly parts: (datatype: Datatype, id: string, request: TicketRequest) => Effect.Effect<TicketParts, TicketError>
    /** Those of a file and its index; fails where there is no index, since no region can be shown then. */
    readonly sequences: (
      analysisId: string,
      fileName: string
    ) => Effect.Effect<ReadonlyArray<FileSequence>, TicketError>
  }
>()("svc-steps/core/serving/Tickets") {
  static readonly layer: Layer.Layer<Tickets, never, LinkStore | FileBytes | Codec> = Layer.effect(
    Tickets,
    Effect.suspend(() => makeTickets())
  )
}

/** Files whose header and index are kept: those of a genome take some 10 MB. */
const mostOpen = 8
const keptWhile = {
  capacity: mostOpen,
  timeToLive: (exit: Exit.Exit<unknown, unknown>) => (Exit.isSuccess(exit) ? "10 minutes" : "0 millis")
} as const
/** Tickets that are made at the same time: each holds header and index of its file, and its own inline pieces. */
const mostAtOnce = 16
/** Of one reader: a link host that is silent or slow holds them for long. */
const mostOfReader = 8

/** A version of a file and of its index. */
interface Openable {
  readonly datatype: Datatype
  readonly data: ServedFile
  readonly version: SizedVersion
  readonly index: ServedFile
  readonly indexVersion: SizedVersion
}

const makeTickets = Effect.fnUntraced(function* () {
  const store = yield* LinkStore
  const bytes = yield* FileBytes
  const codec = yield* Codec
  const making = yield* Semaphore.make(mostAtOnce)
  // Around what readers share, never inside: nobody waits for the turn of somebody else.
  const asking = yield* makeReaderShare(mostOfReader)

  // By the version too: of a file that changed, header and index are read anew.
  const opened = yield* Cache.makeWith<Openable, OpenedFile<BytesError>, BytesError>(
    ({ data, datatype, index, indexVersion, version }) =>
      openFile(datatype, {
        name: data.fileName,
        reader: bytes.reader(data, version),
        index: { name: index.fileName, reader: bytes.reader(index, indexVersion) }
      }).pipe(Effect.provideService(Codec, codec)),
    keptWhile
  )
  const sequences = yield* Cache.makeWith<Openable, ReadonlyArray<FileSequence>, BytesError>(
    (openable) =>
      Effect.flatMap(Cache.get(opened, openable), (file) =>
        sequencesOf(file, bytes.reader(openable.data, openable.version))
      ).pipe(Effect.provideService(Codec, codec), making.withPermit),
    keptWhile
  )

  const fileOf = Effect.fnUntraced(function* (datatype: Datatype, id: string) {
    const suffix = `.${typeOf[datatype]}`
    const slash = id.indexOf("/")
    if (slash >= 0) {
      const file = yield* store.file(id.slice(0, slash), id.slice(slash + 1))
      if (file.fileName.toLowerCase().endsWith(suffix)) return file
      const message = `${printable(file.fileName)} has no ${datatype}: their files end with ${suffix}`
      return yield* new HtsgetError({ kind: "NotFound", message })
    }
    const files = yield* store.files(id)
    const [file, ...others] = files.filter(({ fileName }) => fileName.toLowerCase().endsWith(suffix))
    if (file === undefined) {
      const message = `analysis ${printable(id)} has no file with ${datatype}`
      return yield* new HtsgetError({ kind: "NotFound", message })
    }
    if (others.length > 0) {
      const names = [file, ...others].map(({ fileName }) => printable(`${id}/${fileName}`)).join(", ")
      return yield* new HtsgetError({ kind: "InvalidInput", message: `there are several: give one of ${names}` })
    }
    return file
  })

  /** What it takes to open a file. That asks the link hosts, after all that asks the service. */
  const openableOf = Effect.fnUntraced(function* (datatype: Datatype, data: ServedFile) {
    const listed = yield* store.files(data.analysisId)
    const index = indexAmong(data.fileName, listed, ({ archived }) => !archived)
    if (index === null) {
      const message = `${printable(data.fileName)} has no index, so only the whole of it can be had`
      return yield* new HtsgetError({ kind: "NotFound", message })
    }
    if (index.archived) return yield* new InArchive({ file: index })
    return Effect.map(
      Effect.all([bytes.version(data), bytes.version(index)], { concurrency: 2 }),
      ([version, indexVersion]): Openable => ({ datatype, data, version, index, indexVersion })
    )
  })

  return Tickets.of({
    parts: Effect.fn("svc.serving.parts")(function* (datatype, id, request) {
      const data = yield* fileOf(datatype, id)
      if (data.archived) return yield* new InArchive({ file: data })
      if (request.regions === null && !request.header) {
        const size = data.size ?? (yield* asking(bytes.version(data))).size
        const piece: TicketPiece = size > longestPiece ? { _tag: "Range", first: 0, end: size } : { _tag: "Whole" }
        return { file: data, pieces: [piece] }
      }
      const openable = yield* openableOf(datatype, data)
      const piecesIn = Effect.fnUntraced(function* (known: Openable) {
        const file = yield* Cache.get(opened, known)
        const reader = bytes.reader(data, known.version)
        return yield* piecesOf(file, reader, request).pipe(Effect.provideService(Codec, codec))
      }, making.withPermit)
      return { file: data, pieces: yield* asking(Effect.flatMap(openable, piecesIn)) }
    }),
    sequences: Effect.fn("svc.serving.sequences")(function* (analysisId, fileName) {
      const data = yield* store.file(analysisId, fileName)
      const kind = kindOfName(data.fileName)?.kind
      const datatype = datatypes.find((each) => typeOf[each] === kind)
      if (datatype === undefined) {
        const message = `${printable(data.fileName)} cannot be shown: only files of reads and of variants can`
        return yield* new HtsgetError({ kind: "NotFound", message })
      }
      if (data.archived) return yield* new InArchive({ file: data })
      const openable = yield* openableOf(datatype, data)
      return yield* asking(Effect.flatMap(openable, (known) => Cache.get(sequences, known)))
    })
  })
})

const datatypes: ReadonlyArray<Datatype> = ["reads", "variants"]

/** A reference sequence of a file, as a browser of genomes needs to know it: it then needs no genome from elsewhere. */
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
