/**
 * The annotations of analyses as one text, one analysis after the other, in memory that does not grow with them.
 *
 * The service sends the rows first and their header last. So rows are checked and marked as they come and wait in a
 * spool; when the body is complete, the session is let go and the rows become text. Where the header comes first, rows
 * become text at once.
 */

import { Data, Effect, Ref, Result, Stream } from "effect"
import { opened } from "../client/Reply.ts"
import { parsed } from "../client/ReplyText.ts"
import { type StreamedReply, streamedReply } from "../client/StreamedReply.ts"
import {
  type CannotCreate,
  type LocalIo,
  ReplyMalformed,
  ReplyTooLarge,
  type ServiceError,
  Unavailable,
  UsageError
} from "../Errors.ts"
import { joined } from "../genome/JoinedBytes.ts"
import { bodyRetry } from "../Schedules.ts"
import { Session } from "../session/Session.ts"
import { faultOfClientError } from "../session/TransportFault.ts"
import { BodyScanner, type Part, type ScanFault } from "./BodyScanner.ts"
import { analysisIdName, type Column, columnsOf, pick } from "./Columns.ts"
import { jsonLines } from "./JsonLines.ts"
import { RowConverter } from "./RowConverter.ts"
import { type FilterRequest, type RowFilter, rowFilter } from "./RowFilter.ts"
import { type Spool, Spools } from "./Spool.ts"
import { tabHeader, tabSeparated } from "./TabSeparated.ts"

export interface AnnotationsRequest {
  /** `json` is the body byte for byte; columns and filter are for the others. */
  readonly format: "jsonl" | "tsv" | "json"
  /** Ids or titles; empty for all columns. */
  readonly columns: ReadonlyArray<string>
  readonly filter: FilterRequest
  /** More than one analysis is to come: a line feed after each `json` body keeps them apart. */
  readonly several: boolean
}

/** Takes text in order. */
export interface TextOutput {
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, LocalIo>
  /** Forgets what was written after the first `size` bytes; false where it has been seen already. */
  readonly rewind: (size: number) => Effect.Effect<boolean, LocalIo>
}

/** What was done for one analysis. */
export interface AnnotationsCounts {
  readonly rowsRead: number
  readonly rowsWritten: number
  /** Of the body. */
  readonly bytes: number
  /** Wanted genes that no row had. */
  readonly unmetGenes: ReadonlyArray<string>
  /** Wanted chromosomes that no row had, as they were written. */
  readonly unmetChromosomes: ReadonlyArray<string>
  /** Some of those that rows had, as the service spells them; empty where no regions were wanted. */
  readonly chromosomes: ReadonlyArray<string>
  /** Rows left out because their position cannot be read. */
  readonly unplacedRows: number
  /** Columns of the table that this analysis does not have. */
  readonly missingColumns: ReadonlyArray<string>
}

/** Of the body that is coming. */
export interface Received {
  readonly bytes: number
  readonly rows: number
}

export type AnnotationsError = ServiceError | ReplyTooLarge | UsageError | CannotCreate | LocalIo

/** The connection broke in the middle of a body. */
class BodyBroken extends Data.TaggedError("BodyBroken")<{ readonly host: string; readonly reason: string }> {}

/** Where the output stands between two analyses. */
interface Place {
  /** Bytes of text. */
  readonly size: number
  /** The columns of the table, once there is one. */
  readonly table: ReadonlyArray<string> | null
}

/** How the rows of one analysis become text. */
interface Conversion {
  readonly converter: RowConverter
  readonly filter: RowFilter | null
  readonly missingColumns: ReadonlyArray<string>
}

/** Bytes. An answer that is no table is shorter than that. */
const longestBeginning = 64 * 1024

/**
 * Fetches one analysis after the other into `output`. One that fails leaves nothing there; where its rows cannot be taken
 * back, a warning says so.
 */
