/** The rows of annotations for programs: a stream of records, in memory that does not grow with the table. */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { parseExactly } from "../contract/ExactNumber.ts"
import type { AnalysisId } from "../contract/Ids.ts"
import type { RegionText } from "../genome/regions/RegionText.ts"
import type { Session } from "../session/Session.ts"
import { type AnnotationsError, makeAnnotationsFetch } from "./AnnotationsFetch.ts"
import type { Spools } from "./Spool.ts"
import type { TextOutput } from "./TextWriter.ts"

/** A row: `analysisId`, and a cell for each column under the id of the column, or `<id>_2` for the second of that id. */
export interface AnnotationRow {
  readonly analysisId: AnalysisId
  readonly [column: string]: unknown
}

/** Which rows and columns of a table; all of them when nothing is said. */
export interface AnnotationRowsWish {
  /** Ids or titles of columns. */
  readonly columns?: ReadonlyArray<string>
  /** Symbols; rows of other genes are left out. */
  readonly genes?: ReadonlyArray<string>
  /** As `parseRange` or `parseBed` read them; rows that touch none of them are left out. */
  readonly regions?: ReadonlyArray<RegionText>
}

/** Blocks of rows that may wait for a slow reader. */
const mostWaiting = 2

const decoder = new TextDecoder()

/** The rows in a block of whole lines, each made when it is asked for: as objects, the rows of a block take ten times the memory of its text. */
function* rowsOf(lines: string): Iterable<AnnotationRow> {
  for (let from = 0; from < lines.length; ) {
    const to = lines.indexOf("\n", from)
    yield parseExactly(lines.slice(from, to), "integers") as unknown as AnnotationRow
    from = to + 1
  }
}

/** Rows in one chunk of the stream. */
const together = 256

/**
 * The annotated small variants of an analysis, row by row. Fails with `NotFound` when there is no such analysis, and with
 * `UsageError` when it has no such column.
 *
 * The service sends the names of the columns after the rows, so rows wait in a file without a name (`Spools`) until the
 * whole table is here. No other request of the session starts before that. Only a stream that ends well was complete.
 */
export const annotationRows = (
  analysis: AnalysisId,
  { columns = [], genes = [], regions }: AnnotationRowsWish = {}
): Stream.Stream<AnnotationRow, AnnotationsError, Session | Spools> =>
  Stream.callback<string, AnnotationsError, Session | Spools>(
    Effect.fnUntraced(function* (queue) {
      let given = 0
      const output: TextOutput = {
        write: (bytes) =>
          Effect.suspend(() => {
            given += bytes.length
            return Queue.offer(queue, decoder.decode(bytes))
          }),
        rewind: (size) => Effect.sync(() => given <= size)
      }
      const filter = { genes, regions: regions ?? null }
      const into = yield* makeAnnotationsFetch({ format: "jsonl", columns, filter, several: false }, output)
      yield* into(analysis)
      yield* Queue.end(queue)
    }),
    { bufferSize: mostWaiting }
  ).pipe(Stream.flatMap((lines) => Stream.fromIterable(rowsOf(lines), { chunkSize: together })))
