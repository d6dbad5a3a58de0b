/**
 * The annotations of analyses as one text, one analysis after the other, in memory that does not grow with them.
 *
 * The service sends the rows first and their header last. So rows are checked and marked as they come and wait in a
 * spool; when the body is complete, the session is let go and the rows become text. Where the header comes first, rows
 * become text at once.
 */

import { Effect, Ref, Result } from "effect"
import {
  type CannotCreate,
  type LocalIo,
  ReplyMalformed,
  type ReplyTooLarge,
  type ServiceError,
  Unavailable,
  UsageError
} from "../Errors.ts"
import { bodyRetry } from "../Schedules.ts"
import type { Session } from "../session/Session.ts"
import { type BodyBroken, type BodyTaker, type Received, readBody } from "./BodyReading.ts"
import { analysisIdName, type Column, columnsOf, pick } from "./Columns.ts"
import { jsonLines } from "./JsonLines.ts"
import { RowConverter } from "./RowConverter.ts"
import { type FilterRequest, type RowFilter, rowFilter } from "./RowFilter.ts"
import { feed, finish, type RowWriting, unspool } from "./RowWriting.ts"
import { Spools } from "./Spool.ts"
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

export type AnnotationsError = ServiceError | ReplyTooLarge | UsageError | CannotCreate | LocalIo

/** Where the output stands between two analyses. */
interface OutputState {
  /** Bytes of text. */
  readonly size: number
  /** The columns of the table, once there is one. */
  readonly table: ReadonlyArray<string> | null
}

/** The names of the columns, and what was asked when they came. */
interface Header {
  readonly json: Uint8Array
  readonly name: string
}

/** A body without one has failed before this is looked at. */
const noHeader: Header = { json: new Uint8Array(), name: "" }

/**
 * Fetches one analysis after the other into `output`. One that fails leaves nothing there; where its rows cannot be taken
 * back, a warning says so.
 */
export const makeAnnotationsFetch = Effect.fnUntraced(function* (
  request: AnnotationsRequest,
  output: TextOutput,
  received: (now: Received) => void = () => {}
) {
  const place = yield* Ref.make<OutputState>({ size: 0, table: null })

  const write = (bytes: Uint8Array) =>
    bytes.length === 0
      ? Effect.void
      : Effect.andThen(
          output.write(bytes),
          Ref.update(place, (now) => ({ ...now, size: now.size + bytes.length }))
        )

  /** The columns of this analysis, those of them that are wanted, and which rows are. */
  const choose = Effect.fnUntraced(function* (analysisId: string, header: Uint8Array, name: string) {
    const columns = yield* columnsOf(header).pipe(
      Effect.mapError((reason) => new ReplyMalformed({ request: name, reason }))
    )
    const usage = usageOf(analysisId)
    const picked = request.columns.length === 0 ? columns : yield* usage(pick(columns, request.columns))
    return { width: columns.length, picked, filter: yield* usage(rowFilter(request.filter, columns)) }
  })

  /** Decides how rows become text, and begins the table where this is the first analysis of one. */
  const prepare = Effect.fnUntraced(function* (analysisId: string, header: Uint8Array, name: string) {
    const { filter, picked, width } = yield* choose(analysisId, header, name)
    const about = { filter, request: name, write }
    if (request.format === "jsonl") {
      const converter = new RowConverter(width, jsonLines(analysisId, picked), filter)
      return { ...about, converter, missingColumns: [] } satisfies RowWriting
    }
    const { table } = yield* Ref.get(place)
    const names = table ?? picked.map(({ name }) => name)
    const placed = yield* usageOf(analysisId)(arrange(names, picked))
    if (table === null) {
      yield* write(encoder.encode(tabHeader([analysisIdName, ...names])))
      yield* Ref.update(place, (now) => ({ ...now, table: names }))
    }
    const converter = new RowConverter(width, tabSeparated(analysisId, placed), filter)
    return { ...about, converter, missingColumns: names.filter((_, i) => placed[i] === null) } satisfies RowWriting
  })

  /** The body byte for byte. */
  const copy = Effect.fnUntraced(function* (analysisId: string) {
    const counts = yield* Effect.scoped(readBody(analysisId, { body: write, received }))
    if (request.several) yield* write(encoder.encode("\n"))
    return { ...counts, ...unfiltered, rowsWritten: counts.rowsRead, missingColumns: [] }
  })

  /** The rows as text: at once where the header came first, else when the body is complete and the session is let go. */
  const convert = Effect.fnUntraced(function* (analysisId: string) {
    const spool = yield* (yield* Spools).open
    const header: Array<Header> = []
    const direct: Array<RowWriting> = []
    const taker: BodyTaker<AnnotationsError, never> = {
      received,
      rows: (rows) => (direct[0] === undefined ? spool.write(rows) : feed(direct[0], rows)),
      header: Effect.fnUntraced(function* (json, name) {
        header.push({ json, name })
        if (spool.size() === 0) direct.push(yield* prepare(analysisId, json, name))
      })
    }
    const counts = yield* Effect.scoped(readBody(analysisId, taker))
    const [{ json, name } = noHeader] = header
    const writing: RowWriting = direct[0] ?? (yield* prepare(analysisId, json, name))
    if (direct.length === 0) yield* unspool(writing, spool)
    yield* finish(writing)
    const { converter, filter, missingColumns } = writing
    const filtering = filter === null ? unfiltered : filtered(filter)
    return { ...counts, ...filtering, rowsWritten: converter.rowsOut, missingColumns }
  })

  const once = request.format === "json" ? copy : convert

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
const usageOf =
  (analysisId: string) =>
  <A>(result: Result.Result<A, string>): Effect.Effect<A, UsageError> =>
    Effect.mapError(
      Effect.fromResult(result),
      (message) => new UsageError({ message: `Analysis ${analysisId}: ${message}` })
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
        `it has columns that the table begun with another analysis does not have (${more.join(", ")}): choose with --columns, use --format jsonl, or give it a table of its own`
      )
    : Result.succeed(table.map((name) => columns.find((column) => column.name === name)?.index ?? null))
}
