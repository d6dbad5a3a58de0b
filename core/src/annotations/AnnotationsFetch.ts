/**
 * The annotations of analyses as one text, one analysis after the other, in memory that does not grow with them.
 *
 * The service sends the rows first and their header last. So rows are checked as they come and wait in a spool; when the body
 * is complete, the session is let go and the rows become text: who takes them may ask the service meanwhile.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import {
  type CannotCreate,
  type LocalIo,
  type OptionName,
  ReplyMalformed,
  type ReplyTooLarge,
  type ServiceError,
  Unavailable,
  UsageError
} from "../Errors.ts"
import { bodyRetry } from "../Schedules.ts"
import type { Condition } from "../text/Condition.ts"
import { type BodyBroken, type Received, readBody } from "./BodyReading.ts"
import { type Column, columnsOf, pick } from "./Columns.ts"
import { rowFilter } from "./RowFilter.ts"
import { type RowForm, RowReader } from "./RowReader.ts"
import { type Spool, Spools } from "./Spool.ts"
import { makeTextWriter, type TextOutput, type TextWriter, tabSeparated } from "./TabSeparated.ts"

export interface AnnotationsRequest {
  /** `json` is the body byte for byte; columns and filters are for the others. */
  readonly format: "jsonl" | "tsv" | "json"
  /** By their names; empty for all columns. */
  readonly columns: ReadonlyArray<string>
  /** A row must pass all of them. */
  readonly filters: ReadonlyArray<Condition>
  /** More than one analysis is to come: a line feed after each `json` body keeps them apart. */
  readonly several: boolean
}

/** What was done for one analysis. */
export interface AnnotationsCounts {
  readonly rowsRead: number
  readonly rowsWritten: number
  /** Bytes of the body that were received. */
  readonly bytes: number
  /** Columns of the table that this analysis does not have. */
  readonly missingColumns: ReadonlyArray<string>
}

/**
 * Ways in which annotations cannot be fetched or written.
 *
 * @category errors
 * @since 0.1.0
 */
export type AnnotationsError = ServiceError | ReplyTooLarge | UsageError | CannotCreate | LocalIo

/** What is fetched, where its text goes, and who hears of what has come. */
interface Fetching {
  readonly request: AnnotationsRequest
  readonly writer: TextWriter
  readonly received: (now: Received) => void
}

/**
 * Fetches one analysis after the other into `output`. One that fails leaves nothing there; where its rows cannot be taken
 * back, a warning says so.
 */
export const makeAnnotationsFetch = Effect.fnUntraced(function* (
  request: AnnotationsRequest,
  output: TextOutput,
  received: (now: Received) => void = () => {}
) {
  const fetching: Fetching = { request, received, writer: yield* makeTextWriter(output) }
  const once = request.format === "json" ? copyBody : convertRows
  return Effect.fn("svc.annotations.fetch")((analysisId: string) =>
    retryBroken(once(fetching, analysisId), fetching, analysisId)
  )
})

/** The columns of an analysis. The whole body is read for them: the service names them after the rows. */
export const annotationColumns = Effect.fn("svc.annotations.annotationColumns")(function* (analysisId: string) {
  const attempt = Effect.flatMap(readBody(analysisId, {}), ({ header }) => readColumns(header))
  return yield* retried(attempt, analysisId, Effect.succeed(true))
})

/** An answer that nothing can be made of, as somebody on the way has cut or replaced it. */
const isGarbled = (error: { readonly _tag: string }): error is ReplyMalformed =>
  error._tag === "SvcReplyMalformed" && "garbled" in error && error.garbled === true

/** A broken connection, or an answer of which nothing can be made: another try may get the whole. */
const isBroken = (error: { readonly _tag: string }): error is BodyBroken | ReplyMalformed =>
  error._tag === "BodyBroken" || isGarbled(error)

/** Tries again after what broke, while `undo` can take back what was written and nobody has seen the beginning. */
const retried = Effect.fnUntraced(function* <A, E extends AnnotationsError, R>(
  attempt: Effect.Effect<A, E | BodyBroken, R>,
  analysisId: string,
  undo: Effect.Effect<boolean, E>
): Effect.fn.Return<A, E | Unavailable | ReplyMalformed, Exclude<R, Scope.Scope>> {
  let attempts = 0
  const final = (error: BodyBroken | ReplyMalformed): Unavailable | ReplyMalformed =>
    error._tag === "BodyBroken"
      ? new Unavailable({ host: error.host, reason: error.reason, attempts })
      : new ReplyMalformed({ request: error.request, reason: error.reason })
  const counted = Effect.suspend(() => {
    attempts++
    return Effect.scoped(attempt)
  })
  return yield* counted.pipe(
    Effect.catch((error) =>
      Effect.flatMap(isBroken(error) ? undo : Effect.succeed(true), (undone) =>
        Effect.fail(isBroken(error) && !undone ? final(error) : error)
      )
    ),
    Effect.retry({
      schedule: bodyRetry.pipe(
        Schedule.setInputType<AnnotationsError | BodyBroken>(),
        Schedule.tap(({ input }) => (isBroken(input) ? sayAnew(input, analysisId) : Effect.void))
      ),
      while: isBroken
    }),
    Effect.mapError((error) => (error._tag === "BodyBroken" ? final(error) : error))
  )
})

const sayAnew = (error: BodyBroken | ReplyMalformed, analysisId: string) =>
  Effect.logWarning(
    `analysis ${analysisId}: ${error._tag === "BodyBroken" ? `${error.host}: ` : ""}${error.reason}; fetching it anew`
  )