export const makeAnnotationsFetch = Effect.fnUntraced(function* (
  request: AnnotationsRequest,
  output: TextOutput,
  received: (now: Received) => void = () => {}
) {
  const verbatim = request.format === "json"
  const place = yield* Ref.make<Place>({ size: 0, table: null })

  const write = (bytes: Uint8Array) =>
    bytes.length === 0
      ? Effect.void
      : Effect.andThen(
          output.write(bytes),
          Ref.update(place, (now) => ({ ...now, size: now.size + bytes.length }))
        )

  /** Decides how rows become text, and begins the table where this is the first analysis of one. */
  const prepare = Effect.fnUntraced(function* (analysisId: string, header: ReadonlyArray<Uint8Array>, name: string) {
    const columns = yield* columnsOf(joined(header)).pipe(
      Effect.mapError((reason) => new ReplyMalformed({ request: name, reason }))
    )
    const usage = <A>(result: Result.Result<A, string>) =>
      Effect.mapError(
        Effect.fromResult(result),
        (message) => new UsageError({ message: `Analysis ${analysisId}: ${message}` })
      )
    const picked = request.columns.length === 0 ? columns : yield* usage(pick(columns, request.columns))
    const filter = yield* usage(rowFilter(request.filter, columns))
    if (request.format === "jsonl") {
      const converter = new RowConverter(columns.length, jsonLines(analysisId, picked), filter)
      return { converter, filter, missingColumns: [] } satisfies Conversion
    }
    const { table } = yield* Ref.get(place)
    const names = table ?? picked.map(({ name }) => name)
    const placed = yield* usage(arrange(names, picked))
    if (table === null) {
      yield* write(encoder.encode(tabHeader([analysisIdName, ...names])))
      yield* Ref.update(place, (now) => ({ ...now, table: names }))
    }
    const converter = new RowConverter(columns.length, tabSeparated(analysisId, placed), filter)
    return { converter, filter, missingColumns: names.filter((_, i) => placed[i] === null) } satisfies Conversion
  })

  /** Converts what is complete in the window, and writes it out. */
  const drain = Effect.fnUntraced(function* ({ converter }: Conversion, name: string) {
    while (true) {
      const state = converter.convert()
      if (state === "hungry") return
      if (state === "full") yield* write(converter.takeText())
      else {
        const reason = `row ${state.row} has ${state.cells} cells, the header ${state.columns} columns`
        return yield* new ReplyMalformed({ request: name, reason })
      }
    }
  })

  const feed = Effect.fnUntraced(function* (conversion: Conversion, rows: Uint8Array, name: string) {
    for (let at = 0; at < rows.length; ) {
      const { space } = conversion.converter
      const part = rows.subarray(at, at + space.length)
      space.set(part)
      conversion.converter.filled(part.length)
      at += part.length
      if (part.length === space.length) yield* drain(conversion, name)
    }
  })

  const unspool = Effect.fnUntraced(function* (conversion: Conversion, spool: Spool, name: string) {
    for (let at = 0; at < spool.size(); ) {
      const { space } = conversion.converter
      const length = yield* spool.read(at, space)
      conversion.converter.filled(length)
      at += length
      if (length === space.length) yield* drain(conversion, name)
    }
  })

  /** Reads the body to its end; the rows are in the spool, or text already. */
  const receive = Effect.fnUntraced(function* (analysisId: string, spool: Spool) {
    const reply = yield* streamedReply(yield* Session, "getSnvAnnotations", [analysisId])
    const name = reply.asked.request
    const scanner = new BodyScanner(!verbatim)
    const header: Array<Uint8Array> = []
    /** The body up to its first member that is ours: as long as it may be an answer of another kind. */
    let beginning: ReadonlyArray<Uint8Array> = []
    let direct: Conversion | null = null

    const take = Effect.fnUntraced(function* (chunk: Uint8Array) {
      const undecided = beginning.length > 0 || scanner.size === 0
      if (undecided) beginning = [...beginning, chunk.slice()]
      const fault = scanner.push(chunk)
      if (fault !== null) return yield* errorOf(fault, name)
      received({ bytes: scanner.size, rows: scanner.rowCount })
      if (undecided && !scanner.hasData && !scanner.hasHeader && scanner.size <= longestBeginning) return
      if (verbatim) {
        yield* undecided ? Effect.forEach(beginning, write, { discard: true }) : write(chunk)
        beginning = []
        return
      }
      beginning = []
      const { headerPart, rowsPart } = scanner
      const keepRows = (part: Part) => {
        const rows = partOf(chunk, part)
        return direct === null ? spool.write(rows) : feed(direct, rows, name)
      }
      const rowsFirst = rowsPart !== null && (headerPart === null || rowsPart.from < headerPart.from)
      if (rowsFirst) yield* keepRows(rowsPart)
      if (headerPart !== null) {
        header.push(partOf(chunk, headerPart).slice())
        if (scanner.headerComplete && !rowsFirst && spool.size() === 0)
          direct = yield* prepare(analysisId, header, name)
      }
      if (rowsPart !== null && !rowsFirst) yield* keepRows(rowsPart)
    })

    yield* Stream.runForEach(bodyOf(reply), take)
    const fault = scanner.end()
    if (fault !== null) return yield* errorOf(fault, name)
    if (beginning.length > 0) {
      // What has neither rows nor header is an error of the service, mostly (docs/service.md 7).
      yield* opened(yield* parsed(decoder.decode(joined(beginning)), name), reply.response.status, reply.asked)
    }
    const lacks = scanner.hasData ? (scanner.hasHeader ? null : "header") : "data"
    if (lacks !== null) return yield* new ReplyMalformed({ request: name, reason: `it has no ${lacks}` })
    return { scanner, header, direct, name }
  })

  const once = Effect.fnUntraced(function* (analysisId: string) {
    const spool = yield* (yield* Spools).open
    const { direct, header, name, scanner } = yield* Effect.scoped(receive(analysisId, spool))
    const counts = { bytes: scanner.size, rowsRead: scanner.rowCount }
    if (verbatim) {
      if (request.several) yield* write(encoder.encode("\n"))
      return { ...counts, ...unfiltered, rowsWritten: scanner.rowCount, missingColumns: [] }
    }
    const conversion = direct ?? (yield* prepare(analysisId, header, name))
    if (direct === null) yield* unspool(conversion, spool, name)
    yield* drain(conversion, name)
    yield* write(conversion.converter.takeText())
    return {
      ...counts,
      rowsWritten: conversion.converter.rowsOut,
      ...(conversion.filter === null ? unfiltered : filtered(conversion.filter)),
      missingColumns: conversion.missingColumns
    }
  })

  return Effect.fn("svc.annotations.fetch")(function* (
    analysisId: string
  ): Effect.fn.Return<AnnotationsCounts, AnnotationsError, Session | Spools> {
    const before = yield* Ref.get(place)
    /** Takes back what a failed try has written; false where that cannot be. */
    const restore = Effect.gen(function* () {
      if ((yield* Ref.get(place)).size === before.size) return true
      if (!(yield* output.rewind(before.size))) return false
      yield* Ref.set(place, before)
      return true
    })
    let attempts = 0
    const unavailable = ({ host, reason }: BodyBroken) => new Unavailable({ host, reason, attempts })
    const attempt = Effect.suspend(() => {
      attempts++
      return Effect.scoped(once(analysisId))
    })
    return yield* attempt.pipe(
      Effect.catchTag("BodyBroken", (broken) =>
        Effect.flatMap(
          restore,
          (restored): Effect.Effect<never, BodyBroken | Unavailable> =>
            Effect.fail(restored ? broken : unavailable(broken))
        )
      ),
      Effect.tapErrorTag("BodyBroken", ({ host, reason }) =>
        Effect.logWarning(`${host}: ${reason} after part of analysis ${analysisId}; fetching it anew`)
      ),
      Effect.retry({ schedule: bodyRetry, while: (error) => error._tag === "BodyBroken" }),
      Effect.catchTag("BodyBroken", unavailable),
      Effect.tapError(() =>
        Effect.flatMap(restore, (restored) =>
          restored ? Effect.void : Effect.logWarning(`Rows of analysis ${analysisId} are in the output, but not all`)
        )
      )
    )
  })
})

