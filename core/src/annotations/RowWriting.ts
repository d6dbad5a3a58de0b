/** The rows of one analysis on their way to text: from the service as they come, or from the spool where they waited. */
import * as Effect from "effect/Effect"
import { type LocalIo, ReplyMalformed } from "../Errors.ts"
import type { RowConverter } from "./RowConverter.ts"
import type { RowFilter } from "./RowFilter.ts"
import type { Spool } from "./Spool.ts"

/** How the rows of one analysis become text. */
export interface RowWriting {
  readonly converter: RowConverter
  readonly filter: RowFilter | null
  /** Columns of the table that this analysis does not have. */
  readonly missingColumns: ReadonlyArray<string>
  /** What was asked, for messages. */
  readonly request: string
  readonly write: (text: Uint8Array) => Effect.Effect<void, LocalIo>
}

/** Converts the rows that are complete, and writes them out in blocks. */
const drain = Effect.fnUntraced(function* ({ converter, request, write }: RowWriting) {
  while (true) {
    const state = converter.convert()
    if (state === "hungry") return
    if (state === "full") yield* write(converter.takeText())
    else {
      const reason = `row ${state.row} has ${state.cells} cells, the header ${state.columns} columns`
      return yield* new ReplyMalformed({ request, reason })
    }
  }
})

/** Takes marked rows; a row may be cut anywhere. */
export const feed = Effect.fnUntraced(function* (writing: RowWriting, rows: Uint8Array) {
  for (let at = 0; at < rows.length; ) {
    const { space } = writing.converter
    const part = rows.subarray(at, at + space.length)
    space.set(part)
    writing.converter.filled(part.length)
    at += part.length
    if (part.length === space.length) yield* drain(writing)
  }
})

/** Takes all rows of a spool. */
export const unspool = Effect.fnUntraced(function* (writing: RowWriting, spool: Spool) {
  for (let at = 0; at < spool.size(); ) {
    const { space } = writing.converter
    const length = yield* spool.read(at, space)
    writing.converter.filled(length)
    at += length
    if (length === space.length) yield* drain(writing)
  }
})

/** Writes what is left, after the last row. */
export const finish = (writing: RowWriting) =>
  Effect.andThen(
    drain(writing),
    Effect.suspend(() => writing.write(writing.converter.takeText()))
  )