/** The same, and a failure takes back what was written. */
const retryBroken = Effect.fnUntraced(function* <R>(
  attempt: Effect.Effect<AnnotationsCounts, AnnotationsError | BodyBroken, R>,
  { writer }: Fetching,
  analysisId: string
): Effect.fn.Return<AnnotationsCounts, AnnotationsError, Exclude<R, Scope.Scope>> {
  const undo = yield* writer.undo
  return yield* Effect.tapError(retried(attempt, analysisId, undo), () =>
    Effect.flatMap(undo, (undone) =>
      undone ? Effect.void : Effect.logWarning(`Rows of analysis ${analysisId} are in the output, but not all`)
    )
  )
})

/** The body byte for byte. */
const copyBody = Effect.fnUntraced(function* ({ received, request, writer }: Fetching, analysisId: string) {
  const { counts } = yield* Effect.scoped(readBody(analysisId, { body: writer.write, received }))
  if (request.several) yield* writer.write(encoder.encode("\n"))
  return { ...counts, rowsWritten: counts.rowsRead, missingColumns: [] }
})

/** The rows as text, when the body is complete and the session is let go. */
const convertRows = Effect.fnUntraced(function* (fetching: Fetching, analysisId: string) {
  const spool = yield* (yield* Spools).open
  const taker = { received: fetching.received, data: spool.write }
  const { counts, header } = yield* Effect.scoped(readBody(analysisId, taker))
  const writing = yield* prepareRows(fetching, analysisId, header)
  yield* writeSpool(writing, spool)
  const { missingColumns, reader } = writing
  return { ...counts, rowsWritten: reader.rowsOut, missingColumns }
})

/** How the rows of one analysis become text. */
interface RowWriting {
  readonly reader: RowReader
  /** Columns of the table that this analysis does not have. */
  readonly missingColumns: ReadonlyArray<string>
  /** What was requested, as messages call it. */
  readonly request: string
  readonly write: (text: Uint8Array) => Effect.Effect<void, LocalIo>
}

/** Bytes of rows that are read together: so much text of them is in memory at most. */
const together = 64 * 1024
/** Bytes of text that are worth a write. */
const worthWriting = 256 * 1024

/** The list of rows that waited in a spool; text is written in blocks. */
const writeSpool = Effect.fnUntraced(function* ({ reader, request, write }: RowWriting, spool: Spool) {
  const buffer = new Uint8Array(together)
  for (let at = 0; at < spool.size(); ) {
    const length = yield* spool.read(at, buffer)
    const fault = reader.push(buffer.subarray(0, length))
    if (reader.textLength >= worthWriting) yield* write(reader.takeText())
    if (fault !== null) {
      const reason = `row ${fault.row} has ${fault.cells} cells, the header ${fault.columns} columns`
      return yield* new ReplyMalformed({ request, reason })
    }
    at += length
  }
  yield* write(reader.takeText())
})

/** The names of the columns, and what was asked when they came. */
interface Header {
  readonly json: Uint8Array
  /** What was requested, as messages call it. */
  readonly request: string
}

const readColumns = ({ json, request }: Header) =>
  Effect.mapError(columnsOf(json), (reason) => new ReplyMalformed({ request, reason }))

/** How the rows of an analysis become text; begins the table where this is the first analysis of one. */
const prepareRows = Effect.fnUntraced(function* (
  { request: { columns: wanted, filters, format }, writer }: Fetching,
  analysisId: string,
  header: Header
): Effect.fn.Return<RowWriting, AnnotationsError> {
  const columns = yield* readColumns(header)
  const usage = usageOf(analysisId)
  const picked = wanted.length === 0 ? columns : yield* usage(pick(columns, [...new Set(wanted)]), "columns")
  const filter = yield* usage(rowFilter(filters, columns), "filters")
  const about = { request: header.request, write: writer.write }
  if (format === "jsonl") {
    const reader = new RowReader(columns.length, jsonLines(analysisId, picked), filter)
    return { ...about, reader, missingColumns: [] }
  }
  const names = yield* writer.columns(picked.map(({ name }) => name))
  const places = yield* usage(arrange(names, picked))
  const reader = new RowReader(columns.length, tabSeparated(analysisId, places), filter)
  return { ...about, reader, missingColumns: names.filter((_, i) => places[i] === null) }
})

const usageOf =
  (analysisId: string) =>
  <A>(result: Result.Result<A, string>, ...options: ReadonlyArray<OptionName>): Effect.Effect<A, UsageError> =>
    Effect.mapError(
      Effect.fromResult(result),
      (message) => new UsageError({ message: `Analysis ${analysisId}: ${message}`, options })
    )

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
        `it has columns that the table begun with another analysis does not have (${more.join(", ")}): choose with columns, use format jsonl, or give it a table of its own`
      )
    : Result.succeed(table.map((name) => columns.find((column) => column.name === name)?.index ?? null))
}

const encoder = new TextEncoder()
const lineEnd = encoder.encode("}\n")

/**
 * Objects with `analysisId` first and then a property for each of `columns`.
 *
 * @param columns - place among the cells of a row, and name of the property
 */
export const jsonLines = (
  analysisId: string,
  columns: ReadonlyArray<{ readonly index: number; readonly name: string }>
): RowForm => {
  const begin = encoder.encode(`{"analysisId":${JSON.stringify(analysisId)}`)
  const names = columns.map(({ name }) => encoder.encode(`,${JSON.stringify(name)}:`))
  const cells = columns.map(({ index }) => index)
  return ({ bytes, ends, starts }, text) => {
    text.add(begin, 0, begin.length)
    for (let i = 0; i < cells.length; i++) {
      const name = names[i] ?? begin
      const cell = cells[i] ?? 0
      text.add(name, 0, name.length)
      text.add(bytes, starts[cell] ?? 0, ends[cell] ?? 0)
    }
    text.add(lineEnd, 0, lineEnd.length)
  }
}