const filtered = ({ chromosomes, unmetChromosomes, unmetGenes, unplaced }: RowFilter) => {
  return { chromosomes, unmetChromosomes, unmetGenes, unplacedRows: unplaced }
}

const unfiltered = { chromosomes: [], unmetChromosomes: [], unmetGenes: [], unplacedRows: 0 }

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const partOf = (chunk: Uint8Array, { from, to }: Part): Uint8Array => chunk.subarray(from, to)

const bodyOf = ({ response }: StreamedReply): Stream.Stream<Uint8Array, BodyBroken> =>
  Stream.mapError(
    response.stream,
    (error) => new BodyBroken({ host: new URL(response.url).host, reason: faultOfClientError(error).reason })
  )

const errorOf = (fault: ScanFault, request: string): ReplyMalformed | ReplyTooLarge =>
  fault._tag === "TooLarge"
    ? new ReplyTooLarge({ request, limit: fault.limit })
    : new ReplyMalformed({ request, reason: `${fault.reason}, at byte ${fault.at + 1}` })

/**
 * The place of each column of the table among those of another analysis, null where it has none. Columns that the table
 * does not have would be lost, so they are a failure.
 */
const arrange = (
  table: ReadonlyArray<string>,
  columns: ReadonlyArray<Column>
): Result.Result<ReadonlyArray<number | null>, string> => {
  const more = columns.filter(({ name }) => !table.includes(name)).map(({ name }) => name)
  return more.length > 0
    ? Result.fail(
        `it has columns that the table begun with another analysis does not have (${more.join(", ")}): choose with --columns, use --format jsonl, or give it a table of its own`
      )
    : Result.succeed(table.map((name) => columns.find((column) => column.name === name)?.index ?? null))
}
