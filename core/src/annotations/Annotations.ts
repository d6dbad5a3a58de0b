/** The rows of annotations for programs: a stream of records, in memory that does not grow with the table. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { parseExactly } from "../contract/ExactNumber.ts"
import type { AnalysisId } from "../contract/Ids.ts"
import { misfitsOf, type ServiceError, UsageError, usageErrorOf } from "../Errors.ts"
import { Session } from "../session/Session.ts"
import { parseCondition } from "../text/Condition.ts"
import { type AnnotationsError, annotationColumns, makeAnnotationsFetch } from "./AnnotationsFetch.ts"
import type { Column } from "./Columns.ts"
import { Spools } from "./Spool.ts"
import type { TextOutput } from "./TabSeparated.ts"

/**
 * A row: `analysisId`, and a cell for each column under the id of the column, or `<id>_2` for the second of that id.
 *
 * @category models
 * @since 0.1.0
 */
export interface AnnotationRow {
  readonly analysisId: AnalysisId
  readonly [column: string]: unknown
}

/**
 * Which rows and columns of a table; all of them when nothing is said.
 *
 * @category options
 * @since 0.1.0
 */
export interface AnnotationOptions {
  /** Names of columns. */
  readonly columns?: ReadonlyArray<string> | undefined
  /** Such as `Gene = FBN1` or `Pos >= 48408306`, by names of columns; rows that do not pass all of them are left out. */
  readonly filters?: ReadonlyArray<string> | undefined
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
 * The annotated small variants of analyses.
 *
 * **Example** (The variants of a gene)
 *
 * ```ts
 * import { Stream } from "effect"
 * import { Annotations, Ids } from "svc-steps"
 *
 * const zygosities = Stream.unwrap(
 *   Annotations.Annotations.useSync(({ rows }) =>
 *     rows(Ids.AnalysisId.make("A1"), { filters: ["Gene = FBN1"], columns: ["Zygosity"] })
 *   )
 * )
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export class Annotations extends Context.Service<
  Annotations,
  {
    /**
     * Those of one analysis, row by row. Fails with `NotFound` when there is no such analysis, and with `UsageError` when it has no
     * such column.
     *
     * The service sends the names of the columns after the rows, so rows wait in a file without a name until the whole table is
     * here. No other request of the session starts before that. Only a stream that ends well was complete.
     */
    readonly rows: (analysis: AnalysisId, options?: AnnotationOptions) => Stream.Stream<AnnotationRow, AnnotationsError>
    /** Its columns, in the order of their cells. The whole table is read for them, as their names come last; nothing of it is kept. */
    readonly columns: (analysis: AnalysisId) => Effect.Effect<ReadonlyArray<Column>, ServiceError>
  }
>()("svc-steps/core/annotations/Annotations") {
  /** @internal */
  static readonly layer: Layer.Layer<Annotations, never, Services> = Layer.effect(
    Annotations,
    Effect.gen(function* () {
      const context = pickServices(yield* Effect.context<Services>())
      return Annotations.of({
        rows: (analysis, options) => Stream.provideContext(rows(analysis, options), context),
        columns: (analysis) => Effect.provideContext(annotationColumns(analysis), context)
      })
    })
  )
}

type Services = Session | Spools

/** Span, annotations and logger are those of whoever calls. */
const pickServices = Context.pick(Session, Spools)

const rows = (analysis: AnalysisId, options: AnnotationOptions = {}) =>
  Stream.callback<string, AnnotationsError, Services>(
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
      const wrong = misfits(options)
      if (wrong.length > 0) return yield* usageErrorOf(wrong)
      const { columns = [] } = options
      const filters = yield* filtersOf(options)
      const into = yield* makeAnnotationsFetch({ format: "jsonl", columns, filters, several: false }, output)
      yield* into(analysis)
      yield* Queue.end(queue)
    }),
    { bufferSize: mostWaiting }
  ).pipe(Stream.flatMap((lines) => Stream.fromIterable(rowsOf(lines), { chunkSize: together })))

const texts = Schema.Array(Schema.NonEmptyString)
const misfits = misfitsOf({ columns: texts, filters: texts })

const filtersOf = ({ filters = [] }: AnnotationOptions) =>
  Effect.mapError(
    Effect.fromResult(Result.all(filters.map(parseCondition))),
    (message) => new UsageError({ message, options: ["filters"] })
  )
